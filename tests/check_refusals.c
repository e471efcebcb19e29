/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything that is refused: the status, a message that names operator, argument, value and what was
 * wanted, and no effect on outputs or plan pointers.
 */
#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "problem.h"

enum { MEMORY = 8192, FILL = 0x5A };

/* A valid call, to be spoiled in one respect. */
struct setup {
    struct problem problem;
    struct signature signature;
    regrad_tensor in[MAX_INPUTS], out[MAX_OUTPUTS];
    _Alignas(64) unsigned char memory[MAX_INPUTS + MAX_OUTPUTS][MEMORY];
};

static void setup_init(struct setup *setup, enum problem_kind kind, bool backward)
{
    *setup = (struct setup){.problem = {.kind = kind,
                                        .backward = backward,
                                        .dtype = REGRAD_FLOAT32,
                                        .n = 2,
                                        .c = 3,
                                        .in_d = 2,
                                        .in_h = 4,
                                        .in_w = 5,
                                        .out_d = 4,
                                        .out_h = 7,
                                        .out_w = 6,
                                        .wanted = {true, true}}};
    struct signature *signature = &setup->signature;
    problem_signature(&setup->problem, signature);
    memset(setup->memory, FILL, sizeof setup->memory);
    for (int k = 0; k < signature->n_in; k++)
        setup->in[k] =
            regrad_tensor_contiguous(setup->memory[k], REGRAD_FLOAT32, signature->in[k].rank, signature->in[k].shape);
    for (int k = 0; k < signature->n_out; k++)
        setup->out[k] = regrad_tensor_contiguous(setup->memory[MAX_INPUTS + k], REGRAD_FLOAT32, signature->out[k].rank,
                                                 signature->out[k].shape);
}

/* ---- What is spoiled ---- */

enum field {
    RANK,
    SHAPE,
    STRIDE,
    OFFSET,
    STORAGE,
    DTYPE,
    DATA,
    SCALE_D,
    SCALE_H,
    SCALE_W,
    COORDINATES,
    LAW,
    INTERPOLATION,
    PADDING
};

#define BIT(kind) (1 << PROBLEM_##kind)
enum operators {
    GRID = BIT(GRID),
    ONE_D = BIT(NEAREST_1D) | BIT(NEAREST_EXACT_1D) | BIT(LINEAR),
    THREE_D = BIT(NEAREST_3D) | BIT(NEAREST_EXACT_3D) | BIT(TRILINEAR),
    RESIZE = GRID - 1,
    TWO_D = RESIZE & ~(ONE_D | THREE_D),
    NEAREST = BIT(NEAREST_1D) | BIT(NEAREST_2D) | BIT(NEAREST_3D) | BIT(NEAREST_EXACT_1D) | BIT(NEAREST_EXACT_2D) |
              BIT(NEAREST_EXACT_3D),
    SMOOTH = RESIZE & ~NEAREST,
    ANTIALIASED = BIT(BILINEAR_AA) | BIT(BICUBIC_AA) | BIT(LANCZOS_AA),
    ALL = RESIZE | GRID
};
enum operand_name { IN0, IN1, IN2, OUT0, OUT1, NONE };

struct refusal {
    enum operators operators;
    int backward; /* 0 forward only, 1 backward only, 2 both */
    enum operand_name operand;
    enum field field;
    int dimension;
    double value;
    regrad_status status;
    const char *argument, *came, *wanted; /* words of the message; NULL for the operand's name, or for none */
    bool only_run;                        /* concerns memory: a plan is not refused */
};

#define BAD REGRAD_ERROR_INVALID_ARGUMENT
#define HUGE_SIZE 0x1p62

