/*
 * Grid sampling. The formulas of coordinates and weights stand in kernel/body/grid.h.
 *
 * Three passes, of which a plan uses one or two; each takes the points RG_GRID_POINTS at a time, in
 * the order n, h, w:
 *
 *     sample        output:     per point, for c: blend of the neighbours' values
 *     spread        input_grad: per group of channels of a sample, for all points in order: added to
 *                   the neighbours in a plane of the workspace, which is rounded and stored at the end
 *     slope         grid_grad:  per point, for c in order: grad_output * blend of the neighbours' values
 *                   with the weights' derivatives; the sum times d pixel / d coordinate
 *
 * Every result has one owner and one order of summation: over points for input_grad, over channels
 * for grid_grad.
 */
#include "op/grid_sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "base/tensor.h"
#include "rt/parallel.h"

/* Channels that are spread together share the work of locating points. */
enum { MAX_GROUP = 16 };

struct grid_plan {
    regrad_plan base;
    struct rg_grid_spec spec;
    int64_t n, channels, points_per_sample, grid_w;
    bool want_input_grad, want_grid_grad;
    int64_t group;        /* channels spread together */
    int64_t n_groups;     /* of one sample */
    int spread_slots;     /* the slots of spread; no more than there are groups, for each has planes */
    int64_t n_blocks;     /* of points, of one sample */
    int64_t block_units;  /* blocks to sample, or to find slopes for */
    int64_t group_units;  /* groups to spread */
    int64_t plane_nbytes; /* of one channel in the workspace */
    int64_t input_low;    /* of a plane of the input: its lowest element, counted from its first; 0 or less */
};

static const struct grid_plan *as_grid(const regrad_plan *plan)
{
    return (const struct grid_plan *)plan;
}

/* A tensor of the run: its view and its first element. */
struct place {
    const regrad_tensor *view;
    char *data;
};

/* The workspace of one slot. The planes stand behind the rest of all slots, for spread alone. */
struct scratch {
    struct rg_grid_points *points;
    int64_t *offset;              /* of each neighbour, -1 outside */
    union rg_grid_values *values; /* of each neighbour */
    union rg_grid_row *x, *y, *grad, *blend, *sum_x, *sum_y;
    char *planes; /* of a group of channels */
};

/* A run in progress, seen by its slots. */
struct progress {
    const struct grid_plan *plan;
    struct place input, grid, sampled, input_grad, grid_grad;
    char *workspace;
};

static int64_t slot_nbytes(void)
{
    return rg_booked(1, sizeof(struct rg_grid_points)) +
           rg_booked(RG_GRID_NEIGHBOURS * RG_GRID_POINTS, sizeof(int64_t)) +
           rg_booked(1, sizeof(union rg_grid_values)) + 6 * rg_booked(1, sizeof(union rg_grid_row));
}

static void grant_scratch(const struct progress *progress, int slot, struct scratch *scratch)
{
    char *place = progress->workspace + (size_t)slot * progress->plan->base.slot_nbytes;
    scratch->points = rg_grant(&place, 1, sizeof *scratch->points);
    scratch->offset = rg_grant(&place, RG_GRID_NEIGHBOURS * RG_GRID_POINTS, sizeof *scratch->offset);
    scratch->values = rg_grant(&place, 1, sizeof *scratch->values);
    union rg_grid_row **const row[] = {&scratch->x,     &scratch->y,     &scratch->grad,
                                       &scratch->blend, &scratch->sum_x, &scratch->sum_y};
    for (size_t k = 0; k < sizeof row / sizeof *row; k++)
        *row[k] = rg_grant(&place, 1, sizeof **row[k]);
    const struct grid_plan *plan = progress->plan;
    scratch->planes = progress->workspace + (size_t)plan->base.n_slots * plan->base.slot_nbytes +
                      slot * plan->group * plan->plane_nbytes;
}

static size_t element_of(const struct place *place)
{
    return regrad_dtype_size(place->view->dtype);
}

/* Where element (n, c, 0, 0) of a tensor of rank 4 is; for a grid, (n, c) is (n, row 0) and d the last index. */
static char *channel_of(const struct place *place, int64_t n, int64_t c)
{
    const int64_t *stride = place->view->stride;
    return place->data + (n * stride[0] + c * stride[1]) * (int64_t)element_of(place);
}

