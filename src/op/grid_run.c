/*
 * Running a grid sample. A sample is done by one slot alone, or by all slots together: a team. Its
 * channels are done in groups of RG_GRID_LANES. For each group
 *
 *     prepare   the input's channels are brought side by side into a tile; every slot takes some pixels
 *     work      all blocks of points, in order: their neighbours are found, and then
 *                 sample   output:     the neighbours are blended
 *                 spread   input_grad: grad_output is added to the neighbours, in the workspace
 *                 slope    grid_grad:  grad_output * blend of the neighbours with the weights' derivatives
 *               and at the end input_grad is rounded and stored
 *
 * Every result has one owner. Blocks are shared out for output and grid_grad; for input_grad each slot
 * owns a band of rows, looks at all points, and adds those that touch its band. So each pixel adds its
 * points in the order of the grid, whatever the number of slots.
 *
 * A plan that is not tiled (few points in a large image, or few channels and another interpolation than bilinear) reads
 * the input where it is and goes through the channels of a group one by one, with the same results. Bilinear samples of
 * few channels are run by op/grid_few.c.
 */
#include <string.h>

#include "base/checked.h"
#include "op/grid_few.h"
#include "op/grid_plan.h"
#include "op/grid_values.h"
#include "rt/parallel.h"

union tile {
    _Alignas(RG_ALIGNMENT) float f32[RG_GRID_POINTS * RG_GRID_LANES];
    double f64[RG_GRID_POINTS * RG_GRID_LANES];
};

/* What one slot needs for the points that it is at. */
struct scratch {
    struct rg_grid_points points;
    union rg_grid_row x, y;
    union rg_grid_row weight[RG_GRID_NEIGHBOURS], weight_dx[RG_GRID_NEIGHBOURS], weight_dy[RG_GRID_NEIGHBOURS];
    int64_t offset[RG_GRID_NEIGHBOURS][RG_GRID_POINTS], list[RG_GRID_POINTS];
    union rg_grid_row channel[RG_GRID_LANES]; /* of grad_output, or of the output */
    union tile tile;                          /* the same, side by side */
    union rg_grid_row value[RG_GRID_NEIGHBOURS], term_x[RG_GRID_LANES], term_y[RG_GRID_LANES];
    union rg_grid_row sum_x, sum_y;
};

/* What a slot works on: a group of channels of a sample; as which one of how many; and where. */
struct unit {
    int64_t n, first, count;
    int slot, n_slots;
    struct rg_share rows, blocks; /* that are this slot's */
    struct scratch *scratch;
    char *input, *grad;     /* of the team */
    char *sum;              /* x and y of all blocks, when there are several groups */
    int64_t *lowest;        /* the lowest row that a block or a later one touches */
    struct rg_share pixels; /* of the workspace's image: made ready, but not stored yet */
};

int64_t rg_grid_slot_nbytes(const struct rg_grid_plan *plan)
{
    return rg_booked(1, sizeof(struct scratch)) + rg_booked(plan->n_blocks + 1, sizeof(int64_t));
}

/* ---- Workspace ---- */

/* Values of an image in the workspace: a pixel for outside neighbours of each slot comes last. */
static int64_t image_values(const struct rg_grid_plan *plan, int n_slots)
{
    return (plan->n_pixels + n_slots) * (plan->tiled ? RG_GRID_LANES : plan->group);
}

static int64_t input_nbytes(const struct rg_grid_plan *plan)
{
    return plan->tiled && plan->need_input ? rg_booked(image_values(plan, 1), plan->base.t_nbytes) : 0;
}

static int64_t grad_nbytes(const struct rg_grid_plan *plan, int n_slots)
{
    return plan->want_input_grad ? rg_booked(image_values(plan, n_slots), plan->base.t_nbytes) : 0;
}