static const struct refusal refusals[] = {
    /* rank and type */
    {TWO_D | GRID, 2, IN0, RANK, 0, 3, BAD, NULL, "3", "4", false},
    {TWO_D | GRID, 2, IN0, RANK, 0, 5, BAD, NULL, "5", "4", false},
    {ONE_D, 2, IN0, RANK, 0, 4, BAD, NULL, "4", "3", false},
    {ONE_D, 2, IN0, RANK, 0, 5, BAD, NULL, "5", "3", false},
    {THREE_D, 2, IN0, RANK, 0, 4, BAD, NULL, "4", "5", false},
    {TWO_D | GRID, 2, OUT0, RANK, 0, 2, BAD, NULL, "2", "4", false},
    {ONE_D, 2, OUT0, RANK, 0, 0, BAD, NULL, "0", "3", false},
    {THREE_D, 2, OUT0, RANK, 0, 3, BAD, NULL, "3", "5", false},
    {ALL, 2, IN0, RANK, 0, 6, BAD, NULL, "6", NULL, false},
    {ALL, 2, IN0, RANK, 0, -1, BAD, NULL, "-1", NULL, false},
    {GRID, 2, IN1, RANK, 0, 3, BAD, NULL, "3", "4", false},
    {GRID, 1, IN2, RANK, 0, 3, BAD, NULL, "3", "4", false},
    {GRID, 1, OUT1, RANK, 0, 3, BAD, NULL, "3", "4", false},
    {ALL, 2, IN0, DTYPE, 0, 99, BAD, NULL, "99", "FLOAT32", false},
    {ALL, 2, IN0, DTYPE, 0, -1, BAD, NULL, "-1", "FLOAT32", false},
    {ALL, 2, OUT0, DTYPE, 0, REGRAD_FLOAT16, BAD, NULL, "float16", "float32", false},
    {NEAREST, 0, IN0, DTYPE, 0, REGRAD_UINT8, BAD, "output", "float32", "uint8", false},
    {NEAREST, 1, IN0, DTYPE, 0, REGRAD_UINT8, BAD, NULL, "UINT8", "FLOAT32", false},
    {SMOOTH | GRID, 2, IN0, DTYPE, 0, REGRAD_UINT8, BAD, NULL, "UINT8", "FLOAT32", false},
    {GRID, 2, IN1, DTYPE, 0, REGRAD_FLOAT64, BAD, NULL, "float64", "float32", false},
    {GRID, 1, IN2, DTYPE, 0, REGRAD_BFLOAT16, BAD, NULL, "bfloat16", "float32", false},
    {GRID, 1, OUT1, DTYPE, 0, REGRAD_FLOAT64, BAD, NULL, "float64", "float32", false},
    /* shapes */
    {RESIZE, 2, OUT0, SHAPE, 0, 1, BAD, NULL, "1", "2", false},
    {RESIZE, 2, OUT0, SHAPE, 1, 2, BAD, NULL, "2", "3", false},
    {RESIZE, 2, IN0, SHAPE, 2, 0, BAD, NULL, "0", NULL, false},
    {TWO_D | THREE_D, 2, IN0, SHAPE, 3, 0, BAD, NULL, "0", NULL, false},
    {THREE_D, 2, IN0, SHAPE, 4, 0, BAD, NULL, "0", NULL, false},
    {RESIZE, 2, OUT0, SHAPE, 2, 0, BAD, NULL, "0", NULL, false},
    {TWO_D | THREE_D, 2, OUT0, SHAPE, 3, 0, BAD, NULL, "0", NULL, false},
    {THREE_D, 2, OUT0, SHAPE, 4, 0, BAD, NULL, "0", NULL, false},
    {THREE_D, 2, IN0, SHAPE, 4, -7, BAD, NULL, "-7", NULL, false},
    {ALL, 2, IN0, SHAPE, 0, -2, BAD, NULL, "-2", NULL, false},
    {ALL, 2, OUT0, SHAPE, 1, -3, BAD, NULL, "-3", NULL, false},
    {GRID, 0, IN0, SHAPE, 2, 0, BAD, "input", "0", NULL, false},
    {GRID, 0, IN0, SHAPE, 3, 0, BAD, "input", "0", NULL, false},
    {GRID, 1, IN1, SHAPE, 2, 0, BAD, "input", "0", NULL, false},
    {GRID, 1, IN1, SHAPE, 0, 1, BAD, NULL, "1", "2", false},
    {GRID, 1, IN1, SHAPE, 1, 2, BAD, NULL, "2", "3", false},
    {GRID, 0, IN1, SHAPE, 0, 1, BAD, "grid", "1", "2", false},
    {GRID, 1, IN2, SHAPE, 0, 1, BAD, "grid", "1", "2", false},
    {GRID, 1, IN2, SHAPE, 1, 6, BAD, NULL, "6", "7", false},
    {GRID, 1, IN2, SHAPE, 2, 5, BAD, NULL, "5", "6", false},
    {GRID, 1, IN2, SHAPE, 3, 3, BAD, "grid", "3", "2", false},
    {GRID, 0, IN1, SHAPE, 3, 1, BAD, "grid", "1", "2", false},
    {GRID, 0, OUT0, SHAPE, 1, 2, BAD, NULL, "2", "3", false},
    {GRID, 0, OUT0, SHAPE, 3, 5, BAD, NULL, "5", "6", false},
    {GRID, 1, OUT0, SHAPE, 0, 1, BAD, NULL, "1", "2", false},
    {GRID, 1, OUT0, SHAPE, 2, 3, BAD, NULL, "3", "4", false},
    {GRID, 1, OUT1, SHAPE, 1, 6, BAD, NULL, "6", "7", false},
    {GRID, 1, OUT1, SHAPE, 3, 1, BAD, NULL, "1", "2", false},
    /* sizes and strides that overflow */
    {ALL, 2, IN0, SHAPE, 0, HUGE_SIZE, BAD, NULL, NULL, NULL, false},
    {ALL, 2, OUT0, SHAPE, 0, HUGE_SIZE, BAD, NULL, NULL, NULL, false},
    {ALL, 2, IN0, STRIDE, 1, HUGE_SIZE, BAD, NULL, NULL, NULL, false},
    {ALL, 2, IN0, STRIDE, 1, -HUGE_SIZE, BAD, NULL, NULL, NULL, false},
    {ALL, 2, OUT0, STRIDE, 1, HUGE_SIZE, BAD, NULL, NULL, NULL, false},
    {THREE_D, 2, IN0, STRIDE, 4, HUGE_SIZE, BAD, NULL, NULL, NULL, false},
    {ALL, 2, IN0, OFFSET, 0, 9.2e18, BAD, NULL, NULL, NULL, false},
    /* views outside of their storage */
    {ALL, 2, IN0, STORAGE, 0, 7, BAD, NULL, NULL, "0 to 6", false},
    {ALL, 2, OUT0, STORAGE, 0, 7, BAD, NULL, NULL, "0 to 6", false},
    {ALL, 2, IN0, STORAGE, 0, -1, BAD, NULL, "-1", NULL, false},
    /* outputs that overlap themselves */
    {ALL, 2, OUT0, STRIDE, 1, 0, BAD, NULL, NULL, NULL, false},
    {ALL, 2, OUT0, STRIDE, 0, 1, BAD, NULL, NULL, NULL, false},
    {GRID, 1, OUT1, STRIDE, 3, 0, BAD, NULL, NULL, NULL, false},
    {THREE_D, 2, OUT0, STRIDE, 2, 3, BAD, NULL, NULL, NULL, false},
    /* scales */
    {THREE_D, 2, NONE, SCALE_D, 0, (double)NAN, BAD, "scale_d", "nan", NULL, false},
    {TWO_D | THREE_D, 2, NONE, SCALE_H, 0, (double)NAN, BAD, "scale_h", "nan", NULL, false},
    {TWO_D | THREE_D, 2, NONE, SCALE_W, 0, (double)INFINITY, BAD, "scale_w", "inf", NULL, false},
    {ONE_D, 2, NONE, SCALE_W, 0, -(double)INFINITY, BAD, "scale_l", "inf", NULL, false},
    {TWO_D | THREE_D, 2, NONE, SCALE_H, 0, 1e-310, BAD, "scale_h", NULL, NULL, false},
    {THREE_D, 2, NONE, SCALE_D, 0, 5e-324, BAD, "scale_d", NULL, NULL, false},
    {TWO_D | THREE_D, 2, NONE, SCALE_W, 0, 5e-324, BAD, "scale_w", NULL, NULL, false},
    {ONE_D, 2, NONE, SCALE_W, 0, 5e-324, BAD, "scale_l", NULL, NULL, false},
    {TWO_D | THREE_D, 2, NONE, SCALE_W, 0, 1e-39, BAD, "scale_w", "1e-39", NULL, false},
    {ONE_D, 2, NONE, SCALE_W, 0, 1e-39, BAD, "scale_l", "1e-39", NULL, false},
    {BIT(BICUBIC_AA), 2, NONE, SCALE_W, 0, 5e-39, BAD, "scale_w", "5e-39", "twice its inverse", false},
    {BIT(LANCZOS_AA), 2, NONE, SCALE_H, 0, 8e-39, BAD, "scale_h", "8e-39", "three times its inverse", false},
    {THREE_D & NEAREST, 2, NONE, SCALE_D, 0, -0.5, BAD, "scale_d", "-0.5", NULL, false},
    {(TWO_D | THREE_D) & NEAREST, 2, NONE, SCALE_H, 0, -1.5, BAD, "scale_h", "-1.5", NULL, false},
    {(TWO_D | THREE_D) & NEAREST, 2, NONE, SCALE_W, 0, -2, BAD, "scale_w", "-2", NULL, false},
    {ONE_D & NEAREST, 2, NONE, SCALE_W, 0, -2, BAD, "scale_l", "-2", NULL, false},
    /* options */
    {SMOOTH, 2, NONE, COORDINATES, 0, 3, BAD, "coordinates", "3", NULL, false},
    {SMOOTH, 2, NONE, COORDINATES, 0, -1, BAD, "coordinates", "-1", NULL, false},
    {ANTIALIASED, 2, NONE, COORDINATES, 0, REGRAD_ASYMMETRIC, BAD, "coordinates", "2", "REGRAD_ALIGN_CORNERS", false},
    {NEAREST, 2, NONE, LAW, 0, 2, BAD, "law", "2", NULL, false},
    {NEAREST, 2, NONE, LAW, 0, -1, BAD, "law", "-1", NULL, false},
    {GRID, 2, NONE, INTERPOLATION, 0, 3, BAD, "interpolation", "3", NULL, false},
    {GRID, 2, NONE, INTERPOLATION, 0, -1, BAD, "interpolation", "-1", NULL, false},
    {GRID, 2, NONE, PADDING, 0, 3, BAD, "padding", "3", NULL, false},
    /* memory: DATA adds so many bytes, or takes the memory of the first input, or none */
    {ALL, 2, IN0, DATA, 0, 1, BAD, NULL, NULL, "4", true},
    {ALL, 2, OUT0, DATA, 0, 2, BAD, NULL, NULL, "4", true},
    {ALL, 2, OUT0, DATA, 1, 0, BAD, NULL, NULL, NULL, true},
    {GRID, 1, OUT1, DATA, 1, 0, BAD, NULL, NULL, NULL, true},
    {ALL, 2, IN0, DATA, 2, 0, REGRAD_ERROR_NULL_POINTER, NULL, NULL, NULL, true},
    {ALL, 2, OUT0, DATA, 2, 0, REGRAD_ERROR_NULL_POINTER, NULL, NULL, NULL, true},
    {GRID, 2, IN1, DATA, 2, 0, REGRAD_ERROR_NULL_POINTER, NULL, NULL, NULL, true},
};