/* A stretch of points that lie in one row of the grid. */
struct stretch {
    int64_t h, w, n;
};

/* The next stretch of the points from `from` to `to`. */
static struct stretch next_stretch(const struct grid_plan *plan, int64_t from, int64_t to)
{
    const int64_t h = from / plan->grid_w, w = from % plan->grid_w;
    return (struct stretch){h, w, rg_min(plan->grid_w - w, to - from)};
}

/* One value for each point from first on, of a plane with these strides. */
static void load_points(const struct grid_plan *plan, union rg_grid_row *row, const char *plane, regrad_dtype dtype,
                        int64_t stride_h, int64_t stride_w, int64_t first, int64_t n)
{
    const int64_t element = (int64_t)regrad_dtype_size(dtype);
    for (int64_t p = 0; p < n;) {
        const struct stretch s = next_stretch(plan, first + p, first + n);
        plan->base.kernels->load[dtype]((char *)row + p * (int64_t)plan->base.t_nbytes,
                                        plane + (s.h * stride_h + s.w * stride_w) * element, stride_w, s.n);
        p += s.n;
    }
}

static void store_points(const struct grid_plan *plan, const union rg_grid_row *row, char *plane, regrad_dtype dtype,
                         int64_t stride_h, int64_t stride_w, int64_t first, int64_t n)
{
    const int64_t element = (int64_t)regrad_dtype_size(dtype);
    for (int64_t p = 0; p < n;) {
        const struct stretch s = next_stretch(plan, first + p, first + n);
        plan->base.kernels->store[dtype](plane + (s.h * stride_h + s.w * stride_w) * element, stride_w,
                                         (const char *)row + p * (int64_t)plan->base.t_nbytes, s.n);
        p += s.n;
    }
}

/* Locates the points first .. first + count - 1 of sample n. */
static void locate(const struct progress *progress, struct scratch *scratch, int64_t n, int64_t first, int64_t count)
{
    const struct grid_plan *plan = progress->plan;
    const regrad_tensor *view = progress->grid.view;
    const int64_t *stride = view->stride;
    const char *x = progress->grid.data + n * stride[0] * (int64_t)element_of(&progress->grid);
    const char *y = x + stride[3] * (int64_t)element_of(&progress->grid);
    load_points(plan, scratch->x, x, view->dtype, stride[1], stride[2], first, count);
    load_points(plan, scratch->y, y, view->dtype, stride[1], stride[2], first, count);
    plan->base.kernels->grid_locate(scratch->points, scratch->x, scratch->y, count, &plan->spec);
}

/* Where the neighbours are in a plane with these strides, in elements from its lowest one; -1 for those
 * outside, and for points from count on. */
static void find_offsets(struct scratch *scratch, int64_t count, int64_t stride_h, int64_t stride_w, int64_t low)
{
    const struct rg_grid_points *points = scratch->points;
    for (int64_t ky = 0, k = 0; ky < points->n_taps; ky++)
        for (int64_t kx = 0; kx < points->n_taps; kx++, k++) {
            int64_t *offset = scratch->offset + k * RG_GRID_POINTS;
            for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
                const bool inside = p < count && points->index_y[ky][p] >= 0 && points->index_x[kx][p] >= 0;
                offset[p] = inside ? points->index_y[ky][p] * stride_h + points->index_x[kx][p] * stride_w - low : -1;
            }
        }
}

static int64_t n_neighbours(const struct scratch *scratch)
{
    return scratch->points->n_taps * scratch->points->n_taps;
}

/* The values of all neighbours in channel c of the input. */
static void fetch_values(const struct progress *progress, struct scratch *scratch, int64_t n, int64_t c)
{
    const struct grid_plan *plan = progress->plan;
    const char *plane = channel_of(&progress->input, n, c) + plan->input_low * (int64_t)element_of(&progress->input);
    plan->base.kernels->fetch[progress->input.view->dtype](scratch->values, plane, scratch->offset,
                                                           n_neighbours(scratch) * RG_GRID_POINTS);
}

