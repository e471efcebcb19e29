/* SPDX-License-Identifier: Apache-2.0 */
/* regrad check */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check_bound.h"
#include "check_data.h"
#include "command.h"
#include "complain.h"
#include "element.h"
#include "plural.h"
#include "progress.h"
#include "run_call.h"

/* The element whose error is the largest part of what is allowed. */
struct worst {
    double part, error, allowed;
    int64_t position;
};

static void note_worst(struct worst *worst, double error, double allowed, int64_t position)
{
    double part = error == 0 ? 0 : error / allowed; /* NaN stays NaN and counts as too large */
    if (!(part <= worst->part))
        *worst = (struct worst){part, error, allowed, position};
}

static int print_verdict(const char *what, bool held, int failure)
{
    printf("%-20s  %-6s  ", what, held ? "held" : "FAILED");
    return held ? STATUS_OK : failure;
}

/* ---- <A x, y> = <x, A^T y> ---- */

struct product {
    double sum, allowed;
};

/* The product of what was computed in a place with what was given there, and what it may be off. */
static int multiply(const struct check *check, enum place place, struct product *product)
{
    struct bound bound;
    int status = bound_init(&bound, check, place);
    const double *given = check->wide.at[place];
    long double sum = 0, allowed = 0, size = 0;
    for (int64_t k = 0; k < check->n[place] && status == STATUS_OK; k++) {
        double computed = element_load(check->dtype, check->result.at[place], k);
        double error = bound.rounding[k]; /* no shift: forward and gradient share their weights */
        sum += (long double)computed * given[k];
        size += fabsl((long double)computed * given[k]);
        allowed += fabsl(given[k]) * (error + bound_storing(check->dtype, computed, error));
    }
    bound_fini(&bound);
    *product = (struct product){(double)sum, (double)(allowed + size * 0x1p-53L)};
    return status;
}

static int check_adjoint(const struct check *check, int *failures)
{
    struct product forward, backward;
    int status = multiply(check, PLACE_OUT, &forward);
    if (status == STATUS_OK)
        status = multiply(check, PLACE_IN, &backward);
    if (status != STATUS_OK)
        return status;
    double difference = fabs(forward.sum - backward.sum);
    double allowed = forward.allowed + backward.allowed;
    *failures |= print_verdict("adjoint", difference <= allowed, STATUS_ADJOINT);
    printf("<A x, y> = %.17g, <x, A^T y> = %.17g, difference %.3g, allowed %.3g\n", forward.sum, backward.sum,
           difference, allowed);
    return STATUS_OK;
}

/* ---- Finite differences of the grid, in double ---- */

/* What the outputs of one point sum to, weighted by y. */
static double point_sum(const struct check *check, const double *output, int64_t point)
{
    const double *y = check->wide.at[PLACE_OUT];
    const regrad_tensor tensor = check_tensor(check, PLACE_OUT, REGRAD_FLOAT64, NULL);
    double sum = 0;
    for (int64_t c = 0; c < tensor.shape[1]; c++) {
        int64_t at = check_point_offset(&tensor, point) + c * tensor.stride[1];
        sum += y[at] * output[at];
    }
    return sum;
}

/* Runs the forward with one coordinate of all points moved. */
static int run_moved(const struct check *check, int axis, double step, double *grid, double *output)
{
    const double *from = check->wide.at[PLACE_GRID];
    for (int64_t k = 0; k < check->n[PLACE_GRID]; k++)
        grid[k] = from[k] + (check_axis_of(check, k) == axis ? step : 0);
    struct arrays inputs = check->wide;
    inputs.at[PLACE_GRID] = grid;
    return check_run(check, check->forward, REGRAD_FLOAT64, &inputs, &(struct arrays){{NULL, output, NULL}});
}

struct differences {
    double *grid[2], *output[2]; /* one step back, one step forth */
    double largest_x;
};

static void compare_differences(const struct check *check, const struct differences *d, int axis, struct worst *worst)
{
    const double *gradient = check->wide_result.at[PLACE_GRID];
    const int n_axes = axis_count(check->problem->op);
    for (int64_t k = 0; k < check->n[PLACE_GRID]; k++) {
        const int64_t p = k / n_axes;
        if (check_axis_of(check, k) != axis || check->left_out[p])
            continue;
        double difference = point_sum(check, d->output[1], p) - point_sum(check, d->output[0], p);
        double step = d->grid[1][k] - d->grid[0][k];
        double slope = check_slope(check, axis);
        double pixel = check_pixel(check, axis, d->grid[0][k]);
        double rounding = check_pixel_error(check, axis, pixel, REGRAD_FLOAT64) / check_step;
        double allowed = 8 * slope * check_point_size(check, p) * d->largest_x * (0x1p-24 + rounding);
        note_worst(worst, fabs(gradient[k] - (step == 0 ? 0 : difference / step)), allowed, k);
    }
}

