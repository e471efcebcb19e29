/* SPDX-License-Identifier: Apache-2.0 */
#include "base/status.h"

#include <stdarg.h>
#include "base/format.h"

enum { MESSAGE_SIZE = 512 };

static _Thread_local char message[MESSAGE_SIZE];

regrad_status rg_fail(regrad_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    rg_format_list(message, sizeof message, format, arguments);
    va_end(arguments);
    return status;
}

const char *regrad_last_message(void)
{
    return message;
}

const char *regrad_status_name(regrad_status status)
{
    switch (status) {
    case REGRAD_OK:
        return "REGRAD_OK";
    case REGRAD_ERROR_NULL_POINTER:
        return "REGRAD_ERROR_NULL_POINTER";
    case REGRAD_ERROR_INVALID_ARGUMENT:
        return "REGRAD_ERROR_INVALID_ARGUMENT";
    case REGRAD_ERROR_OUT_OF_MEMORY:
        return "REGRAD_ERROR_OUT_OF_MEMORY";
    case REGRAD_ERROR_UNFINISHED:
        return "REGRAD_ERROR_UNFINISHED";
    }
    return "unknown status";
}
