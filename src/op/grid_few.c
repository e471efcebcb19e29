#include "op/grid_few.h"

#include <float.h>
#include <string.h>

#include "rt/parallel.h"

union few_tile {
    _Alignas(RG_ALIGNMENT) float f32[RG_GRID_POINTS * RG_FEW_LANES];
    double f64[RG_GRID_POINTS * RG_FEW_LANES];
};

/* What one slot needs for the points that it is at. */
struct few_scratch {
    struct rg_few_points points;
    int32_t place[RG_GRID_POINTS];
    union rg_grid_row x, y;
    union rg_grid_row xy[2];                 /* values of both, in turns */
    union rg_grid_row channel[RG_FEW_LANES]; /* those that are missing stay 0, */
    union few_tile tile;                     /* here too */
    int64_t span;                            /* the most rows that are in use at a time */
};

/* What a slot works on: a sample; as which one of how many; and where. */
struct few_unit {
    int64_t n;
    int slot, n_slots;
    struct rg_share rows, blocks; /* that are this slot's */
    struct rg_share view;         /* rows that are opened: in rings also those that only the input is needed of */
    struct few_scratch *scratch;
    char *input, *grad;     /* pictures */
    int32_t *low, *high;    /* of the team: rows that hold all that a block touches */
    int32_t *lowest;        /* the lowest row that a block or a later one touches */
    struct rg_share pixels; /* of the pictures: made ready, but not stored yet */
    int32_t mask;           /* see struct rg_few_window */
    bool placed;            /* the points' places are those in the unit's rows */
    bool bounded;           /* no sum of what was spread can overflow, so none is NaN */
};

/* ---- Planning ---- */

/* Is a tensor laid out as a picture? */
static bool is_picture(const struct rg_grid_plan *plan, const regrad_tensor *view)
{
    const int64_t lanes = plan->few_lanes, width = view->shape[3];
    return regrad_dtype_size(view->dtype) == plan->base.t_nbytes && plan->channels == lanes &&
           (lanes == 1 || view->stride[1] == 1) && (width == 1 || view->stride[3] == lanes) &&
           (view->shape[2] == 1 || view->stride[2] == width * lanes);
}

/* An image with more pixels than this for each point is not worth copying. */
enum { PIXELS_PER_POINT = 8 };

/* Places of pixels must fit in 32 bits. */
enum { MOST_PIXELS = 1 << 30 };

void rg_few_choose(struct rg_grid_plan *plan, const regrad_tensor *input, const regrad_tensor *input_grad)
{
    const struct rg_grid_spec *spec = &plan->spec;
    if (spec->interpolation != REGRAD_BILINEAR || plan->channels < 1 || plan->channels > RG_FEW_LANES ||
        spec->in_h > RG_FEW_PIXELS || spec->in_w > RG_FEW_PIXELS || spec->in_h * spec->in_w > MOST_PIXELS)
        return;
    plan->few_lanes = plan->channels == 1 ? 1 : plan->channels <= 4 ? 4 : 8;
    plan->input_there = is_picture(plan, input);
    plan->grad_there = plan->want_input_grad && is_picture(plan, input_grad);
    if (plan->need_input && !plan->input_there && spec->in_h * spec->in_w / PIXELS_PER_POINT > plan->n_points)
        plan->few_lanes = 0;
}

int64_t rg_few_slot_nbytes(const struct rg_grid_plan *plan)
{
    return rg_booked(1, sizeof(struct few_scratch)) + rg_booked(plan->n_blocks + 1, sizeof(int32_t));
}

static int64_t picture_nbytes(const struct rg_grid_plan *plan)
{
    return rg_booked(plan->n_pixels * plan->few_lanes, plan->base.t_nbytes);
}

static int64_t input_nbytes(const struct rg_grid_plan *plan)
{
    return plan->need_input && !plan->input_there ? picture_nbytes(plan) : 0;
}

static int64_t grad_nbytes(const struct rg_grid_plan *plan)
{
    return plan->want_input_grad && !plan->grad_there ? picture_nbytes(plan) : 0;
}

int64_t rg_few_team_nbytes(const struct rg_grid_plan *plan)
{
    return input_nbytes(plan) + grad_nbytes(plan) + 2 * rg_booked(plan->n_blocks, sizeof(int32_t));
}

/* ---- Places ---- */