static void find_input_offsets(const struct progress *progress, struct scratch *scratch, int64_t count)
{
    const int64_t *stride = progress->input.view->stride;
    find_offsets(scratch, count, stride[2], stride[3], progress->plan->input_low);
}

/* A block of points: count of them from first on, of sample n. */
struct block {
    int64_t n, first, count;
};

static struct block nth_block(const struct grid_plan *plan, int64_t unit)
{
    const int64_t first = unit % plan->n_blocks * RG_GRID_POINTS;
    return (struct block){unit / plan->n_blocks, first, rg_min(plan->points_per_sample - first, RG_GRID_POINTS)};
}

/* ---- sample ---- */

static void sample_block(const struct progress *progress, struct scratch *scratch, struct block block)
{
    const struct grid_plan *plan = progress->plan;
    const regrad_tensor *out = progress->sampled.view;
    locate(progress, scratch, block.n, block.first, block.count);
    find_input_offsets(progress, scratch, block.count);
    for (int64_t c = 0; c < plan->channels; c++) {
        fetch_values(progress, scratch, block.n, c);
        plan->base.kernels->grid_blend(scratch->blend, &scratch->points->weight, scratch->values, n_neighbours(scratch),
                                       block.count);
        store_points(plan, scratch->blend, channel_of(&progress->sampled, block.n, c), out->dtype, out->stride[2],
                     out->stride[3], block.first, block.count);
    }
}

/* ---- slope ---- */

static void load_grad(const struct progress *progress, struct scratch *scratch, int64_t c, struct block block)
{
    const regrad_tensor *view = progress->sampled.view;
    load_points(progress->plan, scratch->grad, channel_of(&progress->sampled, block.n, c), view->dtype, view->stride[2],
                view->stride[3], block.first, block.count);
}

/* sum[p] += grad[p] * blend of values with these derivatives of weights. */
static void add_slope(const struct grid_plan *plan, struct scratch *scratch, union rg_grid_row *sum,
                      const union rg_grid_values *derivative, int64_t count)
{
    plan->base.kernels->grid_blend(scratch->blend, derivative, scratch->values, n_neighbours(scratch), count);
    plan->base.kernels->muladd(sum, scratch->grad, scratch->blend, count);
}

/* The sum times d pixel / d coordinate; exactly 0 for a point that touches nothing, or none differentiably. */
static void finish_slope(const struct grid_plan *plan, union rg_grid_row *sum, const union rg_grid_row *slope,
                         const bool *active, int64_t count)
{
    const bool flat = plan->spec.interpolation == REGRAD_NEAREST;
    for (int64_t p = 0; p < count; p++) {
        const bool zero = flat || !active[p];
        if (plan->base.t_nbytes == sizeof(double))
            sum->f64[p] = zero ? 0 : slope->f64[p] * sum->f64[p];
        else
            sum->f32[p] = zero ? 0 : slope->f32[p] * sum->f32[p];
    }
}

static void store_slopes(const struct progress *progress, struct scratch *scratch, struct block block)
{
    const struct grid_plan *plan = progress->plan;
    const regrad_tensor *view = progress->grid_grad.view;
    const int64_t element = (int64_t)element_of(&progress->grid_grad);
    char *x = progress->grid_grad.data + block.n * view->stride[0] * element, *y = x + view->stride[3] * element;
    const struct rg_grid_points *points = scratch->points;
    finish_slope(plan, scratch->sum_x, &points->slope_x, points->active, block.count);
    finish_slope(plan, scratch->sum_y, &points->slope_y, points->active, block.count);
    store_points(plan, scratch->sum_x, x, view->dtype, view->stride[1], view->stride[2], block.first, block.count);
    store_points(plan, scratch->sum_y, y, view->dtype, view->stride[1], view->stride[2], block.first, block.count);
}

static void slope_block(const struct progress *progress, struct scratch *scratch, struct block block)
{
    const struct grid_plan *plan = progress->plan;
    const int64_t channels = plan->spec.interpolation == REGRAD_NEAREST ? 0 : plan->channels;
    locate(progress, scratch, block.n, block.first, block.count);
    find_input_offsets(progress, scratch, block.count);
    memset(scratch->sum_x, 0, sizeof *scratch->sum_x);
    memset(scratch->sum_y, 0, sizeof *scratch->sum_y);
    for (int64_t c = 0; c < channels; c++) {
        load_grad(progress, scratch, c, block);
        fetch_values(progress, scratch, block.n, c);
        add_slope(plan, scratch, scratch->sum_x, &scratch->points->weight_dx, block.count);
        add_slope(plan, scratch, scratch->sum_y, &scratch->points->weight_dy, block.count);
    }
    store_slopes(progress, scratch, block);
}

