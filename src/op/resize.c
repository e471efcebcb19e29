/*
 * The separable operators. A resize is the product of two axis maps, and one fused pass makes the rows
 * of the result from the rows of the source that its height map names:
 *
 *     height first   sum the source rows, then resample the sums along the width
 *     width first    resample each source row along the width, then sum
 *
 * whichever has the smaller intermediate; which one is a function of the sizes only, and with it the
 * order of summation. A row of the result has one owner and needs nothing from other rows, so slots
 * share the rows of all planes.
 *
 * A row is `width` groups of `inner` neighbouring values: inner = 1 where a plane is one channel
 * (NCHW), inner = C where channels are stored last (NHWC). Both add the same terms in the same order.
 * Rows are widened to the arithmetic type when read and rounded once when stored.
 *
 * What is between stays in the first-level cache: a strip of the width at a time, and up to BATCH rows of
 * it, which are resampled together.
 */
#include "op/resize.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "base/tensor.h"
#include "rt/parallel.h"

enum {
    BATCH = RG_MAX_LANES,   /* rows resampled together */
    AHEAD = 8,              /* source rows made ready together; two such batches are kept */
    STRIP_VALUES = 256,     /* values of a source row in a strip, where that is enough for one step */
    GROUP_VALUES = 4096,    /* the same for rows of groups, which are not batched */
    BATCH_VALUES = 4096,    /* strips that are longer are not batched */
    MAX_NBYTES = 256 * 1024 /* rows of groups that need more for one result are read as planes */
};

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
    int64_t batch; /* rows resampled together */
    int64_t n_strips;
    struct rg_piece *strips;
    int64_t max_from, max_to; /* the most columns of a strip, in the source and in the result */
};

static const struct resize_plan *as_resize(const regrad_plan *plan)
{
    return (const struct resize_plan *)plan;
}

/* ---- Running ---- */

/*
 * The lines of one slot, each a strip of a row. The ring holds source rows that are ready to be summed,
 * AHEAD at a time: row h is in line h % (2 * AHEAD).
 */
struct lines {
    char *ring, *tile, *out, *scratch;
    int64_t ring_nbytes, tile_nbytes, out_nbytes; /* of one line */
    const char *plane;                            /* whose rows the ring holds */
    int64_t ready[2];                             /* which batches of rows its halves hold, or -1 */
};

/* A row of a tensor, in its plane. */
struct row {
    const char *source; /* planes */
    char *result;
    int64_t h; /* of the result */
};

static bool needs_ring(const struct resize_plan *plan)
{
    return plan->width_first || !(plan->source.solid || plan->height.identity);
}

static int64_t ring_length(const struct resize_plan *plan)
{
    return (plan->width_first ? plan->max_to : plan->max_from) * plan->inner + RG_COLS_ROOM;
}

static int64_t tile_length(const struct resize_plan *plan)
{
    return plan->max_from * plan->inner;
}

static int64_t out_length(const struct resize_plan *plan)
{
    return plan->max_to * plan->inner + RG_COLS_ROOM;
}

static int64_t n_tile_lines(const struct resize_plan *plan)
{
    return plan->width_first ? AHEAD : plan->batch;
}

static int64_t scratch_length(const struct resize_plan *plan)
{
    return plan->inner == 1 && !plan->width.identity ? RG_MAX_LANES * plan->max_from : 0;
}

static int64_t slot_nbytes(const struct resize_plan *plan)
{
    const size_t t = plan->base.t_nbytes;
    return (needs_ring(plan) ? 2 * AHEAD * rg_booked(ring_length(plan), t) : 0) +
           n_tile_lines(plan) * rg_booked(tile_length(plan), t) + plan->batch * rg_booked(out_length(plan), t) +
           rg_booked(scratch_length(plan), t);
}

static void grant_lines(const struct resize_plan *plan, char *workspace, struct lines *lines)
{
    const size_t t = plan->base.t_nbytes;
    lines->ring_nbytes = rg_booked(ring_length(plan), t);
    lines->tile_nbytes = rg_booked(tile_length(plan), t);
    lines->out_nbytes = rg_booked(out_length(plan), t);
    lines->ring = rg_grant(&workspace, needs_ring(plan) ? 2 * AHEAD * lines->ring_nbytes : 0, 1);
    lines->tile = rg_grant(&workspace, n_tile_lines(plan) * lines->tile_nbytes, 1);
    lines->out = rg_grant(&workspace, plan->batch * lines->out_nbytes, 1);
    lines->scratch = rg_grant(&workspace, scratch_length(plan), t);
}

static bool is_arithmetic(const struct resize_plan *plan, const struct side *side)
{
    return side->element_nbytes == (int64_t)plan->base.t_nbytes;
}