static regrad_tensor *tensor_of(struct setup *setup, enum operand_name operand)
{
    return operand >= OUT0 ? &setup->out[operand - OUT0] : &setup->in[operand];
}

static void spoil_data(struct setup *setup, regrad_tensor *tensor, const struct refusal *refusal)
{
    if (refusal->dimension == 0)
        tensor->data = (unsigned char *)tensor->data + (int)refusal->value;
    else
        tensor->data = refusal->dimension == 1 ? setup->in[0].data : NULL;
}

static void spoil_tensor(struct setup *setup, const struct refusal *refusal)
{
    regrad_tensor *tensor = tensor_of(setup, refusal->operand);
    switch (refusal->field) {
    case RANK:
        tensor->rank = (int32_t)refusal->value;
        break;
    case SHAPE:
        tensor->shape[refusal->dimension] = (int64_t)refusal->value;
        break;
    case STRIDE:
        tensor->stride[refusal->dimension] = (int64_t)refusal->value;
        break;
    case OFFSET:
        tensor->offset = (int64_t)refusal->value;
        break;
    case STORAGE:
        tensor->storage = (int64_t)refusal->value;
        break;
    case DTYPE:
        tensor->dtype = (regrad_dtype)(int)refusal->value;
        break;
    default:
        spoil_data(setup, tensor, refusal);
    }
}