/* Runs the pass that shares blocks of points: slope for a gradient, else sample. */
static void block_slot(void *context, int slot)
{
    const struct progress *progress = context;
    const struct grid_plan *plan = progress->plan;
    const struct rg_share share = rg_share_units(plan->block_units, plan->base.n_slots, slot);
    struct scratch scratch;
    grant_scratch(progress, slot, &scratch);
    for (int64_t unit = share.begin; unit < share.end; unit++)
        if (plan->want_grid_grad)
            slope_block(progress, &scratch, nth_block(plan, unit));
        else
            sample_block(progress, &scratch, nth_block(plan, unit));
}

/* ---- spread ---- */

/* A group of channels: count of them from first on, of sample n. */
static void store_planes(const struct progress *progress, const struct scratch *scratch, struct block channels)
{
    const struct grid_plan *plan = progress->plan;
    const regrad_tensor *view = progress->input_grad.view;
    const int64_t element = (int64_t)element_of(&progress->input_grad), t = (int64_t)plan->base.t_nbytes;
    for (int64_t c = 0; c < channels.count; c++) {
        char *to = channel_of(&progress->input_grad, channels.n, channels.first + c);
        const char *from = scratch->planes + c * plan->plane_nbytes;
        for (int64_t h = 0; h < plan->spec.in_h; h++)
            plan->base.kernels->store[view->dtype](to + h * view->stride[2] * element, view->stride[3],
                                                   from + h * plan->spec.in_w * t, plan->spec.in_w);
    }
}

static void spread_group(const struct progress *progress, struct scratch *scratch, struct block channels)
{
    const struct grid_plan *plan = progress->plan;
    memset(scratch->planes, 0, (size_t)(channels.count * plan->plane_nbytes));
    for (int64_t unit = channels.n * plan->n_blocks; unit < (channels.n + 1) * plan->n_blocks; unit++) {
        const struct block block = nth_block(plan, unit);
        locate(progress, scratch, block.n, block.first, block.count);
        find_offsets(scratch, block.count, plan->spec.in_w, 1, 0);
        for (int64_t c = 0; c < channels.count; c++) {
            load_grad(progress, scratch, channels.first + c, block);
            plan->base.kernels->grid_scatter(scratch->planes + c * plan->plane_nbytes, scratch->offset,
                                             &scratch->points->weight, scratch->grad, n_neighbours(scratch),
                                             block.count);
        }
    }
    store_planes(progress, scratch, channels);
}

static void spread_slot(void *context, int slot)
{
    const struct progress *progress = context;
    const struct grid_plan *plan = progress->plan;
    const struct rg_share share = rg_share_units(plan->group_units, plan->spread_slots, slot);
    struct scratch scratch;
    grant_scratch(progress, slot, &scratch);
    for (int64_t unit = share.begin; unit < share.end; unit++) {
        const int64_t first = unit % plan->n_groups * plan->group;
        const struct block channels = {unit / plan->n_groups, first, rg_min(plan->channels - first, plan->group)};
        spread_group(progress, &scratch, channels);
    }
}

/* ---- The run ---- */

/* Inputs are only read; the cast lets one struct serve both. */
static struct place place_of(const struct rg_operand *operand, const void *data)
{
    return (struct place){&operand->view, data == NULL ? NULL : (char *)data + rg_first_nbytes(&operand->view)};
}

static void run_forward(const regrad_plan *base, const struct rg_run *run)
{
    struct progress progress = {
        .plan = as_grid(base),
        .input = place_of(&base->input[0], run->input[0]),
        .grid = place_of(&base->input[1], run->input[1]),
        .sampled = place_of(&base->output[0], run->output[0]),
        .workspace = run->workspace,
    };
    if (progress.plan->block_units > 0)
        rg_parallel(base->n_slots, block_slot, &progress);
}

