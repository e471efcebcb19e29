/* SPDX-License-Identifier: Apache-2.0 */
/* Grid samples in progress: what their slots share, and what each has for itself. */
#ifndef RG_GRID_UNIT_H
#define RG_GRID_UNIT_H

#include "kernel/packed_kernels.h"
#include "kernel/value_kernels.h"
#include "op/grid_plan.h"

/* A tensor of the run: its view and its first element. */
struct rg_grid_tensor {
    const regrad_tensor *view;
    char *data;
    int64_t element; /* bytes of a value */
    bool near;       /* so small that nothing of it need be asked for ahead */
    bool far;        /* so large that what is written is not in the caches any more when it is looked at */
};

/* More than this does not stay in a second-level cache beside what passes through; and in all caches. */
enum { NEAR_NBYTES = 1 << 19, FAR_NBYTES = 4 << 20 };

static inline double rg_grid_nbytes(const regrad_tensor *view)
{
    double nbytes = (double)regrad_dtype_size(view->dtype);
    for (int d = 0; d < view->rank; d++)
        nbytes *= (double)view->shape[d];
    return nbytes;
}

static inline bool rg_grid_is_far(const regrad_tensor *view)
{
    return rg_grid_nbytes(view) >= FAR_NBYTES;
}

/* A run in progress, seen by its slots. */
struct rg_grid_run {
    const struct rg_grid_plan *plan;
    struct rg_grid_tensor input, grid, sampled, input_grad, grid_grad;
    struct rg_run *run;
};

/* Rows of images in the workspace that are in use: see op/grid_window.h. */
struct rg_grid_window {
    struct rg_share view;   /* the rows that are opened */
    int64_t opened, closed; /* the first rows that are not opened, and not closed yet */
    int32_t mask;           /* row y of the image is row y & mask in the workspace */
    int64_t needed;         /* no point from now on touches rows before this one */
    int32_t *low, *high;    /* of the team: rows that hold all that a section touches */
    int32_t *lowest;        /* the lowest row that a section or a later one touches */
};

/* The points and rows that a slot is at, in all groups that it does at the same time. */
struct rg_grid_at {
    union rg_grid_values x, y, z; /* coordinates */
    struct rg_packed_points points;
    int64_t located_n, located;               /* the sample and the first point of the block that was located */
    union rg_grid_values tile[RG_GRID_LANES]; /* the points' channels: of grad_output, or of the output */
    union rg_grid_values sum[RG_GRID_AXES];   /* of a block, x, y and z, when there is one group */
    bool owns, touches; /* is the block the slot's, and must points be added to the slot's rows? */
    struct rg_grid_window window;
};

/* What a slot works on: a group of channels of a sample; as which one of how many; and where. */
struct rg_grid_unit {
    const struct rg_grid_run *run;
    const struct rg_grid_plan *plan;
    const struct rg_kernels *kernels;
    int64_t n, first, count;
    int64_t first_group, abreast; /* the groups that are done at the same time */
    int64_t nth;                  /* which of them the unit is at */
    int slot, n_slots;
    struct rg_share rows, blocks; /* that are this slot's */
    struct rg_grid_at *at;
    void *scratch;              /* of the way */
    char *input, *grad;         /* images; those in the workspace are the team's */
    char *own_sum, *common_sum; /* the slot's, and that of samples which all slots share */
    char *sum;                  /* the group's: x, y and z of all blocks */
    bool surveyed;              /* are rows opened and closed section by section? Else all are opened at once */
    struct rg_share touched;    /* packed, apart: the rows that points touched, and no others are not 0 */
    bool bounded;               /* no sum of what was added to a gradient where it is can overflow, so none is NaN */
};

struct rg_grid_block {
    int64_t first, count;
};

/* A way of running a group. */
struct rg_grid_way {
    enum rg_way word;
    size_t scratch_nbytes;
    void (*init)(struct rg_grid_unit *unit);  /* when the unit is made */
    void (*begin)(struct rg_grid_unit *unit); /* of a group */
    /* Rows of the images: brings them, makes them 0, stores them. */
    void (*load)(const struct rg_grid_unit *unit, struct rg_share rows);
    void (*clear)(const struct rg_grid_unit *unit, struct rg_share rows);
    void (*store)(const struct rg_grid_unit *unit, struct rg_share rows);
    void (*prepare)(struct rg_grid_unit *unit, struct rg_grid_block block); /* when its points have been found */
    /* The block's n points: makes the tile of them; adds it to the gradient; does that as well, if the block touches
     * the slot's rows, and adds to the sums. */
    void (*sample)(const struct rg_grid_unit *unit, int64_t n);
    void (*spread)(const struct rg_grid_unit *unit, int64_t n);
    void (*slope)(const struct rg_grid_unit *unit, struct rg_grid_sums sums, int64_t n);
    void (*end)(struct rg_grid_unit *unit); /* of a group, or NULL */
};

