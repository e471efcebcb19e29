/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The addresses of isolated device memory. All of them are reserved at once, twice, and both times for the same pages
 * of one memfd: in the client's addresses nothing can be touched; in ours, which lie at a fixed distance, those pages
 * can that are open. Positions are counted in bytes from the beginning. Behind these addresses, in both, are as many
 * spare ones, at which there is nothing: other files can be mapped there.
 */
#ifndef RG_ISOLATE_ARENA_H
#define RG_ISOLATE_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/* Reserves addresses, `wanted` or less. False, with errno, when the system has none. To be called once. */
bool rg_arena_reserve(size_t wanted);

/* A file in memory for memfd_create(name, flags), with these seals; -1, with errno, when the process cannot have it. */
int rg_arena_create_file(const char *name, unsigned flags, size_t size, int seals);

size_t rg_arena_size(void); /* without spare addresses; 0 before it is reserved */
size_t rg_arena_page(void);

/* The client's address of a position. */
const char *rg_arena_address(size_t position);

/* The client's spare addresses: from low to high. */
void rg_arena_spare(const char **low, const char **high);

/* The position of an address of the client's, or else of ours. False for other addresses. Signal handlers too. */
bool rg_arena_find(const void *address, size_t *position, bool *is_ours);

/* Where the library finds what is at an address of the client: there, unless device memory is isolated. To be asked
 * when the memory is touched, and not before. Any thread; costs a branch. */
void *rg_memory_touch(const void *address);

/* Is it an address of isolated device memory? Then only what is in a live block may be touched. */
bool rg_memory_is_isolated(const void *address);

/* Lets us touch whole pages. False, with errno, when the system refuses. */
bool rg_arena_open(size_t position, size_t size);

/* Lets the client touch whole pages too, or no more. */
bool rg_arena_show(size_t position, size_t size, bool is_shown);

/* Forgets what is in whole pages, and closes them. */
void rg_arena_close(size_t position, size_t size);

/* Opens all pages for good: parts that differ are what a process can have a limited number of. */
bool rg_arena_open_all(void);

/*
 * Around a fork, which must not leave parent and child with one memory: the child copies what it needs to a file of
 * its own, in which it is then the first, and the parent waits meanwhile. All in this order.
 */
void rg_arena_before_fork(void);
void rg_arena_in_parent(void);
int rg_arena_begin_copy(void); /* the file, or -1: nothing can be allocated any more */
void rg_arena_copy(int file, size_t position, size_t size);
void rg_arena_end_copy(int file);

#endif