/* The address of columns from `column` on of row h. */
static int64_t offset_of(const struct side *side, int64_t h, int64_t column)
{
    return (h * side->stride_h + column * side->stride_w) * side->element_nbytes;
}

static void load_strip(const struct resize_plan *plan, const char *plane, int64_t h, const struct rg_piece *strip,
                       void *line)
{
    const struct side *side = &plan->source;
    const char *from = plane + offset_of(side, h, strip->low);
    rg_load_fn *const load = plan->base.kernels->load[side->dtype];
    if (side->solid)
        load(line, from, 1, strip->n_src * plan->inner);
    else if (plan->inner == 1)
        load(line, from, side->stride_w, strip->n_src);
    else
        for (int64_t w = 0; w < strip->n_src; w++)
            load((char *)line + w * plan->inner * (int64_t)plan->base.t_nbytes,
                 from + w * side->stride_w * side->element_nbytes, 1, plan->inner);
}

/* A strip of source row h as values of the arithmetic type: in the tensor itself where they are that
 * already, else in line. */
static const void *widen_strip(const struct resize_plan *plan, const char *plane, int64_t h,
                               const struct rg_piece *strip, void *line)
{
    if (plan->source.solid && is_arithmetic(plan, &plan->source))
        return plane + offset_of(&plan->source, h, strip->low);
    load_strip(plan, plane, h, strip, line);
    return line;
}

static void store_strip(const struct resize_plan *plan, char *plane, int64_t h, const struct rg_piece *strip,
                        const void *line)
{
    const struct side *side = &plan->result;
    char *to = plane + offset_of(side, h, strip->from);
    const int64_t n = strip->to - strip->from;
    rg_store_fn *const store = plan->base.kernels->store[side->dtype];
    if (side->solid)
        store(to, 1, line, n * plan->inner);
    else if (plan->inner == 1)
        store(to, side->stride_w, line, n);
    else
        for (int64_t w = 0; w < n; w++)
            store(to + w * side->stride_w * side->element_nbytes, 1,
                  (const char *)line + w * plan->inner * (int64_t)plan->base.t_nbytes, plan->inner);
}

static void resample(const struct resize_plan *plan, void *const *to, const void *const *from, int64_t n_lines,
                     const struct rg_piece *strip, void *scratch)
{
    if (plan->inner == 1) {
        plan->base.kernels->cols(to, from, n_lines, strip, scratch);
        return;
    }
    for (int64_t k = 0; k < n_lines; k++)
        plan->base.kernels->groups(to[k], from[k], plan->inner, strip);
}

/* Makes batch number `batch` of the source rows of a plane ready in its half of the ring. */
static void make_ready(const struct resize_plan *plan, struct lines *lines, const char *plane, int64_t batch,
                       const struct rg_piece *strip)
{
    const int64_t first = batch * AHEAD, n = rg_min(plan->source.height - first, AHEAD);
    char *half = lines->ring + batch % 2 * AHEAD * lines->ring_nbytes;
    const void *from[AHEAD] = {NULL};
    void *to[AHEAD] = {NULL};
    for (int64_t k = 0; k < n; k++) {
        to[k] = half + k * lines->ring_nbytes;
        if (plan->width_first)
            from[k] = widen_strip(plan, plane, first + k, strip, lines->tile + k * lines->tile_nbytes);
        else
            load_strip(plan, plane, first + k, strip, to[k]);
    }
    if (plan->width_first)
        resample(plan, to, from, n, strip, lines->scratch);
    lines->ready[batch % 2] = batch;
}

static void forget_ring(struct lines *lines, const char *plane)
{
    lines->plane = plane;
    lines->ready[0] = lines->ready[1] = -1;
}

/* Source row h of a plane and as many of the n - 1 after it as follow it in the ring; sets *n to their number. */
static const void *ready_rows(const struct resize_plan *plan, struct lines *lines, const char *plane, int64_t h,
                              int64_t *n, const struct rg_piece *strip)
{
    const int64_t line = h % (2 * AHEAD);
    *n = rg_min(*n, 2 * AHEAD - line);
    if (lines->plane != plane)
        forget_ring(lines, plane);
    for (int64_t batch = h / AHEAD; batch <= (h + *n - 1) / AHEAD; batch++)
        if (lines->ready[batch % 2] != batch)
            make_ready(plan, lines, plane, batch, strip);
    return lines->ring + line * lines->ring_nbytes;
}

/* line = the weighted sum of the source rows that row->h names, as they are in the tensor. */
static void sum_stored(const struct resize_plan *plan, const struct row *row, const struct rg_piece *strip, void *line)
{
    const struct rg_axis_map *map = &plan->height;
    const struct side *side = &plan->source;
    const int64_t first = map->first[row->h];
    plan->base.kernels->rows[side->dtype](line, row->source + offset_of(side, map->begin[row->h], strip->low),
                                          side->stride_h * side->element_nbytes,
                                          (const char *)map->weight + first * (int64_t)plan->base.t_nbytes,
                                          map->first[row->h + 1] - first, strip->n_src * plan->inner, true);
}

