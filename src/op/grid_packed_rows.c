/* SPDX-License-Identifier: Apache-2.0 */
#include "op/grid_packed_rows.h"

#include <string.h>

/* Only y is needed, but where both come together both are loaded. */
static void find_range(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit, int64_t b,
                       char *least, char *greatest)
{
    const struct rg_grid_block block = rg_grid_nth_block(b, progress->plan->n_points);
    rg_packed_load_points(progress, unit, block);
    progress->kernels->packed->range(least, greatest, &unit->scratch->y, block.count);
}

void rg_packed_find_rows(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit,
                         struct rg_share sections)
{
    const struct rg_grid_plan *plan = progress->plan;
    const int64_t value = (int64_t)plan->base.t_nbytes, end = rg_min(sections.end * plan->section, plan->n_blocks);
    union rg_grid_values least, greatest;
    int32_t low[RG_GRID_POINTS], high[RG_GRID_POINTS];
    for (int64_t s = sections.begin; s < sections.end; s++) {
        unit->low[s] = INT32_MAX;
        unit->high[s] = -1;
    }
    for (int64_t first = sections.begin * plan->section; first < end; first += RG_GRID_POINTS) {
        const int64_t n = rg_min(end - first, RG_GRID_POINTS);
        for (int64_t i = 0; i < n; i++)
            find_range(progress, unit, first + i, (char *)&least + i * value, (char *)&greatest + i * value);
        progress->kernels->packed->rows(low, high, &least, &greatest, n, &plan->spec);
        for (int64_t i = 0; i < n; i++) {
            const int64_t s = (first + i) / plan->section;
            unit->low[s] = (int32_t)rg_min(unit->low[s], low[i]);
            unit->high[s] = (int32_t)rg_max(unit->high[s], high[i]);
        }
    }
}

bool rg_packed_needs_rows(const struct rg_grid_plan *plan, int n_slots)
{
    return rg_packed_has_input_copy(plan) || rg_packed_has_grad_copy(plan) || (n_slots > 1 && plan->want_input_grad);
}

bool rg_packed_owns(const struct rg_grid_plan *plan, const struct rg_packed_unit *unit, int64_t b)
{
    return (plan->forward || plan->want_grid_grad) && b >= unit->blocks.begin && b < unit->blocks.end;
}

bool rg_packed_touches(const struct rg_grid_plan *plan, const struct rg_packed_unit *unit, int64_t b)
{
    if (!plan->want_input_grad || !rg_packed_needs_rows(plan, unit->n_slots))
        return plan->want_input_grad;
    return unit->high[b / plan->section] >= unit->rows.begin && unit->low[b / plan->section] < unit->rows.end;
}

/* Is any block of section s the slot's, for results with a value for each point? */
static bool owns_section(const struct rg_grid_plan *plan, const struct rg_packed_unit *unit, int64_t s)
{
    const struct rg_share blocks = rg_grid_section(plan, s);
    return (plan->forward || plan->want_grid_grad) && blocks.begin < unit->blocks.end &&
           blocks.end > unit->blocks.begin;
}

/* Has the slot to do with section s? */
static bool visits(const struct rg_grid_plan *plan, const struct rg_packed_unit *unit, int64_t s)
{
    return owns_section(plan, unit, s) || rg_packed_touches(plan, unit, s * plan->section);
}

static void find_lowest(const struct rg_grid_plan *plan, const struct rg_packed_unit *unit)
{
    unit->lowest[plan->n_sections] = (int32_t)plan->spec.in_h;
    for (int64_t s = plan->n_sections - 1; s >= 0; s--)
        unit->lowest[s] = (int32_t)rg_min(visits(plan, unit, s) ? unit->low[s] : INT32_MAX, unit->lowest[s + 1]);
}

