/* SPDX-License-Identifier: Apache-2.0 */
#include "check_data.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "element.h"
#include "run_call.h"
#include "tensor_file.h"

enum { MAX_TRIES = 64 };

/* ---- Arrays ---- */

void *check_room(int64_t n, regrad_dtype dtype)
{
    void *room = calloc((size_t)n + 1, regrad_dtype_size(dtype));
    if (!room)
        complain_memory("the arrays of the check");
    return room;
}

regrad_tensor check_tensor(const struct check *check, enum place place, regrad_dtype dtype, void *data)
{
    const struct problem *problem = check->problem;
    struct dimension_order order = dimension_order(problem->op->rank, problem_channels_last(problem, place));
    struct npy_array array = {.header = tensor_file_header(dtype, problem->op->rank, problem->shape[place], order),
                              .data = data};
    return tensor_file_view(&array, dtype, order);
}

int check_run(const struct check *check, const struct op *op, regrad_dtype dtype, const struct arrays *inputs,
              const struct arrays *results)
{
    regrad_tensor tensor[OP_MAX_TENSORS];
    struct call call = {.op = op, .params = check->problem->params};
    for (int k = 0; k < op->n_tensors; k++) {
        enum place place = op->tensor[k].place;
        bool written = op->tensor[k].access == ACCESS_WRITE;
        tensor[k] = check_tensor(check, place, dtype, written ? results->at[place] : inputs->at[place]);
        call.tensor[k] = written && !results->at[place] ? NULL : &tensor[k];
    }
    regrad_plan *plan;
    int status = call_plan(&call, &plan);
    if (status != STATUS_OK)
        return status;
    status = call_run_whole(&call, plan);
    regrad_plan_destroy(plan);
    return status;
}

/* ---- Random values ---- */

