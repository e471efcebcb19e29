/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A shape: one line of a workload file, which says what is run on what.
 *
 *     bilinear    float32 NCHW 8x64x64x64 -> 128x128 align_corners
 *     grid_sample float32 NCHW 1x64x256x256 -> 256x256 random border
 *     trilinear   float32 NDHWC 2x16x32x64x64 -> 64x128x128
 *
 * Operator, type, layout, the sizes of the forward's input, and of the forward's output (without N
 * and C; for grid_sample those of the grid), then words, for instance options. The gradient is run, unless a word says
 * forward. docs/performance.md lists the words.
 */
#ifndef SHAPE_H
#define SHAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "op.h"
#include "regrad.h"

enum layout { LAYOUT_NCHW, LAYOUT_NHWC, LAYOUT_NCL, LAYOUT_NCDHW, LAYOUT_NDHWC };
enum { MAX_AXES = 3 };

/* Where the points of a grid lie. */
enum points {
    POINTS_SMOOTH, /* a small rotation and waves: neighbours sample neighbours */
    POINTS_RANDOM, /* anywhere in the image */
    POINTS_WINDOW, /* one pixel apart, about a random place of each image */
    POINTS_NEAR    /* in each row of the grid, a few pixels around a place that moves over the image row by row */
};
enum wanted { WANT_BOTH, WANT_INPUT_GRAD, WANT_GRID_GRAD };

struct shape {
    struct op op; /* that is run: the gradient, or the forward */
    int dtype, layout;
    int64_t n, c, in[MAX_AXES], out[MAX_AXES]; /* depth, height, width; 1 for axes that it has not */
    double scale[MAX_AXES];                    /* 0: not given */
    int align_corners;
    int forward;                                /* the operator itself, else its gradient */
    int points, padding, interpolation, wanted; /* grid_sample */
    int plan;                                   /* making a plan, and forgetting it, is timed too */
    int call;                                   /* one call that plans and runs is timed too */
    int aclnn;                                  /* both phases of the aclnn interface are timed too */
    int beside;                                 /* its time is shown as a part of that of the last line without it */
    int alone;                                  /* no peers: they would take minutes */
    int checked;                                /* timed behind aclnn in each level of its check mode, without others */
    int quick;                                  /* belongs to the short run */
    char text[160];                             /* the line without the words of the last seven */
};

static inline bool shape_is_grid(const struct shape *shape)
{
    return shape->op.family == FAMILY_GRID_2D || shape->op.family == FAMILY_GRID_3D;
}

static inline bool shape_is_channels_last(const struct shape *shape)
{
    return shape->layout == LAYOUT_NHWC || shape->layout == LAYOUT_NDHWC;
}

/* The first of the axes that it has: 0 for depth, 1 for height, 2 for width alone. */
static inline int shape_first_axis(const struct shape *shape)
{
    return MAX_AXES - shape->op.n_axes;
}

/* How many points of an image, or of a grid, have such lengths. */
static inline int64_t shape_points(const int64_t lengths[MAX_AXES])
{
    return lengths[0] * lengths[1] * lengths[2];
}

/* Reads a line. On failure says what is wrong in why[0 .. size). */
bool shape_parse(struct shape *shape, const char *line, char *why, size_t size);

/* The tensors of an operator. What is read comes first; INPUT is the last of that. */
enum place { GRAD_OUTPUT, GRID, INPUT, INPUT_GRAD, GRID_GRAD, OUTPUT, N_PLACES };

/* Elements of a tensor; 0 where the shape has no such tensor. */
int64_t shape_elements(const struct shape *shape, enum place place);

/* Outputs of the axes of a resize, as many as the tables of its plan are made of. */
int64_t shape_axis_outputs(const struct shape *shape);

/* Is it written by the operator, rather than read? */
static inline bool place_is_written(enum place place)
{
    return place >= INPUT_GRAD;
}

/* Where the tensors stand in one piece of memory. */
struct plan_of_memory {
    size_t offset[N_PLACES], nbytes[N_PLACES];
    size_t written; /* what is read stands before, what is written from here on */
    size_t end;
    size_t must_read, must_write; /* bytes that the operator cannot do without; they start at 0 and at `written` */
};
struct plan_of_memory shape_memory(const struct shape *shape);

/* The dimensions of a tensor, as for regrad_tensor: N, C, L or N, C, H, W or N, H, W, 2, and so on. Returns the rank.
 */
int shape_dimensions(const struct shape *shape, enum place place, int64_t dimensions[REGRAD_MAX_RANK]);

#endif
