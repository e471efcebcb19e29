/*
 * The separable operators. A resize is the product of two axis maps, and one fused pass makes each
 * row of the result from the rows of the source that its height map names:
 *
 *     height first   sum the source rows, then resample the sum along the width
 *     width first    resample each source row along the width, then sum
 *
 * whichever has the smaller intermediate; which one is a function of the sizes only, and with it the
 * order of summation. A row of the result has one owner and needs nothing from other rows, so slots
 * share the rows of all planes.
 *
 * A row is `width` groups of `inner` neighbouring values: inner = 1 where a plane is one channel
 * (NCHW), inner = C where channels are stored last (NHWC). Both add the same terms in the same order.
 * Rows are widened to the arithmetic type when loaded and rounded once when stored.
 */
#include "op/resize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "base/tensor.h"
#include "rt/parallel.h"

/* One of the two tensors, seen as rows. */
struct side {
    regrad_dtype dtype;
    int64_t element_nbytes;
    int64_t height, width;
    int64_t stride_n, stride_c, stride_h, stride_w; /* in elements */
    bool solid;                                     /* a row is contiguous */
};

struct resize_plan {
    regrad_plan base;
    struct side source, result;
    struct rg_axis_map height, width;
    int64_t n_channels; /* channels that are planes of their own: C, or 1 when they are inner */
    int64_t inner;
    int64_t n_rows; /* of the result, in all planes */
    bool width_first;
};

static const struct resize_plan *as_resize(const regrad_plan *plan)
{
    return (const struct resize_plan *)plan;
}

/* ---- Running ---- */

/*
 * The lines of one slot. The ring holds source rows that are ready to be summed, by source row modulo
 * RG_MAX_ROWS; spare is for a row on its way, before (width first) or after (height first) the sum.
 */
struct lines {
    char *ring, *sum, *spare;
    int64_t ring_nbytes;          /* of one line */
    int64_t cached[RG_MAX_ROWS];  /* which source row is there, -1 for none */
    const void *row[RG_MAX_ROWS]; /* where: in the ring, or in the tensor itself */
};

static int64_t summed_length(const struct resize_plan *plan)
{
    return (plan->width_first ? plan->result.width : plan->source.width) * plan->inner;
}

static int64_t spare_length(const struct resize_plan *plan)
{
    return (plan->width_first ? plan->source.width : plan->result.width) * plan->inner;
}

static int64_t slot_nbytes(const struct resize_plan *plan)
{
    const size_t t = plan->base.t_nbytes;
    return rg_booked(summed_length(plan), t) * (RG_MAX_ROWS + 1) + rg_booked(spare_length(plan), t);
}

static void grant_lines(const struct resize_plan *plan, char *workspace, struct lines *lines)
{
    const size_t t = plan->base.t_nbytes;
    lines->ring_nbytes = rg_booked(summed_length(plan), t);
    lines->ring = rg_grant(&workspace, lines->ring_nbytes * RG_MAX_ROWS, 1);
    lines->sum = rg_grant(&workspace, summed_length(plan), t);
    lines->spare = rg_grant(&workspace, spare_length(plan), t);
}

static void forget_rows(struct lines *lines)
{
    for (int k = 0; k < RG_MAX_ROWS; k++)
        lines->cached[k] = -1;
}

/* Row h of a plane, widened: in the tensor itself where it is already as wanted, else in buffer. */
static const void *load_row(const struct resize_plan *plan, const char *plane, int64_t h, void *buffer)
{
    const struct side *side = &plan->source;
    const char *row = plane + h * side->stride_h * side->element_nbytes;
    rg_load_fn *const load = plan->base.kernels->load[side->dtype];
    if (side->solid && side->element_nbytes == (int64_t)plan->base.t_nbytes)
        return row;
    if (side->solid)
        load(buffer, row, 1, side->width * plan->inner);
    else if (plan->inner == 1)
        load(buffer, row, side->stride_w, side->width);
    else
        for (int64_t w = 0; w < side->width; w++)
            load((char *)buffer + w * plan->inner * (int64_t)plan->base.t_nbytes,
                 row + w * side->stride_w * side->element_nbytes, 1, plan->inner);
    return buffer;
}

static void store_row(const struct resize_plan *plan, char *plane, int64_t h, const void *line)
{
    const struct side *side = &plan->result;
    char *row = plane + h * side->stride_h * side->element_nbytes;
    rg_store_fn *const store = plan->base.kernels->store[side->dtype];
    if (side->solid)
        store(row, 1, line, side->width * plan->inner);
    else if (plan->inner == 1)
        store(row, side->stride_w, line, side->width);
    else
        for (int64_t w = 0; w < side->width; w++)
            store(row + w * side->stride_w * side->element_nbytes, 1,
                  (const char *)line + w * plan->inner * (int64_t)plan->base.t_nbytes, plan->inner);
}

