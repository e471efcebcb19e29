/* One page of HTML about a program that was run: findings, timeline, memory, operators. */
#ifndef REPORT_H
#define REPORT_H

#include "exec_run.h"
#include "record.h"

struct run {
    char **words; /* the program and its arguments, ended by NULL */
    struct exec_end end;
    double seconds;
    const char *check; /* the check mode that it ran with */
};

/* Writes the page to a file, whole or not at all. Returns an exit status, and complains when it is not STATUS_OK. */
int report_write(const char *path, const struct run *run, const struct record *record);

/* "ended with status 3", "was ended by signal 11 (Segmentation fault)"; "1 finding, 2 notes" */
void report_end(FILE *file, const struct exec_end *end);
void report_counts(FILE *file, const struct record *record);

#endif
