/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Allocations that fail when a test wants it. The linker leads malloc and its kin here in programs that are
 * linked with regrad_allocation (CMakeLists.txt): --wrap for each function.
 */
#ifndef ALLOCATION_H
#define ALLOCATION_H

#include <stdbool.h>
#include <stdint.h>

/* Lets n more allocations succeed and refuses the next one; n < 0 refuses none. */
void allocation_refuse_after(int64_t n);
bool allocation_was_refused(void); /* that one has been */

/* Refuses every realloc, until it is told otherwise. */
void allocation_refuse_growth(bool refused);

int64_t allocation_count(void); /* asked for until now, refused ones included */
int64_t allocation_live(void);  /* given and not freed */

#endif
