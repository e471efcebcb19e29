/* SPDX-License-Identifier: Apache-2.0 */
/* One page of HTML about a program that was run: findings, timeline, memory, operators. */
#ifndef REPORT_H
#define REPORT_H

#include "exec_run.h"
#include "record.h"

struct run {
    const struct record *record; /* what it left behind */
    char **words;                /* the program and its arguments, ended by NULL */
    struct exec_end end;
    double seconds;
    const char *check; /* the check mode that it ran with */
};

/* Prints the page about a run. Returns 0 when there is no memory. */
int report_print(FILE *page, const void *run);

/* How the page looks, in CSS. */
extern const char report_style[];

enum { REPORT_TEXT = 80 };

/* "ended with status 3", "was ended by signal 11 (Segmentation fault)"; "1 finding, 2 notes" */
const char *report_end(char text[REPORT_TEXT], const struct exec_end *end);
const char *report_counts(char text[REPORT_TEXT], const struct record *record);

#endif