static void spoil_option(struct problem *problem, const struct refusal *refusal)
{
    int value = isfinite(refusal->value) ? (int)refusal->value : 0;
    switch (refusal->field) {
    case SCALE_D:
        problem->scale_d = refusal->value;
        break;
    case SCALE_H:
        problem->scale_h = refusal->value;
        break;
    case SCALE_W:
        problem->scale_w = refusal->value;
        break;
    case COORDINATES:
        problem->coordinates = (regrad_coordinates)value;
        break;
    case LAW:
        problem->law = (regrad_nearest_law)value;
        break;
    case INTERPOLATION:
        problem->interpolation = (regrad_interpolation)value;
        break;
    default:
        problem->padding = (regrad_padding)value;
    }
}

/* ---- What must follow ---- */

static void expect_word(const char *word, const char *what)
{
    if (word && !strstr(regrad_last_message(), word))
        fail_msg("%s: \"%s\" is not in \"%s\"", what, word, regrad_last_message());
}

static void expect_refusal(const struct setup *setup, const struct setup *before, regrad_status got,
                           const struct refusal *refusal)
{
    const char *operator_name = problem_operator(&setup->problem), *argument = refusal->argument;
    if (!argument && refusal->operand != NONE)
        argument = refusal->operand >= OUT0 ? setup->signature.out[refusal->operand - OUT0].name
                                            : setup->signature.in[refusal->operand].name;
    if (got != refusal->status)
        fail_msg("%s, %s spoiled by %g in field %d [%d]: %s, %s", operator_name, argument, refusal->value,
                 refusal->field, refusal->dimension, regrad_status_name(got), regrad_last_message());
    expect_word(operator_name, operator_name);
    expect_word(argument, operator_name);
    expect_word(refusal->came, operator_name);
    expect_word(refusal->wanted, operator_name);
    assert_memory_equal(setup->memory, before->memory, sizeof setup->memory);
}

static void try_refusal(const struct refusal *refusal, enum problem_kind kind, bool backward)
{
    static struct setup setup, before;
    regrad_plan *untouched = (regrad_plan *)&setup, *plan = untouched;
    setup_init(&setup, kind, backward);
    if (refusal->operand == NONE)
        spoil_option(&setup.problem, refusal);
    else
        spoil_tensor(&setup, refusal);
    before = setup;
    expect_refusal(&setup, &before, problem_call(&setup.problem, setup.in, setup.out), refusal);
    if (refusal->only_run)
        return;
    expect_refusal(&setup, &before, problem_plan(&setup.problem, setup.in, setup.out, &plan), refusal);
    assert_ptr_equal(plan, untouched);
}

static void spoiled_calls(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof refusals / sizeof refusals[0]; k++)
        for (int kind = 0; kind < N_PROBLEM_KINDS; kind++)
            for (int backward = 0; backward < 2; backward++)
                if (refusals[k].operators & 1 << kind &&
                    (refusals[k].backward == 2 || refusals[k].backward == backward))
                    try_refusal(&refusals[k], (enum problem_kind)kind, backward);
}

/* What is not spoiled is accepted: the refusals above have the reason that they name. */
static void unspoiled_calls(void **state)
{
    (void)state;
    static struct setup setup;
    for (int kind = 0; kind < N_PROBLEM_KINDS; kind++)
        for (int backward = 0; backward < 2; backward++) {
            setup_init(&setup, (enum problem_kind)kind, backward);
            assert_int_equal(problem_call(&setup.problem, setup.in, setup.out), REGRAD_OK);
        }
}

/* ---- Tensors, plans and arrays that are missing ---- */

static void expect_missing(regrad_status status, const char *operator_name, const char *argument)
{
    assert_int_equal(status, REGRAD_ERROR_NULL_POINTER);
    expect_word(operator_name, argument);
    expect_word(argument, operator_name);
}

static void missing_tensors(void **state)
{
    (void)state;
    static struct setup setup;
    setup_init(&setup, PROBLEM_BILINEAR, true);
    const regrad_tensor *in = setup.in, *out = setup.out;
    const char *name = "upsample_bilinear2d_backward";
    expect_missing(regrad_upsample_bilinear2d_backward(NULL, out, REGRAD_HALF_PIXEL, 0, 0), name, "grad_output");
    expect_missing(regrad_upsample_bilinear2d_backward(in, NULL, REGRAD_HALF_PIXEL, 0, 0), name, "grad_input");
    expect_missing(regrad_upsample_bilinear2d_backward_plan(in, out, REGRAD_HALF_PIXEL, 0, 0, NULL), name, "plan");
    expect_missing(regrad_upsample_bilinear2d(NULL, out, REGRAD_HALF_PIXEL, 0, 0), "upsample_bilinear2d", "input");
    expect_missing(regrad_upsample_nearest_exact2d(in, NULL, REGRAD_NEAREST_FORWARD_LAW, 0, 0),
                   "upsample_nearest_exact2d", "output");
    expect_missing(regrad_upsample_nearest_exact2d_backward(NULL, out, REGRAD_NEAREST_FORWARD_LAW, 0, 0),
                   "upsample_nearest_exact2d_backward", "grad_output");
    setup_init(&setup, PROBLEM_NEAREST_EXACT_1D, true);
    expect_missing(regrad_upsample_nearest_exact1d(NULL, out, REGRAD_NEAREST_FORWARD_LAW, 0),
                   "upsample_nearest_exact1d", "input");
    expect_missing(regrad_upsample_nearest_exact1d_backward(in, NULL, REGRAD_NEAREST_FORWARD_LAW, 0),
                   "upsample_nearest_exact1d_backward", "grad_input");
}

