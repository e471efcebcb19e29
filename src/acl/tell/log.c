/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "acl/tell/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "acl/tell/log_file.h"
#include "acl/tell/log_setting.h"
#include "base/format.h"

enum { TEXT_SIZE = 1024, LINE_SIZE = 2 * TEXT_SIZE };

static bool is_written(enum rg_log_module module, int level)
{
    const struct rg_log_setting *setting = rg_log_setting();
    if (!setting->prints && setting->directory[0] == '\0')
        return false;
    return level == RG_LOG_EVENT ? setting->has_events : level >= setting->lowest[module];
}

/* The date of a day, counted from 1970 on. (The C library would take a lock that a child of fork may find taken.) */
static void put_date(char *text, size_t room, long long day)
{
    const long long since_0 = day + 719468;     /* from March 1st of the year 0: the leap day is a year's last */
    const int of_era = (int)(since_0 % 146097); /* 400 years */
    const int year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const int of_year = of_era - (365 * year + year / 4 - year / 100);
    const int month = (5 * of_year + 2) / 153; /* from March */
    snprintf(text, room, "%04lld-%02d-%02d", since_0 / 146097 * 400 + year + (month >= 10),
             month < 10 ? month + 3 : month - 9, of_year - (153 * month + 2) / 5 + 1);
}

/* [LEVEL] MODULE(process,thread):time text */
static void write_line(enum rg_log_module module, int level, const char *text)
{
    static const char *const names[] = {"DEBUG", "INFO", "WARNING", "ERROR", "EVENT"};
    char date[40], line[LINE_SIZE + 2];
    struct timespec now;
    const int error = errno;
    clock_gettime(CLOCK_REALTIME, &now);
    const long second = now.tv_sec % 86400;
    put_date(date, sizeof(date), now.tv_sec / 86400);
    const int head = snprintf(line, LINE_SIZE, "[%s] %s(%d,%d):%sT%02ld:%02ld:%02ld.%06ldZ ", names[level],
                              rg_log_module_names[module], (int)getpid(), (int)gettid(), date, second / 3600,
                              second / 60 % 60, second % 60, now.tv_nsec / 1000);
    rg_copy_plain(line + head, LINE_SIZE - (size_t)head, text);
    strcat(line, "\n");
    if (rg_log_setting()->prints) {
        fputs(line, stdout);
        fflush(stdout);
    } else {
        rg_log_file_append(line, strlen(line));
    }
    errno = error;
}

void rg_log(int level, const char *format, ...)
{
    char text[LINE_SIZE];
    va_list arguments;
    if (!is_written(RG_LOG_ASCENDCL, level))
        return;
    va_start(arguments, format);
    rg_format_list(text, sizeof(text), format, arguments);
    va_end(arguments);
    write_line(RG_LOG_ASCENDCL, level, text);
}

void aclAppLog(aclLogLevel logLevel, const char *func, const char *file, uint32_t line, const char *fmt, ...)
{
    char said[TEXT_SIZE], text[LINE_SIZE];
    va_list arguments;
    if (fmt == NULL || (int)logLevel < ACL_DEBUG || logLevel > ACL_ERROR || !is_written(RG_LOG_APP, (int)logLevel))
        return;
    va_start(arguments, fmt);
    vsnprintf(said, sizeof(said), fmt, arguments);
    va_end(arguments);
    snprintf(text, sizeof(text), "%.300s (%.300s:%u): %s", func != NULL ? func : "", file != NULL ? file : "", line,
             said);
    write_line(RG_LOG_APP, (int)logLevel, text);
}
