/* SPDX-License-Identifier: Apache-2.0 */
#include "op/grid_window.h"

#include "op/grid_values.h"

/* ---- The survey ---- */

/* Rows that hold all that up to RG_GRID_POINTS blocks touch: only the points that are the farthest up and down in a
 * block are located. */
static void find_blocks(const struct rg_grid_unit *unit, struct rg_share blocks, int32_t *low, int32_t *high)
{
    const struct rg_grid_kernels *kernels = unit->kernels->grid;
    const int64_t value = (int64_t)unit->plan->base.t_nbytes;
    union rg_grid_values least, greatest;
    for (int64_t b = blocks.begin; b < blocks.end; b++) {
        const struct rg_grid_block block = rg_grid_nth_block(b, unit->plan->n_points);
        const int64_t at = (b - blocks.begin) * value;
        rg_grid_load_coordinates(unit, block);
        kernels->range((char *)&least + at, (char *)&greatest + at, &unit->at->y, block.count);
    }
    kernels->rows(low, high, &least, &greatest, blocks.end - blocks.begin, &unit->plan->spec);
}

void rg_grid_find_rows(const struct rg_grid_unit *unit, struct rg_share sections)
{
    const struct rg_grid_plan *plan = unit->plan;
    const struct rg_grid_window *window = &unit->at->window;
    const int64_t end = rg_min(sections.end * plan->section, plan->n_blocks);
    int32_t low[RG_GRID_POINTS], high[RG_GRID_POINTS];
    for (int64_t s = sections.begin; s < sections.end; s++) {
        window->low[s] = INT32_MAX;
        window->high[s] = -1;
    }
    for (int64_t first = sections.begin * plan->section; first < end; first += RG_GRID_POINTS) {
        const int64_t n = rg_min(end - first, RG_GRID_POINTS);
        find_blocks(unit, (struct rg_share){first, first + n}, low, high);
        for (int64_t k = 0; k < n; k++) {
            const int64_t s = (first + k) / plan->section;
            if (low[k] > high[k]) /* the block touches nothing */
                continue;
            window->low[s] = (int32_t)rg_min(window->low[s], low[k]);
            window->high[s] = (int32_t)rg_max(window->high[s], high[k]);
        }
    }
}

bool rg_grid_touches(const struct rg_grid_unit *unit, int64_t s)
{
    return unit->plan->want_input_grad && unit->at->window.high[s] >= unit->rows.begin &&
           unit->at->window.low[s] < unit->rows.end;
}

bool rg_grid_may_touch(const struct rg_grid_unit *unit, struct rg_grid_block block)
{
    const struct rg_grid_kernels *kernels = unit->kernels->grid;
    struct rg_grid_spec planes = unit->plan->spec; /* as rows of an image of two dimensions */
    const int64_t height = planes.in_h;
    union rg_grid_values least, greatest;
    int32_t low, high;
    if (!unit->plan->want_input_grad || rg_grid_is_alone(unit) || !rg_grid_has_depth(unit->plan) ||
        rg_grid_is_long(planes.in_d))
        return unit->plan->want_input_grad;
    rg_grid_load_coordinates(unit, block);
    kernels->range(&least, &greatest, &unit->at->z, block.count);
    planes.in_h = planes.in_d;
    kernels->rows(&low, &high, &least, &greatest, 1, &planes);
    return low <= high && low * height < unit->rows.end && (high + 1) * height > unit->rows.begin;
}

/* Has the unit to do with section s? */
static bool visits(const struct rg_grid_unit *unit, int64_t s)
{
    const struct rg_grid_plan *plan = unit->plan;
    const bool owns =
        plan->need_input && s * plan->section < unit->blocks.end && (s + 1) * plan->section > unit->blocks.begin;
    return owns || rg_grid_touches(unit, s);
}

int64_t rg_grid_survey(const struct rg_grid_unit *unit)
{
    const struct rg_grid_plan *plan = unit->plan;
    const struct rg_grid_window *window = &unit->at->window;
    int64_t high = -1, span = 1;
    window->lowest[plan->n_sections] = (int32_t)plan->spec.in_h;
    for (int64_t s = plan->n_sections - 1; s >= 0; s--)
        window->lowest[s] = (int32_t)rg_min(visits(unit, s) ? window->low[s] : INT32_MAX, window->lowest[s + 1]);
    for (int64_t s = 0; s < plan->n_sections; s++)
        if (visits(unit, s)) {
            high = rg_max(high, window->high[s]);
            span = rg_max(span, high + 1 - window->lowest[s]);
        }
    return span;
}

/* ---- Rows ---- */

