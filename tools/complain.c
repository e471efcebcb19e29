/* SPDX-License-Identifier: Apache-2.0 */
#include "complain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"

static void print_line(const char *kind, const char *format, va_list arguments)
{
    char message[2048];
    vsnprintf(message, sizeof message, format, arguments);
    for (char *c = message; *c; c++)
        if ((unsigned char)*c < ' ' || *c == '\x7F')
            *c = '?';
    progress_clear();
    fprintf(stderr, "regrad: %s%s\n", kind, message);
}

int complain(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("", format, arguments);
    va_end(arguments);
    return status;
}

void warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_line("warning: ", format, arguments);
    va_end(arguments);
}

int complain_library(regrad_status status)
{
    return complain(status == REGRAD_ERROR_OUT_OF_MEMORY ? STATUS_SYSTEM : STATUS_REFUSED, "%s", regrad_last_message());
}

int complain_memory(const char *what)
{
    return complain(STATUS_SYSTEM, "no memory for %s", what);
}

void hold_standard_streams(void)
{
    for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 &&
            open("/dev/null", (descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC) < 0)
            return; /* without /dev/null all is as it would be without this */
}

int finish_output(int status)
{
    const int was_cut = ferror(stdout); /* by an error whose number is gone */
    const int error = fclose(stdout) != 0 ? errno : was_cut ? EIO : 0;
    if (error != 0)
        return complain(STATUS_SYSTEM, "standard output: cannot be written: %s", strerror(error));
    return status == STATUS_OK && ferror(stderr) ? STATUS_SYSTEM : status;
}
