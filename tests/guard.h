/* SPDX-License-Identifier: Apache-2.0 */
/* Memory between two pages that nobody may touch. */
#ifndef GUARD_H
#define GUARD_H

#include <stdbool.h>
#include <stddef.h>

enum guard_side { GUARD_AT_START, GUARD_AT_END };

struct guard {
    unsigned char *data; /* nbytes; touches the forbidden page on the chosen side */
    size_t nbytes;
    unsigned char *mapping;
    size_t mapping_nbytes;
};

/* Maps nbytes that touch the forbidden page in front or the one behind; the bytes between the data and
 * the other one hold a pattern. The program ends when memory is refused. */
void guard_init(struct guard *guard, size_t nbytes, enum guard_side side);

/* Is the pattern on the farther side as it was? */
bool guard_intact(const struct guard *guard);

/* Forbids, or allows again, all access to the data. */
void guard_forbid(struct guard *guard, bool forbid);

void guard_fini(struct guard *guard);

#endif
