/* SPDX-License-Identifier: Apache-2.0 */
#include "op/grid_sort.h"

#include <string.h>

#include "op/grid_values.h"

/* Rows of the input and of its gradient, each, that stay in a second-level cache. */
enum { BAND_NBYTES = 1 << 18 };

/* The smallest image that is worth it; the most bands; one point of so many may be in two. */
enum { LEAST_NBYTES = 1 << 20, BANDS = 64, POINTS_PER_TWIN = 8 };

/* So many points touch each line of a cache more than once. They are counted in 32 bits. */
enum { PIXELS_PER_POINT = 8, MOST_POINTS = 1 << 30 };

bool rg_grid_may_sort(const struct rg_grid_plan *plan)
{
    const int64_t n_pixels = plan->spec.in_h * plan->spec.in_w;
    return plan->n_alone < plan->n && plan->lanes == 1 && plan->base.t_nbytes == sizeof(float) &&
           plan->want_input_grad && plan->need_input && !plan->grad_copied && !plan->input_copied &&
           n_pixels * (int64_t)sizeof(float) >= LEAST_NBYTES && n_pixels / PIXELS_PER_POINT <= plan->n_points &&
           plan->n_points <= MOST_POINTS;
}

/* A band has so many rows, as a power of two. */
static int band_shift(const struct rg_grid_plan *plan)
{
    const int64_t row = plan->spec.in_w * (int64_t)sizeof(float);
    int shift = 0;
    while ((row << (shift + 1)) <= BAND_NBYTES || (plan->spec.in_h >> shift) >= BANDS)
        shift++;
    return shift;
}

static int64_t n_bands(const struct rg_grid_plan *plan)
{
    return ((plan->spec.in_h - 1) >> band_shift(plan)) + 1;
}

static int64_t n_records(const struct rg_grid_plan *plan)
{
    return plan->n_points + plan->n_points / POINTS_PER_TWIN;
}

int64_t rg_grid_sort_nbytes(const struct rg_grid_plan *plan)
{
    if (!plan->sorts)
        return 0;
    return rg_booked(plan->base.n_slots * (BANDS + 1), sizeof(int32_t)) + rg_booked(plan->n_points, sizeof(uint8_t)) +
           rg_booked(2 * n_records(plan), sizeof(float)) + rg_booked(n_records(plan), sizeof(float));
}

struct rg_grid_sort rg_grid_grant_sort(const struct rg_grid_plan *plan, char *place)
{
    struct rg_grid_sort sort;
    sort.count = rg_grant(&place, plan->base.n_slots * (BANDS + 1), sizeof(int32_t));
    sort.code = rg_grant(&place, plan->n_points, sizeof(uint8_t));
    sort.xy = rg_grant(&place, 2 * n_records(plan), sizeof(float));
    sort.grad = rg_grant(&place, n_records(plan), sizeof(float));
    return sort;
}

/* ---- Are they scattered? ---- */

enum { LOOKS = 16 };

/* The rows of the points of a block. */
static void find_rows(const struct rg_grid_unit *unit, struct rg_grid_block block, struct rg_grid_bilinear_axis *y)
{
    const struct rg_grid_spec *spec = &unit->plan->spec;
    union rg_grid_values weight[2];
    rg_grid_load_coordinates(unit, block);
    unit->kernels->grid->bilinear_axis(y, weight, &unit->at->y, block.count, spec->in_h, spec);
}

bool rg_grid_is_scattered(const struct rg_grid_unit *unit)
{
    const struct rg_grid_plan *plan = unit->plan;
    struct rg_packed_points points;
    int64_t n_rows = 0;
    for (int64_t k = 0; k < LOOKS; k++) {
        const struct rg_grid_block block = rg_grid_nth_block(k * plan->n_blocks / LOOKS, plan->n_points);
        int32_t low, high;
        find_rows(unit, block, &points.y);
        unit->kernels->packed->span(&points, &low, &high);
        n_rows += rg_max((int64_t)high - low, 0);
    }
    return n_rows / LOOKS > (INT64_C(2) << band_shift(plan));
}

