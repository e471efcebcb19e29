/* SPDX-License-Identifier: Apache-2.0 */
/* Work on bilinear points in packed images: all of their few channels are side by side. Where a tensor is laid out as
 * such an image, it is worked on where it is. */
#include <float.h>
#include <string.h>

#include "op/grid_values.h"
#include "op/grid_window.h"

struct packed_scratch {
    struct rg_packed_points points;
    int32_t place[RG_GRID_POINTS], own_place[RG_GRID_POINTS]; /* in all rows, and in the slot's */
    union rg_grid_values xy[2];                               /* slopes in turn */
    union rg_grid_values channel[RG_PACKED_LANES];
    union {
        _Alignas(RG_ALIGNMENT) float f32[RG_GRID_POINTS * RG_PACKED_LANES];
        double f64[RG_GRID_POINTS * RG_PACKED_LANES];
    } tile;
};

static int64_t image_nbytes(const struct rg_grid_plan *plan, bool is_there)
{
    return is_there ? rg_booked(plan->n_pixels * plan->lanes, plan->base.t_nbytes) : 0;
}

static int64_t input_nbytes(const struct rg_grid_plan *plan)
{
    return image_nbytes(plan, plan->input_copied);
}

static int64_t grad_nbytes(const struct rg_grid_plan *plan, int n_slots)
{
    (void)n_slots;
    return image_nbytes(plan, plan->grad_copied || plan->grad_apart);
}

/* Is the gradient made in an image of the slot, and then moved past the caches? Between samples it is all 0. */
static bool is_apart(const struct rg_grid_unit *unit)
{
    return unit->plan->grad_apart && rg_grid_is_alone(unit);
}

static void clear_pixels(const struct rg_grid_unit *unit, int64_t first, int64_t count)
{
    memset(rg_grid_nth_pixel(unit->plan, unit->grad, first), 0, (size_t)count * rg_grid_pixel_nbytes(unit->plan));
}

static void init(struct rg_grid_unit *unit)
{
    struct packed_scratch *scratch = unit->scratch;
    const struct rg_grid_plan *plan = unit->plan;
    unit->touched = (struct rg_share){plan->spec.in_h, 0};
    if (is_apart(unit))
        clear_pixels(unit, 0, plan->spec.in_h * plan->spec.in_w);
    if (plan->lanes > 1) { /* what is after the last point is looked at too */
        memset(scratch->channel, 0, sizeof scratch->channel);
        memset(&scratch->tile, 0, sizeof scratch->tile);
    }
}

/* ---- Between tensors and packed images, or tiles of as many lanes ---- */

/* May values of all channels be moved as they are? A plane that is one row is. */
static bool is_plain(const struct rg_grid_tensor *tensor, const struct rg_grid_plane *plane)
{
    return plane->stride_w == 1 && plane->width == tensor->view->shape[2] * tensor->view->shape[3];
}

/* Kernels move RG_GRID_LANES pixels at a time, and the rest of a block through the channels in the scratch. */
static int64_t whole_pixels(const struct rg_grid_tensor *tensor, const struct rg_grid_plane *plane, int64_t count)
{
    return is_plain(tensor, plane) ? count / RG_GRID_LANES * RG_GRID_LANES : 0;
}

static void pack_channels(const struct rg_grid_unit *unit, const struct rg_grid_tensor *tensor, void *packed,
                          struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = unit->plan;
    struct packed_scratch *scratch = unit->scratch;
    for (int64_t c = 0; c < plan->channels; c++) {
        const struct rg_grid_plane plane = rg_grid_channel_plane(tensor, unit->n, c);
        rg_grid_load_values(unit, &scratch->channel[c], &plane, block);
    }
    unit->kernels->packed->interleave[rg_plan_own_dtype(&plan->base)](packed, plan->lanes, scratch->channel,
                                                                      sizeof *scratch->channel / plan->base.t_nbytes,
                                                                      plan->channels, block.count);
}

/* What comes after a stretch is wanted next. */
static void prefetch_after(const struct rg_grid_stretch *s, size_t element)
{
    const uintptr_t next = (uintptr_t)s->data + (size_t)s->n * element;
    for (size_t k = 0; k < (size_t)s->n * element; k += RG_ALIGNMENT)
        __builtin_prefetch((const void *)(next + k), 0, 2);
}

