/* SPDX-License-Identifier: Apache-2.0 */
/* What planning a grid sample leaves to running it. */
#ifndef RG_GRID_PLAN_H
#define RG_GRID_PLAN_H

#include "base/checked.h"
#include "kernel/grid_kernels.h"
#include "op/plan.h"

/* The most groups of channels that one slot does at the same time. */
enum { RG_GRID_ABREAST = 2 };

/* The most sections of a sample: blocks that follow one another, of which is known together which rows they touch. */
enum { RG_GRID_SECTIONS = 1024 };

struct rg_grid_plan {
    regrad_plan base;
    struct rg_grid_spec spec;
    const struct rg_kernels *wide; /* not NULL: they locate on long axes, in double; see op/grid_long.h */
    int64_t n, channels;
    int64_t n_points, n_blocks;  /* of one sample; a block is RG_GRID_POINTS points */
    int64_t section, n_sections; /* blocks of a section; how many sections there are */
    bool forward, want_input_grad, want_grid_grad;
    bool need_input;              /* the input's values count */
    bool tiled;                   /* channels side by side in the workspace, not plane by plane */
    bool streams;                 /* what tiles are stored to is larger than caches */
    int64_t packed_lanes;         /* not 0: run as op/grid_packed.h says, with this many channels side by side */
    bool input_there, grad_there; /* then: the input, its gradient are such packed images already */
    bool grad_small;              /* and a slot alone had better make this one apart, in a cache */
    bool sorts;                   /* points that are scattered are sorted first */
    int64_t group;                /* channels done together */
    int64_t n_groups;
    int64_t abreast;      /* how many groups a slot alone may do at the same time, with tiles for each */
    int64_t n_alone;      /* the first samples are done by one slot each, the rest are shared by all slots */
    int64_t groups_alone; /* of a shared sample the first groups are done by one slot each, the rest together */
    int64_t n_pixels;     /* of an image in the workspace: rounded up */
    int64_t input_low;    /* of a plane of the input: its lowest element, counted from its first; 0 or less */
};

/* Does an axis of the input have its pixels in double, whatever the type? */
static inline bool rg_grid_is_long(int64_t size)
{
    return size > RG_LONGEST_IN_FLOAT;
}

/* Bytes of workspace that one slot needs for itself. */
int64_t rg_grid_slot_nbytes(const struct rg_grid_plan *plan);

/* Bytes of workspace for the sums for grid_grad of all groups of a sample that slots share. */
int64_t rg_grid_common_nbytes(const struct rg_grid_plan *plan);

/* Are the sums of all points and groups of channels few enough for bytes of them to be counted? */
bool rg_grid_can_count_sums(const struct rg_grid_plan *plan);

/* Bytes of workspace that n_slots need which do a group together; -1 when that is more than memory can be. */
int64_t rg_grid_team_nbytes(const struct rg_grid_plan *plan, int n_slots);

/* The blocks of section s. */
static inline struct rg_share rg_grid_section(const struct rg_grid_plan *plan, int64_t s)
{
    return (struct rg_share){s * plan->section, rg_min((s + 1) * plan->section, plan->n_blocks)};
}

void rg_grid_run_forward(const regrad_plan *base, struct rg_run *run);
void rg_grid_run_backward(const regrad_plan *base, struct rg_run *run);

#endif