/* Sums of one block are in the scratch, unless they wait for another group. */
static int64_t sum_nbytes(const struct rg_grid_plan *plan)
{
    const bool waits = plan->want_grid_grad && plan->n_groups > 1;
    return waits ? rg_booked(plan->n_blocks * 2 * RG_GRID_POINTS, plan->base.t_nbytes) : 0;
}

int64_t rg_grid_team_nbytes(const struct rg_grid_plan *plan, int n_slots)
{
    int64_t values, nbytes;
    if (!rg_add(plan->n_pixels, n_slots, &values) || !rg_mul(values, 4 * RG_GRID_LANES * sizeof(double), &nbytes) ||
        !rg_mul(plan->n_blocks, 4 * RG_GRID_POINTS * sizeof(double), &values) || !rg_add(nbytes, values, &nbytes))
        return -1;
    return input_nbytes(plan) + grad_nbytes(plan, n_slots) + sum_nbytes(plan);
}

/* The place of a slot, which does group g of sample n with n_slots - 1 others. */
static struct unit make_unit(const struct progress *progress, int slot, int n_slots)
{
    const struct rg_grid_plan *plan = progress->plan;
    char *team = progress->workspace + (size_t)plan->base.n_slots * plan->base.slot_nbytes;
    struct unit unit = {.slot = slot, .n_slots = n_slots};
    unit.scratch = (struct scratch *)(progress->workspace + (size_t)slot * plan->base.slot_nbytes);
    unit.lowest = (int64_t *)((char *)unit.scratch + rg_booked(1, sizeof(struct scratch)));
    if (n_slots == 1)
        team += slot * rg_grid_team_nbytes(plan, 1);
    unit.slot = n_slots == 1 ? 0 : slot;
    unit.rows = rg_share_units(plan->spec.in_h, n_slots, unit.slot);
    unit.blocks = rg_share_units(plan->n_blocks, n_slots, unit.slot);
    unit.input = team;
    unit.grad = unit.input + input_nbytes(plan);
    unit.sum = unit.grad + grad_nbytes(plan, n_slots);
    return unit;
}

static void set_group(const struct rg_grid_plan *plan, struct unit *unit, int64_t n, int64_t g)
{
    unit->n = n;
    unit->first = g * plan->group;
    unit->count = rg_min(plan->channels - unit->first, plan->group);
}

/* ---- Values of tensors ---- */

/* Are the channels of this tensor neighbours in memory? They are then moved pixel by pixel. */
static bool has_channels_last(const struct place *place)
{
    return place->view->stride[1] == 1;
}

static char *nth_pixel(const struct progress *progress, void *tile, int64_t p)
{
    return (char *)tile + p * RG_GRID_LANES * (int64_t)progress->plan->base.t_nbytes;
}

/* How many pixels of a stretch one call moves, and how many values these have: pixels without a gap, all channels of
 * which are the unit's, are one run of values. */
struct run {
    int64_t n_pixels, n_values;
};

static struct run run_of(const struct unit *unit, const struct plane *plane, const struct stretch *s)
{
    if (plane->stride_w == RG_GRID_LANES && unit->count == RG_GRID_LANES)
        return (struct run){s->n, s->n * RG_GRID_LANES};
    return (struct run){1, unit->count};
}

static void load_channels_last(const struct progress *progress, const struct unit *unit, const struct place *place,
                               void *tile, struct block block)
{
    const struct plane plane = channel_plane(place, unit->n, unit->first);
    for (int64_t p = 0; p < block.count;) {
        const struct stretch s = next_stretch(&plane, block.first + p, block.first + block.count);
        const struct run run = run_of(unit, &plane, &s);
        for (int64_t i = 0; i < s.n; i += run.n_pixels)
            progress->kernels->load[plane.dtype](nth_pixel(progress, tile, p + i),
                                                 s.data + i * plane.stride_w * plane.element, 1, run.n_values);
        p += s.n;
    }
}