/* line[w] = sum of weight * source[...], groups of inner values at a time. */
static void resample_groups(const struct resize_plan *plan, char *line, const char *source)
{
    const struct rg_axis_map *map = &plan->width;
    const int64_t t = (int64_t)plan->base.t_nbytes, group_nbytes = plan->inner * t;
    memset(line, 0, (size_t)(map->n_dst * group_nbytes));
    for (int64_t w = 0; w < map->n_dst; w++) {
        for (int64_t tap = map->first[w]; tap < map->first[w + 1]; tap += RG_MAX_ROWS) {
            const int64_t n = rg_min(map->first[w + 1] - tap, RG_MAX_ROWS);
            const void *group[RG_MAX_ROWS];
            for (int64_t k = 0; k < n; k++)
                group[k] = source + (map->begin[w] + tap - map->first[w] + k) * group_nbytes;
            plan->base.kernels->rows(line + w * group_nbytes, group, (const char *)map->weight + tap * t, n,
                                     plan->inner);
        }
    }
}

static void resample_width(const struct resize_plan *plan, void *line, const void *source)
{
    const struct rg_axis_map *map = &plan->width;
    if (plan->inner == 1)
        plan->base.kernels->cols(line, source, map->begin, map->first, map->weight, map->n_dst);
    else
        resample_groups(plan, line, source);
}

/* Source row h, ready to be summed. */
static const void *ready_row(const struct resize_plan *plan, struct lines *lines, const char *plane, int64_t h)
{
    const int64_t k = h % RG_MAX_ROWS;
    if (lines->cached[k] == h)
        return lines->row[k];
    char *line = lines->ring + k * lines->ring_nbytes;
    lines->cached[k] = h;
    if (plan->width_first) {
        resample_width(plan, line, load_row(plan, plane, h, lines->spare));
        lines->row[k] = line;
    } else {
        lines->row[k] = load_row(plan, plane, h, line);
    }
    return lines->row[k];
}

/* The weighted sum of the source rows that result row h names. */
static const void *sum_height(const struct resize_plan *plan, struct lines *lines, const char *plane, int64_t h)
{
    const struct rg_axis_map *map = &plan->height;
    const int64_t t = (int64_t)plan->base.t_nbytes;
    if (map->identity)
        return ready_row(plan, lines, plane, h);
    memset(lines->sum, 0, (size_t)(summed_length(plan) * t));
    for (int64_t tap = map->first[h]; tap < map->first[h + 1]; tap += RG_MAX_ROWS) {
        const int64_t n = rg_min(map->first[h + 1] - tap, RG_MAX_ROWS);
        const void *row[RG_MAX_ROWS];
        for (int64_t k = 0; k < n; k++)
            row[k] = ready_row(plan, lines, plane, map->begin[h] + tap - map->first[h] + k);
        plan->base.kernels->rows(lines->sum, row, (const char *)map->weight + tap * t, n, summed_length(plan));
    }
    return lines->sum;
}

static void make_row(const struct resize_plan *plan, struct lines *lines, const char *source, char *result, int64_t h)
{
    const void *line = sum_height(plan, lines, source, h);
    if (!plan->width_first && !plan->width.identity) {
        resample_width(plan, lines->spare, line);
        line = lines->spare;
    }
    store_row(plan, result, h, line);
}

/* A run in progress, seen by its slots. */
struct progress {
    const struct resize_plan *plan;
    const struct rg_run *run;
};

/* Where plane number `plane` starts on one side. */
static int64_t plane_offset(const struct resize_plan *plan, const struct side *side, int64_t plane)
{
    const int64_t n = plane / plan->n_channels, c = plane % plan->n_channels;
    return (n * side->stride_n + c * side->stride_c) * side->element_nbytes;
}

static const char *source_plane(const struct progress *progress, int64_t plane)
{
    const struct resize_plan *plan = progress->plan;
    return (const char *)progress->run->input[0] + rg_first_nbytes(&plan->base.input[0].view) +
           plane_offset(plan, &plan->source, plane);
}

static char *result_plane(const struct progress *progress, int64_t plane)
{
    const struct resize_plan *plan = progress->plan;
    return (char *)progress->run->output[0] + rg_first_nbytes(&plan->base.output[0].view) +
           plane_offset(plan, &plan->result, plane);
}