static int measure_differences(const struct check *check, struct differences *d, struct worst *worst)
{
    const double *x = check->wide.at[PLACE_IN];
    for (int64_t k = 0; k < check->n[PLACE_IN]; k++)
        d->largest_x = fmax(d->largest_x, fabs(x[k]));
    for (int axis = 0; axis < axis_count(check->problem->op); axis++) {
        double slope = check_slope(check, axis);
        double step = slope > 0 ? check_step / slope : check_step; /* a slope of 0: nothing depends on the step */
        for (int side = 0; side < 2; side++) {
            int status = run_moved(check, axis, side ? step : -step, d->grid[side], d->output[side]);
            if (status != STATUS_OK)
                return status;
        }
        compare_differences(check, d, axis, worst);
    }
    return STATUS_OK;
}

static void print_worst(const struct check *check, enum place place, const struct worst *worst)
{
    const regrad_tensor t = check_tensor(check, place, REGRAD_FLOAT64, NULL);
    printf("largest error %.3g, allowed there %.3g", worst->error, worst->allowed);
    if (worst->error != 0) {
        printf(", at (");
        for (int d = 0; d < t.rank; d++) /* without gaps, strides tell the index whatever the layout */
            printf("%s%" PRId64, d > 0 ? ", " : "", worst->position / t.stride[d] % t.shape[d]);
        printf(")");
    }
    printf("\n");
}

static int check_differences(const struct check *check, int *failures)
{
    struct differences d = {0};
    struct worst worst = {0};
    int status = STATUS_OK;
    for (int side = 0; side < 2; side++) {
        d.grid[side] = check_room(check->n[PLACE_GRID], REGRAD_FLOAT64);
        d.output[side] = check_room(check->n[PLACE_OUT], REGRAD_FLOAT64);
        if (!d.grid[side] || !d.output[side])
            status = STATUS_SYSTEM;
    }
    if (status == STATUS_OK)
        status = measure_differences(check, &d, &worst);
    if (status == STATUS_OK) {
        *failures |= print_verdict("finite differences", worst.part <= 1, STATUS_DIFFERENCES);
        print_worst(check, PLACE_GRID, &worst);
    }
    for (int side = 0; side < 2; side++) {
        free(d.grid[side]);
        free(d.output[side]);
    }
    return status;
}

/* ---- Against the float64 plan ---- */

/* Outputs of points that are left out (their y is 0, so that gradients do not matter). */
static bool not_compared(const struct check *check, enum place place, int64_t k)
{
    if (place != PLACE_OUT || !check_has_grid(check))
        return false;
    const regrad_tensor t = check_tensor(check, place, REGRAD_FLOAT64, NULL);
    int64_t point = k / t.stride[0];
    for (int d = 2; d < t.rank; d++)
        point = point * t.shape[d] + k / t.stride[d] % t.shape[d];
    return check->left_out[point];
}

static void compare_with_reference(const struct check *check, enum place place, const struct bound *bound,
                                   struct worst *worst)
{
    const double *exact = check->wide_result.at[place];
    for (int64_t k = 0; k < check->n[place]; k++) {
        double computed = element_load(check->dtype, check->result.at[place], k);
        double error = bound->rounding[k] + bound->shift[k];
        double allowed = error + bound_storing(check->dtype, exact[k], error);
        bool overflows =
            isinf(computed) && computed * exact[k] > 0 && fabs(exact[k]) + allowed > element_largest(check->dtype);
        if (!overflows && !not_compared(check, place, k))
            note_worst(worst, fabs(computed - exact[k]), allowed, k);
    }
}

static int check_reference(const struct check *check, const char *name, enum place place, int *failures)
{
    struct bound bound;
    struct worst worst = {0};
    int status = bound_init(&bound, check, place);
    if (status == STATUS_OK) {
        compare_with_reference(check, place, &bound, &worst);
        char what[40];
        snprintf(what, sizeof what, "reference %s", name);
        *failures |= print_verdict(what, worst.part <= 1, STATUS_REFERENCE);
        print_worst(check, place, &worst);
    }
    bound_fini(&bound);
    return status;
}

static int check_references(const struct check *check, int *failures)
{
    const struct op *op = check->problem->op;
    if (check->dtype == REGRAD_FLOAT64) {
        printf("%-20s  %-6s  the reference is the float64 plan, which is itself checked here\n", "reference", "-");
        return STATUS_OK;
    }
    int status = STATUS_OK;
    for (int k = 0; k < op->n_tensors && status == STATUS_OK; k++)
        if (op->tensor[k].access == ACCESS_WRITE)
            status = check_reference(check, op->tensor[k].name, op->tensor[k].place, failures);
    return status;
}

/* ---- The whole ---- */

enum { N_STEPS = 7 };