static void run_backward(const regrad_plan *base, const struct rg_run *run)
{
    struct progress progress = {
        .plan = as_grid(base),
        .sampled = place_of(&base->input[0], run->input[0]),
        .input = place_of(&base->input[1], run->input[1]),
        .grid = place_of(&base->input[2], run->input[2]),
        .input_grad = place_of(&base->output[0], run->output[0]),
        .grid_grad = place_of(&base->output[1], run->output[1]),
        .workspace = run->workspace,
    };
    if (progress.plan->group_units > 0)
        rg_parallel(progress.plan->spread_slots, spread_slot, &progress);
    if (progress.plan->block_units > 0)
        rg_parallel(base->n_slots, block_slot, &progress);
}

/* ---- Planning ---- */

/* The tensors that every call has. */
static regrad_status check_inputs(const struct rg_grid_sample *call)
{
    const struct rg_argument *input = &call->input, *grid = &call->grid, *sampled = &call->sampled;
    const char *op = call->op;
    RG_FORWARD(rg_check_pointer(op, sampled->tensor, sampled->name));
    RG_FORWARD(rg_check_tensor(op, input, 4));
    RG_FORWARD(rg_check_tensor(op, grid, 4));
    RG_FORWARD(rg_check_tensor(op, sampled, 4));
    RG_FORWARD(rg_check_same_dtype(op, grid, input));
    RG_FORWARD(rg_check_same_dtype(op, sampled, input));
    RG_FORWARD(rg_check_positive(op, input, 2));
    RG_FORWARD(rg_check_positive(op, input, 3));
    RG_FORWARD(rg_check_size(op, grid, 0, input->tensor->shape[0], "the batch size of", input));
    if (grid->tensor->shape[3] != 2)
        return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT, "%s: %s.shape[3] is %lld, must be 2, for x and y", op,
                       rg_argument_name(grid), (long long)grid->tensor->shape[3]);
    RG_FORWARD(rg_check_size(op, sampled, 0, input->tensor->shape[0], "the batch size of", input));
    RG_FORWARD(rg_check_size(op, sampled, 1, input->tensor->shape[1], "the channels of", input));
    RG_FORWARD(rg_check_size(op, sampled, 2, grid->tensor->shape[1], "the height of", grid));
    return rg_check_size(op, sampled, 3, grid->tensor->shape[2], "the width of", grid);
}

/* A gradient that is wanted has the type and shape of what it is the gradient of. */
static regrad_status check_gradient(const char *op, const struct rg_argument *gradient, const struct rg_argument *of)
{
    if (gradient->tensor == NULL)
        return REGRAD_OK;
    RG_FORWARD(rg_check_tensor(op, gradient, 4));
    RG_FORWARD(rg_check_same_dtype(op, gradient, of));
    RG_FORWARD(rg_check_same_shape(op, gradient, of));
    return rg_check_output(op, gradient);
}

static regrad_status check_call(const struct rg_grid_sample *call)
{
    RG_FORWARD(rg_check_enum(call->op, "interpolation", (int)call->interpolation, 3));
    RG_FORWARD(rg_check_enum(call->op, "padding", (int)call->padding, 3));
    RG_FORWARD(check_inputs(call));
    if (!call->backward)
        return rg_check_output(call->op, &call->sampled);
    RG_FORWARD(check_gradient(call->op, &call->input_grad, &call->input));
    return check_gradient(call->op, &call->grid_grad, &call->grid);
}

static void destroy(regrad_plan *base)
{
    free(base);
}

static int describe(const regrad_plan *base, char *text, size_t size)
{
    static const char *const interpolation[] = {"bilinear", "nearest", "bicubic"};
    static const char *const padding[] = {"zeros", "border", "reflection"};
    const struct grid_plan *plan = as_grid(base);
    return snprintf(text, size, "%s, %s padding, %salign_corners, %lld channels at once",
                    interpolation[plan->spec.interpolation], padding[plan->spec.padding],
                    plan->spec.align_corners ? "" : "no ", (long long)plan->group);
}