/* The place of a slot, which does samples with n_slots - 1 others. */
static struct few_unit make_unit(const struct rg_grid_progress *progress, int slot, int n_slots)
{
    const struct rg_grid_plan *plan = progress->plan;
    char *own = progress->workspace + (size_t)slot * plan->base.slot_nbytes;
    char *team = progress->workspace + (size_t)plan->base.n_slots * plan->base.slot_nbytes;
    struct few_unit unit = {.slot = n_slots == 1 ? 0 : slot, .n_slots = n_slots, .mask = INT32_MAX};
    if (n_slots == 1)
        team += slot * rg_few_team_nbytes(plan);
    unit.scratch = rg_grant(&own, 1, sizeof(struct few_scratch));
    unit.lowest = rg_grant(&own, plan->n_blocks + 1, sizeof(int32_t));
    unit.low = rg_grant(&team, plan->n_blocks, sizeof(int32_t));
    unit.high = rg_grant(&team, plan->n_blocks, sizeof(int32_t));
    unit.input = team;
    unit.grad = team + input_nbytes(plan);
    unit.rows = unit.view = rg_share_units(plan->spec.in_h, n_slots, unit.slot);
    unit.blocks = rg_share_units(plan->n_blocks, n_slots, unit.slot);
    memset(unit.scratch->channel, 0, sizeof unit.scratch->channel);
    memset(&unit.scratch->tile, 0, sizeof unit.scratch->tile);
    return unit;
}

static char *sample_of(const struct rg_grid_place *place, int64_t n)
{
    return place->data + n * place->view->stride[0] * (int64_t)rg_grid_element_of(place);
}

static void set_sample(const struct rg_grid_progress *progress, struct few_unit *unit, int64_t n)
{
    const struct rg_grid_plan *plan = progress->plan;
    unit->n = n;
    if (plan->need_input && plan->input_there)
        unit->input = sample_of(&progress->input, n);
    if (plan->grad_there)
        unit->grad = sample_of(&progress->input_grad, n);
}

static char *nth_pixel(const struct rg_grid_progress *progress, char *picture, int64_t p)
{
    return picture + p * progress->plan->few_lanes * (int64_t)progress->plan->base.t_nbytes;
}

/* ---- Values ---- */

enum { FAR_NBYTES = 4 << 20 };

/* May `count` values of all channels be moved as they are? A plane that is one row is. */
static bool is_plain(const struct rg_grid_progress *progress, const struct rg_grid_place *place,
                     const struct rg_grid_plane *plane)
{
    return rg_grid_element_of(place) == progress->plan->base.t_nbytes && plane->stride_w == 1 &&
           plane->width == place->view->shape[2] * place->view->shape[3];
}

static struct rg_grid_block head_of(struct rg_grid_block block)
{
    return (struct rg_grid_block){block.first, block.count / RG_GRID_LANES * RG_GRID_LANES};
}

/* Is a result so large that it is not in the caches any more when it is looked at? */
static bool is_far(const struct rg_grid_place *place)
{
    const int64_t *const shape = place->view->shape;
    return (double)shape[0] * (double)shape[1] * (double)shape[2] * (double)shape[3] *
               (double)rg_grid_element_of(place) >=
           FAR_NBYTES;
}

/* The first RG_GRID_POINTS of a block. */
static struct rg_grid_block next_block(struct rg_grid_block block)
{
    return (struct rg_grid_block){block.first, rg_min(block.count, RG_GRID_POINTS)};
}

static struct rg_grid_block rest_of(struct rg_grid_block block, int64_t n)
{
    return (struct rg_grid_block){block.first + n, block.count - n};
}

/* Several channels at up to RG_GRID_POINTS pixels or points, side by side. */
static void interleave(const struct rg_grid_progress *progress, const struct few_unit *unit,
                       const struct rg_grid_place *place, void *tile, struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = progress->plan;
    for (int64_t c = 0; c < plan->channels; c++) {
        const struct rg_grid_plane plane = rg_grid_channel_plane(place, unit->n, c);
        rg_grid_load_values(progress, &unit->scratch->channel[c], &plane, block);
    }
    progress->kernels->few_interleave(tile, plan->few_lanes, unit->scratch->channel,
                                      sizeof(union rg_grid_row) / plan->base.t_nbytes, plan->channels, block.count);
}

/* What comes after a stretch is wanted next. */
static void prefetch_after(const struct rg_grid_stretch *s, size_t element)
{
    const uintptr_t next = (uintptr_t)s->data + (size_t)s->n * element;
    for (size_t k = 0; k < (size_t)s->n * element; k += RG_ALIGNMENT)
        __builtin_prefetch((const void *)(next + k), 0, 2);
}