/* There must be room for whole RG_GRID_LANES of pixels. */
static void pack(const struct rg_grid_unit *unit, const struct rg_grid_tensor *tensor, void *packed,
                 struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = unit->plan;
    const struct rg_grid_plane plane = rg_grid_channel_plane(tensor, unit->n, 0);
    if (plan->lanes == 1) {
        const struct rg_grid_stretch s = rg_grid_next_stretch(&plane, block.first, block.first + block.count);
        if (plane.stride_w == 1 && s.n <= RG_GRID_POINTS)
            prefetch_after(&s, (size_t)plane.element);
        rg_grid_load_values(unit, packed, &plane, block);
        return;
    }
    int64_t done = whole_pixels(tensor, &plane, block.count);
    if (done > 0)
        unit->kernels->packed->interleave[plane.dtype](packed, plan->lanes, plane.data + block.first * plane.element,
                                                       tensor->view->stride[1], plan->channels, done);
    for (; done < block.count; done += RG_GRID_POINTS)
        pack_channels(unit, tensor, rg_grid_nth_pixel(plan, packed, done),
                      (struct rg_grid_block){block.first + done, rg_min(block.count - done, RG_GRID_POINTS)});
}

/* Whole RG_GRID_LANES of pixels are looked at: in a copy where those that follow may be another slot's. */
static void unpack_channels(const struct rg_grid_unit *unit, const struct rg_grid_tensor *tensor, const void *packed,
                            struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = unit->plan;
    struct packed_scratch *scratch = unit->scratch;
    if (block.count % RG_GRID_LANES != 0)
        packed = memmove(&scratch->tile, packed, (size_t)block.count * rg_grid_pixel_nbytes(plan));
    unit->kernels->packed->deinterleave[rg_plan_own_dtype(&plan->base)](
        scratch->channel, sizeof *scratch->channel / plan->base.t_nbytes, plan->channels, packed, plan->lanes,
        block.count, false);
    for (int64_t c = 0; c < plan->channels; c++) {
        const struct rg_grid_plane plane = rg_grid_channel_plane(tensor, unit->n, c);
        rg_grid_store_values(unit, &scratch->channel[c], &plane, block);
    }
}

static void unpack(const struct rg_grid_unit *unit, const struct rg_grid_tensor *tensor, void *packed,
                   struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = unit->plan;
    const struct rg_grid_plane plane = rg_grid_channel_plane(tensor, unit->n, 0);
    if (plan->lanes == 1) {
        rg_grid_store_values(unit, packed, &plane, block);
        return;
    }
    int64_t done = whole_pixels(tensor, &plane, block.count);
    if (done > 0)
        unit->kernels->packed->deinterleave[plane.dtype](plane.data + block.first * plane.element,
                                                         tensor->view->stride[1], plan->channels, packed, plan->lanes,
                                                         done, tensor->far);
    for (; done < block.count; done += RG_GRID_POINTS)
        unpack_channels(unit, tensor, rg_grid_nth_pixel(plan, packed, done),
                        (struct rg_grid_block){block.first + done, rg_min(block.count - done, RG_GRID_POINTS)});
}

/* ---- Rows ---- */

static char *row_of(const struct rg_grid_unit *unit, char *image, int64_t row)
{
    return rg_grid_nth_pixel(unit->plan, image, (row & unit->window.mask) * unit->plan->spec.in_w);
}

static void load(const struct rg_grid_unit *unit, struct rg_share rows)
{
    pack(unit, &unit->run->input, row_of(unit, unit->input, rows.begin), rg_grid_pixels_of(unit->plan, rows));
}

/* Of a gradient that is large and made where it is, the caches are only for what points touch soon. */
static void clear(const struct rg_grid_unit *unit, struct rg_share rows)
{
    const bool far = !unit->plan->grad_copied && unit->run->input_grad.far && rows.end <= unit->window.needed;
    const int64_t first = (rows.begin & unit->window.mask) * unit->plan->spec.in_w;
    const int64_t count = rg_grid_pixels_of(unit->plan, rows).count;
    if (far)
        unit->kernels->values->clear_far(rg_grid_nth_pixel(unit->plan, unit->grad, first),
                                         (size_t)count * rg_grid_pixel_nbytes(unit->plan));
    else
        clear_pixels(unit, first, count);
}

static void store(const struct rg_grid_unit *unit, struct rg_share rows)
{
    unpack(unit, &unit->run->input_grad, row_of(unit, unit->grad, rows.begin), rg_grid_pixels_of(unit->plan, rows));
}

/* ---- Points ---- */