static void missing_grid_tensors(void **state)
{
    (void)state;
    static struct setup setup;
    setup_init(&setup, PROBLEM_GRID, true);
    const regrad_tensor *in = setup.in, *out = setup.out;
    const char *name = "grid_sampler_2d_backward";
    expect_missing(regrad_grid_sampler_2d_backward(NULL, &in[1], &in[2], 0, 0, false, out, &out[1]), name,
                   "grad_output");
    expect_missing(regrad_grid_sampler_2d_backward(in, NULL, &in[2], 0, 0, false, out, &out[1]), name, "input");
    expect_missing(regrad_grid_sampler_2d_backward(in, &in[1], NULL, 0, 0, false, out, &out[1]), name, "grid");
    expect_missing(regrad_grid_sampler_2d_backward_plan(in, &in[1], &in[2], 0, 0, false, out, &out[1], NULL), name,
                   "plan");
    expect_missing(regrad_grid_sampler_2d(NULL, &in[2], 0, 0, false, in), "grid_sampler_2d", "input");
    expect_missing(regrad_grid_sampler_2d(&in[1], NULL, 0, 0, false, in), "grid_sampler_2d", "grid");
    expect_missing(regrad_grid_sampler_2d(&in[1], &in[2], 0, 0, false, NULL), "grid_sampler_2d", "output");
}

/* ---- Graph operators ---- */

static void expect_graph_refusal(regrad_status status, const char *operator_name, const char *argument,
                                 const char *came, const char *wanted)
{
    assert_int_equal(status, REGRAD_ERROR_INVALID_ARGUMENT);
    expect_word(operator_name, argument);
    expect_word(argument, operator_name);
    expect_word(came, argument);
    expect_word(wanted, argument);
}

static void nearest_graph_operator(void **state)
{
    (void)state;
    static struct setup setup;
    setup_init(&setup, PROBLEM_NEAREST_EXACT_2D, true);
    const regrad_tensor *in = setup.in, *out = setup.out;
    const char *name = "upsample_nearest_exact2d_grad";
    const int64_t size[] = {7, 6}, wrong[] = {7, 9}, input[] = {2, 3, 4, 5}, wrong_input[] = {2, 3, 4, 8};
    expect_missing(regrad_upsample_nearest_exact2d_grad(NULL, size, input, 0, 0, out), name, "grad_output");
    expect_missing(regrad_upsample_nearest_exact2d_grad(in, NULL, input, 0, 0, out), name, "output_size");
    expect_missing(regrad_upsample_nearest_exact2d_grad(in, size, NULL, 0, 0, out), name, "input_size");
    expect_missing(regrad_upsample_nearest_exact2d_grad(in, size, input, 0, 0, NULL), name, "grad_input");
    expect_graph_refusal(regrad_upsample_nearest_exact2d_grad(in, wrong, input, 0, 0, out), name, "output_size", "9",
                         "6");
    expect_graph_refusal(regrad_upsample_nearest_exact2d_grad(in, size, wrong_input, 0, 0, out), name, "input_size",
                         "8", "5");
    expect_graph_refusal(regrad_upsample_nearest_exact2d_grad(in, size, input, -1, 0, out), name, "scales_h", "-1",
                         NULL);
    /* with a scale the argument is not looked at */
    assert_int_equal(regrad_upsample_nearest_exact2d_grad(in, wrong, input, 0, 1.5f, out), REGRAD_OK);
}

static void bilinear_graph_operator(void **state)
{
    (void)state;
    static struct setup setup;
    setup_init(&setup, PROBLEM_BILINEAR, true);
    const regrad_tensor *in = setup.in, *out = setup.out;
    const char *name = "resize_bilinear_v2_grad";
    regrad_tensor other = *out;
    other.shape[3] = 8;
    expect_missing(regrad_resize_bilinear_v2_grad(NULL, out, false, true, NULL, out), name, "grads");
    expect_missing(regrad_resize_bilinear_v2_grad(in, NULL, false, true, NULL, out), name, "original_image");
    expect_missing(regrad_resize_bilinear_v2_grad(in, out, false, true, NULL, NULL), name, "y");
    expect_graph_refusal(regrad_resize_bilinear_v2_grad(in, &other, false, true, NULL, out), name, "original_image",
                         "8", "5");
    expect_graph_refusal(regrad_resize_bilinear_v2_grad(in, out, false, true, (const float[]){1, (float)NAN}, out),
                         name, "scales", "nan", NULL);
}

/* ---- Dimensions in another order ---- */

/* Moves the sizes of a tensor: size d comes from dimension from[d]. */
static void reorder(regrad_tensor *tensor, const int *from)
{
    int64_t shape[REGRAD_MAX_RANK];
    for (int d = 0; d < tensor->rank; d++)
        shape[d] = tensor->shape[from[d]];
    *tensor = regrad_tensor_contiguous(tensor->data, tensor->dtype, tensor->rank, shape);
}