/* All channels at pixels or points, side by side. tile has room for whole RG_GRID_LANES of them. */
static void load_tile(const struct rg_grid_progress *progress, const struct few_unit *unit,
                      const struct rg_grid_place *place, char *tile, struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_grid_plane plane = rg_grid_channel_plane(place, unit->n, 0);
    int64_t done = 0;
    if (plan->few_lanes == 1) {
        const struct rg_grid_stretch s = rg_grid_next_stretch(&plane, block.first, block.first + block.count);
        if (plane.stride_w == 1 && s.n <= RG_GRID_POINTS)
            prefetch_after(&s, (size_t)plane.element);
        rg_grid_load_values(progress, tile, &plane, block);
        return;
    }
    if (is_plain(progress, place, &plane)) {
        done = head_of(block).count;
        progress->kernels->few_interleave(tile, plan->few_lanes, plane.data + block.first * plane.element,
                                          place->view->stride[1], plan->channels, done);
    }
    for (; done < block.count; done += RG_GRID_POINTS)
        interleave(progress, unit, place, nth_pixel(progress, tile, done), next_block(rest_of(block, done)));
}

static void part(const struct rg_grid_progress *progress, const struct few_unit *unit,
                 const struct rg_grid_place *place, const void *tile, struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = progress->plan;
    progress->kernels->few_part(unit->scratch->channel, sizeof(union rg_grid_row) / plan->base.t_nbytes, plan->channels,
                                tile, plan->few_lanes, block.count, false);
    for (int64_t c = 0; c < plan->channels; c++) {
        const struct rg_grid_plane plane = rg_grid_channel_plane(place, unit->n, c);
        rg_grid_store_values(progress, &unit->scratch->channel[c], &plane, block);
    }
}

/* The other way. */
static void store_tile(const struct rg_grid_progress *progress, const struct few_unit *unit,
                       const struct rg_grid_place *place, char *tile, struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_grid_plane plane = rg_grid_channel_plane(place, unit->n, 0);
    int64_t done = 0;
    if (plan->few_lanes == 1) {
        rg_grid_store_values(progress, tile, &plane, block);
        return;
    }
    if (is_plain(progress, place, &plane)) {
        done = head_of(block).count;
        progress->kernels->few_part(plane.data + block.first * plane.element, place->view->stride[1], plan->channels,
                                    tile, plan->few_lanes, done, is_far(place));
    }
    for (; done < block.count; done += RG_GRID_POINTS)
        part(progress, unit, place, nth_pixel(progress, tile, done), next_block(rest_of(block, done)));
}

/* Are x and y of the points neighbours in memory, and the points too? Both are then moved together. */
static bool has_pairs(const struct rg_grid_place *place)
{
    return place->view->stride[3] == 1 && (place->view->shape[2] == 1 || place->view->stride[2] == 2);
}

static struct rg_grid_plane pair_plane(const struct rg_grid_place *place, int64_t n)
{
    const regrad_tensor *view = place->view;
    return rg_grid_make_plane(sample_of(place, n), view->dtype, view->shape[1], 2 * view->shape[2], view->stride[1], 1);
}

static void load_points(const struct rg_grid_progress *progress, const struct few_unit *unit,
                        struct rg_grid_block block)
{
    rg_grid_load_coordinates(progress, unit->n, block, &unit->scratch->x, &unit->scratch->y);
}

/* Where the slopes of a block can be put as they are, or NULL. */
static char *find_slopes(const struct rg_grid_progress *progress, const struct few_unit *unit,
                         struct rg_grid_block block)
{
    if (!has_pairs(&progress->grid_grad) || block.count % RG_GRID_LANES != 0)
        return NULL;
    const struct rg_grid_plane pairs = pair_plane(&progress->grid_grad, unit->n);
    const struct rg_grid_stretch s = rg_grid_next_stretch(&pairs, 2 * block.first, 2 * (block.first + block.count));
    return pairs.element == (int64_t)progress->plan->base.t_nbytes && s.n == 2 * block.count ? s.data : NULL;
}

static void store_slopes(const struct rg_grid_progress *progress, const struct few_unit *unit,
                         struct rg_grid_block block)
{
    struct few_scratch *scratch = unit->scratch;
    if (has_pairs(&progress->grid_grad)) {
        const struct rg_grid_plane pairs = pair_plane(&progress->grid_grad, unit->n);
        rg_grid_store_values(progress, scratch->xy, &pairs, (struct rg_grid_block){2 * block.first, 2 * block.count});
        return;
    }
    const struct rg_grid_plane x = rg_grid_coordinate_plane(&progress->grid_grad, unit->n, 0);
    const struct rg_grid_plane y = rg_grid_coordinate_plane(&progress->grid_grad, unit->n, 1);
    const regrad_dtype own = rg_plan_own_dtype(&progress->plan->base);
    progress->kernels->split[own](&scratch->x, &scratch->y, scratch->xy, block.count);
    rg_grid_store_values(progress, &scratch->x, &x, block);
    rg_grid_store_values(progress, &scratch->y, &y, block);
}