static void store_channels_last(const struct progress *progress, const struct unit *unit, const struct place *place,
                                void *tile, struct block block)
{
    const struct plane plane = channel_plane(place, unit->n, unit->first);
    for (int64_t p = 0; p < block.count;) {
        const struct stretch s = next_stretch(&plane, block.first + p, block.first + block.count);
        const struct run run = run_of(unit, &plane, &s);
        for (int64_t i = 0; i < s.n; i += run.n_pixels)
            progress->kernels->store[plane.dtype](s.data + i * plane.stride_w * plane.element, 1,
                                                  nth_pixel(progress, tile, p + i), run.n_values);
        p += s.n;
    }
}

/* The unit's channels at a block of pixels or points, one by one. */
static void load_channels(const struct progress *progress, const struct unit *unit, const struct place *place,
                          struct block block)
{
    for (int64_t c = 0; c < unit->count; c++) {
        const struct plane plane = channel_plane(place, unit->n, unit->first + c);
        load_values(progress, &unit->scratch->channel[c], &plane, block);
    }
}

/* The same without a copy, where a block of all channels can be read as it is. */
static bool interleave_directly(const struct progress *progress, const struct unit *unit, const struct place *place,
                                void *tile, struct block block)
{
    const struct plane plane = channel_plane(place, unit->n, unit->first);
    const struct stretch s = next_stretch(&plane, block.first, block.first + block.count);
    if (unit->count != RG_GRID_LANES || plane.stride_w != 1 || s.n % RG_GRID_LANES != 0 || s.n != block.count ||
        element_of(place) != progress->plan->base.t_nbytes)
        return false;
    const int64_t stride = place->view->stride[1];
    for (int64_t c = 0; c < RG_GRID_LANES; c++) {
        const struct stretch channel = {s.data + c * stride * (int64_t)element_of(place), s.n};
        prefetch_after(&channel, element_of(place));
    }
    progress->kernels->grid_interleave(tile, s.data, stride, block.count);
    return true;
}

/* The unit's channels at a block of pixels or points, side by side. Channels that are missing are 0. */
static void load_tile(const struct progress *progress, const struct unit *unit, const struct place *place, void *tile,
                      struct block block)
{
    const size_t value = progress->plan->base.t_nbytes;
    if (has_channels_last(place)) {
        if (unit->count < RG_GRID_LANES)
            memset(tile, 0, (size_t)(block.count * RG_GRID_LANES) * value);
        load_channels_last(progress, unit, place, tile, block);
        return;
    }
    if (interleave_directly(progress, unit, place, tile, block))
        return;
    load_channels(progress, unit, place, block);
    progress->kernels->grid_interleave(tile, unit->scratch->channel, sizeof(union rg_grid_row) / value, block.count);
}

static void store_tile(const struct progress *progress, const struct unit *unit, const struct place *place, void *tile,
                       struct block block)
{
    if (has_channels_last(place)) {
        store_channels_last(progress, unit, place, tile, block);
        return;
    }
    progress->kernels->grid_part(unit->scratch->channel, tile, block.count);
    for (int64_t c = 0; c < unit->count; c++) {
        const struct plane plane = channel_plane(place, unit->n, unit->first + c);
        store_values(progress, &unit->scratch->channel[c], &plane, block);
    }
}

/* ---- Points ---- */

static void locate(const struct progress *progress, const struct unit *unit, struct block block)
{
    struct scratch *scratch = unit->scratch;
    const struct plane x = coordinate_plane(&progress->grid, unit->n, 0);
    const struct plane y = coordinate_plane(&progress->grid, unit->n, 1);
    load_values(progress, &scratch->x, &x, block);
    load_values(progress, &scratch->y, &y, block);
    progress->kernels->grid_locate(&scratch->points, &scratch->x, &scratch->y, block.count, &progress->plan->spec);
}

static int64_t n_neighbours(const struct scratch *scratch)
{
    return scratch->points.n_taps * scratch->points.n_taps;
}

