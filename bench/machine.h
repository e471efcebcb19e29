/* SPDX-License-Identifier: Apache-2.0 */
/* What the program ran on. */
#ifndef MACHINE_H
#define MACHINE_H

#include <stddef.h>

enum { N_FACTS = 8 };
struct machine {
    struct fact {
        const char *name;
        char value[160];
    } facts[N_FACTS];
    int n_cores; /* that the process may use */
};

struct machine machine_look(void);

/* Bytes of memory that are free for use, as the system estimates. */
size_t machine_free_memory(void);

#endif