static struct rg_packed_window window_of(const struct rg_grid_unit *unit, struct rg_share rows)
{
    return (struct rg_packed_window){(int32_t)unit->plan->spec.in_w, (int32_t)rows.begin, (int32_t)rows.end,
                                     unit->window.mask};
}

static struct rg_packed_window all_rows(const struct rg_grid_unit *unit)
{
    return window_of(unit, (struct rg_share){0, unit->plan->spec.in_h});
}

/* Where points are in the slot's rows. */
static int32_t *own_place(const struct rg_grid_unit *unit)
{
    struct packed_scratch *scratch = unit->scratch;
    return rg_grid_is_alone(unit) ? scratch->place : scratch->own_place;
}

/* Finds where the points of a block are, in all rows for what it owns, and in the slot's rows for what it touches. */
static void locate(const struct rg_grid_unit *unit, struct rg_grid_block block)
{
    const struct rg_packed_kernels *kernels = unit->kernels->packed;
    rg_grid_bilinear_axis_fn *const axis = unit->kernels->grid->bilinear_axis;
    const struct rg_grid_spec *spec = &unit->plan->spec;
    const struct rg_packed_window all = all_rows(unit), own = window_of(unit, unit->rows);
    struct packed_scratch *scratch = unit->scratch;
    struct rg_packed_points *points = &scratch->points;
    rg_grid_load_coordinates(unit, block);
    axis(&points->x, points->weight_x, &unit->at->x, block.count, spec->in_w, spec);
    axis(&points->y, points->weight_y, &unit->at->y, block.count, spec->in_h, spec);
    if (rg_grid_is_alone(unit) || unit->owns)
        kernels->place(scratch->place, &scratch->points, &all);
    if (!rg_grid_is_alone(unit) && unit->touches)
        kernels->place(scratch->own_place, &scratch->points, &own);
}

/* Asks for pixels of a block that are not likely to be near. */
static void prefetch(const struct rg_grid_unit *unit, struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = unit->plan;
    const struct packed_scratch *scratch = unit->scratch;
    const struct rg_packed_window all = all_rows(unit);
    const void *const input = plan->need_input && !plan->input_copied && unit->owns ? unit->input : NULL;
    const void *const grad = !plan->grad_copied && !is_apart(unit) && unit->touches ? unit->grad : NULL;
    const bool together = rg_grid_is_alone(unit);
    if (input != NULL || (together && grad != NULL))
        unit->kernels->packed->prefetch(input, together ? grad : NULL, plan->lanes, &all, scratch->place, block.count);
    if (grad != NULL && !together)
        unit->kernels->packed->prefetch(NULL, grad, plan->lanes, &all, scratch->own_place, block.count);
}

static void sample(const struct rg_grid_unit *unit, struct rg_grid_block block)
{
    const struct rg_packed_window all = all_rows(unit);
    struct packed_scratch *scratch = unit->scratch;
    unit->kernels->packed->sample(&scratch->tile, unit->input, unit->plan->lanes, &all, scratch->place,
                                  &scratch->points, block.count);
    unpack(unit, &unit->run->sampled, &scratch->tile, block);
}

/* Where the slopes of a block can be put as they are, or NULL. */
static char *find_slopes(const struct rg_grid_unit *unit, struct rg_grid_block block)
{
    const bool fits = unit->run->grid_grad.element == (int64_t)unit->plan->base.t_nbytes;
    return fits && block.count % RG_GRID_LANES == 0 ? rg_grid_find_slopes(unit, block) : NULL;
}

static void slope(const struct rg_grid_unit *unit, struct rg_grid_block block)
{
    const struct rg_packed_window all = all_rows(unit);
    struct packed_scratch *scratch = unit->scratch;
    char *const there = find_slopes(unit, block);
    unit->kernels->packed->slope(there != NULL ? there : (char *)scratch->xy, unit->input, unit->plan->lanes, &all,
                                 scratch->place, &scratch->points, &scratch->tile, block.count,
                                 there != NULL && unit->run->grid_grad.far);
    if (there != NULL)
        return;
    unit->kernels->values->split[rg_plan_own_dtype(&unit->plan->base)](&unit->at->x, &unit->at->y, scratch->xy,
                                                                       block.count);
    rg_grid_store_slopes(unit, (struct rg_grid_sums){&unit->at->x, &unit->at->y}, block);
}

/* What |grad_output| must not exceed if no sum is to overflow: weights are 1 at most, and rounding makes sums of up to
 * 2^24 terms no more than e times as large. */
