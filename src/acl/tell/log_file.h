/* SPDX-License-Identifier: Apache-2.0 */
/* The log file of the process. */
#ifndef RG_LOG_FILE_H
#define RG_LOG_FILE_H

#include <stddef.h>

/*
 * Appends a line to <directory>/debug/plog/plog-<process>_<microseconds since 1970>_regrad.log, which the first line
 * makes. Then the oldest files of ours there are removed, until as many are left as are kept; those of processes
 * that live stay. A child of fork makes its own. Where there can be none, that is told once. Any thread.
 */
void rg_log_file_append(const char *line, size_t length);

#endif
