/* SPDX-License-Identifier: Apache-2.0 */
/* Where memory is: for all that touches it. */
#ifndef RG_TOUCH_H
#define RG_TOUCH_H

#include <stdbool.h>

/* Where the library finds what is at an address of the client: there, unless device memory is isolated. To be asked
 * when the memory is touched, and not before. Any thread; costs a branch. */
void *rg_memory_touch(const void *address);

/* Is it an address of isolated device memory? Then only what is in a live block may be touched. */
bool rg_memory_is_isolated(const void *address);

#endif
