/* SPDX-License-Identifier: Apache-2.0 */
#include "op/grid_packed_unit.h"

#include <string.h>

#include "kernel/value_kernels.h"

bool rg_packed_has_input_copy(const struct rg_grid_plan *plan)
{
    return plan->need_input && !plan->input_there;
}

bool rg_packed_has_grad_copy(const struct rg_grid_plan *plan)
{
    return plan->want_input_grad && !plan->grad_there;
}

int64_t rg_packed_slot_nbytes(const struct rg_grid_plan *plan)
{
    return rg_booked(1, sizeof(struct rg_packed_scratch)) + rg_booked(plan->n_sections + 1, sizeof(int32_t));
}

static int64_t packed_nbytes(const struct rg_grid_plan *plan)
{
    return rg_booked(plan->n_pixels * plan->packed_lanes, plan->base.t_nbytes);
}

static int64_t input_nbytes(const struct rg_grid_plan *plan)
{
    return rg_packed_has_input_copy(plan) ? packed_nbytes(plan) : 0;
}

static int64_t grad_nbytes(const struct rg_grid_plan *plan)
{
    return rg_packed_has_grad_copy(plan) || plan->grad_small ? packed_nbytes(plan) : 0;
}

/* One point of so many may be in two bands. */
enum { POINTS_PER_TWIN = 8 };

int64_t rg_packed_records(const struct rg_grid_plan *plan)
{
    return plan->n_points + plan->n_points / POINTS_PER_TWIN;
}

static int64_t counts_nbytes(const struct rg_grid_plan *plan)
{
    return rg_booked(plan->base.n_slots * (RG_PACKED_BANDS + 1), sizeof(int32_t));
}

static int64_t sort_nbytes(const struct rg_grid_plan *plan)
{
    if (!plan->sorts)
        return 0;
    return counts_nbytes(plan) + rg_booked(plan->n_points, sizeof(uint8_t)) +
           rg_booked(2 * rg_packed_records(plan), sizeof(float)) + rg_booked(rg_packed_records(plan), sizeof(float));
}

int64_t rg_packed_team_nbytes(const struct rg_grid_plan *plan)
{
    return input_nbytes(plan) + grad_nbytes(plan) + 2 * rg_booked(plan->n_sections, sizeof(int32_t)) +
           sort_nbytes(plan);
}

static struct rg_packed_sort grant_sort(const struct rg_grid_plan *plan, char *place)
{
    struct rg_packed_sort sort = {NULL, NULL, NULL, NULL};
    if (!plan->sorts)
        return sort;
    sort.count = rg_grant(&place, plan->base.n_slots * (RG_PACKED_BANDS + 1), sizeof(int32_t));
    sort.code = rg_grant(&place, plan->n_points, sizeof(uint8_t));
    sort.xy = rg_grant(&place, 2 * rg_packed_records(plan), sizeof(float));
    sort.grad = rg_grant(&place, rg_packed_records(plan), sizeof(float));
    return sort;
}

struct rg_packed_unit rg_packed_make_unit(const struct rg_grid_progress *progress, int slot, int n_slots)
{
    const struct rg_grid_plan *plan = progress->plan;
    char *own = progress->workspace + (size_t)slot * plan->base.slot_nbytes;
    char *team = progress->workspace + (size_t)plan->base.n_slots * plan->base.slot_nbytes;
    struct rg_packed_unit unit = {.slot = n_slots == 1 ? 0 : slot, .n_slots = n_slots, .mask = INT32_MAX};
    if (n_slots == 1)
        team += slot * rg_packed_team_nbytes(plan);
    unit.scratch = rg_grant(&own, 1, sizeof(struct rg_packed_scratch));
    unit.lowest = rg_grant(&own, plan->n_sections + 1, sizeof(int32_t));
    unit.low = rg_grant(&team, plan->n_sections, sizeof(int32_t));
    unit.high = rg_grant(&team, plan->n_sections, sizeof(int32_t));
    unit.input = team;
    unit.grad = team + input_nbytes(plan);
    unit.sort = grant_sort(plan, unit.grad + grad_nbytes(plan));
    unit.banded = n_slots > 1;
    unit.apart = plan->grad_small && n_slots == 1;
    unit.rows = unit.view = rg_share_units(plan->spec.in_h, n_slots, unit.slot);
    unit.blocks = rg_share_units(plan->n_blocks, n_slots, unit.slot);
    if (plan->packed_lanes > 1) {
        memset(unit.scratch->channel, 0, sizeof unit.scratch->channel);
        memset(&unit.scratch->tile, 0, sizeof unit.scratch->tile);
    }
    return unit;
}