static int compute(const struct check *check)
{
    const struct {
        const struct op *op;
        regrad_dtype dtype;
        const struct arrays *inputs, *results;
    } runs[] = {{check->forward, check->dtype, &check->given, &check->result},
                {check->backward, check->dtype, &check->given, &check->result},
                {check->forward, REGRAD_FLOAT64, &check->wide, &check->wide_result},
                {check->backward, REGRAD_FLOAT64, &check->wide, &check->wide_result}};
    for (size_t k = 0; k < sizeof runs / sizeof runs[0]; k++) {
        int status = check_run(check, runs[k].op, runs[k].dtype, runs[k].inputs, runs[k].results);
        if (status != STATUS_OK)
            return status;
        progress_update(k + 1);
    }
    return STATUS_OK;
}

static void print_heading(const struct check *check)
{
    const struct problem *problem = check->problem;
    printf("%s, %s, ", problem->op->name, regrad_dtype_name(check->dtype));
    if (problem->n_files > 0)
        printf("data from files, the adjoint's random (seed %" PRId64 ")\n", problem->settings->seed);
    else
        printf("random data (seed %" PRId64 ")\n", problem->settings->seed);
    if (check->n_left_out > 0)
        printf("%" PRId64 " of %" PRId64 " point%s left out, within rounding of the edge of a cell, where the types "
               "see different cells and derivatives jump\n",
               check->n_left_out, check_point_count(check), plural(check_point_count(check)));
}

/* Says which axes have their indices in double whatever the type. */
static void print_long_axes(const struct check *check)
{
    const struct op *op = check->problem->op;
    for (int axis = 0; axis < axis_count(op); axis++)
        if (check_is_long(check, axis))
            printf("%c is longer than 2^22: its indices are computed in float64, for every type\n",
                   axis_name(op, axis));
}

static int check_all(struct check *check)
{
    int failures = 0;
    progress_begin("checking", N_STEPS);
    int status = compute(check);
    if (status != STATUS_OK)
        return status;
    progress_clear();
    print_heading(check);
    print_long_axes(check);
    status = check_adjoint(check, &failures);
    progress_update(5);
    if (status == STATUS_OK && check_has_grid(check))
        status = check_differences(check, &failures);
    progress_update(6);
    if (status == STATUS_OK)
        status = check_references(check, &failures);
    progress_end();
    return status == STATUS_OK ? failures : status;
}

/* Whatever the library refuses, it refuses here, before anything is allocated for the sizes. */
static int try_plan(const struct problem *problem)
{
    regrad_plan *plan;
    struct call call = problem_call(problem);
    int status = call_plan(&call, &plan);
    if (status == STATUS_OK)
        regrad_plan_destroy(plan);
    return status;
}

static int run_check(const struct settings *settings)
{
    struct problem problem;
    struct check check = {0};
    int status = problem_init(&problem, settings, FILES_OPTIONAL);
    if (status == STATUS_OK && problem.dtype == REGRAD_UINT8)
        status = complain(STATUS_REFUSED,
                          "%s: the type is uint8, which has no gradient to check; wanted float16, "
                          "bfloat16, float32 or float64",
                          problem.op->name);
    if (status == STATUS_OK)
        status = try_plan(&problem);
    if (status == STATUS_OK)
        status = check_init(&check, &problem);
    if (status == STATUS_OK)
        status = check_all(&check);
    check_fini(&check);
    problem_fini(&problem);
    return status;
}

const struct command command_check = {
    .name = "check",
    .summary = "checks an operator's results",
    .words = " OPERATOR [FILE]...",
    .details =
        "Computes the operator, its adjoint (the forward of a gradient, the gradient of a forward) and both in\n"
        "float64, and checks\n"
        "  adjoint             <A x, y> = <x, A^T y>, x and y being the forward's input and its output's gradient;\n"
        "  finite differences  (grid operators) the float64 gradient of the grid against central differences of the\n"
        "                      float64 forward;\n"
        "  reference           each result against the same operator in float64. For float64 there is no other\n"
        "                      reference, and this line says so.\n"
        "Each is held against a bound on the rounding of its arithmetic. Data come from the files that run would\n"
        "read, or, without files, are random numbers for --input-size, --output-size and --dtype.\n\n"
        "Exit status: 0 all held; else the sum of 16 (adjoint failed), 32 (finite differences failed) and\n"
        "64 (reference failed). 2 and 3 as everywhere: nothing was checked.\n",
    .takes_op = true,
    .options = OPTION_BIT(OPT_INPUT_SIZE) | OPTION_BIT(OPT_OUTPUT_SIZE) | OPTION_BIT(OPT_LAYOUT) |
               OPTION_BIT(OPT_DTYPE) | OPTION_BIT(OPT_THREADS) | OPTION_BIT(OPT_SEED),
    .run = run_check,
};
