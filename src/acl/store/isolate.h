/* SPDX-License-Identifier: Apache-2.0 */
/*
 * REGRAD_CHECK=isolate: blocks of device memory that the host cannot touch. Each ends at the end of a page, as far as
 * its alignment lets it, and has pages beside it that belong to nobody. Freed blocks keep their addresses, and
 * what is known about them, until the addresses are needed again.
 */
#ifndef RG_ISOLATE_H
#define RG_ISOLATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "acl/tell/place.h"

/* Where blocks begin. A device promises 64, and gives more: there are programs that need it. */
enum { RG_MEMORY_ALIGNMENT = 512 };

struct rg_isolated;

/* A new block of size bytes, which the library may touch up to room, and its address for the client. NULL, with errno,
 * when the system has no room. */
struct rg_isolated *rg_isolate_allocate(size_t size, size_t room, const struct rg_origin *origin, const char **address);

/* Reserves the addresses of isolated memory, if that was not done. False, with errno, when the system has none. */
bool rg_isolate_begin(void);

/* Notes that there is mapped memory at spare addresses; it is ended by rg_isolate_free alone. NULL
 * without room for that. */
struct rg_isolated *rg_isolate_enter(const char *address, size_t size, const struct rg_origin *origin);

/* Forgets mapped memory that has been ended at some of these addresses. */
void rg_isolate_forget(const char *address, size_t size);

/* The client has freed the block; and then: nobody uses its memory any more. */
void rg_isolate_free(struct rg_isolated *block, const struct rg_origin *origin);
void rg_isolate_give_back(struct rg_isolated *block);

#endif