/* ---- Sorting ---- */

/* The band of a point, and whether it is in the next one too. */
enum { ALSO_NEXT = 0x80, BAND_OF = ALSO_NEXT - 1 };

static uint8_t code_of(int32_t y, int32_t last, int shift)
{
    const int32_t row = y < 0 ? 0 : y > last ? last : y;
    const bool also = y >= 0 && y < last && (y + 1) >> shift != y >> shift;
    return (uint8_t)((row >> shift) | (also ? ALSO_NEXT : 0));
}

static int32_t *counts_of(const struct rg_grid_unit *unit, int slot)
{
    return unit->sort.count + (int64_t)slot * (BANDS + 1);
}

void rg_grid_count(const struct rg_grid_unit *unit)
{
    const struct rg_grid_plan *plan = unit->plan;
    struct rg_grid_bilinear_axis y;
    const int32_t last = (int32_t)plan->spec.in_h - 1;
    const int shift = band_shift(plan);
    int32_t count[BANDS + 1] = {0};
    for (int64_t b = unit->blocks.begin; b < unit->blocks.end; b++) {
        const struct rg_grid_block block = rg_grid_nth_block(b, plan->n_points);
        uint8_t *const code = unit->sort.code + block.first;
        find_rows(unit, block, &y);
        for (int64_t p = 0; p < block.count; p++)
            code[p] = code_of(y.first[p], last, shift);
        for (int64_t p = 0; p < block.count; p++) {
            count[code[p] & BAND_OF]++;
            if (code[p] & ALSO_NEXT)
                count[(code[p] & BAND_OF) + 1]++;
        }
    }
    memcpy(counts_of(unit, unit->slot), count, sizeof count);
}

/* Where the records of bands begin, of all slots, and one more: where the last one's end. */
static void find_bands(const struct rg_grid_unit *unit, int64_t begin[BANDS + 1])
{
    begin[0] = 0;
    for (int64_t b = 0; b < BANDS; b++) {
        begin[b + 1] = begin[b];
        for (int slot = 0; slot < unit->n_slots; slot++)
            begin[b + 1] += counts_of(unit, slot)[b];
    }
}

/* Where the slot's begin in each band. */
static void find_own(const struct rg_grid_unit *unit, int64_t begin[BANDS + 1])
{
    find_bands(unit, begin);
    for (int64_t b = 0; b < BANDS; b++)
        for (int slot = 0; slot < unit->slot; slot++)
            begin[b] += counts_of(unit, slot)[b];
}

bool rg_grid_has_room(const struct rg_grid_unit *unit)
{
    int64_t begin[BANDS + 1];
    find_bands(unit, begin);
    return begin[BANDS] <= n_records(unit->plan);
}

/* Where a band will be written to soon. A hint; it may point anywhere. */
enum { AHEAD_NBYTES = 128 };

static inline void put_record(const struct rg_grid_sort *sort, int64_t at, const struct rg_grid_coordinates *xy,
                              const union rg_grid_values *grad, int64_t p)
{
    sort->xy[2 * at] = xy->x.f32[p];
    sort->xy[2 * at + 1] = xy->y.f32[p];
    sort->grad[at] = grad->f32[p];
    __builtin_prefetch((const void *)((uintptr_t)(sort->xy + 2 * at) + AHEAD_NBYTES), 1);
    __builtin_prefetch((const void *)((uintptr_t)(sort->grad + at) + AHEAD_NBYTES), 1);
}

