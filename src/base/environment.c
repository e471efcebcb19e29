/* SPDX-License-Identifier: Apache-2.0 */
#include "base/environment.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/format.h"

const char *rg_environment(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && *value != '\0' ? value : NULL;
}

void rg_environment_refuse(atomic_flag *told, const char *name, const char *value, const char *format, ...)
{
    char wanted[256], shown[64 + 1], plain[4 * 64 + 1];
    va_list arguments;
    if (atomic_flag_test_and_set(told))
        return;
    va_start(arguments, format);
    vsnprintf(wanted, sizeof wanted, format, arguments);
    va_end(arguments);
    snprintf(shown, sizeof shown, "%s", value);
    rg_copy_plain(plain, sizeof plain, shown);
    fprintf(stderr, "regrad: the environment variable %s is \"%s\"; %s\n", name, plain, wanted);
}

static bool parse_number(const char *text, int low, int high, int *number)
{
    char *end = NULL;
    const bool has_digit = *text >= '0' && *text <= '9';
    const long value = has_digit ? strtol(text, &end, 10) : 0;
    if (!has_digit || *end != '\0' || value < low || value > high)
        return false;
    *number = (int)value;
    return true;
}

int rg_environment_number(const char *name, int low, int high, int otherwise)
{
    const char *text = rg_environment(name);
    atomic_flag told = ATOMIC_FLAG_INIT;
    int number = otherwise;
    if (text != NULL && !parse_number(text, low, high, &number))
        rg_environment_refuse(&told, name, text,
                              "it must be a whole number from %d to %d; the variable counts as not set", low, high);
    return number;
}