/* Pixel p of a sample in a packed image, and how many follow there, up to n. */
static char *find_pixels(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit, char *packed,
                         int64_t p, int64_t *n)
{
    const int64_t all = ((int64_t)unit->mask + 1) * progress->plan->spec.in_w, at = p < all ? p : p % all;
    *n = rg_min(*n, all - at);
    return rg_packed_nth_pixel(progress, packed, at);
}

void rg_packed_fill_input(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit, int64_t begin,
                          int64_t end)
{
    for (int64_t p = begin, n; p < end; p += n) {
        n = end - p;
        char *const to = find_pixels(progress, unit, unit->input, p, &n);
        rg_packed_load_tile(progress, unit, &progress->input, to, (struct rg_grid_block){p, n});
    }
}

static void clear_grad(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit, int64_t begin,
                       int64_t end)
{
    for (int64_t p = begin, n; p < end; p += n) {
        n = end - p;
        char *const to = find_pixels(progress, unit, unit->grad, p, &n);
        memset(to, 0, (size_t)(n * progress->plan->packed_lanes) * progress->plan->base.t_nbytes);
    }
}

static void store_grad(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit, int64_t begin,
                       int64_t end)
{
    for (int64_t p = begin, n; p < end; p += n) {
        n = end - p;
        char *const from = find_pixels(progress, unit, unit->grad, p, &n);
        rg_packed_store_tile(progress, unit, &progress->input_grad, from, (struct rg_grid_block){p, n});
    }
}

int64_t rg_packed_pixels_of(const struct rg_grid_plan *plan, int64_t n_blocks)
{
    return rg_min(n_blocks * RG_GRID_POINTS, plan->spec.in_h * plan->spec.in_w);
}

/* The first pixel of the block after that of pixel p. */
static int64_t block_after(int64_t p)
{
    return (p / RG_GRID_POINTS + 1) * RG_GRID_POINTS;
}

/* Does no other slot see the input's packed image? */
static bool has_own_input(const struct rg_packed_unit *unit)
{
    return unit->n_slots == 1 || unit->mask != INT32_MAX;
}

void rg_packed_open_rows(const struct rg_grid_progress *progress, struct rg_packed_unit *unit, int64_t row)
{
    const struct rg_grid_plan *plan = progress->plan;
    const int64_t begin = unit->pixels.end, end = rg_min(row, unit->view.end) * plan->spec.in_w;
    if (end <= begin)
        return;
    if (plan->want_input_grad)
        clear_grad(progress, unit, begin, end);
    if (rg_packed_has_input_copy(plan) && has_own_input(unit))
        rg_packed_fill_input(progress, unit, rg_packed_pixels_of(plan, rg_grid_blocks_of(begin)),
                             rg_packed_pixels_of(plan, rg_grid_blocks_of(end)));
    unit->pixels.end = end;
}

/* Stores pixels of one block through a copy, for whole RG_GRID_LANES pixels are looked at, and those of the next band
 * are another slot's. */
static void store_part(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit, int64_t begin,
                       int64_t end)
{
    int64_t n = end - begin;
    const char *const from = find_pixels(progress, unit, unit->grad, begin, &n);
    memcpy(&unit->scratch->tile, from, (size_t)(n * progress->plan->packed_lanes) * progress->plan->base.t_nbytes);
    rg_packed_store_tile(progress, unit, &progress->input_grad, (char *)&unit->scratch->tile,
                         (struct rg_grid_block){begin, n});
}

/* Closes the packed image up to this row: stores the gradient's pixels, as far as they make whole blocks, or what the
 * band has of these. */
static void close_rows(const struct rg_grid_progress *progress, struct rg_packed_unit *unit, int64_t row)
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
 * The window. Where points go through the image in order, only a few rows are in use at a time. Slots then use
 * their packed images as rings of as many rows, which stay in the cache; those that share a sample, parts of its packed
 * images. Rows are opened a few at a time, and closed before more are opened.
 */
enum { RING_STEP = 16, LEAST_RING = 4 * RING_STEP };