/* Places the neighbours in an image of the workspace, as far as they are in these rows. */
static void place_pixels(const struct progress *progress, const struct unit *unit, struct rg_share rows, int spare)
{
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_grid_image image = {
        .stride_h = plan->spec.in_w,
        .stride_w = 1,
        .row_begin = rows.begin,
        .row_end = rows.end,
        .outside = plan->n_pixels + spare,
    };
    progress->kernels->grid_place(unit->scratch->offset, &unit->scratch->points, &image);
}

/* Places the neighbours for reading the input: in the tile, or in the tensor. */
static void place_input(const struct progress *progress, const struct unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    if (plan->tiled) {
        place_pixels(progress, unit, (struct rg_share){0, plan->spec.in_h}, 0);
        return;
    }
    const struct rg_grid_image image = {
        .stride_h = progress->input.view->stride[2],
        .stride_w = progress->input.view->stride[3],
        .low = plan->input_low,
        .row_end = plan->spec.in_h,
        .outside = -1,
    };
    progress->kernels->grid_place(unit->scratch->offset, &unit->scratch->points, &image);
}

/* The values of all neighbours in channel c of the unit, from the tensor. */
static void fetch_values(const struct progress *progress, const struct unit *unit, int64_t c, int64_t count)
{
    struct scratch *scratch = unit->scratch;
    const struct plane plane = channel_plane(&progress->input, unit->n, unit->first + c);
    const char *low = plane.data + progress->plan->input_low * (int64_t)element_of(&progress->input);
    for (int64_t k = 0; k < n_neighbours(scratch); k++)
        progress->kernels->fetch[plane.dtype](&scratch->value[k], low, scratch->offset[k], count);
}

/* ---- sample ---- */

static void sample_tile(const struct progress *progress, const struct unit *unit, struct block block)
{
    struct scratch *scratch = unit->scratch;
    progress->kernels->grid_sample(&scratch->tile, unit->input, (const int64_t(*)[RG_GRID_POINTS])scratch->offset,
                                   scratch->weight, n_neighbours(scratch), block.count);
    store_tile(progress, unit, &progress->sampled, &scratch->tile, block);
}

static void sample_planes(const struct progress *progress, const struct unit *unit, struct block block)
{
    struct scratch *scratch = unit->scratch;
    for (int64_t c = 0; c < unit->count; c++) {
        const struct plane plane = channel_plane(&progress->sampled, unit->n, unit->first + c);
        fetch_values(progress, unit, c, block.count);
        progress->kernels->grid_blend(&scratch->channel[c], scratch->weight, scratch->value, n_neighbours(scratch),
                                      block.count);
        store_values(progress, &scratch->channel[c], &plane, block);
    }
}

static void sample_block(const struct progress *progress, const struct unit *unit, struct block block)
{
    struct scratch *scratch = unit->scratch;
    const struct rg_grid_points *points = &scratch->points;
    progress->kernels->grid_weigh(scratch->weight, points->y.weight, points->x.weight, points->n_taps);
    place_input(progress, unit);
    if (progress->plan->tiled)
        sample_tile(progress, unit, block);
    else
        sample_planes(progress, unit, block);
}

/* ---- spread ---- */

static char *grad_plane(const struct progress *progress, const struct unit *unit, int64_t c)
{
    const struct rg_grid_plan *plan = progress->plan;
    return unit->grad + c * (plan->n_pixels + unit->n_slots) * (int64_t)plan->base.t_nbytes;
}

static void spread(const struct progress *progress, const struct unit *unit, int64_t n_listed)
{
    struct scratch *scratch = unit->scratch;
    const struct rg_grid_points *points = &scratch->points;
    const int64_t(*offset)[RG_GRID_POINTS] = (const int64_t(*)[RG_GRID_POINTS])scratch->offset;
    progress->kernels->grid_weigh(scratch->weight, points->y.weight, points->x.weight, points->n_taps);
    place_pixels(progress, unit, unit->rows, unit->slot);
    if (progress->plan->tiled) {
        progress->kernels->grid_spread(unit->grad, offset, scratch->weight, &scratch->tile, n_neighbours(scratch),
                                       scratch->list, n_listed);
        return;
    }
    for (int64_t c = 0; c < unit->count; c++)
        progress->kernels->grid_scatter(grad_plane(progress, unit, c), offset, scratch->weight, &scratch->channel[c],
                                        n_neighbours(scratch), scratch->list, n_listed);
}

