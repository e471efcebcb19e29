/* SPDX-License-Identifier: Apache-2.0 */
/* Workload files: shapes that belong together. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "shape.h"

/*
 * One shape a line. Empty lines and what follows a '#' do not count, but for the first line, which is '# ' and a
 * title.
 */
struct workload {
    char title[128];
    char name[64]; /* of the file, without directory and ending */
    struct shape *shapes;
    int n_shapes;
};

/* Reads a file. Exits with its name and the number of a line when that is no shape. */
struct workload workload_read(const char *path);
void workload_forget(struct workload *workload);

#endif
