/* SPDX-License-Identifier: Apache-2.0 */
/* Exit statuses, and the one line on standard error that explains each that is not 0. */
#ifndef COMPLAIN_H
#define COMPLAIN_H

#include "regrad.h"

enum exit_status {
    STATUS_OK = 0,
    STATUS_DIFFERENT = 1, /* compare: the arrays differ by more than was allowed */
    STATUS_REFUSED = 2,   /* bad usage, a file that cannot be read or is malformed, values that the library refuses */
    STATUS_SYSTEM = 3,    /* the system refused memory, or writing a result */
    /* check: these are added up */
    STATUS_ADJOINT = 16,
    STATUS_DIFFERENCES = 32,
    STATUS_REFERENCE = 64,
    STATUS_FOUND = 99 /* exec: the program ended with 0, but there were findings */
};

/* Prints "regrad: ", the message, made as by printf, and a newline, and returns status. Control
 * characters are printed as '?', so that it is one line whatever a file's name holds. */
int complain(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Prints a line in the same way about something that is done as it was asked for, and may not have been meant so. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Complains with the library's message about a call that failed with `status`. */
int complain_library(regrad_status status);

/* Complains about memory that malloc refused. */
int complain_memory(const char *what);

/* To be called first. A standard stream that was closed before the start stays unusable: no file that is opened later
 * gets its number, and with it what is meant for the stream. */
void hold_standard_streams(void);

/* To be called last: closes standard output. Returns status, or complains when what was printed did not arrive; where
 * that was for standard error, the status alone says so. */
int finish_output(int status);

#endif