void rg_grid_deal(const struct rg_grid_unit *unit)
{
    const struct rg_grid_plane plane = rg_grid_channel_plane(&unit->run->sampled, unit->n, 0);
    union rg_grid_values grad;
    int64_t at[BANDS + 1];
    find_own(unit, at);
    for (int64_t b = unit->blocks.begin; b < unit->blocks.end; b++) {
        const struct rg_grid_block block = rg_grid_nth_block(b, unit->plan->n_points);
        const uint8_t *const code = unit->sort.code + block.first;
        rg_grid_load_coordinates(unit, block);
        rg_grid_load_values(unit, &grad, &plane, block);
        for (int64_t p = 0; p < block.count; p++) {
            put_record(&unit->sort, at[code[p] & BAND_OF]++, unit->at, &grad, p);
            if (code[p] & ALSO_NEXT)
                put_record(&unit->sort, at[(code[p] & BAND_OF) + 1]++, unit->at, &grad, p);
        }
    }
}

void rg_grid_gather(const struct rg_grid_unit *unit)
{
    struct rg_grid_coordinates *const xy = unit->at;
    int64_t at[BANDS + 1];
    find_own(unit, at);
    for (int64_t b = unit->blocks.begin; b < unit->blocks.end; b++) {
        const struct rg_grid_block block = rg_grid_nth_block(b, unit->plan->n_points);
        const uint8_t *const code = unit->sort.code + block.first;
        for (int64_t p = 0; p < block.count; p++) {
            const int band = code[p] & BAND_OF;
            xy->x.f32[p] = unit->sort.xy[2 * at[band]];
            xy->y.f32[p] = unit->sort.xy[2 * at[band] + 1];
            at[band]++;
            if (code[p] & ALSO_NEXT)
                at[band + 1]++;
        }
        rg_grid_store_slopes(unit, (struct rg_grid_sums){&xy->x, &xy->y}, block);
    }
}

/* ---- Bands ---- */

struct rg_share rg_grid_bands(const struct rg_grid_unit *unit)
{
    const int64_t n = n_bands(unit->plan);
    struct rg_share share = {0, n};
    int64_t begin[BANDS + 1];
    find_bands(unit, begin);
    while (share.begin < n && begin[share.begin] < begin[n] / unit->n_slots * unit->slot)
        share.begin++;
    if (unit->slot < unit->n_slots - 1)
        for (share.end = share.begin; share.end < n && begin[share.end] < begin[n] / unit->n_slots * (unit->slot + 1);)
            share.end++;
    return share;
}

static struct rg_grid_tensor records(const regrad_tensor *view, float *data)
{
    return (struct rg_grid_tensor){.view = view, .data = (char *)data, .element = sizeof(float), .far = false};
}

/* The unit's sample of a tensor, as its first. */
static struct rg_grid_tensor from_sample(struct rg_grid_tensor tensor, int64_t n)
{
    tensor.data += n * tensor.view->stride[0] * tensor.element;
    return tensor;
}

void rg_grid_make_band(struct rg_grid_band *band, const struct rg_grid_unit *unit, int64_t b)
{
    const int shift = band_shift(unit->plan);
    int64_t begin[BANDS + 1];
    find_bands(unit, begin);
    const int64_t n = begin[b + 1] - begin[b];
    band->plan = *unit->plan;
    band->plan.n_points = n;
    band->plan.n_blocks = (n + RG_GRID_POINTS - 1) / RG_GRID_POINTS;
    band->grid = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 4, (const int64_t[]){1, 1, n, 2});
    band->sampled = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 4, (const int64_t[]){1, 1, 1, n});
    band->run = *unit->run;
    band->run.plan = &band->plan;
    band->run.input = from_sample(unit->run->input, unit->n);
    band->run.input_grad = from_sample(unit->run->input_grad, unit->n);
    band->run.grid = band->run.grid_grad = records(&band->grid, unit->sort.xy + 2 * begin[b]);
    band->run.sampled = records(&band->sampled, unit->sort.grad + begin[b]);
    band->unit = *unit;
    band->unit.run = &band->run;
    band->unit.plan = &band->plan;
    band->unit.n = 0;
    band->unit.slot = 0;
    band->unit.n_slots = 1;
    band->unit.is_band = true;
    band->unit.rows = (struct rg_share){b << shift, rg_min((b + 1) << shift, unit->plan->spec.in_h)};
    band->unit.blocks = (struct rg_share){0, band->plan.n_blocks};
}