/* n values of each of the unit's planes, or of its tile, from pixel `first` on. */
static void clear_pixels(const struct progress *progress, const struct unit *unit, int64_t first, int64_t n)
{
    const int64_t value = (int64_t)progress->plan->base.t_nbytes;
    if (progress->plan->tiled)
        memset(nth_pixel(progress, unit->grad, first), 0, (size_t)(n * RG_GRID_LANES * value));
    else
        for (int64_t c = 0; c < unit->count; c++)
            memset(grad_plane(progress, unit, c) + first * value, 0, (size_t)(n * value));
}

/* From the unit's tile; through a copy at the end of its band, for storing looks at whole RG_GRID_LANES pixels, and
 * those of the next band are another slot's. */
static void store_pixels(const struct progress *progress, const struct unit *unit, struct block block)
{
    char *from = nth_pixel(progress, unit->grad, block.first);
    if (block.count % RG_GRID_LANES != 0)
        from =
            memcpy(&unit->scratch->tile, from, (size_t)(block.count * RG_GRID_LANES) * progress->plan->base.t_nbytes);
    store_tile(progress, unit, &progress->input_grad, from, block);
}

static void store_planes(const struct progress *progress, const struct unit *unit, struct block block)
{
    for (int64_t c = 0; c < unit->count; c++) {
        const struct plane plane = channel_plane(&progress->input_grad, unit->n, unit->first + c);
        store_values(progress, grad_plane(progress, unit, c) + block.first * (int64_t)progress->plan->base.t_nbytes,
                     &plane, block);
    }
}

/* ---- slope ---- */

/* Where the sums of block b are: a row for x, and one for y. */
struct sums {
    char *x, *y;
};

static struct sums sums_of(const struct progress *progress, const struct unit *unit, int64_t b)
{
    const int64_t row = RG_GRID_POINTS * (int64_t)progress->plan->base.t_nbytes;
    if (progress->plan->n_groups > 1)
        return (struct sums){unit->sum + 2 * b * row, unit->sum + (2 * b + 1) * row};
    return (struct sums){(char *)&unit->scratch->sum_x, (char *)&unit->scratch->sum_y};
}

static void add_planes(const struct progress *progress, const struct unit *unit, struct sums sums, int64_t count)
{
    const struct rg_kernels *kernels = progress->kernels;
    struct scratch *scratch = unit->scratch;
    union rg_grid_row *blend = &scratch->x; /* no longer needed */
    for (int64_t c = 0; c < unit->count; c++) {
        fetch_values(progress, unit, c, count);
        kernels->grid_blend(blend, scratch->weight_dx, scratch->value, n_neighbours(scratch), count);
        kernels->grid_multiply(&scratch->term_x[c], &scratch->channel[c], blend);
        kernels->grid_blend(blend, scratch->weight_dy, scratch->value, n_neighbours(scratch), count);
        kernels->grid_multiply(&scratch->term_y[c], &scratch->channel[c], blend);
    }
    kernels->grid_fold(sums.x, scratch->term_x, unit->count);
    kernels->grid_fold(sums.y, scratch->term_y, unit->count);
}