/* The same from the ring. */
static void sum_ready(const struct resize_plan *plan, struct lines *lines, const struct row *row,
                      const struct rg_piece *strip, void *line)
{
    const struct rg_axis_map *map = &plan->height;
    const int64_t length = (plan->width_first ? strip->to - strip->from : strip->n_src) * plan->inner;
    const int64_t first = map->first[row->h], n_taps = map->first[row->h + 1] - first;
    const regrad_dtype own = plan->base.t_nbytes == sizeof(double) ? REGRAD_FLOAT64 : REGRAD_FLOAT32;
    int64_t tap = 0;
    do { /* once also where there is nothing to add: the sum is 0 then */
        int64_t n = n_taps - tap;
        const void *from =
            n == 0 ? lines->ring : ready_rows(plan, lines, row->source, map->begin[row->h] + tap, &n, strip);
        plan->base.kernels->rows[own](line, from, lines->ring_nbytes,
                                      (const char *)map->weight + (first + tap) * (int64_t)plan->base.t_nbytes, n,
                                      length, tap == 0);
        tap += n;
    } while (tap < n_taps);
}

static void make_width_first(const struct resize_plan *plan, struct lines *lines, const struct row *row,
                             const struct rg_piece *strip)
{
    sum_ready(plan, lines, row, strip, lines->out);
    store_strip(plan, row->result, row->h, strip, lines->out);
}

static void make_height_first(const struct resize_plan *plan, struct lines *lines, const struct row *row, int64_t n,
                              const struct rg_piece *strip)
{
    const void *from[BATCH] = {NULL};
    void *to[BATCH] = {NULL};
    for (int64_t k = 0; k < n; k++) {
        char *line = lines->tile + k * lines->tile_nbytes;
        to[k] = lines->out + k * lines->out_nbytes;
        from[k] = line;
        if (plan->height.identity)
            from[k] = widen_strip(plan, row[k].source, row[k].h, strip, line);
        else if (needs_ring(plan))
            sum_ready(plan, lines, &row[k], strip, line);
        else
            sum_stored(plan, &row[k], strip, line);
    }
    if (!plan->width.identity)
        resample(plan, to, from, n, strip, lines->scratch);
    for (int64_t k = 0; k < n; k++)
        store_strip(plan, row[k].result, row[k].h, strip, plan->width.identity ? from[k] : to[k]);
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

/* Goes through the rows of the result, plane after plane. */
struct cursor {
    const struct progress *progress;
    int64_t plane;
    struct row row;
};

static void enter_plane(struct cursor *cursor, int64_t plane)
{
    cursor->plane = plane;
    cursor->row.source = source_plane(cursor->progress, plane);
    cursor->row.result = result_plane(cursor->progress, plane);
}

static struct cursor cursor_at(const struct progress *progress, int64_t row)
{
    const int64_t height = progress->plan->result.height;
    struct cursor cursor = {.progress = progress, .row.h = row % height};
    enter_plane(&cursor, row / height);
    return cursor;
}

/* The next n rows. */
static void take_rows(struct cursor *cursor, struct row *rows, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        if (cursor->row.h == cursor->progress->plan->result.height) {
            cursor->row.h = 0;
            enter_plane(cursor, cursor->plane + 1);
        }
        rows[k] = cursor->row;
        cursor->row.h++;
    }
}

static void make_rows(const struct progress *progress, struct lines *lines, const struct row *rows, int64_t n,
                      const struct rg_piece *strip)
{
    if (progress->plan->width_first)
        make_width_first(progress->plan, lines, rows, strip);
    else
        make_height_first(progress->plan, lines, rows, n, strip);
}

/* Strips `first` to `last` of a share of the rows, a batch of rows after another. */
static void run_strips(const struct progress *progress, struct lines *lines, struct rg_share share, int64_t first,
                       int64_t last)
{
    const struct resize_plan *plan = progress->plan;
    struct cursor cursor = cursor_at(progress, share.begin);
    struct row rows[BATCH];
    forget_ring(lines, NULL);
    for (int64_t at = share.begin; at < share.end; at += plan->batch) {
        const int64_t n = rg_min(share.end - at, plan->batch);
        take_rows(&cursor, rows, n);
        for (int64_t k = first; k <= last; k++)
            make_rows(progress, lines, rows, n, &plan->strips[k]);
    }
}

