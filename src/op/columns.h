/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The tables by which kernels sum the values of a line (struct rg_columns), made from a piece of an axis map.
 *
 * Steps follow the line: each takes, for every result of its block that has one there, the result's next term. So every
 * result adds its terms in increasing order, and what the tables look like changes no bits.
 */
#ifndef RG_OP_COLUMNS_H
#define RG_OP_COLUMNS_H

#include "kernel/resize_kernels.h"
#include "op/axis.h"

/* A line is a piece of a row. Each source and each result of the map is `inner` values, which are resampled apart. */
struct rg_columns_spec {
    struct rg_piece piece; /* of the map */
    int64_t inner;
    int factor;                       /* 0, or that of rg_columns_factor; then the piece is the whole map, inner = 1 */
    bool streamed;                    /* results go past the caches in whole vectors, and so must blocks be */
    const struct rg_kernels *kernels; /* of the type that the map's weights have */
    struct rg_memory *memory;         /* NULL: the system's */
};

/* The factor by which the kernels' shrink can make these results, if they have more than one lane; else 0. */
int rg_columns_factor(const struct rg_axis_map *map);

/* False when there is no memory; columns then hold nothing. The caller ends them with rg_columns_fini. */
bool rg_columns_init(struct rg_columns *columns, const struct rg_axis_map *map, const struct rg_columns_spec *spec);
void rg_columns_fini(struct rg_columns *columns, const struct rg_memory *memory);

#endif