/* Adds what the unit's channels give to the slopes of a block. */
static void add_slopes(const struct progress *progress, const struct unit *unit, struct sums sums, struct block block)
{
    struct scratch *scratch = unit->scratch;
    const struct rg_kernels *kernels = progress->kernels;
    const struct rg_grid_points *points = &scratch->points;
    const int64_t(*offset)[RG_GRID_POINTS] = (const int64_t(*)[RG_GRID_POINTS])scratch->offset;
    kernels->grid_weigh(scratch->weight_dx, points->y.weight, points->x.derivative, points->n_taps);
    kernels->grid_weigh(scratch->weight_dy, points->y.derivative, points->x.weight, points->n_taps);
    place_input(progress, unit);
    if (!progress->plan->tiled) {
        add_planes(progress, unit, sums, block.count);
        return;
    }
    kernels->grid_slope(sums.x, sums.y, unit->input, offset, scratch->weight_dx, scratch->weight_dy, &scratch->tile,
                        n_neighbours(scratch), block.count);
}

/* The sums times d pixel / d coordinate; exactly 0 for a point that touches nothing. */
static void store_slopes(const struct progress *progress, const struct unit *unit, struct sums sums, struct block block)
{
    const struct rg_grid_points *points = &unit->scratch->points;
    const struct plane x = coordinate_plane(&progress->grid_grad, unit->n, 0);
    const struct plane y = coordinate_plane(&progress->grid_grad, unit->n, 1);
    if (progress->plan->need_input && unit->count > 0) { /* else they are 0, and stay it */
        progress->kernels->grid_finish(sums.x, &points->x.slope, points);
        progress->kernels->grid_finish(sums.y, &points->y.slope, points);
    }
    store_values(progress, sums.x, &x, block);
    store_values(progress, sums.y, &y, block);
}

static void slope(const struct progress *progress, const struct unit *unit, int64_t b, struct block block)
{
    const struct sums sums = sums_of(progress, unit, b);
    const size_t row = RG_GRID_POINTS * progress->plan->base.t_nbytes;
    if (unit->first == 0) {
        memset(sums.x, 0, row);
        memset(sums.y, 0, row);
    }
    if (progress->plan->need_input)
        add_slopes(progress, unit, sums, block);
    if (unit->first + unit->count == progress->plan->channels)
        store_slopes(progress, unit, sums, block);
}

/* ---- A unit ---- */

static void load_grads(const struct progress *progress, const struct unit *unit, struct block block)
{
    if (progress->plan->tiled) {
        load_tile(progress, unit, &progress->sampled, &unit->scratch->tile, block);
        return;
    }
    load_channels(progress, unit, &progress->sampled, block);
}

static void differentiate_block(const struct progress *progress, const struct unit *unit, int64_t b, struct block block)
{
    const struct rg_grid_plan *plan = progress->plan;
    const bool own = plan->want_grid_grad && b >= unit->blocks.begin && b < unit->blocks.end;
    const int64_t n_listed = plan->want_input_grad
                                 ? progress->kernels->grid_list(unit->scratch->list, &unit->scratch->points,
                                                                block.count, unit->rows.begin, unit->rows.end)
                                 : 0;
    if (n_listed == 0 && !own)
        return;
    load_grads(progress, unit, block);
    if (n_listed > 0)
        spread(progress, unit, n_listed);
    if (own)
        slope(progress, unit, b, block);
}

static bool has_tile(const struct rg_grid_plan *plan)
{
    return plan->tiled && plan->need_input;
}

/* Brings these blocks of the input's pixels into the tile. */
static void fill_tile(const struct progress *progress, const struct unit *unit, int64_t begin, int64_t end)
{
    const int64_t n_values = progress->plan->spec.in_h * progress->plan->spec.in_w;
    for (int64_t b = begin; b < end; b++)
        load_tile(progress, unit, &progress->input, nth_pixel(progress, unit->input, b * RG_GRID_POINTS),
                  nth_block(b, n_values));
}

/* The tile's pixel for neighbours outside of the image. */
static void clear_outside(const struct progress *progress, const struct unit *unit)
{
    memset(nth_pixel(progress, unit->input, progress->plan->n_pixels), 0,
           RG_GRID_LANES * progress->plan->base.t_nbytes);
}

