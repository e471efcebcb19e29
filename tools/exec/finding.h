/* SPDX-License-Identifier: Apache-2.0 */
/* A finding of the check mode, as a program has left it in its log. */
#ifndef FINDING_H
#define FINDING_H

#include "json_read.h"

/* Strings that are not known are NULL, but for text. */
struct finding_place {
    char *text;       /* what the program says by itself: "program(function+0x1f) [0x401234]" */
    char *module;     /* the path of the program or library */
    char *address;    /* in the module, with 0x before it; of the instruction behind a call, unless it is exact */
    int is_exact;     /* of the instruction itself */
    int is_found;     /* was a symboliser asked, and did it answer? */
    char *function;   /* as its source names it */
    char *file;       /* of the source, */
    int line, column; /* from 1; 0: not known */
    struct finding_place *next;
};

/* Something that has to do with a mistake. */
struct finding_object {
    char *what;
    struct finding_place *places;
    struct finding_object *next;
};

struct suppression;

struct finding {
    char *kind;
    int is_note;
    double time;    /* in microseconds of the monotonic clock; 0: not known */
    double process; /* 0: not known */
    double work;    /* of a stream, by its number in the trace, which the finding is about; 0: none */
    char *function, *argument, *what, *instead;
    struct finding_place *places; /* the innermost first; inlined functions have places of their own */
    struct finding_object *objects;
    const struct suppression *suppression; /* by which it is known; NULL: it is not */
    struct finding *next;
};

/* What a line of the log is. NULL when it is none, or there is no memory, which is noted. */
struct finding *finding_read(const cJSON *line, int *is_out_of_memory);

/* The first place that has a line, or the first of all; NULL for none. */
const struct finding_place *finding_first_place(const struct finding *finding);

/* Frees all of a list. */
void finding_free(struct finding *finding);

#endif