static char *sample_of(const struct rg_grid_tensor *place, int64_t n)
{
    return place->data + n * place->view->stride[0] * place->element;
}

char *rg_packed_grad_there(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit)
{
    return sample_of(&progress->input_grad, unit->n);
}

void rg_packed_set_sample(const struct rg_grid_progress *progress, struct rg_packed_unit *unit, int64_t n)
{
    const struct rg_grid_plan *plan = progress->plan;
    unit->n = n;
    if (plan->need_input && plan->input_there)
        unit->input = sample_of(&progress->input, n);
    if (plan->grad_there && !unit->apart)
        unit->grad = rg_packed_grad_there(progress, unit);
}

char *rg_packed_nth_pixel(const struct rg_grid_progress *progress, char *packed, int64_t p)
{
    return packed + p * progress->plan->packed_lanes * (int64_t)progress->plan->base.t_nbytes;
}

/* ---- Values ---- */

/* May values of all channels be moved as they are? A plane that is one row is. */
static bool is_plain(const struct rg_grid_tensor *place, const struct rg_grid_plane *plane)
{
    return plane->stride_w == 1 && plane->width == place->view->shape[2] * place->view->shape[3];
}

static struct rg_grid_block head_of(struct rg_grid_block block)
{
    return (struct rg_grid_block){block.first, block.count / RG_GRID_LANES * RG_GRID_LANES};
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
static void interleave(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit,
                       const struct rg_grid_tensor *place, void *tile, struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = progress->plan;
    for (int64_t c = 0; c < plan->channels; c++) {
        const struct rg_grid_plane plane = rg_grid_channel_plane(place, unit->n, c);
        rg_grid_load_values(progress, &unit->scratch->channel[c], &plane, block);
    }
    progress->kernels->packed->interleave[rg_plan_own_dtype(&plan->base)](
        tile, plan->packed_lanes, unit->scratch->channel, sizeof(union rg_grid_values) / plan->base.t_nbytes,
        plan->channels, block.count);
}

/* What comes after a stretch is wanted next. */
static void prefetch_after(const struct rg_grid_stretch *s, size_t element)
{
    const uintptr_t next = (uintptr_t)s->data + (size_t)s->n * element;
    for (size_t k = 0; k < (size_t)s->n * element; k += RG_ALIGNMENT)
        __builtin_prefetch((const void *)(next + k), 0, 2);
}

void rg_packed_load_tile(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit,
                         const struct rg_grid_tensor *place, char *tile, struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_grid_plane plane = rg_grid_channel_plane(place, unit->n, 0);
    int64_t done = 0;
    if (plan->packed_lanes == 1) {
        const struct rg_grid_stretch s = rg_grid_next_stretch(&plane, block.first, block.first + block.count);
        if (plane.stride_w == 1 && s.n <= RG_GRID_POINTS)
            prefetch_after(&s, (size_t)plane.element);
        rg_grid_load_values(progress, tile, &plane, block);
        return;
    }
    if (is_plain(place, &plane)) {
        done = head_of(block).count;
        progress->kernels->packed->interleave[plane.dtype](tile, plan->packed_lanes,
                                                           plane.data + block.first * plane.element,
                                                           place->view->stride[1], plan->channels, done);
    }
    for (; done < block.count; done += RG_GRID_POINTS)
        interleave(progress, unit, place, rg_packed_nth_pixel(progress, tile, done), next_block(rest_of(block, done)));
}

static void part(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit,
                 const struct rg_grid_tensor *place, const void *tile, struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = progress->plan;
    progress->kernels->packed->deinterleave[rg_plan_own_dtype(&plan->base)](
        unit->scratch->channel, sizeof(union rg_grid_values) / plan->base.t_nbytes, plan->channels, tile,
        plan->packed_lanes, block.count, false);
    for (int64_t c = 0; c < plan->channels; c++) {
        const struct rg_grid_plane plane = rg_grid_channel_plane(place, unit->n, c);
        rg_grid_store_values(progress, &unit->scratch->channel[c], &plane, block);
    }
}

void rg_packed_store_tile(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit,
                          const struct rg_grid_tensor *place, char *tile, struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_grid_plane plane = rg_grid_channel_plane(place, unit->n, 0);
    int64_t done = 0;
    if (plan->packed_lanes == 1) {
        rg_grid_store_values(progress, tile, &plane, block);
        return;
    }
    if (is_plain(place, &plane)) {
        done = head_of(block).count;
        progress->kernels->packed->deinterleave[plane.dtype](plane.data + block.first * plane.element,
                                                             place->view->stride[1], plan->channels, tile,
                                                             plan->packed_lanes, done, place->far);
    }
    for (; done < block.count; done += RG_GRID_POINTS)
        part(progress, unit, place, rg_packed_nth_pixel(progress, tile, done), next_block(rest_of(block, done)));
}

/* Are x and y of the points neighbours in memory, and the points too? Both are then moved together. */
static bool has_pairs(const struct rg_grid_tensor *place)
{
    return place->view->stride[3] == 1 && (place->view->shape[2] == 1 || place->view->stride[2] == 2);
}

static struct rg_grid_plane pair_plane(const struct rg_grid_tensor *place, int64_t n)
{
    const regrad_tensor *view = place->view;
    return rg_grid_make_plane(place, n * view->stride[0], view->shape[1], 2 * view->shape[2], view->stride[1], 1);
}

void rg_packed_load_points(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit,
                           struct rg_grid_block block)
{
    rg_grid_load_coordinates(progress, unit->n, block, &unit->scratch->x, &unit->scratch->y);
}

char *rg_packed_find_slopes(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit,
                            struct rg_grid_block block)
{
    if (!has_pairs(&progress->grid_grad) || block.count % RG_GRID_LANES != 0)
        return NULL;
    const struct rg_grid_plane pairs = pair_plane(&progress->grid_grad, unit->n);
    const struct rg_grid_stretch s = rg_grid_next_stretch(&pairs, 2 * block.first, 2 * (block.first + block.count));
    return pairs.element == (int64_t)progress->plan->base.t_nbytes && s.n == 2 * block.count ? s.data : NULL;
}

void rg_packed_store_slopes(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit,
                            struct rg_grid_block block)
{
    struct rg_packed_scratch *scratch = unit->scratch;
    if (has_pairs(&progress->grid_grad)) {
        const struct rg_grid_plane pairs = pair_plane(&progress->grid_grad, unit->n);
        rg_grid_store_values(progress, scratch->xy, &pairs, (struct rg_grid_block){2 * block.first, 2 * block.count});
        return;
    }
    const struct rg_grid_plane x = rg_grid_coordinate_plane(&progress->grid_grad, unit->n, 0);
    const struct rg_grid_plane y = rg_grid_coordinate_plane(&progress->grid_grad, unit->n, 1);
    const regrad_dtype own = rg_plan_own_dtype(&progress->plan->base);
    progress->kernels->values->split[own](&scratch->x, &scratch->y, scratch->xy, block.count);
    rg_grid_store_values(progress, &scratch->x, &x, block);
    rg_grid_store_values(progress, &scratch->y, &y, block);
}
