/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators: one list, from which parsing, help, list, run, describe and check all work.
 *
 * Each operator joins an input of shape (N, C, H, W) and an output of shape (N, C, H', W') of the
 * forward, and perhaps a grid of shape (N, H', W', 2): each of its tensors stands in one of these
 * three places, and so two numbers, the sizes of input and output, give all shapes. In one dimension
 * L stands for H, W, and in three D, H, W; a grid's last size is the number of dimensions.
 */
#ifndef OPERATORS_H
#define OPERATORS_H

#include "filters.h"
#include "options.h"
#include "regrad.h"

enum place { PLACE_IN, PLACE_OUT, PLACE_GRID, N_PLACES };

enum access {
    ACCESS_READ,
    ACCESS_SHAPE, /* gives its shape, which may come from --input-size too; its data is not read */
    ACCESS_WRITE
};

struct op_tensor {
    const char *name;
    enum place place;
    enum access access;
    enum option_id option; /* written tensors: the option that names its file */
};

enum { OP_MAX_TENSORS = 5, OP_MAX_AXES = REGRAD_MAX_RANK - 2 };

struct params {
    regrad_coordinates coordinates;
    regrad_nearest_law law;
    double scale[OP_MAX_AXES]; /* of the first axis first */
    regrad_interpolation interpolation;
    regrad_padding padding;
    int64_t output_size[2]; /* H', W' */
};

/* An operator with its tensors, in the order of the table; NULL for outputs that are not wanted. */
struct call {
    const struct op *op;
    struct params params;
    const regrad_tensor *tensor[OP_MAX_TENSORS];
};

struct op {
    const char *name;
    char summary[96];
    int rank; /* of input and output */
    int n_tensors;
    struct op_tensor tensor[OP_MAX_TENSORS];
    option_set options;          /* those that change what is computed */
    const char *adjoint;         /* the forward of a gradient, the gradient of a forward */
    const struct filter *filter; /* of the resizes that the library names, else NULL */
    bool gradient;               /* is it a gradient? */
    bool graph;                  /* a graph operator: scales are float32, and half_pixel_centers must be asked for */
    regrad_status (*make_plan)(const struct call *call, regrad_plan **plan);
};

/* Number `index` of the operators, in the order of `regrad list`; NULL behind the last one. First come the resizes that
 * the library names. */
const struct op *operator_at(int index);

/* Finds an operator. NULL, after a complaint, when there is none of this name. */
const struct op *operator_find(const char *name);

/* The parameters that an operator takes from the command line. output_size is left 0. */
struct params operator_params(const struct op *op, const struct settings *settings);

/* The axes are the dimensions after the channels, from 0 on. How many has an operator? */
static inline int axis_count(const struct op *op)
{
    return op->rank - 2;
}

/* The option that gives an axis its scale, and the name of the axis: 'L', or 'D', 'H' and 'W'. */
enum option_id axis_scale(const struct op *op, int axis);
char axis_name(const struct op *op, int axis);

/* How messages and help name the dimensions of an operator's tensors. */
struct dimension_names {
    const char *first, *last; /* of a file, with the channels before the axes and behind them */
    const char *grid;
    const char *sizes, *axes; /* of the options that give sizes: all of them, and without N and C */
    const char *place[N_PLACES];
};
const struct dimension_names *dimension_names(const struct op *op);

#endif