/* Brings this slot's part of the input into the tile that all use. */
static void prepare(const struct progress *progress, const struct unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_share share =
        rg_share_units(blocks_of(plan->spec.in_h * plan->spec.in_w), unit->n_slots, unit->slot);
    memset(unit->scratch->channel, 0, sizeof unit->scratch->channel);
    fill_tile(progress, unit, share.begin, share.end);
    if (unit->slot == 0)
        clear_outside(progress, unit);
}

/*
 * The window. A slot need not make its whole image ready before the first point, nor keep all of it
 * until the last: where points go through the image in order, a few rows at a time are enough, and those
 * stay in the cache.
 */

/* Finds for each block the lowest row that it or a later one touches. */
static void find_lowest(const struct progress *progress, const struct unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    struct scratch *scratch = unit->scratch;
    const struct plane y = coordinate_plane(&progress->grid, unit->n, 1);
    unit->lowest[plan->n_blocks] = plan->spec.in_h;
    for (int64_t b = plan->n_blocks - 1; b >= 0; b--) {
        const struct block block = nth_block(b, plan->n_points);
        int64_t low, high;
        load_values(progress, &scratch->y, &y, block);
        progress->kernels->grid_locate(&scratch->points, NULL, &scratch->y, block.count, &plan->spec);
        progress->kernels->grid_rows(&scratch->points, &low, &high);
        unit->lowest[b] = rg_min(low, unit->lowest[b + 1]);
    }
}

/* One more than the highest row that the points in the scratch touch. */
static int64_t end_of_rows(const struct progress *progress, const struct unit *unit)
{
    int64_t low, high;
    progress->kernels->grid_rows(&unit->scratch->points, &low, &high);
    return high + 1;
}

/* Opens the window up to this row: clears the gradient's pixels, and fetches the input's unless all slots did so. */
static void open_rows(const struct progress *progress, struct unit *unit, int64_t row)
{
    const struct rg_grid_plan *plan = progress->plan;
    const int64_t begin = unit->pixels.end, end = rg_min(row, unit->rows.end) * plan->spec.in_w;
    if (end <= begin)
        return;
    if (plan->want_input_grad)
        clear_pixels(progress, unit, begin, end - begin);
    if (has_tile(plan) && unit->n_slots == 1)
        fill_tile(progress, unit, blocks_of(begin), blocks_of(end));
    unit->pixels.end = end;
}

/* Closes the window up to this row: stores the gradient's pixels, as far as they make whole blocks. */
static void close_rows(const struct progress *progress, struct unit *unit, int64_t row)
{
    const struct rg_grid_plan *plan = progress->plan;
    const bool last = row >= unit->rows.end;
    const int64_t end = rg_min(row * plan->spec.in_w, unit->pixels.end);
    while (unit->pixels.begin < end) {
        const struct block block = {unit->pixels.begin, rg_min(end - unit->pixels.begin, RG_GRID_POINTS)};
        if (block.count < RG_GRID_POINTS && !last)
            return;
        store_pixels(progress, unit, block);
        unit->pixels.begin += block.count;
    }
}

/* ---- A unit ---- */

static void begin_work(const struct progress *progress, struct unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    unit->pixels = (struct rg_share){unit->rows.begin * plan->spec.in_w, unit->rows.begin * plan->spec.in_w};
    memset(unit->scratch->channel, 0, sizeof unit->scratch->channel);
    if (plan->want_input_grad)
        clear_pixels(progress, unit, plan->n_pixels + unit->slot, 1);
    if (has_tile(plan) && unit->n_slots == 1)
        clear_outside(progress, unit);
    if (!plan->tiled)
        open_rows(progress, unit, plan->spec.in_h);
    else if (plan->want_input_grad && unit->first == 0)
        find_lowest(progress, unit);
}

static void end_work(const struct progress *progress, struct unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    const int64_t begin = unit->pixels.begin;
    if (!plan->want_input_grad)
        return;
    open_rows(progress, unit, plan->spec.in_h);
    if (plan->tiled)
        close_rows(progress, unit, plan->spec.in_h);
    else
        store_planes(progress, unit, (struct block){begin, unit->pixels.end - begin});
}