/* ---- Rows ---- */

/* Only y is needed, but where both come together both are loaded. */
static void find_range(const struct rg_grid_progress *progress, const struct few_unit *unit, int64_t b, char *least,
                       char *greatest)
{
    const struct rg_grid_block block = rg_grid_nth_block(b, progress->plan->n_points);
    load_points(progress, unit, block);
    progress->kernels->few_range(least, greatest, &unit->scratch->y, block.count);
}

/* Finds the rows that these blocks may touch. */
static void find_rows(const struct rg_grid_progress *progress, const struct few_unit *unit, struct rg_share blocks)
{
    const struct rg_grid_plan *plan = progress->plan;
    const int64_t value = (int64_t)plan->base.t_nbytes;
    union rg_grid_row least, greatest;
    for (int64_t first = blocks.begin; first < blocks.end; first += RG_GRID_POINTS) {
        const int64_t n = rg_min(blocks.end - first, RG_GRID_POINTS);
        for (int64_t i = 0; i < n; i++)
            find_range(progress, unit, first + i, (char *)&least + i * value, (char *)&greatest + i * value);
        progress->kernels->few_rows(unit->low + first, unit->high + first, &least, &greatest, n, &plan->spec);
    }
}

static bool has_input_copy(const struct rg_grid_plan *plan)
{
    return plan->need_input && !plan->input_there;
}

static bool has_grad_copy(const struct rg_grid_plan *plan)
{
    return plan->want_input_grad && !plan->grad_there;
}

/* Must rows be known before the work? */
static bool needs_rows(const struct rg_grid_plan *plan, int n_slots)
{
    return has_input_copy(plan) || has_grad_copy(plan) || (n_slots > 1 && plan->want_input_grad);
}

/* Is block b the slot's, for results with a value for each point? */
static bool owns(const struct rg_grid_plan *plan, const struct few_unit *unit, int64_t b)
{
    return (plan->forward || plan->want_grid_grad) && b >= unit->blocks.begin && b < unit->blocks.end;
}

/* Are any of block b's points to be added to the slot's rows? */
static bool touches(const struct rg_grid_plan *plan, const struct few_unit *unit, int64_t b)
{
    if (!plan->want_input_grad || !needs_rows(plan, unit->n_slots))
        return plan->want_input_grad;
    return unit->high[b] >= unit->rows.begin && unit->low[b] < unit->rows.end;
}

static void find_lowest(const struct rg_grid_plan *plan, const struct few_unit *unit)
{
    unit->lowest[plan->n_blocks] = (int32_t)plan->spec.in_h;
    for (int64_t b = plan->n_blocks - 1; b >= 0; b--) {
        const bool counts = owns(plan, unit, b) || touches(plan, unit, b);
        unit->lowest[b] = (int32_t)rg_min(counts ? unit->low[b] : INT32_MAX, unit->lowest[b + 1]);
    }
}

/* Pixel p of a sample in a picture, and how many follow there, up to n. */
static char *find_pixels(const struct rg_grid_progress *progress, const struct few_unit *unit, char *picture, int64_t p,
                         int64_t *n)
{
    const int64_t all = ((int64_t)unit->mask + 1) * progress->plan->spec.in_w, at = p < all ? p : p % all;
    *n = rg_min(*n, all - at);
    return nth_pixel(progress, picture, at);
}

static void fill_input(const struct rg_grid_progress *progress, const struct few_unit *unit, int64_t begin, int64_t end)
{
    for (int64_t p = begin, n; p < end; p += n) {
        n = end - p;
        char *const to = find_pixels(progress, unit, unit->input, p, &n);
        load_tile(progress, unit, &progress->input, to, (struct rg_grid_block){p, n});
    }
}

static void clear_grad(const struct rg_grid_progress *progress, const struct few_unit *unit, int64_t begin, int64_t end)
{
    for (int64_t p = begin, n; p < end; p += n) {
        n = end - p;
        char *const to = find_pixels(progress, unit, unit->grad, p, &n);
        memset(to, 0, (size_t)(n * progress->plan->few_lanes) * progress->plan->base.t_nbytes);
    }
}