static void expect_order(struct setup *setup, const char *sentence)
{
    regrad_plan *plan = NULL;
    assert_int_equal(problem_plan(&setup->problem, setup->in, setup->out, &plan), BAD);
    assert_null(plan);
    if (!strstr(regrad_last_message(), sentence) || !strstr(regrad_last_message(), " whatever the layout"))
        fail_msg("\"%s\" is not in \"%s\"", sentence, regrad_last_message());
}

/* As a user of NHWC gives them: all tensors, or one of them. */
static void other_orders(void **state)
{
    (void)state;
    static const int channels_last[] = {0, 2, 3, 1}, channels_last_1d[] = {0, 2, 1}, batch_last[] = {1, 2, 3, 0};
    static const int channels_last_3d[] = {0, 2, 3, 4, 1};
    static struct setup setup;
    for (int backward = 0; backward < 2; backward++) {
        const bool to_larger = backward == 0;
        setup_init(&setup, PROBLEM_BILINEAR, backward);
        reorder(&setup.out[0], channels_last);
        expect_order(&setup, to_larger ? "output.shape[1] is 7, must be 3, as input.shape[1]; the order is N, C, H, W"
                                       : "grad_input.shape[1] is 4, must be 3, as grad_output.shape[1]; the order is "
                                         "N, C, H, W");
        reorder(&setup.in[0], channels_last);
        expect_order(&setup, to_larger ? "output.shape[1] is 7, must be 4, as input.shape[1]; the order is N, C, H, W"
                                       : "grad_input.shape[1] is 4, must be 7, as grad_output.shape[1]; the order is "
                                         "N, C, H, W");
        setup_init(&setup, PROBLEM_NEAREST_EXACT_2D, backward);
        reorder(&setup.in[0], batch_last);
        expect_order(&setup, ".shape[0] is 2, must be 3, as ");
        setup_init(&setup, PROBLEM_NEAREST_EXACT_1D, backward);
        reorder(&setup.in[0], channels_last_1d);
        reorder(&setup.out[0], channels_last_1d);
        expect_order(&setup, "the order is N, C, L");
        setup_init(&setup, PROBLEM_TRILINEAR, backward);
        reorder(&setup.in[0], channels_last_3d);
        expect_order(&setup, "the order is N, C, D, H, W");
    }
}

static void other_orders_of_grids(void **state)
{
    (void)state;
    static const int channels_last[] = {0, 2, 3, 1}, coordinates_first[] = {0, 3, 1, 2};
    static struct setup setup;
    setup_init(&setup, PROBLEM_GRID, false);
    reorder(&setup.in[1], coordinates_first);
    expect_order(&setup, "grid.shape[3] is 6, must be 2, for x and y; the order is N, H, W, 2");
    setup_init(&setup, PROBLEM_GRID, false);
    reorder(&setup.out[0], channels_last);
    expect_order(&setup, "output.shape[1] is 7, must be 3, as input.shape[1]; the order is N, C, H, W");
    reorder(&setup.in[0], channels_last);
    expect_order(&setup, "output.shape[1] is 7, must be 4, as input.shape[1]; the order is N, C, H, W");
    setup_init(&setup, PROBLEM_GRID, true);
    reorder(&setup.out[0], channels_last);
    expect_order(&setup, "input_grad.shape[1] is 4, must be 3, as input.shape[1]; the order is N, C, H, W");
    setup_init(&setup, PROBLEM_GRID, true);
    reorder(&setup.out[1], coordinates_first);
    expect_order(&setup, "grid_grad.shape[1] is 2, must be 7, as grid.shape[1]; the order is N, H, W, 2");
}

static void other_orders_of_graph_operators(void **state)
{
    (void)state;
    static struct setup setup;
    setup_init(&setup, PROBLEM_BILINEAR, true);
    const int64_t size[] = {7, 6}, turned_size[] = {6, 7}, input_last[] = {2, 4, 5, 3};
    static const int channels_last[] = {0, 2, 3, 1};
    regrad_tensor image = setup.out[0];
    reorder(&image, channels_last);
    expect_graph_refusal(regrad_resize_bilinear_v2_grad(setup.in, &image, false, true, NULL, setup.out),
                         "regrad_resize_bilinear_v2_grad", "y.shape[1] is 3", "must be 4, as original_image.shape[1]",
                         "the order is N, C, H, W whatever the layout");
    const char *name = "regrad_upsample_nearest_exact2d_grad";
    expect_graph_refusal(regrad_upsample_nearest_exact2d_grad(setup.in, size, input_last, 0, 0, setup.out), name,
                         "input_size[1] is 4", "must be 3, as grad_input.shape[1]",
                         "the order is N, C, H, W whatever the layout");
    expect_graph_refusal(
        regrad_upsample_nearest_exact2d_grad(setup.in, turned_size, setup.out[0].shape, 0, 0, setup.out), name,
        "output_size[0] is 6", "must be 7, as grad_output.shape[2]", "the order is H, W whatever the layout");
}

/* ---- Runs ---- */

static regrad_plan *grid_plan(struct setup *setup)
{
    regrad_plan *plan;
    setup_init(setup, PROBLEM_GRID, true);
    assert_int_equal(problem_plan(&setup->problem, setup->in, setup->out, &plan), REGRAD_OK);
    return plan;
}