static void run_slot(void *context, int slot)
{
    const struct progress *progress = context;
    const struct resize_plan *plan = progress->plan;
    const struct rg_share share = rg_share_units(plan->n_rows, plan->base.n_slots, slot);
    struct lines lines;
    grant_lines(plan, progress->run->workspace + (size_t)slot * plan->base.slot_nbytes, &lines);
    for (int64_t row = share.begin; row < share.end; row++) {
        const int64_t plane = row / plan->result.height, h = row % plan->result.height;
        if (row == share.begin || h == 0)
            forget_rows(&lines);
        make_row(plan, &lines, source_plane(progress, plane), result_plane(progress, plane), h);
    }
}

static void run(const regrad_plan *base, const struct rg_run *run)
{
    struct progress progress = {as_resize(base), run};
    if (progress.plan->n_rows > 0)
        rg_parallel(base->n_slots, run_slot, &progress);
}

/* ---- Copying: both axes keep their length ---- */

static void copy_values(char *to, int64_t to_stride, const char *from, int64_t from_stride, int64_t n, size_t nbytes)
{
    for (int64_t k = 0; k < n; k++)
        memcpy(to + k * to_stride, from + k * from_stride, nbytes);
}

static void copy_slot(void *context, int slot)
{
    const struct progress *progress = context;
    const struct resize_plan *plan = progress->plan;
    const struct side *source = &plan->source, *result = &plan->result;
    const int64_t element = source->element_nbytes, group = element * plan->inner;
    const struct rg_share share = rg_share_units(plan->n_rows, plan->base.n_slots, slot);
    for (int64_t row = share.begin; row < share.end; row++) {
        const int64_t plane = row / result->height, h = row % result->height;
        const char *from = source_plane(progress, plane) + h * source->stride_h * element;
        char *to = result_plane(progress, plane) + h * result->stride_h * element;
        if (source->solid && result->solid)
            memcpy(to, from, (size_t)(group * result->width));
        else
            copy_values(to, result->stride_w * element, from, source->stride_w * element, result->width, (size_t)group);
    }
}

static void run_copy(const regrad_plan *base, const struct rg_run *run)
{
    struct progress progress = {as_resize(base), run};
    if (progress.plan->n_rows > 0)
        rg_parallel(base->n_slots, copy_slot, &progress);
}

/* ---- Planning ---- */

static regrad_status check_shapes(const struct rg_resize *resize)
{
    const struct rg_argument *source = &resize->source, *result = &resize->result;
    const char *op = resize->op;
    RG_FORWARD(rg_check_tensor(op, source, resize->n_axes + 2));
    RG_FORWARD(rg_check_tensor(op, result, resize->n_axes + 2));
    RG_FORWARD(rg_check_same_dtype(op, result, source));
    RG_FORWARD(rg_check_size(op, result, 0, source->tensor->shape[0], "the batch size of", source));
    RG_FORWARD(rg_check_size(op, result, 1, source->tensor->shape[1], "the channels of", source));
    for (int d = 2; d < resize->n_axes + 2; d++) {
        RG_FORWARD(rg_check_positive(op, source, d));
        RG_FORWARD(rg_check_positive(op, result, d));
    }
    return rg_check_output(op, result);
}

static struct rg_axis_spec axis_spec(const struct rg_resize *resize, int axis)
{
    const int64_t source = resize->source.tensor->shape[2 + axis], result = resize->result.tensor->shape[2 + axis];
    return (struct rg_axis_spec){
        .law = resize->law,
        .in_size = resize->backward ? result : source,
        .out_size = resize->backward ? source : result,
        .scale = resize->scale[axis],
        .use_double = resize->source.tensor->dtype == REGRAD_FLOAT64,
    };
}

static regrad_status check_scale(const struct rg_resize *resize, int axis)
{
    const struct rg_axis_spec spec = axis_spec(resize, axis);
    if (rg_axis_scale_ok(&spec))
        return REGRAD_OK;
    return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT,
                   "%s: %s is %g, must be 0 (from sizes) or output size / input size, %s and with a finite inverse",
                   resize->op, resize->scale_name[axis], resize->scale[axis],
                   resize->law == RG_AXIS_NEAREST || resize->law == RG_AXIS_GATHER ? "positive" : "finite");
}

regrad_status rg_resize_check(const struct rg_resize *resize)
{
    RG_FORWARD(check_shapes(resize));
    for (int axis = 0; axis < resize->n_axes; axis++)
        RG_FORWARD(check_scale(resize, axis));
    return REGRAD_OK;
}

static void destroy(regrad_plan *base)
{
    struct resize_plan *plan = (struct resize_plan *)base;
    rg_axis_fini(&plan->height);
    rg_axis_fini(&plan->width);
    free(plan);
}

