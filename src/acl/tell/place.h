/* SPDX-License-Identifier: Apache-2.0 */
/* Where in the client's program something was done. */
#ifndef RG_PLACE_H
#define RG_PLACE_H

#include <stddef.h>
#include <stdint.h>

#include "acl/tell/function.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { RG_PLACE_FRAMES = 6, RG_PLACE_TEXT = 256, RG_PLACE_PATH = 512 };

/* Return addresses, the innermost first; NULL behind the last. All NULL: unknown. */
struct rg_place {
    const void *frame[RG_PLACE_FRAMES];
};

/* The place that a function returns to, and, from RG_CHECK_ALL on, those from which that was called. */
struct rg_place rg_place_of(const void *return_address);

/* The caller of the function of the interface that this stands in. */
__attribute__((always_inline)) static inline struct rg_place rg_place_here(void)
{
    return rg_place_of(__builtin_return_address(0));
}

/* Who did something: the function of the interface, and where it was called. */
struct rg_origin {
    const struct rg_function *function;
    struct rg_place place;
};

/* The caller of the function of the interface that this stands in, which it takes. */
__attribute__((always_inline)) static inline struct rg_origin rg_origin_here(const struct rg_function *function)
{
    const struct rg_origin origin = {function, rg_place_of(__builtin_return_address(0))};
    return origin;
}

/* The first frame of the calling thread that is outside of this library. Takes microseconds: for findings. */
struct rg_place rg_place_outside(void);

/* One for each way to a place: functions that act for others are in many. */
const void *rg_place_mark(const struct rg_place *place);

/* Cuts off the frames of the C library that has started the program or its thread, and what is behind them; takes out
 * those of this library, which calls host functions and callbacks. */
void rg_place_cut(struct rg_place *place);

/* What is known of a frame. */
struct rg_frame {
    char text[RG_PLACE_TEXT];   /* "program(function+0x1f) [0x401234]" */
    char module[RG_PLACE_PATH]; /* the whole path of the program or library; "": not known */
    uintptr_t address;          /* in the module, as addr2line -e takes it: the one in brackets */
};

void rg_place_describe(const void *frame, struct rg_frame *is);

#ifdef __cplusplus
}
#endif

#endif