/* Numbers from 0 to 1, by the generator splitmix64. */
static double uniform(uint64_t *state)
{
    uint64_t z = *state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static void fill_values(const struct check *check, enum place place, uint64_t *state)
{
    double *wide = check->wide.at[place];
    for (int64_t k = 0; k < check->n[place]; k++)
        wide[k] = element_round(check->dtype, 2 * uniform(state) - 1);
}

/* ---- Points of a grid ---- */

static int64_t axis_size(const struct check *check, int axis)
{
    return check->problem->shape[PLACE_IN][2 + axis];
}

static bool aligned(const struct check *check)
{
    return check->problem->params.coordinates == REGRAD_ALIGN_CORNERS;
}

double check_pixel(const struct check *check, int axis, double coordinate)
{
    double size = (double)axis_size(check, axis);
    return aligned(check) ? (coordinate + 1) / 2 * (size - 1) : ((coordinate + 1) * size - 1) / 2;
}

double check_slope(const struct check *check, int axis)
{
    double size = (double)axis_size(check, axis);
    return aligned(check) ? (size - 1) / 2 : size / 2;
}

bool check_is_long(const struct check *check, int axis)
{
    enum { LONGEST_IN_FLOAT = 1 << 22 };
    const int64_t out = check_has_grid(check) ? 0 : check->problem->shape[PLACE_OUT][2 + axis];
    return axis_size(check, axis) > LONGEST_IN_FLOAT || out > LONGEST_IN_FLOAT;
}

double check_axis_error(const struct check *check, int axis, int roundings, double size, regrad_dtype dtype)
{
    if (check_is_long(check, axis))
        return roundings * element_unit(REGRAD_FLOAT64) * (size + 1) + element_unit(dtype);
    return roundings * element_unit(dtype) * (size + 1);
}

double check_pixel_error(const struct check *check, int axis, double pixel, regrad_dtype dtype)
{
    return check_axis_error(check, axis, 6, fabs(pixel), dtype);
}

/* Does every arithmetic, and a step of finite differences, see the same neighbours and the same slopes? These change
 * at whole pixels and between them, at halves. */
static bool clear_of_edges(const struct check *check, int axis, double coordinate)
{
    double pixel = check_pixel(check, axis, coordinate);
    double margin = 2 * check_step + 2 * check_pixel_error(check, axis, pixel, check->dtype);
    return fabs(2 * pixel - nearbyint(2 * pixel)) > 2 * margin;
}

/* A coordinate whose pixel lies in the image or up to one and a half beside it. */
static double random_coordinate(const struct check *check, int axis, uint64_t *state)
{
    double size = (double)axis_size(check, axis);
    double coordinate = 0;
    for (int tries = 0; tries < MAX_TRIES; tries++) {
        double pixel = -1.5 + uniform(state) * (size + 2);
        double denominator = aligned(check) ? fmax(size - 1, 1) / 2 : size / 2;
        double centre = aligned(check) ? 0 : 0.5;
        coordinate = element_round(check->dtype, (pixel + centre) / denominator - 1);
        if (clear_of_edges(check, axis, coordinate))
            break;
    }
    return coordinate;
}

static void fill_grid(const struct check *check, uint64_t *state)
{
    double *wide = check->wide.at[PLACE_GRID];
    for (int64_t k = 0; k < check->n[PLACE_GRID]; k++)
        wide[k] = random_coordinate(check, check_axis_of(check, k), state);
}

int64_t check_point_offset(const regrad_tensor *tensor, int64_t point)
{
    int64_t offset = 0;
    for (int d = tensor->rank - 1; d >= 2; d--) {
        offset += point % tensor->shape[d] * tensor->stride[d];
        point /= tensor->shape[d];
    }
    return offset + point * tensor->stride[0];
}

double check_point_size(const struct check *check, int64_t point)
{
    const double *y = check->wide.at[PLACE_OUT];
    const regrad_tensor tensor = check_tensor(check, PLACE_OUT, REGRAD_FLOAT64, NULL);
    double size = 0;
    for (int64_t c = 0; c < tensor.shape[1]; c++)
        size += fabs(y[check_point_offset(&tensor, point) + c * tensor.stride[1]]);
    return size;
}

/* Sets y to 0 in all channels of one point. */
static void leave_out(struct check *check, int64_t point)
{
    double *y = check->wide.at[PLACE_OUT];
    const regrad_tensor tensor = check_tensor(check, PLACE_OUT, REGRAD_FLOAT64, NULL);
    for (int64_t c = 0; c < tensor.shape[1]; c++)
        y[check_point_offset(&tensor, point) + c * tensor.stride[1]] = 0;
    check->left_out[point] = true;
    check->n_left_out++;
}

/* Points near an edge take no part: there the types rightly see different cells, and the derivative jumps. */
static void leave_out_edges(struct check *check)
{
    const int n_axes = axis_count(check->problem->op);
    for (int64_t p = 0; p < check_point_count(check); p++) {
        const double *at = (const double *)check->wide.at[PLACE_GRID] + p * n_axes;
        bool clear = true;
        for (int c = 0; c < n_axes; c++)
            clear = clear && clear_of_edges(check, check_axis_of(check, c), at[c]);
        if (!clear)
            leave_out(check, p);
        for (int c = 0; c < n_axes && clear; c++) {
            const int axis = check_axis_of(check, c);
            check->furthest[axis] = fmax(check->furthest[axis], fabs(check_pixel(check, axis, at[c])));
        }
    }
}

/* ---- Values from files ---- */

static int take_file_values(const struct check *check, int k)
{
    const struct problem *problem = check->problem;
    enum place place = problem->op->tensor[k].place;
    const regrad_tensor from = problem->tensor[k];
    double *wide = check->wide.at[place];
    const regrad_tensor to = check_tensor(check, place, REGRAD_FLOAT64, wide);
    for (int64_t element = 0; element < check->n[place]; element++) {
        int64_t rest = element, at_from = 0, at_to = 0;
        for (int d = from.rank - 1; d >= 0; d--) {
            at_from += rest % from.shape[d] * from.stride[d];
            at_to += rest % from.shape[d] * to.stride[d];
            rest /= from.shape[d];
        }
        wide[at_to] = element_load(check->dtype, from.data, at_from);
        if (place != PLACE_GRID && !isfinite(wide[at_to]))
            return complain(STATUS_REFUSED, "%s: holds NaN or infinity, with which nothing can be checked", from.name);
    }
    return STATUS_OK;
}

static int take_values(struct check *check)
{
    const struct problem *problem = check->problem;
    uint64_t state = (uint64_t)problem->settings->seed;
    fill_values(check, PLACE_IN, &state);
    fill_values(check, PLACE_OUT, &state);
    if (check_has_grid(check))
        fill_grid(check, &state);
    for (int k = 0; k < problem->n_files; k++) {
        if (problem->op->tensor[k].access != ACCESS_READ)
            continue;
        int status = take_file_values(check, k);
        if (status != STATUS_OK)
            return status;
    }
    if (check_has_grid(check))
        leave_out_edges(check);
    return STATUS_OK;
}

/* ---- The whole ---- */

static void narrow(const struct check *check, enum place place)
{
    const double *wide = check->wide.at[place];
    for (int64_t k = 0; k < check->n[place]; k++)
        element_store(check->dtype, check->given.at[place], k, wide[k]);
}

/* The library has accepted the shapes, so that no product overflows. */
static int64_t count(const struct check *check, enum place place)
{
    int64_t n = 1;
    for (int d = 0; d < check->problem->op->rank; d++)
        n *= check->problem->shape[place][d];
    return n;
}

static int make_arrays(struct check *check, enum place place)
{
    check->given.at[place] = check_room(check->n[place], check->dtype);
    check->result.at[place] = check_room(check->n[place], check->dtype);
    check->wide.at[place] = check_room(check->n[place], REGRAD_FLOAT64);
    check->wide_result.at[place] = check_room(check->n[place], REGRAD_FLOAT64);
    return check->given.at[place] && check->result.at[place] && check->wide.at[place] && check->wide_result.at[place]
               ? STATUS_OK
               : STATUS_SYSTEM;
}

int check_init(struct check *check, const struct problem *problem)
{
    const struct op *adjoint = operator_find(problem->op->adjoint);
    *check = (struct check){.problem = problem,
                            .forward = problem->op->gradient ? adjoint : problem->op,
                            .backward = problem->op->gradient ? problem->op : adjoint,
                            .dtype = problem->dtype};
    enum place last = problem->known[PLACE_GRID] ? PLACE_GRID : PLACE_OUT;
    check->n[PLACE_GRID] = -1;
    for (enum place place = PLACE_IN; place <= last; place++) {
        check->n[place] = count(check, place);
        if (make_arrays(check, place) != STATUS_OK)
            return STATUS_SYSTEM;
    }
    check->left_out = calloc((size_t)(check_has_grid(check) ? check->n[PLACE_GRID] : 0) + 1, sizeof(bool));
    if (!check->left_out)
        return complain_memory("the points");
    int status = take_values(check);
    for (enum place place = PLACE_IN; place <= last; place++)
        narrow(check, place);
    return status;
}

void check_fini(struct check *check)
{
    for (enum place place = 0; place < N_PLACES; place++) {
        free(check->given.at[place]);
        free(check->result.at[place]);
        free(check->wide.at[place]);
        free(check->wide_result.at[place]);
    }
    free(check->left_out);
}