/* The pixels of an image that are a slot's own where n_slots share it out for their rings. */
static int64_t own_pixels(const struct rg_grid_unit *unit)
{
    return unit->plan->spec.in_h * unit->plan->pitch / unit->n_slots / RG_GRID_POINTS * RG_GRID_POINTS;
}

int64_t rg_grid_ring(const struct rg_grid_unit *unit, int64_t span)
{
    const struct rg_grid_plan *plan = unit->plan;
    int64_t n_rows = 1;
    /* Input and gradient are both rings or both whole: points are at the same place in them. */
    const bool can = plan->input_copied == plan->need_input && plan->grad_copied == plan->want_input_grad;
    if (plan->way == &rg_grid_planes || !can || span >= plan->spec.in_h)
        return 0;
    while (n_rows < span + 2 * (plan->step - 1)) /* as far as steps reach beyond */
        n_rows *= 2;
    if (n_rows >= plan->spec.in_h || n_rows * plan->pitch > own_pixels(unit))
        return 0;
    rg_way_meet(RG_RING);
    return n_rows;
}

/* A ring that is a slot's own has the input too, so that it also opens rows that are other slots'. */
static void widen_view(struct rg_grid_unit *unit)
{
    struct rg_grid_window *window = &unit->at->window;
    const int64_t own = unit->slot * (own_pixels(unit) + unit->plan->beside);
    const int64_t begin = rg_min(unit->rows.begin, window->lowest[0]);
    window->view.begin = begin / unit->plan->step * unit->plan->step;
    for (int64_t s = 0; s < unit->plan->n_sections; s++)
        if (visits(unit, s))
            window->view.end = rg_max(window->view.end, window->high[s] + 1);
    unit->input = rg_grid_nth_pixel(unit->plan, unit->input, own);
    unit->grad = rg_grid_nth_pixel(unit->plan, unit->grad, own);
}

void rg_grid_begin_rows(struct rg_grid_unit *unit, int64_t span)
{
    struct rg_grid_window *window = &unit->at->window;
    const int64_t ring = rg_grid_ring(unit, span);
    window->mask = ring > 0 ? (int32_t)ring - 1 : INT32_MAX;
    window->view = unit->rows;
    if (ring > 0 && !rg_grid_is_alone(unit))
        widen_view(unit);
    window->opened = window->closed = window->view.begin;
}

/* The rows from `row` on that are opened and closed together; in a ring they do not come apart. */
static struct rg_share step_from(const struct rg_grid_unit *unit, int64_t row)
{
    const int64_t end = unit->at->window.view.end, next = (row | (unit->plan->step - 1)) + 1;
    return (struct rg_share){row, unit->surveyed ? rg_min(next, end) : end};
}

/* Closes whole steps. */
void rg_grid_close_rows(struct rg_grid_unit *unit, int64_t row)
{
    struct rg_grid_window *window = &unit->at->window;
    while (window->closed < window->opened) {
        const struct rg_share step = step_from(unit, window->closed);
        const struct rg_share rows = {rg_max(step.begin, unit->rows.begin), rg_min(step.end, unit->rows.end)};
        if (step.end > row)
            return;
        for (int64_t i = 0; i < unit->abreast && unit->plan->grad_copied && rows.begin < rows.end; i++)
            unit->plan->way->store(rg_grid_at_group(unit, i), rows);
        window->closed = step.end;
    }
}

void rg_grid_open_rows(struct rg_grid_unit *unit, int64_t row, int64_t needed)
{
    const struct rg_grid_plan *plan = unit->plan;
    struct rg_grid_window *window = &unit->at->window;
    const bool loads = plan->input_copied && (window->mask != INT32_MAX || rg_grid_is_alone(unit)); /* else all have */
    const int64_t last = plan->want_input_grad || loads ? rg_min(row, window->view.end) : 0;
    window->needed = needed;
    while (window->opened < last) {
        const struct rg_share rows = step_from(unit, window->opened);
        rg_grid_close_rows(unit, rg_min(needed, rows.begin));
        for (int64_t i = 0; i < unit->abreast && plan->want_input_grad; i++)
            plan->way->clear(rg_grid_at_group(unit, i), rows);
        for (int64_t i = 0; i < unit->abreast && loads && rows.end > needed; i++)
            plan->way->load(rg_grid_at_group(unit, i), rows);
        window->opened = rows.end;
    }
}

void rg_grid_end_rows(struct rg_grid_unit *unit)
{
    const int64_t end = unit->at->window.view.end;
    if (unit->plan->want_input_grad)
        rg_grid_open_rows(unit, end, end);
    rg_grid_close_rows(unit, end);
}