static void run_slot(void *context, int slot)
{
    const struct progress *progress = context;
    const struct resize_plan *plan = progress->plan;
    const struct rg_share share = rg_share_units(plan->n_rows, plan->base.n_slots, slot);
    struct lines lines;
    grant_lines(plan, progress->run->workspace + (size_t)slot * plan->base.slot_nbytes, &lines);
    if (share.begin == share.end)
        return;
    if (!needs_ring(plan)) { /* all strips of a row together: that reads memory in longer stretches */
        run_strips(progress, &lines, share, 0, plan->n_strips - 1);
        return;
    }
    for (int64_t k = 0; k < plan->n_strips; k++) /* the ring holds one strip */
        run_strips(progress, &lines, share, k, k);
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

static const char *wanted_scale(enum rg_axis_law law)
{
    if (law == RG_AXIS_NEAREST)
        return "0 (from sizes), or positive and finite, and so must be its inverse in float32";
    if (law == RG_AXIS_GATHER)
        return "0 (from sizes), or positive and finite in float32, and so must be its inverse";
    return "finite, and so must be its inverse (0 and less: from sizes)";
}

static regrad_status check_scale(const struct rg_resize *resize, int axis)
{
    const struct rg_axis_spec spec = axis_spec(resize, axis);
    if (rg_axis_scale_ok(&spec))
        return REGRAD_OK;
    return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT, "%s: %s is %g, must be %s", resize->op, resize->scale_name[axis],
                   resize->scale[axis], wanted_scale(resize->law));
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
    free(plan->strips);
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

/* Channels can be summed together where both tensors store them last, and one result does not need
 * more of them than a cache holds. */
static void choose_layout(struct resize_plan *plan, int64_t n, int64_t c)
{
    struct side *source = &plan->source, *result = &plan->result;
    const double nbytes = (double)plan->width.max_taps * (double)c * (double)plan->base.t_nbytes;
    const bool channels_last = c > 1 && source->stride_c == 1 && result->stride_c == 1 && nbytes <= MAX_NBYTES;
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

/* The strip from `from` on: as many results as keep its sources within the limit, in steps of a vector; one
 * step at least. */
static struct rg_piece cut_strip(const struct resize_plan *plan, int64_t from)
{
    const struct rg_axis_map *map = &plan->width;
    const int64_t step = plan->inner == 1 ? RG_MAX_LANES : 1;
    const int64_t limit = rg_max((plan->inner == 1 ? STRIP_VALUES : GROUP_VALUES) / plan->inner, 1);
    int64_t to = from, high = map->begin[from];
    while (to < map->n_dst) {
        const int64_t last = rg_min(to + step, map->n_dst) - 1;
        const int64_t end = map->begin[last] + map->first[last + 1] - map->first[last];
        if (to > from && end - map->begin[from] > limit)
            break;
        to = last + 1;
        high = end;
    }
    return (struct rg_piece){.begin = map->begin,
                             .first = map->first,
                             .weight = map->weight,
                             .from = from,
                             .to = to,
                             .low = map->begin[from],
                             .n_src = high - map->begin[from]};
}

/* Cuts the width into strips; once to count them and once to keep them. */
static regrad_status cut_strips(struct resize_plan *plan)
{
    for (int64_t from = 0; from < plan->width.n_dst; plan->n_strips++)
        from = cut_strip(plan, from).to;
    plan->strips = calloc((size_t)plan->n_strips, sizeof *plan->strips);
    if (plan->strips == NULL)
        return REGRAD_ERROR_OUT_OF_MEMORY;
    for (int64_t k = 0, from = 0; k < plan->n_strips; from = plan->strips[k++].to) {
        plan->strips[k] = cut_strip(plan, from);
        plan->max_from = rg_max(plan->max_from, plan->strips[k].n_src);
        plan->max_to = rg_max(plan->max_to, plan->strips[k].to - from);
    }
    const bool batched = plan->inner == 1 && !plan->width_first && plan->max_from <= BATCH_VALUES;
    plan->batch = batched ? BATCH : 1;
    return REGRAD_OK;
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
    RG_FORWARD(build_maps(plan, resize));
    choose_layout(plan, source->shape[0], source->shape[1]);
    choose_order(plan);
    RG_FORWARD(cut_strips(plan));
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
    char source[RG_SIZES_LENGTH], result[RG_SIZES_LENGTH];
    struct resize_plan *made = calloc(1, sizeof *made);
    regrad_status status = made == NULL ? REGRAD_ERROR_OUT_OF_MEMORY : fill_plan(made, resize);
    if (status != REGRAD_OK) {
        if (made != NULL)
            destroy(&made->base);
        return rg_fail(status, "%s: out of memory for the tables of %s.shape %s and %s.shape %s, must be smaller",
                       resize->op, rg_argument_name(&resize->source),
                       rg_format_sizes(source, resize->source.tensor->shape, resize->n_axes + 2),
                       rg_argument_name(&resize->result),
                       rg_format_sizes(result, resize->result.tensor->shape, resize->n_axes + 2));
    }
    *plan = &made->base;
    return REGRAD_OK;
}
