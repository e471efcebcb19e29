/* SPDX-License-Identifier: Apache-2.0 */
#include "op/grid_packed_sort.h"

#include <string.h>

#include "op/grid_packed_rows.h"

/* Rows of the input and of its gradient, each, that stay in a second-level cache. */
enum { BAND_NBYTES = 1 << 18 };

/* The smallest image that is worth it. Without others one thread does nothing twice and waits for nobody, so that its
 * points must be farther apart before sorting takes less time than waiting for memory. */
enum { LEAST_NBYTES = 1 << 20, LEAST_ALONE_NBYTES = 1 << 23 };

/* So many points touch each line of a cache more than once. They are counted in 32 bits. */
enum { PIXELS_PER_POINT = 8, MOST_POINTS = 1 << 30 };

bool rg_packed_may_sort(const struct rg_grid_plan *plan)
{
    const int64_t n_pixels = plan->spec.in_h * plan->spec.in_w;
    const int64_t least = plan->base.n_slots == 1 ? LEAST_ALONE_NBYTES : LEAST_NBYTES;
    return plan->packed_lanes == 1 && plan->base.t_nbytes == sizeof(float) && plan->grad_there && plan->input_there &&
           plan->need_input && n_pixels * (int64_t)sizeof(float) >= least &&
           n_pixels / PIXELS_PER_POINT <= plan->n_points && plan->n_points <= MOST_POINTS;
}

/* A band has so many rows, as a power of two. */
static int band_shift(const struct rg_grid_plan *plan)
{
    const int64_t row = plan->spec.in_w * (int64_t)sizeof(float);
    int shift = 0;
    while ((row << (shift + 1)) <= BAND_NBYTES || (plan->spec.in_h >> shift) >= RG_PACKED_BANDS)
        shift++;
    return shift;
}

static int64_t n_bands(const struct rg_grid_plan *plan)
{
    return ((plan->spec.in_h - 1) >> band_shift(plan)) + 1;
}

/* ---- Are they scattered? ---- */

enum { LOOKS = 16 };

