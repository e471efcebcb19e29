/* SPDX-License-Identifier: Apache-2.0 */
/* The operators that are timed: all resizes that the library names, and the grid samples. */
#ifndef OP_H
#define OP_H

#include <stdbool.h>

/* What is alike in how it computes, and told apart in reports. */
enum family {
    FAMILY_NEAREST,
    FAMILY_LINEAR,
    FAMILY_BICUBIC,
    FAMILY_ANTIALIASED,
    FAMILY_GRID_2D,
    FAMILY_GRID_3D,
    N_FAMILIES
};

struct op {
    char word[24];        /* how lines call it: its name without the number of axes, which the layout says */
    const char *function; /* in regrad.h */
    int n_axes;
    enum family family;
    bool is_backward, takes_law;
};

/* Sets *op to one of them, each forward before its gradient. False behind the last one. */
bool op_at(int index, struct op *op);

/* The one of a word, with a number of axes; 0 for any number of them. False where there is none. */
bool op_find(const char *word, int n_axes, bool is_backward, struct op *op);

/* Does its name, as in regrad.h but without "regrad_", match one of these patterns, between which commas stand? Any
 * does if there is no list. */
bool op_matches(const struct op *op, const char *list);

/* Does the program time it through aclnn? */
bool op_is_in_aclnn(const struct op *op);

#endif
