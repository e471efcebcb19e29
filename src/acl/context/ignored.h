/* SPDX-License-Identifier: Apache-2.0 */
/* Statuses that the caller ignored: what a call was to make is missed in a later one. */
#ifndef RG_IGNORED_H
#define RG_IGNORED_H

#include <stdbool.h>

#include "acl/handle/handle.h"

/* What a call makes: an enum rg_handle_kind, or one of these. */
enum { RG_MAKES_MEMORY = RG_HANDLE_CONTEXT + 1, RG_MAKES_CONTENTS };

/* The call was to make something, and has; or has failed, and that is remembered until somebody asks why, or another
 * call makes such a thing. Returns the status. */
int rg_ignored_make(int what, int status);

/* The same of contents for the memory at an address. */
int rg_ignored_fill(const void *address, int status);

/* The call that has just failed was to write there, too: results of an operator. */
void rg_ignored_add_result(const void *address);

/* The call that has just failed has been given a value where it needs such a thing. Tells if that is so because a call
 * before has failed to make it; not where the value once was one. Was it told? */
bool rg_ignored_miss(int what, const void *value);

/* A call reads the memory at an address. Tells if nobody has ever written there because a call before has failed. */
void rg_ignored_read(const struct rg_function *function, const char *argument, const void *address);

/* The same for phase 1 of an operator, which remembers it, and for its phase 2, which tells it. */
void rg_ignored_expect_read(const struct rg_function *phase_1, const char *argument, const void *address);
void rg_ignored_tell_expected(const struct rg_function *phase_1, const struct rg_function *phase_2);

#endif