bool rg_packed_is_scattered(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    struct rg_packed_scratch *scratch = unit->scratch;
    int64_t n_rows = 0;
    for (int64_t k = 0; k < LOOKS; k++) {
        const struct rg_grid_block block = rg_grid_nth_block(k * plan->n_blocks / LOOKS, plan->n_points);
        int32_t low, high;
        rg_packed_load_points(progress, unit, block);
        progress->kernels->packed->locate(&scratch->points, &scratch->x, &scratch->y, block.count, &plan->spec);
        progress->kernels->packed->span(&scratch->points, &low, &high);
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

static int32_t *counts_of(const struct rg_packed_unit *unit, int slot)
{
    return unit->sort.count + (int64_t)slot * (RG_PACKED_BANDS + 1);
}

void rg_packed_count(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    struct rg_packed_scratch *scratch = unit->scratch;
    const int32_t last = (int32_t)plan->spec.in_h - 1;
    const int shift = band_shift(plan);
    int32_t count[RG_PACKED_BANDS + 1] = {0};
    for (int64_t b = unit->blocks.begin; b < unit->blocks.end; b++) {
        const struct rg_grid_block block = rg_grid_nth_block(b, plan->n_points);
        uint8_t *const code = unit->sort.code + block.first;
        rg_packed_load_points(progress, unit, block);
        progress->kernels->packed->locate(&scratch->points, NULL, &scratch->y, block.count, &plan->spec);
        for (int64_t p = 0; p < block.count; p++)
            code[p] = code_of(scratch->points.y[p], last, shift);
        for (int64_t p = 0; p < block.count; p++) {
            count[code[p] & BAND_OF]++;
            if (code[p] & ALSO_NEXT)
                count[(code[p] & BAND_OF) + 1]++;
        }
    }
    memcpy(counts_of(unit, unit->slot), count, sizeof count);
}

/* Where the records of bands begin, of all slots, and one more: where the last one's end. */
static void find_bands(const struct rg_packed_unit *unit, int64_t begin[RG_PACKED_BANDS + 1])
{
    begin[0] = 0;
    for (int64_t b = 0; b < RG_PACKED_BANDS; b++) {
        begin[b + 1] = begin[b];
        for (int slot = 0; slot < unit->n_slots; slot++)
            begin[b + 1] += counts_of(unit, slot)[b];
    }
}

/* Where the slot's begin in each band. */
static void find_own(const struct rg_packed_unit *unit, int64_t begin[RG_PACKED_BANDS + 1])
{
    find_bands(unit, begin);
    for (int64_t b = 0; b < RG_PACKED_BANDS; b++)
        for (int slot = 0; slot < unit->slot; slot++)
            begin[b] += counts_of(unit, slot)[b];
}

bool rg_packed_has_room(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit)
{
    int64_t begin[RG_PACKED_BANDS + 1];
    find_bands(unit, begin);
    return begin[RG_PACKED_BANDS] <= rg_packed_records(progress->plan);
}

/* Where a band will be written to soon. A hint; it may point anywhere. */
enum { AHEAD_NBYTES = 128 };

static inline void put_record(const struct rg_packed_sort *sort, int64_t at, const struct rg_packed_scratch *scratch,
                              int64_t p)
{
    sort->xy[2 * at] = scratch->x.f32[p];
    sort->xy[2 * at + 1] = scratch->y.f32[p];
    sort->grad[at] = scratch->tile.f32[p];
    __builtin_prefetch((const void *)((uintptr_t)(sort->xy + 2 * at) + AHEAD_NBYTES), 1);
    __builtin_prefetch((const void *)((uintptr_t)(sort->grad + at) + AHEAD_NBYTES), 1);
}

void rg_packed_deal(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit)
{
    struct rg_packed_scratch *scratch = unit->scratch;
    int64_t at[RG_PACKED_BANDS + 1];
    find_own(unit, at);
    for (int64_t b = unit->blocks.begin; b < unit->blocks.end; b++) {
        const struct rg_grid_block block = rg_grid_nth_block(b, progress->plan->n_points);
        const uint8_t *const code = unit->sort.code + block.first;
        rg_packed_load_points(progress, unit, block);
        rg_packed_load_tile(progress, unit, &progress->sampled, (char *)&scratch->tile, block);
        for (int64_t p = 0; p < block.count; p++) {
            put_record(&unit->sort, at[code[p] & BAND_OF]++, scratch, p);
            if (code[p] & ALSO_NEXT)
                put_record(&unit->sort, at[(code[p] & BAND_OF) + 1]++, scratch, p);
        }
    }
}

void rg_packed_gather(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit)
{
    float *const xy = unit->scratch->xy[0].f32;
    int64_t at[RG_PACKED_BANDS + 1];
    find_own(unit, at);
    for (int64_t b = unit->blocks.begin; b < unit->blocks.end; b++) {
        const struct rg_grid_block block = rg_grid_nth_block(b, progress->plan->n_points);
        const uint8_t *const code = unit->sort.code + block.first;
        for (int64_t p = 0; p < block.count; p++) {
            const int band = code[p] & BAND_OF;
            memcpy(xy + 2 * p, unit->sort.xy + 2 * at[band], 2 * sizeof(float));
            at[band]++;
            if (code[p] & ALSO_NEXT)
                at[band + 1]++;
        }
        rg_packed_store_slopes(progress, unit, block);
    }
}

/* ---- Bands ---- */

struct rg_share rg_packed_bands(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit)
{
    const int64_t n = n_bands(progress->plan);
    struct rg_share share = {0, n};
    int64_t begin[RG_PACKED_BANDS + 1];
    find_bands(unit, begin);
    while (share.begin < n && begin[share.begin] < begin[n] / unit->n_slots * unit->slot)
        share.begin++;
    if (unit->slot < unit->n_slots - 1)
        for (share.end = share.begin; share.end < n && begin[share.end] < begin[n] / unit->n_slots * (unit->slot + 1);)
            share.end++;
    return share;
}

static struct rg_grid_tensor record_place(const regrad_tensor *view, float *data)
{
    return (struct rg_grid_tensor){.view = view, .data = (char *)data, .element = sizeof(float), .far = false};
}

void rg_packed_make_band(struct rg_packed_band *band, const struct rg_grid_progress *progress,
                         const struct rg_packed_unit *unit, int64_t b)
{
    const int shift = band_shift(progress->plan);
    int64_t begin[RG_PACKED_BANDS + 1];
    find_bands(unit, begin);
    const int64_t n = begin[b + 1] - begin[b];
    band->plan = *progress->plan;
    band->plan.n_points = n;
    band->plan.n_blocks = rg_grid_blocks_of(n);
    band->grid = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 4, (const int64_t[]){1, 1, n, 2});
    band->sampled = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 4, (const int64_t[]){1, 1, 1, n});
    band->progress = *progress;
    band->progress.plan = &band->plan;
    band->progress.grid = band->progress.grid_grad = record_place(&band->grid, unit->sort.xy + 2 * begin[b]);
    band->progress.sampled = record_place(&band->sampled, unit->sort.grad + begin[b]);
    band->unit = *unit;
    band->unit.n = 0;
    band->unit.slot = 0;
    band->unit.n_slots = 1;
    band->unit.banded = band->unit.sorted = true;
    band->unit.rows = (struct rg_share){b << shift, rg_min((b + 1) << shift, progress->plan->spec.in_h)};
    band->unit.view = band->unit.rows;
    band->unit.blocks = (struct rg_share){0, band->plan.n_blocks};
}