static void store_grad(const struct rg_grid_progress *progress, const struct few_unit *unit, int64_t begin, int64_t end)
{
    for (int64_t p = begin, n; p < end; p += n) {
        n = end - p;
        char *const from = find_pixels(progress, unit, unit->grad, p, &n);
        store_tile(progress, unit, &progress->input_grad, from, (struct rg_grid_block){p, n});
    }
}

/* The pixels of so many blocks, as far as there are. */
static int64_t pixels_of(const struct rg_grid_plan *plan, int64_t n_blocks)
{
    return rg_min(n_blocks * RG_GRID_POINTS, plan->spec.in_h * plan->spec.in_w);
}

/* The first pixel of the block after that of pixel p. */
static int64_t block_after(int64_t p)
{
    return (p / RG_GRID_POINTS + 1) * RG_GRID_POINTS;
}

/* Does no other slot see the input's picture? */
static bool has_own_input(const struct few_unit *unit)
{
    return unit->n_slots == 1 || unit->mask != INT32_MAX;
}

/* Opens the pictures up to this row: clears the gradient, and fetches the input unless all slots did so. */
static void open_rows(const struct rg_grid_progress *progress, struct few_unit *unit, int64_t row)
{
    const struct rg_grid_plan *plan = progress->plan;
    const int64_t begin = unit->pixels.end, end = rg_min(row, unit->view.end) * plan->spec.in_w;
    if (end <= begin)
        return;
    if (plan->want_input_grad)
        clear_grad(progress, unit, begin, end);
    if (has_input_copy(plan) && has_own_input(unit))
        fill_input(progress, unit, pixels_of(plan, rg_grid_blocks_of(begin)), pixels_of(plan, rg_grid_blocks_of(end)));
    unit->pixels.end = end;
}

/* Stores pixels of one block through a copy, for whole RG_GRID_LANES pixels are looked at, and those of the next band
 * are another slot's. */
static void store_part(const struct rg_grid_progress *progress, const struct few_unit *unit, int64_t begin, int64_t end)
{
    int64_t n = end - begin;
    const char *const from = find_pixels(progress, unit, unit->grad, begin, &n);
    memcpy(&unit->scratch->tile, from, (size_t)(n * progress->plan->few_lanes) * progress->plan->base.t_nbytes);
    store_tile(progress, unit, &progress->input_grad, (char *)&unit->scratch->tile, (struct rg_grid_block){begin, n});
}

/* Closes the picture up to this row: stores the gradient's pixels, as far as they make whole blocks, or what the band
 * has of these. */
static void close_rows(const struct rg_grid_progress *progress, struct few_unit *unit, int64_t row)
{
    const int64_t width = progress->plan->spec.in_w, last = unit->rows.end * width;
    const int64_t end = rg_min(rg_min(row * width, unit->pixels.end), last);
    int64_t at = unit->pixels.begin;
    const int64_t head = rg_min(block_after(at), last), whole = end / RG_GRID_POINTS * RG_GRID_POINTS;
    if (at % RG_GRID_POINTS != 0 && head <= end) {
        store_part(progress, unit, at, head);
        at = head;
    }
    if (at % RG_GRID_POINTS == 0 && at < whole) {
        store_grad(progress, unit, at, whole);
        at = whole;
    }
    if (at % RG_GRID_POINTS == 0 && at < end && end == last) {
        store_part(progress, unit, at, end);
        at = end;
    }
    unit->pixels.begin = at;
}

/*
 * The window. Where points go through the image in order, only a few rows are in use at a time. One slot alone then
 * uses its pictures as rings of as many rows, which stay in the cache. Rows are opened a few at a time, and closed
 * before more are opened.
 */
enum { RING_STEP = 16, LEAST_RING = 4 * RING_STEP };

/* Rows that whole blocks reach beyond what is asked for. */
static int64_t overhang(const struct rg_grid_plan *plan)
{
    return 2 * (RG_GRID_POINTS / plan->spec.in_w + 1) + 1;
}

/* The most rows that are in use at a time. */
static int64_t find_span(const struct rg_grid_plan *plan, const struct few_unit *unit)
{
    int64_t span = RING_STEP, high = -1;
    for (int64_t b = 0; b < plan->n_blocks; b++)
        if (owns(plan, unit, b) || touches(plan, unit, b)) {
            high = rg_max(high, unit->high[b]);
            span = rg_max(span, high + 1 - unit->lowest[b]);
        }
    return span + overhang(plan);
}

/* The rows of a ring for such a span. */
static int64_t ring_rows(int64_t span)
{
    int64_t n_rows = LEAST_RING;
    while (n_rows < span)
        n_rows *= 2;
    return n_rows;
}

