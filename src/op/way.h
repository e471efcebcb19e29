/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ways in which plans compute. A plan goes one route, and has any number of traits besides; regrad_plan_describe
 * names them in these words, which regrad.h explains. All ways of computing a result give the same bits, so no result
 * shows which one was taken: tests/check_routes.c looks at the words.
 *
 * A new way: its word here, a sentence in regrad.h, and a row in tests/check_routes.c.
 */
#ifndef RG_WAY_H
#define RG_WAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rg_way {
    /* Routes of a resize. */
    RG_COPIED,
    RG_MOVED,
    RG_INTERLEAVED,
    RG_FUSED_GROUPS,
    RG_SHRINK,
    RG_ROWS,
    RG_GROUPS,
    RG_COLUMNS,
    /* Routes of a grid sample. */
    RG_PACKED,
    RG_PLANES,
    /* Traits of a resize. */
    RG_WIDTH_FIRST,
    RG_TURNED,
    RG_FOLDED,
    RG_LONG,     /* of a grid sample too */
    RG_IN_PLACE, /* likewise */
    RG_STRIDED_SOURCE,
    RG_STRIDED_RESULT,
    RG_SPARSE,
    RG_SHARED_ROWS,
    RG_PREFETCHED,
    /* Traits of a grid sample. */
    RG_APART,
    RG_ABREAST,
    RG_GATHERED,
    RG_RING, /* chosen when it runs, by the points: only tests see it */
    /* Traits of both. */
    RG_STREAMED,
    RG_ACROSS,
    RG_N_WAYS
};

/* The word for it. */
const char *rg_way_word(enum rg_way way);

static inline uint64_t rg_way_bit(enum rg_way way)
{
    return UINT64_C(1) << way;
}

/*
 * What tests may say of the plans that are made from now on, so that each instruction set goes each way that it has
 * kernels for, on any machine and with small tensors.
 */
struct rg_seam {
    uint64_t forced;         /* rg_way_bit of ways that are to be taken where they can be, */
    uint64_t forbidden;      /* and of those that are not, unless nothing else can be */
    size_t cache_nbytes;     /* the size of the caches; 0: the machine's */
    int64_t values_per_slot; /* that are worth waking a thread for; 0: those of op/plan.c */
    _Atomic uint64_t *met;   /* not NULL: where runs note the ways that only they choose */
};

/* NULL in ordinary use. Tests set it, between the makings of plans; the shared library does not export it. */
extern const struct rg_seam *rg_seam;

/* Is a way taken that can be and pays? That it can be is a matter of right results, that it pays one of time. */
bool rg_way_is_taken(enum rg_way way, bool can, bool pays);

/* Notes a way that a run has chosen, for tests. */
void rg_way_meet(enum rg_way way);

/* The size of the largest cache. */
size_t rg_way_cache_nbytes(void);

#endif
