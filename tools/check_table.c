/* SPDX-License-Identifier: Apache-2.0 */
#include "check_table.h"

#include <math.h>
#include <stdlib.h>

#include "complain.h"
#include "element.h"
#include "tensor_file.h"

/* ---- The weights of one output ---- */

/* Of one that may have any value, because the weights of its output sum to no more than their error. */
static const double any_value = 0x1p100;

struct axis {
    const struct filter *filter;
    regrad_coordinates coordinates;
    double step, last; /* the last pixel */
    double stretch;
    double off;  /* how far the place at which a filter is evaluated may be off */
    double unit; /* half an ulp of a weight of 1 */
};

static double step_of(const struct check *check, int axis)
{
    const struct params *params = &check->problem->params;
    const double in = (double)check->problem->shape[PLACE_IN][2 + axis],
                 out = (double)check->problem->shape[PLACE_OUT][2 + axis];
    if (params->coordinates == REGRAD_ALIGN_CORNERS)
        return out > 1 ? (in - 1) / (out - 1) : 0;
    return params->scale[axis] > 0 ? 1 / params->scale[axis] : in / out;
}

/* Resampled at a place s <= I, which takes three roundings, and the weight one more; of filters that are stretched the
 * centre takes three, and what lies behind it four of a distance that is at most the radius. */
static double place_error(const struct check *check, int number, const struct axis *axis)
{
    const double radius = axis->filter->radius, size = axis->last + 1;
    if (!axis->filter->is_antialiased)
        return check_axis_error(check, number, 4, size, check->dtype);
    const double reach = radius * axis->stretch + 1;
    const double furthest = fmin(axis->step * (double)check->problem->shape[PLACE_OUT][2 + number], size + reach);
    return check_axis_error(check, number, 3, furthest + reach, check->dtype) / axis->stretch + 4 * radius * axis->unit;
}

static struct axis make_axis(const struct check *check, int number)
{
    const struct filter *filter = check->forward->filter;
    const double step = step_of(check, number);
    struct axis axis = {
        .filter = filter,
        .coordinates = check->problem->params.coordinates,
        .step = step,
        .last = (double)(check->problem->shape[PLACE_IN][2 + number] - 1),
        .stretch = filter->is_antialiased ? fmax(step, 1) : 1,
        .unit = element_unit(check->dtype),
    };
    axis.off = place_error(check, number, &axis);
    return axis;
}

static bool is_copied(const struct axis *axis, const struct table *table)
{
    return table->n_in == table->n_out && (axis->filter->copies_any || axis->step == 1);
}

/* The pixel, or place between pixels, that an output reads. Behind the end nothing changes without antialiasing. */
static double source_of(const struct axis *axis, int64_t o)
{
    if (axis->filter->is_antialiased)
        return axis->step * ((double)o + 0.5) - 0.5;
    const double source =
        axis->coordinates == REGRAD_HALF_PIXEL ? axis->step * ((double)o + 0.5) - 0.5 : axis->step * (double)o;
    return fmin(source, axis->last + 1);
}

/* Divides weights by their sum, which may itself be off. */
static void normalise(const struct axis *axis, int64_t n, double *weight, double *error)
{
    double total = 0, size = 0, off = 0;
    for (int64_t j = 0; j < n; j++) {
        total += weight[j];
        size += fabs(weight[j]);
        off += error[j];
    }
    off += (double)n * axis->unit * size;
    for (int64_t j = 0; j < n; j++) {
        const bool is_there = weight[j] != 0 || error[j] != 0;
        weight[j] = fabs(total) > off ? weight[j] / total : 0;
        if (is_there && fabs(total) > off)
            error[j] = (error[j] + fabs(weight[j]) * off) / (fabs(total) - off) + axis->unit * fabs(weight[j]);
        else if (is_there)
            error[j] = any_value;
    }
}

static double clamp(double value, double low, double high)
{
    return fmin(fmax(value, low), high);
}

/* Weighs the pixels that an output reads, or may read in another type: one more to each side. Pixels beyond the image
 * are the last one within it, or, with antialiasing, none. Returns the first pixel. */
static int64_t weigh(const struct axis *axis, int64_t o, int64_t room, double *weight, double *error)
{
    const bool outside = !axis->filter->is_antialiased;
    const double radius = axis->filter->radius, source = source_of(axis, o);
    double from = floor(source - radius * axis->stretch) - 1, to = ceil(source + radius * axis->stretch) + 1;
    const double begin = clamp(from, 0, axis->last);
    if (!outside) {
        from = fmax(from, 0);
        to = fmin(to, axis->last);
    }
    for (double i = from; i <= to; i++) {
        const double x = fabs(i - source) / axis->stretch, value = x < radius ? axis->filter->weight_at(x) : 0;
        const int64_t j = (int64_t)(clamp(i, 0, axis->last) - begin);
        weight[j] += value;
        error[j] += x < radius + axis->off ? axis->filter->slope * axis->off + axis->unit * fabs(value) : 0;
    }
    if (!outside)
        normalise(axis, room, weight, error);
    for (int64_t j = 0; j < room; j++)
        weight[j] = fabs(weight[j]);
    return (int64_t)begin;
}

/* ---- Tables ---- */