extern const struct rg_grid_way rg_grid_planes, rg_grid_packed;

/* The place of a slot, which does groups with n_slots - 1 others. */
struct rg_grid_unit rg_grid_make_unit(const struct rg_grid_run *run, int slot, int n_slots);

/* Which groups of sample n are done at the same time: n_groups, from g on. The unit is at the first of them. */
void rg_grid_set_groups(struct rg_grid_unit *unit, int64_t n, int64_t g, int64_t n_groups);

/* Brings the unit to the nth of these groups, and returns it. */
struct rg_grid_unit *rg_grid_at_group(struct rg_grid_unit *unit, int64_t nth);

/* Has each group of the unit's sample sums of its own? Else they add to the same, one after another. */
static inline bool rg_grid_has_own_sums(const struct rg_grid_unit *unit)
{
    return unit->plan->groups_alone > 0 && unit->n >= unit->plan->n_alone;
}

static inline bool rg_grid_is_alone(const struct rg_grid_unit *unit)
{
    return unit->n_slots == 1;
}

static inline bool rg_grid_has_many(const struct rg_grid_plan *plan)
{
    return plan->lanes == RG_GRID_LANES;
}

static inline bool rg_grid_has_depth(const struct rg_grid_plan *plan)
{
    return plan->n_axes == RG_GRID_AXES;
}

static inline bool rg_grid_is_bilinear(const struct rg_grid_plan *plan)
{
    return plan->spec.interpolation == REGRAD_BILINEAR;
}

/* Are two neighbours of a point that are side by side found at once in packed images? */
static inline bool rg_grid_is_paired(const struct rg_grid_plan *plan)
{
    return rg_grid_is_bilinear(plan) && !rg_grid_has_depth(plan);
}

/* Of a point. */
static inline int64_t rg_grid_count_neighbours(const struct rg_grid_plan *plan)
{
    const int64_t n_taps = rg_grid_count_taps(plan->spec.interpolation);
    return n_taps * n_taps * (rg_grid_has_depth(plan) ? n_taps : 1);
}

/* Is there room to gather all neighbours of a block side by side? For four of double each, or eight of float. */
static inline bool rg_grid_can_gather(const struct rg_grid_plan *plan)
{
    return (size_t)rg_grid_count_neighbours(plan) * plan->base.t_nbytes <= 4 * sizeof(double);
}

static inline struct rg_grid_block rg_grid_nth_block(int64_t b, int64_t n_values)
{
    return (struct rg_grid_block){b * RG_GRID_POINTS, rg_min(n_values - b * RG_GRID_POINTS, RG_GRID_POINTS)};
}

/* The pixels of rows, which are no block of points. */
static inline struct rg_grid_block rg_grid_pixels_of(const struct rg_grid_plan *plan, struct rg_share rows)
{
    return (struct rg_grid_block){rows.begin * plan->spec.in_w, (rows.end - rows.begin) * plan->spec.in_w};
}

/* Pixels of an image in the workspace of n_slots that do a group together. */
static inline int64_t rg_grid_image_pixels(const struct rg_grid_plan *plan, int n_slots)
{
    return plan->n_rows * plan->pitch + n_slots * plan->beside;
}

static inline size_t rg_grid_pixel_nbytes(const struct rg_grid_plan *plan)
{
    return (size_t)plan->lanes * plan->base.t_nbytes;
}

/* Groups abreast whose whole images take no more than this locate points once, and stay in a cache near by. */
enum { RG_GRID_WHOLE_NBYTES = 1 << 18 };

/* Bytes of a slot's packed images of a group, where they are whole. */
static inline int64_t rg_grid_whole_nbytes(const struct rg_grid_plan *plan)
{
    return (plan->input_copied + plan->grad_copied) * rg_grid_image_pixels(plan, 1) *
           (int64_t)rg_grid_pixel_nbytes(plan);
}

static inline char *rg_grid_nth_pixel(const struct rg_grid_plan *plan, void *image, int64_t p)
{
    return (char *)image + p * (int64_t)rg_grid_pixel_nbytes(plan);
}

#endif