/* The pixels of a picture that are a slot's own where n_slots share it out for their rings. */
static int64_t own_pixels(const struct rg_grid_plan *plan, int n_slots)
{
    return plan->n_pixels / n_slots / RG_GRID_POINTS * RG_GRID_POINTS;
}

/* May pictures be rings? */
static bool may_ring(const struct rg_grid_plan *plan)
{
    return (has_input_copy(plan) || has_grad_copy(plan)) && !plan->input_there && !plan->grad_there;
}

/* Are rings for such a span smaller than the pictures? A team's slots have rings in parts of these, all or none. */
static bool fits_ring(const struct rg_grid_plan *plan, int n_slots, int64_t span)
{
    return span < plan->spec.in_h && ring_rows(span) < plan->spec.in_h &&
           ring_rows(span) * plan->spec.in_w <= own_pixels(plan, n_slots);
}

static void make_ring(const struct rg_grid_progress *progress, struct few_unit *unit, int64_t span)
{
    const struct rg_grid_plan *plan = progress->plan;
    const int64_t own = own_pixels(plan, unit->n_slots);
    unit->mask = (int32_t)(ring_rows(span) - 1);
    if (unit->n_slots == 1)
        return;
    unit->input = nth_pixel(progress, unit->input, unit->slot * own);
    unit->grad = nth_pixel(progress, unit->grad, unit->slot * own);
    unit->view.begin = rg_min(unit->rows.begin, unit->lowest[0]);
    for (int64_t b = 0; b < plan->n_blocks; b++)
        if (owns(plan, unit, b))
            unit->view.end = rg_max(unit->view.end, unit->high[b] + 1);
}

/* Opens rows up to this one, in steps; rows up to `lowest` are not needed any more. */
static void advance(const struct rg_grid_progress *progress, struct few_unit *unit, int64_t row, int64_t lowest)
{
    const struct rg_grid_plan *plan = progress->plan;
    const bool stores = has_grad_copy(plan);
    const int64_t last = rg_min(row, unit->view.end);
    int64_t opened = unit->pixels.end / plan->spec.in_w;
    if (stores)
        close_rows(progress, unit, lowest);
    while (opened < last) {
        opened = unit->mask == INT32_MAX ? last : rg_min(opened + RING_STEP, last);
        open_rows(progress, unit, opened);
        if (stores)
            close_rows(progress, unit, rg_min(lowest, opened));
    }
}

/* ---- Work ---- */

static void locate(const struct rg_grid_progress *progress, struct few_unit *unit, struct rg_grid_block block)
{
    struct few_scratch *scratch = unit->scratch;
    load_points(progress, unit, block);
    progress->kernels->few_locate(&scratch->points, &scratch->x, &scratch->y, block.count, &progress->plan->spec);
    unit->placed = false;
}

/* Finds where the points are in these rows. One slot alone has but one answer. */
static struct rg_few_window place(const struct rg_grid_progress *progress, struct few_unit *unit, struct rg_share rows)
{
    const struct rg_few_window window = {(int32_t)progress->plan->spec.in_w, (int32_t)rows.begin, (int32_t)rows.end,
                                         unit->mask};
    if (!unit->placed)
        progress->kernels->few_place(unit->scratch->place, &unit->scratch->points, &window);
    unit->placed = unit->n_slots == 1;
    return window;
}

static void sample(const struct rg_grid_progress *progress, struct few_unit *unit, struct rg_grid_block block)
{
    struct few_scratch *scratch = unit->scratch;
    const struct rg_few_window all = place(progress, unit, (struct rg_share){0, progress->plan->spec.in_h});
    progress->kernels->few_sample(&scratch->tile, unit->input, progress->plan->few_lanes, &all, scratch->place,
                                  &scratch->points, block.count);
    store_tile(progress, unit, &progress->sampled, (char *)&scratch->tile, block);
}

static void slope(const struct rg_grid_progress *progress, struct few_unit *unit, struct rg_grid_block block)
{
    struct few_scratch *scratch = unit->scratch;
    const struct rg_few_window all = place(progress, unit, (struct rg_share){0, progress->plan->spec.in_h});
    char *const there = find_slopes(progress, unit, block);
    progress->kernels->few_slope(there != NULL ? there : (char *)scratch->xy, unit->input, progress->plan->few_lanes,
                                 &all, scratch->place, &scratch->points, &scratch->tile, block.count,
                                 there != NULL && is_far(&progress->grid_grad));
    if (there == NULL)
        store_slopes(progress, unit, block);
}

