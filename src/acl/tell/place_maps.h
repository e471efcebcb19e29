/* SPDX-License-Identifier: Apache-2.0 */
/* What places are, from the system's list of mappings: for signal handlers, which must not ask the loader. */
#ifndef RG_PLACE_MAPS_H
#define RG_PLACE_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/tell/place.h"

/* Reads the list anew: code, and what the stack pointer points into. One thread at a time, which is also the one to use
 * what follows. */
void rg_maps_read(const void *stack);

/* As rg_place_describe, without the function: "program [0x401234]". */
void rg_maps_describe(const void *frame, struct rg_frame *is);

/* Is it in any other code of a file? */
bool rg_maps_is_client(const void *address);

/* Is the address in code that programs call to have memory read or written: of the C and C++ libraries, of sanitizers,
 * of this library? */
bool rg_maps_is_servant(const void *address);

/* How many bytes of the stack there are from the address on. */
size_t rg_maps_stack_left(const void *address);

#endif