static int describe(const regrad_plan *base, char *text, size_t size)
{
    const struct resize_plan *plan = as_resize(base);
    const char *layout = plan->inner == 1 ? "planes" : "channels last";
    if (base->run == run_copy)
        return snprintf(text, size, "%s, copied", layout);
    return snprintf(text, size, "%s, %s first, up to %lld x %lld terms", layout, plan->width_first ? "width" : "height",
                    (long long)plan->height.max_taps, (long long)plan->width.max_taps);
}

/* A tensor as rows. One-dimensional signals are one row high. */
static struct side make_side(const regrad_tensor *view)
{
    const bool has_height = view->rank == 4;
    return (struct side){
        .dtype = view->dtype,
        .element_nbytes = (int64_t)regrad_dtype_size(view->dtype),
        .height = has_height ? view->shape[2] : 1,
        .width = view->shape[view->rank - 1],
        .stride_n = view->stride[0],
        .stride_c = view->stride[1],
        .stride_h = has_height ? view->stride[2] : 0,
        .stride_w = view->stride[view->rank - 1],
    };
}

/* Channels can be summed together where both tensors store them last. */
static void choose_layout(struct resize_plan *plan, int64_t n, int64_t c)
{
    struct side *source = &plan->source, *result = &plan->result;
    const bool channels_last = c > 1 && source->stride_c == 1 && result->stride_c == 1;
    plan->inner = channels_last ? c : 1;
    plan->n_channels = channels_last ? 1 : c;
    plan->n_rows = n * plan->n_channels * result->height;
    source->solid = source->width == 1 || source->stride_w == plan->inner;
    result->solid = result->width == 1 || result->stride_w == plan->inner;
}

static regrad_status build_maps(struct resize_plan *plan, const struct rg_resize *resize)
{
    static const struct rg_axis_spec one_row = {.law = RG_AXIS_NEAREST, .in_size = 1, .out_size = 1};
    struct rg_axis_spec height = resize->n_axes == 2 ? axis_spec(resize, 0) : one_row;
    const struct rg_axis_spec width = axis_spec(resize, resize->n_axes - 1);
    height.use_double = width.use_double;
    RG_FORWARD(rg_axis_init(&plan->height, &height, resize->backward));
    return rg_axis_init(&plan->width, &width, resize->backward);
}

/* n_source * n_result of the other axis: the values between the two passes. */
static void choose_order(struct resize_plan *plan)
{
    const struct side *source = &plan->source, *result = &plan->result;
    const bool both = !plan->height.identity && !plan->width.identity;
    const double after_height = (double)result->height * (double)source->width;
    const double after_width = (double)source->height * (double)result->width;
    plan->width_first = both && after_width < after_height;
}

static regrad_status fill_plan(struct resize_plan *plan, const struct rg_resize *resize)
{
    const regrad_tensor *source = resize->source.tensor, *result = resize->result.tensor;
    regrad_plan *base = &plan->base;
    rg_plan_init(base, resize->op, source->dtype);
    rg_plan_add_input(base, &resize->source, true);
    if (resize->unread.tensor != NULL)
        rg_plan_add_input(base, &resize->unread, false);
    rg_plan_add_output(base, &resize->result, true);
    base->describe = describe;
    base->destroy = destroy;
    plan->source = make_side(source);
    plan->result = make_side(result);
    choose_layout(plan, source->shape[0], source->shape[1]);
    RG_FORWARD(build_maps(plan, resize));
    choose_order(plan);
    const bool copied = plan->height.identity && plan->width.identity;
    base->run = copied ? run_copy : run;
    const double n_groups = (double)(plan->n_rows / plan->result.height) * (double)plan->inner;
    const double n_values = n_groups * ((double)plan->source.height * (double)plan->source.width +
                                        (double)plan->result.height * (double)plan->result.width);
    if (!rg_plan_split(base, plan->n_rows, n_values, copied ? 0 : slot_nbytes(plan)))
        return REGRAD_ERROR_OUT_OF_MEMORY;
    return REGRAD_OK;
}

regrad_status rg_resize_plan_create(const struct rg_resize *resize, regrad_plan **plan)
{
    RG_FORWARD(rg_resize_check(resize));
    struct resize_plan *made = calloc(1, sizeof *made);
    regrad_status status = made == NULL ? REGRAD_ERROR_OUT_OF_MEMORY : fill_plan(made, resize);
    if (status != REGRAD_OK) {
        if (made != NULL)
            destroy(&made->base);
        return rg_fail(status, "%s: out of memory for the plan's tables", resize->op);
    }
    *plan = &made->base;
    return REGRAD_OK;
}
