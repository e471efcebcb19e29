/* SPDX-License-Identifier: Apache-2.0 */
/* What planning a resize leaves to running it. */
#ifndef RG_RESIZE_PLAN_H
#define RG_RESIZE_PLAN_H

#include "base/checked.h"
#include "op/axis.h"
#include "op/columns.h"
#include "op/plan.h"

enum {
    RG_RESIZE_BATCH = 8,        /* the most rows that are resampled together */
    RG_RESIZE_PART = 1024,      /* results of a part of a row that is one strip */
    RG_RESIZE_HELD = 192 * 1024 /* bytes of the sources that a line holds of one result */
};

/* One of the two tensors, seen as rows of planes. */
struct rg_resize_side {
    regrad_dtype dtype;
    int64_t element_nbytes;
    int64_t depth, height, width;
    int64_t stride_n, stride_c, stride_d, stride_h, stride_w; /* in elements */
    bool solid;                                               /* a row is contiguous */
};

/* A part of the width, and how the kernels make it from a line. */
struct rg_resize_strip {
    struct rg_piece piece;
    struct rg_columns columns; /* unless results are summed in groups */
};

struct rg_resize_plan {
    regrad_plan base;
    struct rg_resize_side source, result;
    struct rg_axis_map depth, height, width;
    bool one_map;       /* width is height, and ends with it */
    bool height_outer;  /* what counts as depth is the inner one of the two */
    bool sums_planes;   /* a plane of the result is made of sums of source planes, else of one of them or none */
    int64_t n_channels; /* channels that are planes of their own: C, or 1 when they are inner */
    int64_t inner;      /* values of a group: channels that are stored last, and rows that are groups */
    bool channels_last;
    int64_t n_volumes; /* N times n_channels, each of result.depth planes */
    int64_t n_rows;    /* of the result, in all planes */
    bool width_first;
    enum rg_way route;
    bool moves;       /* the route is RG_MOVED, if it is not RG_COPIED */
    int64_t folded;   /* volumes that are moved as one row; 0: rows are as they are */
    bool grouped;     /* results are made one by one, without columns */
    bool shares_rows; /* lines that share source rows are summed together */
    bool in_place;    /* a row that sums one row needs no line; n_sources values follow one another then */
    int64_t n_sources;
    bool streamed;      /* the result goes past the caches */
    bool prefetched;    /* source rows are asked for ahead */
    int64_t batch;      /* rows of the result that are made together */
    int64_t ring_batch; /* rows of the source that are made ready together */
    int64_t n_strips;
    struct rg_resize_strip *strips;
    int64_t max_from, max_to; /* the most columns of a strip, in a line and in the result */
    bool has_long;            /* one result has more sources than a line holds */
    int factor;               /* of columns that are made without a line, or 0; there is one strip then */
    bool across;              /* slots share parts of each row, not rows */
    int64_t block, band[2];   /* images that are interleaved at a time, and results of their outer and middle axes */
};

static inline const struct rg_resize_plan *rg_as_resize(const regrad_plan *plan)
{
    return (const struct rg_resize_plan *)plan;
}

/* Of the result. */
static inline int64_t rg_resize_count_planes(const struct rg_resize_plan *plan)
{
    return plan->n_volumes * plan->result.depth;
}

/* Are sums of rows the results that are made of them? Where each of a sparse map has one term, of weight 1, it makes no
 * difference to the bits whether the width comes first. */
static inline bool rg_resize_keeps_width(const struct rg_resize_plan *plan)
{
    const struct rg_axis_map *map = &plan->width;
    return map->identity || (map->place != NULL && map->ones && map->max_taps == 1);
}

/* Do vectors fill a line of the cache? There are more registers then too: enough for sums that wait for the next
 * result. */
static inline bool rg_resize_has_wide_vectors(const struct rg_resize_plan *plan)
{
    return plan->base.kernels->lanes * (int64_t)plan->base.t_nbytes == RG_ALIGNMENT;
}

/* Do rows follow one another? What stride a single one has does not matter. */
static inline bool rg_resize_is_dense(const struct rg_resize_side *side, int64_t inner)
{
    return side->solid && (side->height == 1 || side->stride_h == side->width * inner);
}

/* The most sources of one result that a line holds. */
static inline int64_t rg_resize_most_sources(const struct rg_resize_plan *plan)
{
    return RG_RESIZE_HELD / (int64_t)plan->base.t_nbytes / plan->inner;
}

/* Does one result have more? It is a strip of its own then, and is summed part by part. */
static inline bool rg_resize_is_long(const struct rg_resize_plan *plan, const struct rg_piece *piece)
{
    return plan->grouped && piece->n_src > rg_resize_most_sources(plan);
}

/* Is a row one strip? It is where there are no lines. */
static inline bool rg_resize_is_one_strip(const struct rg_resize_plan *plan)
{
    return plan->route == RG_SHRINK || plan->route == RG_MOVED || plan->route == RG_COPIED;
}

/* Results of a row; of a folded one as well. */
static inline int64_t rg_resize_row_length(const struct rg_resize_plan *plan)
{
    const struct rg_resize_side *result = &plan->result;
    return plan->folded > 0 ? plan->folded * result->depth * result->height * result->width : result->width;
}

/* Parts of a row that slots can share: strips, or RG_RESIZE_PART results each of a row that is one. */
static inline int64_t rg_resize_count_parts(const struct rg_resize_plan *plan)
{
    return rg_resize_is_one_strip(plan) ? rg_divide_up(rg_resize_row_length(plan), RG_RESIZE_PART) : plan->n_strips;
}

/* Values of a line, without the room after it, and of a row in the ring. */
int64_t rg_resize_line_length(const struct rg_resize_plan *plan);
int64_t rg_resize_ring_length(const struct rg_resize_plan *plan);

/* Bytes of workspace that one slot needs. */
int64_t rg_resize_slot_nbytes(const struct rg_resize_plan *plan);

void rg_resize_run(const regrad_plan *base, struct rg_run *run);

#endif