/* What |grad_output| must not exceed if no sum is to overflow: weights are 1 at most, and rounding makes sums of up to
 * 2^24 terms no more than e times as large. */
static double most_grad(const struct rg_grid_plan *plan)
{
    const double largest = plan->base.t_nbytes == sizeof(float) ? FLT_MAX : DBL_MAX;
    return plan->n_points > 1 << 24 ? -1 : largest / 4 / (double)plan->n_points;
}

static void spread(const struct rg_grid_progress *progress, struct few_unit *unit, struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = progress->plan;
    struct few_scratch *scratch = unit->scratch;
    const struct rg_few_window band = place(progress, unit, unit->rows);
    progress->kernels->few_spread(unit->grad, plan->few_lanes, &band, scratch->place, &scratch->points, &scratch->tile,
                                  block.count);
    if (plan->grad_there && unit->bounded)
        unit->bounded = progress->kernels->few_bounded(&scratch->tile, block.count * plan->few_lanes, most_grad(plan));
}

static void differentiate(const struct rg_grid_progress *progress, struct few_unit *unit, int64_t b,
                          struct rg_grid_block block)
{
    load_tile(progress, unit, &progress->sampled, (char *)&unit->scratch->tile, block);
    if (touches(progress->plan, unit, b))
        spread(progress, unit, block);
    if (owns(progress->plan, unit, b))
        slope(progress, unit, block);
}

/* Clears the gradient where it is, up to this row, past the caches. */
static void clear_until(const struct rg_grid_progress *progress, struct few_unit *unit, int64_t row)
{
    const struct rg_grid_plan *plan = progress->plan;
    const int64_t begin = unit->pixels.end, end = rg_min(row, unit->rows.end) * plan->spec.in_w;
    if (end <= begin)
        return;
    progress->kernels->clear_far(nth_pixel(progress, unit->grad, begin),
                                 (size_t)((end - begin) * plan->few_lanes) * plan->base.t_nbytes);
    unit->pixels.end = end;
}

/* Makes the gradient ready where it is for the points in the scratch. The caches are only for what these touch. */
static void open_there(const struct rg_grid_progress *progress, struct few_unit *unit)
{
    int32_t low = 0, high = INT32_MAX;
    if (is_far(&progress->input_grad)) {
        progress->kernels->few_span(&unit->scratch->points, &low, &high);
        clear_until(progress, unit, low);
    }
    open_rows(progress, unit, (int64_t)high + 1);
}

/* Asks for pixels that are not likely to be near, and opens the rows of block b, whose points are in the scratch. */
static void open_block(const struct rg_grid_progress *progress, struct few_unit *unit, int64_t b,
                       struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = progress->plan;
    if (plan->input_there || plan->grad_there) {
        const struct rg_few_window band = place(progress, unit, unit->rows);
        progress->kernels->few_prefetch(plan->need_input ? unit->input : NULL,
                                        plan->want_input_grad ? unit->grad : NULL, plan->few_lanes, &band,
                                        unit->scratch->place, block.count);
    }
    if (plan->grad_there)
        open_there(progress, unit);
    else if (needs_rows(plan, unit->n_slots))
        advance(progress, unit, (int64_t)unit->high[b] + 1, unit->lowest[b]);
}

/* Finds which rows are in use, of blocks whose rows are known. */
static void survey(const struct rg_grid_plan *plan, struct few_unit *unit)
{
    find_lowest(plan, unit);
    unit->scratch->span = may_ring(plan) ? find_span(plan, unit) : INT32_MAX;
}

/* span: the greatest of the team's. */
static void begin_work(const struct rg_grid_progress *progress, struct few_unit *unit, int64_t span)
{
    const struct rg_grid_plan *plan = progress->plan;
    unit->bounded = true;
    unit->mask = INT32_MAX;
    if (fits_ring(plan, unit->n_slots, span))
        make_ring(progress, unit, span);
    unit->pixels.begin = unit->rows.begin * plan->spec.in_w;
    unit->pixels.end = unit->view.begin * plan->spec.in_w;
    if (unit->n_slots > 1 && unit->mask != INT32_MAX)
        unit->pixels.end -= unit->pixels.end % RG_GRID_POINTS;
}

/* A gradient that was made where it is has not gone through a store, which settles what NaN is. */
static void settle(const struct rg_grid_progress *progress, const struct few_unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_share rows = unit->rows;
    char *const data = nth_pixel(progress, unit->grad, rows.begin * plan->spec.in_w);
    if (!unit->bounded)
        progress->kernels->store[progress->input_grad.view->dtype](
            data, 1, data, (rows.end - rows.begin) * plan->spec.in_w * plan->few_lanes);
}