static void expect_run_refusal(const regrad_plan *plan, const void *const *inputs, void *const *outputs,
                               regrad_status status, const char *argument)
{
    static _Alignas(64) unsigned char workspace[1 << 20];
    assert_true(regrad_plan_workspace_size(plan) <= sizeof workspace);
    assert_int_equal(regrad_plan_check(plan, inputs, outputs), status);
    expect_word(argument, "check");
    assert_int_equal(regrad_plan_run(plan, inputs, outputs, workspace, sizeof workspace), status);
    expect_word(argument, "run");
}

static void refused_runs(void **state)
{
    (void)state;
    static struct setup setup, before;
    regrad_plan *plan = grid_plan(&setup);
    before = setup;
    const void *inputs[] = {setup.in[0].data, setup.in[1].data, setup.in[2].data};
    void *outputs[] = {setup.out[0].data, setup.out[1].data};
    expect_run_refusal(NULL, inputs, outputs, REGRAD_ERROR_NULL_POINTER, "plan");
    expect_run_refusal(plan, NULL, outputs, REGRAD_ERROR_NULL_POINTER, "inputs");
    expect_run_refusal(plan, inputs, NULL, REGRAD_ERROR_NULL_POINTER, "outputs");
    static const char *const in_names[] = {"grad_output", "input", "grid"}, *const out_names[] = {"input_grad",
                                                                                                  "grid_grad"};
    for (int k = 0; k < 3; k++) {
        inputs[k] = NULL;
        expect_run_refusal(plan, inputs, outputs, REGRAD_ERROR_NULL_POINTER, in_names[k]);
        inputs[k] = (unsigned char *)setup.in[k].data + 1;
        expect_run_refusal(plan, inputs, outputs, BAD, in_names[k]);
        inputs[k] = (unsigned char *)setup.out[1].data + 4;
        expect_run_refusal(plan, inputs, outputs, BAD, in_names[k]);
        inputs[k] = setup.in[k].data;
    }
    for (int k = 0; k < 2; k++) {
        outputs[k] = NULL;
        expect_run_refusal(plan, inputs, outputs, REGRAD_ERROR_NULL_POINTER, out_names[k]);
        outputs[k] = (unsigned char *)setup.out[k].data + 3;
        expect_run_refusal(plan, inputs, outputs, BAD, out_names[k]);
        outputs[k] = setup.out[k].data;
    }
    outputs[1] = (unsigned char *)setup.out[0].data + 8;
    expect_run_refusal(plan, inputs, outputs, BAD, "grid_grad");
    assert_memory_equal(setup.memory, before.memory, sizeof setup.memory);
    regrad_plan_destroy(plan);
}

/* The input is not read for input_grad alone, and may be NULL; but it must not be written either. */
static void input_that_is_not_read(void **state)
{
    (void)state;
    static struct setup setup;
    regrad_plan *plan;
    setup_init(&setup, PROBLEM_GRID, true);
    assert_int_equal(regrad_grid_sampler_2d_backward_plan(&setup.in[0], &setup.in[1], &setup.in[2], REGRAD_BILINEAR,
                                                          REGRAD_ZEROS, false, &setup.out[0], NULL, &plan),
                     REGRAD_OK);
    const void *inputs[] = {setup.in[0].data, setup.in[1].data, setup.in[2].data};
    void *outputs[] = {setup.in[1].data, NULL};
    expect_run_refusal(plan, inputs, outputs, BAD, "input_grad");
    inputs[1] = NULL;
    outputs[0] = setup.out[0].data;
    assert_int_equal(regrad_plan_check(plan, inputs, outputs), REGRAD_OK);
    regrad_plan_destroy(plan);
}

