/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files as memory: the system reads a page when it is touched, and may forget it again. A file that becomes shorter
 * meanwhile, or whose disk fails, ends the program with one line and without temporary files.
 */
#ifndef MAPPED_FILE_H
#define MAPPED_FILE_H

#include <stdbool.h>
#include <stddef.h>

/* Maps the `nbytes` that stand behind the first `at` bytes of a file, to be read. `name` is kept for messages. NULL
 * when the file cannot be mapped, or too many are. */
void *mapped_file_open(const char *name, int descriptor, size_t at, size_t nbytes);

/* Ends a mapping. False when data is not of mapped_file_open. */
bool mapped_file_close(const void *data);

/* Are all files that are mapped as long as they were? What is behind the end of one, in its last page, reads as zeros.
 * Complains and returns an exit status. */
int mapped_files_check(void);

/* Of these bytes of a mapping, no page needs to stay in memory. Bytes of other memory stay as they are. */
void mapped_file_forget(const void *bytes, size_t n);

#endif
