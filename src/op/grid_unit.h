/* SPDX-License-Identifier: Apache-2.0 */
/* Grid samples in progress: what their slots share, and what each has for itself. */
#ifndef RG_GRID_UNIT_H
#define RG_GRID_UNIT_H

#include "base/checked.h"
#include "op/grid_plan.h"

/* A tensor of the run: its view and its first element. */
struct rg_grid_tensor {
    const regrad_tensor *view;
    char *data;
    int64_t element; /* bytes of a value */
    bool far;        /* so large that what is written is not in the caches any more when it is looked at */
};

/* Is a tensor too large for the caches? */
static inline bool rg_grid_is_far(const regrad_tensor *view)
{
    enum { FAR_NBYTES = 4 << 20 };
    const int64_t *shape = view->shape;
    const double n_values = (double)shape[0] * (double)shape[1] * (double)shape[2] * (double)shape[3];
    return n_values * (double)regrad_dtype_size(view->dtype) >= FAR_NBYTES;
}

/* A run in progress, seen by its slots. */
struct rg_grid_progress {
    const struct rg_grid_plan *plan;
    const struct rg_kernels *kernels;
    struct rg_grid_tensor input, grid, sampled, input_grad, grid_grad;
    char *workspace;
    struct rg_run *run;
};

/* See rg_plan_parallel. */
static inline bool rg_grid_parallel(const struct rg_grid_progress *progress, void (*task)(void *context, int slot),
                                    void *context)
{
    return rg_plan_parallel(&progress->plan->base, progress->run, task, context);
}

union rg_grid_point_tile {
    _Alignas(RG_ALIGNMENT) float f32[RG_GRID_POINTS * RG_GRID_LANES];
    double f64[RG_GRID_POINTS * RG_GRID_LANES];
};

/* What one slot needs for the points that it is at. */
struct rg_grid_scratch {
    struct rg_grid_points points;
    struct rg_grid_bilinear_points bilinear;
    union rg_grid_values x, y;
    struct rg_grid_weights weights;
    int64_t list[RG_GRID_POINTS];
    /* Where neighbours are in planes; in the input's tile; in the gradient's. */
    int64_t offset[RG_GRID_NEIGHBOURS][RG_GRID_POINTS];
    int32_t input_at[RG_GRID_NEIGHBOURS][RG_GRID_POINTS], grad_at[RG_GRID_NEIGHBOURS][RG_GRID_POINTS];
    union rg_grid_values channel[RG_GRID_LANES]; /* of grad_output, or of the output */
    union rg_grid_point_tile tile;               /* the same, side by side */
    union rg_grid_values value[RG_GRID_NEIGHBOURS], term_x[RG_GRID_LANES], term_y[RG_GRID_LANES];
    union rg_grid_values sum[2]; /* of a block, x and y, when there is one group */
};

/* What a slot works on: a group of channels of a sample; as which one of how many; and where. */
struct rg_grid_unit {
    int64_t n, first, count;
    int slot, n_slots;
    struct rg_share rows, blocks; /* that are this slot's */
    struct rg_grid_scratch *scratch;
    char *input;                /* of the team */
    char *grad;                 /* of the team: planes; of the slot: a tile */
    char *own_sum, *common_sum; /* the slot's, and that of samples which all slots share */
    char *sum;                  /* the group's: x and y of all blocks */
    /* Of each section: the lowest row that it or a later one touches, and one more than the highest row that it or an
     * earlier one does. */
    int64_t *lowest, *reach;
    struct rg_grid_tile input_tile, grad_tile;
    int64_t opened, closed; /* the window: the first rows that are not opened, and not closed yet */
};

struct rg_grid_block {
    int64_t first, count;
};

/* The place of a slot, which does groups with n_slots - 1 others. */
struct rg_grid_unit rg_grid_make_unit(const struct rg_grid_progress *progress, int slot, int n_slots);

/* Which group the unit is at. */
void rg_grid_set_group(const struct rg_grid_plan *plan, struct rg_grid_unit *unit, int64_t n, int64_t g);

/* A unit of the same slot, which is alone: the i-th of those that do groups at the same time. */
struct rg_grid_unit rg_grid_beside(const struct rg_grid_plan *plan, const struct rg_grid_unit *unit, int64_t i);

/* Has each group of this sample sums of its own? Else they add to the same, one after another. */
static inline bool rg_grid_has_own_sums(const struct rg_grid_plan *plan, int64_t n)
{
    return plan->groups_alone > 0 && n >= plan->n_alone;
}

/* Finds the neighbours of a block, into the scratch. Bilinear weights on the y axis are then weights.dx, on the x axis
 * weights.dy. */
void rg_grid_locate(const struct rg_grid_progress *progress, const struct rg_grid_unit *unit,
                    struct rg_grid_block block);

/* Are the points in scratch->bilinear? */
static inline bool rg_grid_is_bilinear(const struct rg_grid_plan *plan)
{
    return plan->tiled && plan->spec.interpolation == REGRAD_BILINEAR;
}

/* Is the input brought into a tile? */
static inline bool rg_grid_has_tile(const struct rg_grid_plan *plan)
{
    return plan->tiled && plan->need_input;
}

static inline struct rg_grid_block rg_grid_nth_block(int64_t b, int64_t n_values)
{
    return (struct rg_grid_block){b * RG_GRID_POINTS, rg_min(n_values - b * RG_GRID_POINTS, RG_GRID_POINTS)};
}

static inline int64_t rg_grid_blocks_of(int64_t n_values)
{
    return (n_values + RG_GRID_POINTS - 1) / RG_GRID_POINTS;
}

static inline char *rg_grid_nth_pixel(const struct rg_grid_plan *plan, void *tile, int64_t p)
{
    return (char *)tile + p * RG_GRID_LANES * (int64_t)plan->base.t_nbytes;
}

#endif