static void end_work(const struct rg_grid_progress *progress, struct few_unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    if (!plan->want_input_grad)
        return;
    if (plan->grad_there) {
        clear_until(progress, unit, unit->rows.end);
        settle(progress, unit);
        return;
    }
    advance(progress, unit, plan->spec.in_h, plan->spec.in_h);
}

static void work_block(const struct rg_grid_progress *progress, struct few_unit *unit, int64_t b)
{
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_grid_block block = rg_grid_nth_block(b, plan->n_points);
    locate(progress, unit, block);
    open_block(progress, unit, b, block);
    if (plan->forward)
        sample(progress, unit, block);
    else
        differentiate(progress, unit, b, block);
}

static void work(const struct rg_grid_progress *progress, struct few_unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    for (int64_t b = 0; b < plan->n_blocks; b++)
        if (owns(plan, unit, b) || touches(plan, unit, b))
            work_block(progress, unit, b);
    end_work(progress, unit);
    progress->kernels->settle();
}

/* ---- The run ---- */

static void alone_slot(void *context, int slot)
{
    const struct rg_grid_progress *progress = context;
    const struct rg_share share = rg_share_units(progress->plan->n_alone, progress->plan->base.n_slots, slot);
    struct few_unit unit = make_unit(progress, slot, 1);
    for (int64_t n = share.begin; n < share.end; n++) {
        set_sample(progress, &unit, n);
        if (needs_rows(progress->plan, 1)) {
            find_rows(progress, &unit, unit.blocks);
            survey(progress->plan, &unit);
        }
        begin_work(progress, &unit, needs_rows(progress->plan, 1) ? unit.scratch->span : INT32_MAX);
        work(progress, &unit);
    }
}

/* One sample, done by all slots. */
struct few_common {
    const struct rg_grid_progress *progress;
    int64_t n;
    int64_t span; /* see begin_work */
};

static struct few_unit team_unit(const struct few_common *common, int slot)
{
    struct few_unit unit = make_unit(common->progress, slot, common->progress->plan->base.n_slots);
    set_sample(common->progress, &unit, common->n);
    return unit;
}

static void find_slot(void *context, int slot)
{
    const struct few_common *common = context;
    struct few_unit unit = team_unit(common, slot);
    find_rows(common->progress, &unit, unit.blocks);
}

static void survey_slot(void *context, int slot)
{
    const struct few_common *common = context;
    struct few_unit unit = team_unit(common, slot);
    survey(common->progress->plan, &unit);
}

static void fill_slot(void *context, int slot)
{
    const struct few_common *common = context;
    const struct rg_grid_plan *plan = common->progress->plan;
    struct few_unit unit = team_unit(common, slot);
    const struct rg_share share =
        rg_share_units(rg_grid_blocks_of(plan->spec.in_h * plan->spec.in_w), unit.n_slots, slot);
    fill_input(common->progress, &unit, pixels_of(plan, share.begin), pixels_of(plan, share.end));
}

static void work_slot(void *context, int slot)
{
    const struct few_common *common = context;
    struct few_unit unit = team_unit(common, slot);
    begin_work(common->progress, &unit, common->span);
    work(common->progress, &unit);
}

/* The greatest span of all slots. */
static int64_t team_span(const struct rg_grid_progress *progress)
{
    int64_t span = 0;
    for (int slot = 0; slot < progress->plan->base.n_slots; slot++)
        span = rg_max(span, make_unit(progress, slot, progress->plan->base.n_slots).scratch->span);
    return span;
}

static void run_shared(const struct rg_grid_progress *progress, int64_t n)
{
    const struct rg_grid_plan *plan = progress->plan;
    const int n_slots = plan->base.n_slots;
    struct few_common common = {progress, n, INT32_MAX};
    if (needs_rows(plan, n_slots)) {
        rg_parallel(n_slots, find_slot, &common);
        rg_parallel(n_slots, survey_slot, &common);
        common.span = team_span(progress);
    }
    if (has_input_copy(plan) && !fits_ring(plan, n_slots, common.span))
        rg_parallel(n_slots, fill_slot, &common);
    rg_parallel(n_slots, work_slot, &common);
}

void rg_few_run(const struct rg_grid_progress *progress)
{
    const struct rg_grid_plan *plan = progress->plan;
    if (plan->n_alone > 0)
        rg_parallel(plan->base.n_slots, alone_slot, (void *)progress);
    for (int64_t n = plan->n_alone; n < plan->n; n++)
        run_shared(progress, n);
}
