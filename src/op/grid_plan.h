/* SPDX-License-Identifier: Apache-2.0 */
/* What planning a grid sample leaves to running it. */
#ifndef RG_GRID_PLAN_H
#define RG_GRID_PLAN_H

#include "base/checked.h"
#include "kernel/grid_kernels.h"
#include "op/plan.h"

/* The most sections of a sample: blocks that follow one another, of which is known together which rows they touch. */
enum { RG_GRID_SECTIONS = 1024 };

struct rg_grid_way; /* op/grid_unit.h */

struct rg_grid_plan {
    regrad_plan base;
    struct rg_grid_spec spec;
    const struct rg_kernels *wide; /* not NULL: they locate on long axes, in double; see kernel/grid_long.c */
    const struct rg_grid_way *way;
    int64_t n, channels;
    int64_t n_axes;              /* 2, or 3: the image has depth, and points have z */
    int64_t n_rows;              /* of an image, in all its planes */
    int64_t n_points, n_blocks;  /* of one sample; a block is RG_GRID_POINTS points */
    int64_t section, n_sections; /* blocks of a section; how many sections there are */
    bool forward, want_input_grad, want_grid_grad;
    bool need_input;       /* the input's values count: for the output, or for grid_grad */
    bool clears_grid_grad; /* it is wanted, and is 0 whatever the values; want_grid_grad is false then */
    int64_t lanes;        /* values of a pixel of the workspace: channels side by side; 1 if they are done one by one */
    int64_t pitch;        /* pixels from one row to the next in an image of the workspace */
    int64_t beside;       /* pixels beside an image, of each slot that has rows of it */
    int64_t group;        /* channels done together */
    int64_t n_groups;     /* of a sample */
    int64_t n_alone;      /* the first samples are done by one slot each, the rest are shared by all slots */
    int64_t groups_alone; /* of a shared sample the first groups are done by one slot each, the rest together */
    int64_t abreast;      /* so many groups may a slot alone do at the same time */
    int64_t step;         /* rows of images are opened so many at a time, a power of two: see op/grid_window.h */
    bool streams;         /* a result is larger than the caches */
    bool input_copied;    /* packed: the input is an image in the workspace, not read where it is */
    bool grad_copied;     /* likewise its gradient, also of planes */
    bool grad_apart;      /* a slot alone makes the gradient, which is not copied, in a cache, and moves it */
};

/* Does an axis of the input have its pixels in double, whatever the type? */
static inline bool rg_grid_is_long(int64_t size)
{
    return size > RG_LONGEST_IN_FLOAT;
}

/* Chooses the way, and all that belongs to it. */
void rg_grid_choose_way(struct rg_grid_plan *plan);

/* Books workspace. False when that is more than memory can be. */
bool rg_grid_book(struct rg_grid_plan *plan);

/* Bytes of workspace that each slot has for itself. */
int64_t rg_grid_slot_nbytes(const struct rg_grid_plan *plan);

/* Bytes of all workspace but what each slot has for itself; -1 when that is more than memory can be. */
int64_t rg_grid_teams_nbytes(const struct rg_grid_plan *plan);

/* Are the sums of all points and groups of channels few enough for bytes of them to be counted? */
bool rg_grid_can_count_sums(const struct rg_grid_plan *plan);

void rg_grid_run(const regrad_plan *base, struct rg_run *run);

#endif