static void set_operands(regrad_plan *base, const struct rg_grid_sample *call)
{
    const bool want_input_grad = call->input_grad.tensor != NULL, want_grid_grad = call->grid_grad.tensor != NULL;
    if (!call->backward) {
        rg_plan_add_input(base, &call->input, true);
        rg_plan_add_input(base, &call->grid, true);
        rg_plan_add_output(base, &call->sampled, true);
        return;
    }
    rg_plan_add_input(base, &call->sampled, want_input_grad || want_grid_grad);
    rg_plan_add_input(base, &call->input, want_grid_grad);
    rg_plan_add_input(base, &call->grid, want_input_grad || want_grid_grad);
    rg_plan_add_output(base, &call->input_grad, want_input_grad);
    rg_plan_add_output(base, &call->grid_grad, want_grid_grad);
}

/* How many channels to spread together: many, but leave every thread some. */
static int64_t choose_group(const struct grid_plan *plan)
{
    const int64_t fair = plan->n * plan->channels / rg_num_threads();
    return rg_max(rg_min(rg_min(MAX_GROUP, fair), plan->channels), 1);
}

static void set_geometry(struct grid_plan *plan, const struct rg_grid_sample *call)
{
    const regrad_tensor *input = call->input.tensor, *grid = call->grid.tensor;
    plan->spec = (struct rg_grid_spec){input->shape[2], input->shape[3], call->interpolation, call->padding,
                                       call->align_corners};
    plan->n = input->shape[0];
    plan->channels = input->shape[1];
    plan->grid_w = grid->shape[2];
    plan->points_per_sample = grid->shape[1] * grid->shape[2];
    plan->n_blocks = plan->points_per_sample / RG_GRID_POINTS + (plan->points_per_sample % RG_GRID_POINTS != 0);
    plan->input_low =
        rg_min((input->shape[2] - 1) * input->stride[2], 0) + rg_min((input->shape[3] - 1) * input->stride[3], 0);
    plan->want_input_grad = call->input_grad.tensor != NULL;
    plan->want_grid_grad = call->grid_grad.tensor != NULL;
    plan->plane_nbytes = rg_booked(input->shape[2] * input->shape[3], plan->base.t_nbytes);
    plan->group = choose_group(plan);
    plan->n_groups = plan->channels / plan->group + (plan->channels % plan->group != 0);
    plan->block_units = !call->backward || plan->want_grid_grad ? plan->n * plan->n_blocks : 0;
    plan->group_units = plan->want_input_grad ? plan->n * plan->n_groups : 0;
}

/* Books workspace: scratch for every slot, and planes for those that spread. */
static bool book(struct grid_plan *plan)
{
    const double n_values = (double)plan->n * (double)plan->channels * (double)plan->points_per_sample * 4;
    const int64_t n_units = rg_max(plan->block_units, plan->group_units);
    int64_t planes_nbytes, total;
    if (!rg_plan_split(&plan->base, n_units, n_values, n_units == 0 ? 0 : slot_nbytes()))
        return false;
    plan->spread_slots = (int)rg_min(plan->group_units, plan->base.n_slots);
    if (!rg_mul(plan->group * plan->plane_nbytes, plan->spread_slots, &planes_nbytes) ||
        !rg_add(planes_nbytes, (int64_t)plan->base.workspace_nbytes, &total))
        return false;
    plan->base.workspace_nbytes = (size_t)total;
    return true;
}

regrad_status rg_grid_sample_plan_create(const struct rg_grid_sample *call, regrad_plan **plan)
{
    RG_FORWARD(check_call(call));
    struct grid_plan *made = calloc(1, sizeof *made);
    if (made == NULL)
        return rg_fail(REGRAD_ERROR_OUT_OF_MEMORY, "%s: out of memory for the plan", call->op);
    rg_plan_init(&made->base, call->op, call->input.tensor->dtype);
    made->base.run = call->backward ? run_backward : run_forward;
    made->base.describe = describe;
    made->base.destroy = destroy;
    set_operands(&made->base, call);
    set_geometry(made, call);
    if (!book(made)) {
        destroy(&made->base);
        return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT, "%s: input has %lld x %lld pixels, must be fewer for a workspace",
                       call->op, (long long)made->spec.in_h, (long long)made->spec.in_w);
    }
    *plan = &made->base;
    return REGRAD_OK;
}
