/* SPDX-License-Identifier: Apache-2.0 */
#include "complain.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "progress.h"

int complain(int status, const char *format, ...)
{
    char message[2048];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    for (char *c = message; *c; c++)
        if ((unsigned char)*c < ' ' || *c == '\x7F')
            *c = '?';
    progress_clear();
    fprintf(stderr, "regrad: %s\n", message);
    return status;
}

int complain_library(regrad_status status)
{
    return complain(status == REGRAD_ERROR_OUT_OF_MEMORY ? STATUS_SYSTEM : STATUS_REFUSED, "%s", regrad_last_message());
}

int complain_memory(const char *what)
{
    return complain(STATUS_SYSTEM, "no memory for %s", what);
}

int finish_stdout(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    return complain(STATUS_SYSTEM, "standard output: cannot be written: %s", strerror(errno));
}