/* A plan is made of sizes alone: the message says which of them lead to sums that cannot be counted. */
static void uncountable_sizes(void **state)
{
    (void)state;
    static const struct {
        int64_t c, in_w, out_h;
        const char *argument, *came;
    } cases[] = {
        {1, INT64_C(1) << 50, 1, "input", "1 x 1125899906842624 pixels"},
        {320, 4, INT64_C(1) << 46, "grid", "70368744177664 x 1 points for the 320 channels of input"},
        {INT64_C(1) << 40, 4, 1 << 14, "grid", "16384 x 1 points for the 1099511627776 channels of input"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        float nothing = 0;
        const int64_t c = cases[k].c, in_w = cases[k].in_w, out_h = cases[k].out_h;
        const regrad_tensor grad_output =
            regrad_tensor_contiguous(&nothing, REGRAD_FLOAT16, 4, (int64_t[]){1, c, out_h, 1});
        const regrad_tensor input = regrad_tensor_contiguous(&nothing, REGRAD_FLOAT16, 4, (int64_t[]){1, c, 1, in_w});
        const regrad_tensor grid = regrad_tensor_contiguous(&nothing, REGRAD_FLOAT16, 4, (int64_t[]){1, out_h, 1, 2});
        regrad_plan *plan = NULL;
        assert_int_equal(regrad_grid_sampler_2d_backward_plan(&grad_output, &input, &grid, REGRAD_BILINEAR,
                                                              REGRAD_ZEROS, false, NULL, &grid, &plan),
                         BAD);
        assert_null(plan);
        expect_word(cases[k].argument, "sizes");
        expect_word(cases[k].came, "sizes");
        expect_word("must be fewer", "sizes");
    }
}

/* What a plan would have to hold for each size is more than all addresses. */
static void sizes_beyond_memory(void **state)
{
    (void)state;
    uint16_t nothing = 0;
    const int64_t sizes[] = {1, 1, INT64_C(1) << 60};
    const regrad_tensor input = regrad_tensor_contiguous(&nothing, REGRAD_FLOAT16, 3, (int64_t[]){1, 1, 3});
    const regrad_tensor output = regrad_tensor_contiguous(&nothing, REGRAD_FLOAT16, 3, sizes);
    regrad_plan *plan = NULL;
    assert_int_equal(regrad_upsample_nearest_exact1d_plan(&input, &output, REGRAD_NEAREST_GATHER_LAW, 0, &plan),
                     REGRAD_ERROR_OUT_OF_MEMORY);
    assert_null(plan);
    static const char *const with_weights[] = {
        "regrad_upsample_bicubic2d",     "regrad_upsample_bicubic2d_backward",
        "regrad_upsample_bilinear2d_aa", "regrad_upsample_bilinear2d_aa_backward",
        "regrad_upsample_lanczos2d_aa",  "regrad_upsample_lanczos2d_aa_backward"};
    const regrad_tensor small = regrad_tensor_contiguous(&nothing, REGRAD_FLOAT16, 4, (int64_t[]){1, 1, 1, 3});
    const regrad_tensor large = regrad_tensor_contiguous(&nothing, REGRAD_FLOAT16, 4, (int64_t[]){1, 1, 1, sizes[2]});
    for (int k = 0; k < 6; k++) {
        const regrad_tensor *source = k % 2 ? &large : &small, *result = k % 2 ? &small : &large;
        assert_int_equal(regrad_resize_plan_with(with_weights[k], source, result, 0, 0, NULL, NULL, &plan),
                         REGRAD_ERROR_OUT_OF_MEMORY);
        expect_word(with_weights[k], "memory");
        assert_null(plan);
    }
    for (int k = 2; k < 6; k += 2) { /* few results, each of which has more terms than there is memory for */
        assert_int_equal(regrad_resize_plan_with(with_weights[k], &large, &small, 0, 0, NULL, NULL, &plan),
                         REGRAD_ERROR_OUT_OF_MEMORY);
        expect_word(with_weights[k], "memory");
        assert_null(plan);
    }
}

static void refused_workspaces(void **state)
{
    (void)state;
    static struct setup setup, before;
    static _Alignas(64) unsigned char workspace[1 << 20];
    regrad_plan *plan = grid_plan(&setup);
    before = setup;
    const void *inputs[] = {setup.in[0].data, setup.in[1].data, setup.in[2].data};
    void *outputs[] = {setup.out[0].data, setup.out[1].data};
    size_t nbytes = regrad_plan_workspace_size(plan);
    char wanted[40];
    snprintf(wanted, sizeof wanted, "%zu", nbytes);
    assert_true(nbytes > 0 && nbytes < sizeof workspace - 64);
    assert_int_equal(regrad_plan_run(plan, inputs, outputs, workspace, nbytes - 1), BAD);
    expect_word("workspace", "size");
    expect_word(wanted, "size");
    assert_int_equal(regrad_plan_run(plan, inputs, outputs, NULL, nbytes), REGRAD_ERROR_NULL_POINTER);
    expect_word("workspace", "NULL");
    assert_int_equal(regrad_plan_run(plan, inputs, outputs, workspace + 8, nbytes), BAD);
    expect_word("64", "alignment");
    assert_memory_equal(setup.memory, before.memory, sizeof setup.memory);
    assert_int_equal(regrad_plan_run(plan, inputs, outputs, workspace, nbytes), REGRAD_OK);
    regrad_plan_destroy(plan);
    regrad_plan_destroy(NULL);
    assert_true(regrad_plan_workspace_size(NULL) == 0);
}

/* ---- Names and messages ---- */

/* A tensor's own name takes the place of the parameter's; a call that succeeds leaves the message alone. */
static void own_names(void **state)
{
    (void)state;
    static struct setup setup;
    char message[1000];
    setup_init(&setup, PROBLEM_BILINEAR, true);
    setup.in[0].name = "gradOut";
    setup.in[0].rank = 3;
    assert_int_equal(problem_call(&setup.problem, setup.in, setup.out), BAD);
    expect_word("gradOut", "own name");
    snprintf(message, sizeof message, "%s", regrad_last_message());
    setup.in[0].rank = 4;
    assert_int_equal(problem_call(&setup.problem, setup.in, setup.out), REGRAD_OK);
    assert_string_equal(regrad_last_message(), message);
}

static void no_message_yet(void **state)
{
    (void)state;
    assert_string_equal(regrad_last_message(), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_message_yet),
        cmocka_unit_test(unspoiled_calls),
        cmocka_unit_test(spoiled_calls),
        cmocka_unit_test(missing_tensors),
        cmocka_unit_test(missing_grid_tensors),
        cmocka_unit_test(nearest_graph_operator),
        cmocka_unit_test(bilinear_graph_operator),
        cmocka_unit_test(other_orders),
        cmocka_unit_test(other_orders_of_grids),
        cmocka_unit_test(other_orders_of_graph_operators),
        cmocka_unit_test(refused_runs),
        cmocka_unit_test(input_that_is_not_read),
        cmocka_unit_test(uncountable_sizes),
        cmocka_unit_test(sizes_beyond_memory),
        cmocka_unit_test(refused_workspaces),
        cmocka_unit_test(own_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
