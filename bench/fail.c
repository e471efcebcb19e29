/* SPDX-License-Identifier: Apache-2.0 */
#include "fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

_Noreturn void fail(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "regrad-bench: ");
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "\n");
    va_end(arguments);
    exit(status);
}

void *take_memory(size_t size)
{
    void *memory = aligned_alloc(64, (size + 64) / 64 * 64);
    if (memory == NULL)
        fail(STATUS_SYSTEM, "the system refuses %zu bytes of memory", size);
    return memory;
}
