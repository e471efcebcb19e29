/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The operators: one table, from which parsing, help, list, run, describe and check all work.
 *
 * Each operator joins an input of shape (N, C, H, W) and an output of shape (N, C, H', W') of the
 * forward, and perhaps a grid of shape (N, H', W', 2): each of its tensors stands in one of these
 * three places, and so two numbers, the sizes of input and output, give all shapes.
 */
#ifndef OPERATORS_H
#define OPERATORS_H

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

enum { OP_MAX_TENSORS = 5 };

struct params {
    regrad_coordinates coordinates;
    regrad_nearest_law law;
    double scale_h, scale_w, scale_l;
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
    const char *name, *summary;
    int rank; /* of input and output */
    int n_tensors;
    struct op_tensor tensor[OP_MAX_TENSORS];
    option_set options;  /* those that change what is computed */
    const char *adjoint; /* the forward of a gradient, the gradient of a forward */
    bool gradient;       /* is it a gradient? */
    bool graph;          /* a graph operator: scales are float32, and half_pixel_centers must be asked for */
    bool channels_apart; /* no result depends on more than one channel */
    regrad_status (*make_plan)(const struct call *call, regrad_plan **plan);
};

/* The operators, in the order of `regrad list`. */
extern const struct op operators[];
extern const int n_operators;

/* Finds an operator. NULL, after a complaint, when there is none of this name. */
const struct op *operator_find(const char *name);

/* The parameters that an operator takes from the command line. output_size is left 0. */
struct params operator_params(const struct op *op, const struct settings *settings);

#endif
