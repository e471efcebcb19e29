/* SPDX-License-Identifier: Apache-2.0 */
/* The program's options. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "bench.h"

struct options {
    const char *json, *markdown, *plot; /* files; NULL: not wanted */
    const char *filter;                 /* only shapes whose line holds this */
    const char *operators;              /* only operators that match this list */
    bool list, quick, once;
    int sweep;    /* so many random shapes instead of workloads; 0: none */
    int64_t seed; /* which ones */
    char **files; /* workloads; n_files 0: those of the project */
    int n_files;
};

/* Reads the command line into options and into what bench measures with. Exits after --help, and with status 2
 * when it is wrong. */
struct options options_read(int argc, char **argv, struct bench *bench);

#endif