/* The largest size that a weight can have; 0 where there is none. */
static double largest_of(const struct table *table, int64_t entry)
{
    return table->weight[entry] + table->error[entry];
}

static void count_terms(struct table *table)
{
    for (int64_t o = 0; o < table->n_out; o++)
        for (int64_t j = 0; j < table->room; j++)
            if (largest_of(table, o * table->room + j) > 0) {
                table->terms[PLACE_OUT][o]++;
                table->terms[PLACE_IN][table->begin[o] + j]++;
            }
}

static int allocate(struct table *table)
{
    table->begin = calloc((size_t)table->n_out + 1, sizeof *table->begin);
    table->weight = check_room(table->n_out * table->room, REGRAD_FLOAT64);
    table->error = check_room(table->n_out * table->room, REGRAD_FLOAT64);
    table->terms[PLACE_IN] = check_room(table->n_in, REGRAD_FLOAT64);
    table->terms[PLACE_OUT] = check_room(table->n_out, REGRAD_FLOAT64);
    if (!table->begin)
        return complain_memory("the weights of an axis");
    return table->weight && table->error && table->terms[PLACE_IN] && table->terms[PLACE_OUT] ? STATUS_OK
                                                                                              : STATUS_SYSTEM;
}

int table_init(struct table *table, const struct check *check, int number)
{
    const struct axis axis = make_axis(check, number);
    const double most = 2 * ceil(axis.filter->radius * axis.stretch) + 6;
    *table = (struct table){.n_in = check->problem->shape[PLACE_IN][2 + number],
                            .n_out = check->problem->shape[PLACE_OUT][2 + number]};
    const bool copied = is_copied(&axis, table);
    table->room = copied ? 1 : (int64_t)fmin(most, (double)table->n_in);
    if (allocate(table) != STATUS_OK)
        return STATUS_SYSTEM;
    for (int64_t o = 0; o < table->n_out; o++) {
        table->weight[o * table->room] = copied ? 1 : 0;
        table->begin[o] =
            copied ? o : weigh(&axis, o, table->room, table->weight + o * table->room, table->error + o * table->room);
    }
    count_terms(table);
    return STATUS_OK;
}

void table_fini(struct table *table)
{
    free(table->begin);
    free(table->weight);
    free(table->error);
    free(table->terms[PLACE_IN]);
    free(table->terms[PLACE_OUT]);
}

/* One axis of rows of `inner` values that follow one another: sums from outputs to inputs, or from inputs to outputs.
 */
static void add_rows(const struct table *table, enum table_part part, bool to_in, int64_t inner, const double *from,
                     double *to)
{
    for (int64_t o = 0; o < table->n_out; o++)
        for (int64_t j = 0; j < table->room && table->begin[o] + j < table->n_in; j++) {
            const int64_t entry = o * table->room + j;
            const double factor = part == TABLE_LARGEST ? largest_of(table, entry) : table->weight[entry];
            const int64_t i = table->begin[o] + j;
            for (int64_t k = 0; k < inner && factor != 0; k++)
                to[(to_in ? i : o) * inner + k] += factor * from[(to_in ? o : i) * inner + k];
        }
}

/* Sums along one axis. *values, of these sizes in the order of a file, is replaced, and so is the size. */
static int sum_axis(const struct table *table, enum table_part part, bool to_in, int64_t *sizes, int rank, int at,
                    double **values)
{
    const int64_t n_from = sizes[at], n_to = to_in ? table->n_in : table->n_out;
    int64_t outer = 1, inner = 1;
    for (int d = 0; d < rank; d++) {
        outer *= d < at ? sizes[d] : 1;
        inner *= d > at ? sizes[d] : 1;
    }
    double *sums = check_room(outer * n_to * inner, REGRAD_FLOAT64);
    for (int64_t k = 0; k < outer && sums; k++)
        add_rows(table, part, to_in, inner, *values + k * n_from * inner, sums + k * n_to * inner);
    free(*values);
    *values = sums;
    sizes[at] = n_to;
    return sums ? STATUS_OK : STATUS_SYSTEM;
}

int table_sum(const struct table *tables, const struct check *check, enum place place, enum table_part part,
              const double *values, double *sums)
{
    const struct problem *problem = check->problem;
    const enum place other = place == PLACE_IN ? PLACE_OUT : PLACE_IN;
    const bool is_last = problem_channels_last(problem, place);
    const struct npy_header file = tensor_file_header(REGRAD_FLOAT64, problem->op->rank, problem->shape[other],
                                                      dimension_order(problem->op->rank, is_last));
    int64_t sizes[REGRAD_MAX_RANK];
    for (int d = 0; d < file.rank; d++)
        sizes[d] = file.shape[d];
    double *now = check_room(check->n[other], REGRAD_FLOAT64);
    int status = now ? STATUS_OK : STATUS_SYSTEM;
    for (int64_t k = 0; k < check->n[other] && now; k++)
        now[k] = fabs(values[k]);
    for (int axis = 0; axis < axis_count(problem->op) && status == STATUS_OK; axis++)
        status = sum_axis(&tables[axis], part, place == PLACE_IN, sizes, file.rank, (is_last ? 1 : 2) + axis, &now);
    for (int64_t k = 0; k < check->n[place] && status == STATUS_OK; k++)
        sums[k] = now[k];
    free(now);
    return status;
}