static void work(const struct progress *progress, struct unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_share all = {0, plan->n_blocks}, share = plan->want_input_grad ? all : unit->blocks;
    begin_work(progress, unit);
    for (int64_t b = share.begin; b < share.end; b++) {
        const struct block block = nth_block(b, plan->n_points);
        locate(progress, unit, block);
        if (plan->tiled)
            open_rows(progress, unit, end_of_rows(progress, unit));
        if (plan->forward)
            sample_block(progress, unit, block);
        else
            differentiate_block(progress, unit, b, block);
        if (plan->tiled && plan->want_input_grad)
            close_rows(progress, unit, unit->lowest[b + 1]);
    }
    end_work(progress, unit);
}

/* ---- The run ---- */

static void alone_slot(void *context, int slot)
{
    const struct progress *progress = context;
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_share share = rg_share_units(plan->n_alone, plan->base.n_slots, slot);
    struct unit unit = make_unit(progress, slot, 1);
    for (int64_t n = share.begin; n < share.end; n++)
        for (int64_t g = 0; g < plan->n_groups; g++) {
            set_group(plan, &unit, n, g);
            if (has_tile(plan))
                prepare(progress, &unit);
            work(progress, &unit);
        }
}

/* One group, done by all slots. */
struct common {
    const struct progress *progress;
    int64_t n, g;
};

static struct unit common_unit(const struct common *common, int slot)
{
    struct unit unit = make_unit(common->progress, slot, common->progress->plan->base.n_slots);
    set_group(common->progress->plan, &unit, common->n, common->g);
    return unit;
}

static void prepare_slot(void *context, int slot)
{
    const struct common *common = context;
    const struct unit unit = common_unit(common, slot);
    prepare(common->progress, &unit);
}

static void work_slot(void *context, int slot)
{
    const struct common *common = context;
    struct unit unit = common_unit(common, slot);
    work(common->progress, &unit);
}

static void run_all(const struct progress *progress)
{
    const struct rg_grid_plan *plan = progress->plan;
    if (plan->few_lanes > 0) {
        rg_few_run(progress);
        return;
    }
    if (plan->n_alone > 0)
        rg_parallel(plan->base.n_slots, alone_slot, (void *)progress);
    for (int64_t n = plan->n_alone; n < plan->n; n++)
        for (int64_t g = 0; g < plan->n_groups; g++) {
            struct common common = {progress, n, g};
            if (has_tile(plan))
                rg_parallel(plan->base.n_slots, prepare_slot, &common);
            rg_parallel(plan->base.n_slots, work_slot, &common);
        }
}

/* Inputs are only read; the cast lets one struct serve both. */
static struct place place_of(const struct rg_operand *operand, const void *data)
{
    return (struct place){&operand->view, data == NULL ? NULL : (char *)data + rg_first_nbytes(&operand->view)};
}

void rg_grid_run_forward(const regrad_plan *base, const struct rg_run *run)
{
    const struct progress progress = {
        .plan = (const struct rg_grid_plan *)base,
        .kernels = base->kernels,
        .input = place_of(&base->input[0], run->input[0]),
        .grid = place_of(&base->input[1], run->input[1]),
        .sampled = place_of(&base->output[0], run->output[0]),
        .workspace = run->workspace,
    };
    run_all(&progress);
}

void rg_grid_run_backward(const regrad_plan *base, const struct rg_run *run)
{
    const struct progress progress = {
        .plan = (const struct rg_grid_plan *)base,
        .kernels = base->kernels,
        .sampled = place_of(&base->input[0], run->input[0]),
        .input = place_of(&base->input[1], run->input[1]),
        .grid = place_of(&base->input[2], run->input[2]),
        .input_grad = place_of(&base->output[0], run->output[0]),
        .grid_grad = place_of(&base->output[1], run->output[1]),
        .workspace = run->workspace,
    };
    run_all(&progress);
}
