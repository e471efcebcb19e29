#include <pthread.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_base.h"

enum { LINE_SIZE = 1024 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int lowest_level; /* above ACL_ERROR: nothing is written */

static void read_environment(void)
{
    const char *print = getenv("ASCEND_LOG_PRINT_TO_STDOUT");
    if (print == NULL)
        print = getenv("ASCEND_SLOG_PRINT_TO_STDOUT");
    const char *level = getenv("ASCEND_GLOBAL_LOG_LEVEL");
    const bool prints = print != NULL && strcmp(print, "1") == 0;
    const bool is_level = level != NULL && level[0] >= '0' && level[0] <= '4' && level[1] == '\0';
    lowest_level = !prints ? ACL_ERROR + 1 : is_level ? level[0] - '0' : ACL_ERROR;
}

void aclAppLog(aclLogLevel logLevel, const char *func, const char *file, uint32_t line, const char *fmt, ...)
{
    static const char *const names[] = {"DEBUG", "INFO", "WARNING", "ERROR"};
    pthread_once(&once, read_environment);
    if (fmt == NULL || (int)logLevel < lowest_level || (int)logLevel < ACL_DEBUG || logLevel > ACL_ERROR)
        return;
    char text[LINE_SIZE];
    va_list arguments;
    va_start(arguments, fmt);
    vsnprintf(text, sizeof(text), fmt, arguments);
    va_end(arguments);
    printf("[%s] %s (%s:%u): %s\n", names[logLevel], func != NULL ? func : "", file != NULL ? file : "", line, text);
    fflush(stdout);
}