static double most_grad(const struct rg_grid_plan *plan)
{
    const double largest = plan->base.t_nbytes == sizeof(float) ? FLT_MAX : DBL_MAX;
    return plan->n_points > 1 << 24 ? -1 : largest / 4 / (double)plan->n_points;
}

static void spread(struct rg_grid_unit *unit, struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = unit->plan;
    const struct rg_packed_kernels *kernels = unit->kernels->packed;
    const struct rg_packed_window own = window_of(unit, unit->rows);
    struct packed_scratch *scratch = unit->scratch;
    kernels->spread(unit->grad, plan->lanes, &own, own_place(unit), &scratch->points, &scratch->tile, block.count);
    if (!plan->grad_copied && unit->bounded)
        unit->bounded = kernels->bounded(&scratch->tile, block.count * plan->lanes, most_grad(plan));
}

/* Opens rows by what the points in the scratch touch, where no survey has told. */
static void open_rows(struct rg_grid_unit *unit)
{
    const struct packed_scratch *scratch = unit->scratch;
    int32_t low, high;
    if (unit->plan->input_copied || unit->plan->grad_copied || !unit->touches ||
        (!is_apart(unit) && !unit->run->input_grad.far))
        return;
    unit->kernels->packed->span(&scratch->points, &low, &high);
    unit->touched.begin = rg_min(unit->touched.begin, low);
    unit->touched.end = rg_max(unit->touched.end, rg_min(high, unit->rows.end));
    rg_grid_open_rows(unit, high, low);
}

/* ---- All ---- */

static char *sample_of(const struct rg_grid_tensor *tensor, int64_t n)
{
    return tensor->data + n * tensor->view->stride[0] * tensor->element;
}

static void begin(struct rg_grid_unit *unit)
{
    const struct rg_grid_plan *plan = unit->plan;
    struct rg_grid_window *window = &unit->window;
    unit->bounded = true;
    if (plan->need_input && !plan->input_copied)
        unit->input = sample_of(&unit->run->input, unit->n);
    if (is_apart(unit))
        window->view.end = window->view.begin;
    else if (plan->want_input_grad && !plan->grad_copied)
        unit->grad = sample_of(&unit->run->input_grad, unit->n);
    if (!plan->input_copied && !plan->grad_copied && !unit->run->input_grad.far)
        rg_grid_open_rows(unit, window->view.end, 0);
}

static void work(struct rg_grid_unit *unit, int64_t b, struct rg_grid_block block)
{
    struct packed_scratch *scratch = unit->scratch;
    (void)b;
    locate(unit, block);
    prefetch(unit, block);
    open_rows(unit);
    if (unit->plan->forward) {
        sample(unit, block);
        return;
    }
    pack(unit, &unit->run->sampled, &scratch->tile, block);
    if (unit->touches)
        spread(unit, block);
    if (unit->owns)
        slope(unit, block);
}

/* A gradient that was made where it is has not gone through a store, which makes NaN canonical. */
static void canonicalise(const struct rg_grid_unit *unit)
{
    const struct rg_grid_block pixels = rg_grid_pixels_of(unit->plan, unit->rows);
    char *const data = rg_grid_nth_pixel(unit->plan, unit->grad, pixels.first);
    if (!unit->bounded)
        unit->kernels->values->store[unit->run->input_grad.view->dtype](data, 1, data,
                                                                        pixels.count * unit->plan->lanes);
}

static void move_apart(struct rg_grid_unit *unit)
{
    const int64_t width = unit->plan->spec.in_w, n_rows = unit->touched.end - unit->touched.begin;
    unit->kernels->values->copy_far(sample_of(&unit->run->input_grad, unit->n), unit->grad,
                                    (size_t)(unit->plan->spec.in_h * width) * rg_grid_pixel_nbytes(unit->plan));
    if (n_rows > 0)
        clear_pixels(unit, unit->touched.begin * width, n_rows * width);
    unit->touched = (struct rg_share){unit->plan->spec.in_h, 0};
}

static void end(struct rg_grid_unit *unit)
{
    if (unit->plan->want_input_grad && !unit->plan->grad_copied)
        canonicalise(unit);
    if (is_apart(unit))
        move_apart(unit);
    unit->kernels->values->fence();
}

const struct rg_grid_way rg_grid_packed = {
    .word = RG_PACKED,
    .scratch_nbytes = sizeof(struct packed_scratch),
    .input_nbytes = input_nbytes,
    .grad_nbytes = grad_nbytes,
    .init = init,
    .begin = begin,
    .load = load,
    .clear = clear,
    .store = store,
    .work = work,
    .end = end,
};
