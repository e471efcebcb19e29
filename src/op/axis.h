/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Axis maps: a resize along one axis as a sparse matrix. The only home of index formulas.
 *
 * A forward map has a row for each output index that says which inputs it reads, with which
 * weights; it is built by evaluating the written law for each output index. The gradient's map is
 * its transpose, made by counting which outputs have which source: nobody inverts a formula.
 *
 * All laws here are monotone, so the sources of a row are neighbours: row d reads
 * begin[d] .. begin[d] + first[d + 1] - first[d] - 1 with weights weight[first[d] ...]. Both ends of these
 * ranges grow with d, also where a row is empty.
 */
#ifndef RG_AXIS_H
#define RG_AXIS_H

#include <stdbool.h>
#include <stdint.h>

#include "kernel/axis_kernels.h"
#include "op/plan_memory.h"

/* One axis of a resize, as its user gave it. in_size and out_size are positive; scale is 0 or has been
 * accepted by rg_axis_scale_ok. */
struct rg_axis_spec {
    enum rg_axis_law law;
    int64_t in_size, out_size;
    double scale;
    bool use_double;                /* float64 tensors: coordinates and weights in double */
    bool gather;                    /* of the nearest laws: who owns an output is said by the inputs */
    regrad_coordinates coordinates; /* of the others */
};

struct rg_axis_map {
    struct rg_axis_spec spec;
    bool backward;
    double step;          /* between the sources of outputs that are neighbours, r of op/axis.c */
    int64_t n_dst, n_src; /* rows and columns of the matrix */
    bool identity;        /* n_dst = n_src and row d is {d: 1}, in a map that is not sparse */
    bool ones;            /* all weights are 1 */
    int64_t max_taps;     /* the longest row */
    int64_t *begin;       /* n_dst; of some maps the same as first; NULL where row d is {d: 1}, or has to be found */
    int64_t *first;       /* n_dst + 1 */
    int64_t *place;       /* n_dst; of sparse maps, which lack rows without terms: the row of the map that row d is */
    int64_t room;         /* rows of a sparse map that there is memory for */
    void *weight;         /* first[n_dst] doubles if spec.use_double, else floats; NULL until they are taken, but for
                             laws that rg_axis_has_formula denies */
    struct rg_memory *memory;
};

/* Can this scale be used with this law? NaN, infinity, and inverses that are not finite in the
 * arithmetic of the law cannot. */
bool rg_axis_scale_ok(const struct rg_axis_spec *spec);

/* Builds the forward map (n_dst = out_size), or its transpose (n_dst = in_size) when backward, without weights. The
 * memory lasts longer than the map; NULL: the system's. REGRAD_ERROR_OUT_OF_MEMORY, and then map holds nothing. The
 * caller ends it with rg_axis_fini. */
regrad_status rg_axis_init(struct rg_axis_map *map, const struct rg_axis_spec *spec, bool backward,
                           struct rg_memory *memory);
void rg_axis_fini(struct rg_axis_map *map);

/* Does an output have one source or two, which a formula finds? It then finds the terms of an input, too. */
bool rg_axis_has_formula(const struct rg_axis_spec *spec);

/* Does each output move a single input, or none? */
bool rg_axis_is_nearest(enum rg_axis_law law);

/* Is each input copied to the output of the same number? */
bool rg_axis_is_copied(const struct rg_axis_spec *spec);

/* The transpose without the rows that have no terms, of a law that has a formula. */
regrad_status rg_axis_init_sparse(struct rg_axis_map *map, const struct rg_axis_spec *spec, struct rg_memory *memory);

/* The same without tables: begin and first are NULL, and rg_axis_find finds the sources of outputs. Only for nearest
 * laws that have a formula, on an axis that changes its length. */
void rg_axis_init_bare(struct rg_axis_map *map, const struct rg_axis_spec *spec, bool backward,
                       struct rg_memory *memory);

/* The sources of rows from `from` on of a forward map that has one in each, up to row `to` or RG_AXIS_STRETCH of them.
 * Returns how many. */
enum { RG_AXIS_STRETCH = 512 };
int64_t rg_axis_find(const struct rg_axis_map *map, int64_t from, int64_t to, int64_t *source);

/* The most terms of a row, also where there are no tables. */
int64_t rg_axis_longest(const struct rg_axis_map *map);

/* Gives a map all its weights, unless it has them. REGRAD_ERROR_OUT_OF_MEMORY, and then it has none. */
regrad_status rg_axis_take_weights(struct rg_axis_map *map);

/* What the kernels need of the law of a map that has a formula. */
struct rg_axis_formula rg_axis_formula_of(const struct rg_axis_map *map);

/* Where the sources of row d begin, and where they end. */
static inline int64_t rg_axis_begin(const struct rg_axis_map *map, int64_t d)
{
    return map->begin == NULL ? d : map->begin[d];
}

static inline int64_t rg_axis_end(const struct rg_axis_map *map, int64_t d)
{
    return map->begin == NULL ? d + 1 : map->begin[d] + map->first[d + 1] - map->first[d];
}

#endif