/* Rows that whole blocks reach beyond what is asked for. */
static int64_t overhang(const struct rg_grid_plan *plan)
{
    return 2 * (RG_GRID_POINTS / plan->spec.in_w + 1) + 1;
}

/* The most rows that are in use at a time. */
static int64_t find_span(const struct rg_grid_plan *plan, const struct rg_packed_unit *unit)
{
    int64_t span = RING_STEP, high = -1;
    for (int64_t s = 0; s < plan->n_sections; s++)
        if (visits(plan, unit, s)) {
            high = rg_max(high, unit->high[s]);
            span = rg_max(span, high + 1 - unit->lowest[s]);
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

/* The pixels of a packed image that are a slot's own where n_slots share it out for their rings. */
static int64_t own_pixels(const struct rg_grid_plan *plan, int n_slots)
{
    return plan->n_pixels / n_slots / RG_GRID_POINTS * RG_GRID_POINTS;
}

/* May packed images be rings? */
static bool may_ring(const struct rg_grid_plan *plan)
{
    return (rg_packed_has_input_copy(plan) || rg_packed_has_grad_copy(plan)) && !plan->input_there && !plan->grad_there;
}

bool rg_packed_fits_ring(const struct rg_grid_plan *plan, int n_slots, int64_t span)
{
    return span < plan->spec.in_h && ring_rows(span) < plan->spec.in_h &&
           ring_rows(span) * plan->spec.in_w <= own_pixels(plan, n_slots);
}

static void make_ring(const struct rg_grid_progress *progress, struct rg_packed_unit *unit, int64_t span)
{
    const struct rg_grid_plan *plan = progress->plan;
    const int64_t own = own_pixels(plan, unit->n_slots);
    unit->mask = (int32_t)(ring_rows(span) - 1);
    if (unit->n_slots == 1)
        return;
    unit->input = rg_packed_nth_pixel(progress, unit->input, unit->slot * own);
    unit->grad = rg_packed_nth_pixel(progress, unit->grad, unit->slot * own);
    unit->view.begin = rg_min(unit->rows.begin, unit->lowest[0]);
    for (int64_t s = 0; s < plan->n_sections; s++)
        if (owns_section(plan, unit, s))
            unit->view.end = rg_max(unit->view.end, unit->high[s] + 1);
}

void rg_packed_advance(const struct rg_grid_progress *progress, struct rg_packed_unit *unit, int64_t row,
                       int64_t lowest)
{
    const struct rg_grid_plan *plan = progress->plan;
    const bool stores = rg_packed_has_grad_copy(plan);
    const int64_t last = rg_min(row, unit->view.end);
    int64_t opened = unit->pixels.end / plan->spec.in_w;
    if (stores)
        close_rows(progress, unit, lowest);
    while (opened < last) {
        opened = unit->mask == INT32_MAX ? last : rg_min(opened + RING_STEP, last);
        rg_packed_open_rows(progress, unit, opened);
        if (stores)
            close_rows(progress, unit, rg_min(lowest, opened));
    }
}

void rg_packed_survey(const struct rg_grid_plan *plan, struct rg_packed_unit *unit)
{
    find_lowest(plan, unit);
    unit->scratch->span = may_ring(plan) ? find_span(plan, unit) : INT32_MAX;
}

void rg_packed_begin_rows(const struct rg_grid_progress *progress, struct rg_packed_unit *unit, int64_t span)
{
    const struct rg_grid_plan *plan = progress->plan;
    unit->mask = INT32_MAX;
    if (rg_packed_fits_ring(plan, unit->n_slots, span))
        make_ring(progress, unit, span);
    unit->pixels.begin = unit->rows.begin * plan->spec.in_w;
    unit->pixels.end = unit->view.begin * plan->spec.in_w;
    if (unit->n_slots > 1 && unit->mask != INT32_MAX)
        unit->pixels.end -= unit->pixels.end % RG_GRID_POINTS;
}
