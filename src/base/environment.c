#include "base/environment.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

const char *rg_environment(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && *value != '\0' ? value : NULL;
}

void rg_environment_refuse(atomic_flag *told, const char *name, const char *value, const char *format, ...)
{
    char wanted[256];
    va_list arguments;
    if (atomic_flag_test_and_set(told))
        return;
    va_start(arguments, format);
    vsnprintf(wanted, sizeof wanted, format, arguments);
    va_end(arguments);
    fprintf(stderr, "regrad: the environment variable %s is \"%.64s\"; %s\n", name, value, wanted);
}
