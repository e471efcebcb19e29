/* SPDX-License-Identifier: Apache-2.0 */
#include "op/grid_packed.h"

#include <float.h>
#include <string.h>

#include "kernel/value_kernels.h"
#include "op/grid_packed_rows.h"
#include "op/grid_packed_sort.h"

/* ---- Planning ---- */

/* Is a tensor laid out as a packed image? */
static bool is_packed(const struct rg_grid_plan *plan, const regrad_tensor *view)
{
    const int64_t lanes = plan->packed_lanes, width = view->shape[3];
    return regrad_dtype_size(view->dtype) == plan->base.t_nbytes && plan->channels == lanes &&
           (lanes == 1 || view->stride[1] == 1) && (width == 1 || view->stride[3] == lanes) &&
           (view->shape[2] == 1 || view->stride[2] == width * lanes);
}

/* An image with more pixels than this for each point is not worth copying. */
enum { PIXELS_PER_POINT = 8 };

/* A packed image of up to so many bytes stays in a cache while it is made. */
enum { SMALL_NBYTES = 1 << 17 };

/* Places of pixels must fit in 32 bits. */
enum { MOST_PIXELS = 1 << 30 };

void rg_packed_choose(struct rg_grid_plan *plan, const regrad_tensor *input, const regrad_tensor *input_grad)
{
    const struct rg_grid_spec *spec = &plan->spec;
    if (spec->interpolation != REGRAD_BILINEAR || plan->channels < 1 || plan->channels > RG_PACKED_LANES ||
        rg_grid_is_long(spec->in_h) || rg_grid_is_long(spec->in_w) || spec->in_h * spec->in_w > MOST_PIXELS)
        return;
    plan->packed_lanes = plan->channels == 1 ? 1 : (plan->channels + 1) / 2 * 2;
    plan->input_there = is_packed(plan, input);
    plan->grad_there = plan->want_input_grad && is_packed(plan, input_grad);
    plan->grad_small = plan->grad_there && !rg_packed_has_input_copy(plan) && rg_grid_is_far(input_grad) &&
                       spec->in_h * spec->in_w * plan->packed_lanes * (int64_t)plan->base.t_nbytes <= SMALL_NBYTES;
    if (plan->need_input && !plan->input_there && spec->in_h * spec->in_w / PIXELS_PER_POINT > plan->n_points)
        plan->packed_lanes = 0;
}

/* ---- Work ---- */

static struct rg_packed_window window_of(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit,
                                         struct rg_share rows)
{
    return (struct rg_packed_window){(int32_t)progress->plan->spec.in_w, (int32_t)rows.begin, (int32_t)rows.end,
                                     unit->mask};
}

static struct rg_packed_window all_rows(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit)
{
    return window_of(progress, unit, (struct rg_share){0, progress->plan->spec.in_h});
}

static struct rg_packed_window band_rows(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit)
{
    return window_of(progress, unit, unit->rows);
}

/* Where points are in the slot's rows. */
static int32_t *band_place(const struct rg_packed_unit *unit)
{
    return unit->banded ? unit->scratch->band_place : unit->scratch->place;
}

/* Finds where the points of block b are, in all rows for what it owns, and in the slot's rows for what it touches. */
static void locate(const struct rg_grid_progress *progress, struct rg_packed_unit *unit, int64_t b,
                   struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = progress->plan;
    struct rg_packed_scratch *scratch = unit->scratch;
    const struct rg_packed_window all = all_rows(progress, unit), band = band_rows(progress, unit);
    rg_packed_load_points(progress, unit, block);
    progress->kernels->packed->locate(&scratch->points, &scratch->x, &scratch->y, block.count, &plan->spec);
    if (!unit->banded || rg_packed_owns(plan, unit, b))
        progress->kernels->packed->place(scratch->place, &scratch->points, &all);
    if (unit->banded && rg_packed_touches(plan, unit, b))
        progress->kernels->packed->place(scratch->band_place, &scratch->points, &band);
}

/* Asks for pixels of block b that are not likely to be near. */
static void prefetch(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit, int64_t b,
                     struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_packed_window all = all_rows(progress, unit);
    const void *const input =
        plan->need_input && plan->input_there && rg_packed_owns(plan, unit, b) ? unit->input : NULL;
    const void *const grad = plan->grad_there && !unit->apart && rg_packed_touches(plan, unit, b) ? unit->grad : NULL;
    const bool together = !unit->banded;
    if (input != NULL || (together && grad != NULL))
        progress->kernels->packed->prefetch(input, together ? grad : NULL, plan->packed_lanes, &all,
                                            unit->scratch->place, block.count);
    if (grad != NULL && !together)
        progress->kernels->packed->prefetch(NULL, grad, plan->packed_lanes, &all, band_place(unit), block.count);
}

static void sample(const struct rg_grid_progress *progress, struct rg_packed_unit *unit, struct rg_grid_block block)
{
    struct rg_packed_scratch *scratch = unit->scratch;
    const struct rg_packed_window all = all_rows(progress, unit);
    progress->kernels->packed->sample(&scratch->tile, unit->input, progress->plan->packed_lanes, &all, scratch->place,
                                      &scratch->points, block.count);
    rg_packed_store_tile(progress, unit, &progress->sampled, (char *)&scratch->tile, block);
}

static void slope(const struct rg_grid_progress *progress, struct rg_packed_unit *unit, struct rg_grid_block block)
{
    struct rg_packed_scratch *scratch = unit->scratch;
    const struct rg_packed_window all = all_rows(progress, unit);
    char *const there = rg_packed_find_slopes(progress, unit, block);
    progress->kernels->packed->slope(there != NULL ? there : (char *)scratch->xy, unit->input,
                                     progress->plan->packed_lanes, &all, scratch->place, &scratch->points,
                                     &scratch->tile, block.count, there != NULL && progress->grid_grad.far);
    if (there == NULL)
        rg_packed_store_slopes(progress, unit, block);
}

/* What |grad_output| must not exceed if no sum is to overflow: weights are 1 at most, and rounding makes sums of up to
 * 2^24 terms no more than e times as large. */
static double most_grad(const struct rg_grid_plan *plan)
{
    const double largest = plan->base.t_nbytes == sizeof(float) ? FLT_MAX : DBL_MAX;
    return plan->n_points > 1 << 24 ? -1 : largest / 4 / (double)plan->n_points;
}

static void spread(const struct rg_grid_progress *progress, struct rg_packed_unit *unit, struct rg_grid_block block)
{
    const struct rg_grid_plan *plan = progress->plan;
    struct rg_packed_scratch *scratch = unit->scratch;
    const struct rg_packed_window band = band_rows(progress, unit);
    progress->kernels->packed->spread(unit->grad, plan->packed_lanes, &band, band_place(unit), &scratch->points,
                                      &scratch->tile, block.count);
    if (plan->grad_there && unit->bounded)
        unit->bounded =
            progress->kernels->packed->bounded(&scratch->tile, block.count * plan->packed_lanes, most_grad(plan));
}

static void differentiate(const struct rg_grid_progress *progress, struct rg_packed_unit *unit, int64_t b,
                          struct rg_grid_block block)
{
    rg_packed_load_tile(progress, unit, &progress->sampled, (char *)&unit->scratch->tile, block);
    if (rg_packed_touches(progress->plan, unit, b))
        spread(progress, unit, block);
    if (rg_packed_owns(progress->plan, unit, b))
        slope(progress, unit, block);
}

/* Clears the gradient where it is, up to this row, past the caches. */
static void clear_until(const struct rg_grid_progress *progress, struct rg_packed_unit *unit, int64_t row)
{
    const struct rg_grid_plan *plan = progress->plan;
    const int64_t begin = unit->pixels.end, end = rg_min(row, unit->rows.end) * plan->spec.in_w;
    if (end <= begin)
        return;
    progress->kernels->values->clear_far(rg_packed_nth_pixel(progress, unit->grad, begin),
                                         (size_t)((end - begin) * plan->packed_lanes) * plan->base.t_nbytes);
    unit->pixels.end = end;
}

/* Makes the gradient ready where it is for the points in the scratch. The caches are only for what these touch. Rows
 * that are cleared past them are not opened, so where opening them also copies the input, none are. */
static void open_there(const struct rg_grid_progress *progress, struct rg_packed_unit *unit)
{
    int32_t low, high = INT32_MAX;
    if (progress->input_grad.far) {
        progress->kernels->packed->span(&unit->scratch->points, &low, &high);
        if (!rg_packed_has_input_copy(progress->plan))
            clear_until(progress, unit, low);
    }
    rg_packed_open_rows(progress, unit, high);
}

/* Notes which rows of a packed image apart the points in the scratch touch. */
static void open_apart(const struct rg_grid_progress *progress, struct rg_packed_unit *unit)
{
    int32_t low, high;
    progress->kernels->packed->span(&unit->scratch->points, &low, &high);
    unit->touched.begin = rg_min(unit->touched.begin, low);
    unit->touched.end = rg_max(unit->touched.end, rg_min(high, unit->rows.end));
}

/* Opens the rows of block b, whose points are in the scratch. */
static void open_block(const struct rg_grid_progress *progress, struct rg_packed_unit *unit, int64_t b)
{
    const struct rg_grid_plan *plan = progress->plan;
    if (unit->apart)
        open_apart(progress, unit);
    else if (plan->grad_there)
        open_there(progress, unit);
    else if (rg_packed_needs_rows(plan, unit->n_slots))
        rg_packed_advance(progress, unit, (int64_t)unit->high[b / plan->section] + 1, unit->lowest[b / plan->section]);
}

/* A gradient that was made where it is has not gone through a store, which makes every NaN canonical. */
static void canonicalise(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_share rows = unit->rows;
    char *const data = rg_packed_nth_pixel(progress, unit->grad, rows.begin * plan->spec.in_w);
    if (!unit->bounded)
        progress->kernels->values->store[progress->input_grad.view->dtype](
            data, 1, data, (rows.end - rows.begin) * plan->spec.in_w * plan->packed_lanes);
}

/* Clears what was touched of a packed image apart: else it is all zeros. */
static void clear_apart(const struct rg_grid_progress *progress, struct rg_packed_unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    const int64_t width = plan->spec.in_w, n_rows = unit->touched.end - unit->touched.begin;
    if (n_rows > 0)
        memset(rg_packed_nth_pixel(progress, unit->grad, unit->touched.begin * width), 0,
               (size_t)(n_rows * width * plan->packed_lanes) * plan->base.t_nbytes);
    unit->touched = (struct rg_share){unit->rows.end, 0};
}

static void end_apart(const struct rg_grid_progress *progress, struct rg_packed_unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    const int64_t n_values = plan->spec.in_h * plan->spec.in_w * plan->packed_lanes;
    canonicalise(progress, unit);
    progress->kernels->values->copy_far(rg_packed_grad_there(progress, unit), unit->grad,
                                        (size_t)n_values * plan->base.t_nbytes);
    clear_apart(progress, unit);
}

static void end_work(const struct rg_grid_progress *progress, struct rg_packed_unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    if (!plan->want_input_grad)
        return;
    if (unit->apart) {
        end_apart(progress, unit);
    } else if (plan->grad_there) {
        clear_until(progress, unit, unit->rows.end);
        canonicalise(progress, unit);
    } else {
        rg_packed_advance(progress, unit, plan->spec.in_h, plan->spec.in_h);
    }
}

static void work_block(const struct rg_grid_progress *progress, struct rg_packed_unit *unit, int64_t b)
{
    const struct rg_grid_plan *plan = progress->plan;
    const struct rg_grid_block block = rg_grid_nth_block(b, plan->n_points);
    locate(progress, unit, b, block);
    if (!unit->sorted)
        prefetch(progress, unit, b, block);
    open_block(progress, unit, b);
    if (plan->forward)
        sample(progress, unit, block);
    else
        differentiate(progress, unit, b, block);
}

static void work(const struct rg_grid_progress *progress, struct rg_packed_unit *unit)
{
    const struct rg_grid_plan *plan = progress->plan;
    unit->bounded = true;
    for (int64_t b = 0; b < plan->n_blocks; b++)
        if (rg_packed_owns(plan, unit, b) || rg_packed_touches(plan, unit, b))
            work_block(progress, unit, b);
    end_work(progress, unit);
    progress->kernels->values->fence();
}

/* ---- The run ---- */

static void work_bands(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit)
{
    const struct rg_share bands = rg_packed_bands(progress, unit);
    for (int64_t b = bands.begin; b < bands.end; b++) {
        struct rg_packed_band band;
        rg_packed_make_band(&band, progress, unit, b);
        rg_packed_begin_rows(&band.progress, &band.unit, INT32_MAX);
        work(&band.progress, &band.unit);
    }
}

/* Does a sample with its points sorted, if that is better. Whether it did. */
static bool work_sorted(const struct rg_grid_progress *progress, const struct rg_packed_unit *unit)
{
    if (!progress->plan->sorts || !rg_packed_is_scattered(progress, unit))
        return false;
    rg_packed_count(progress, unit);
    if (!rg_packed_has_room(progress, unit))
        return false;
    rg_packed_deal(progress, unit);
    work_bands(progress, unit);
    if (progress->plan->want_grid_grad)
        rg_packed_gather(progress, unit);
    return true;
}

static void alone_slot(void *context, int slot)
{
    const struct rg_grid_progress *progress = context;
    const struct rg_share share = rg_share_units(progress->plan->n_alone, progress->plan->base.n_slots, slot);
    struct rg_packed_unit unit = rg_packed_make_unit(progress, slot, 1);
    unit.touched = unit.rows;
    if (unit.apart)
        clear_apart(progress, &unit);
    for (int64_t n = share.begin; n < share.end; n++) {
        rg_packed_set_sample(progress, &unit, n);
        if (work_sorted(progress, &unit))
            continue;
        if (rg_packed_needs_rows(progress->plan, 1)) {
            rg_packed_find_rows(progress, &unit, (struct rg_share){0, progress->plan->n_sections});
            rg_packed_survey(progress->plan, &unit);
        }
        rg_packed_begin_rows(progress, &unit, rg_packed_needs_rows(progress->plan, 1) ? unit.scratch->span : INT32_MAX);
        work(progress, &unit);
    }
}

/* One sample, done by all slots. */
struct packed_common {
    const struct rg_grid_progress *progress;
    int64_t n;
    int64_t span; /* see rg_packed_begin_rows */
};

static struct rg_packed_unit team_unit(const struct packed_common *common, int slot)
{
    struct rg_packed_unit unit = rg_packed_make_unit(common->progress, slot, common->progress->plan->base.n_slots);
    rg_packed_set_sample(common->progress, &unit, common->n);
    return unit;
}

static void find_slot(void *context, int slot)
{
    const struct packed_common *common = context;
    struct rg_packed_unit unit = team_unit(common, slot);
    rg_packed_find_rows(common->progress, &unit,
                        rg_share_units(common->progress->plan->n_sections, unit.n_slots, slot));
}

static void survey_slot(void *context, int slot)
{
    const struct packed_common *common = context;
    struct rg_packed_unit unit = team_unit(common, slot);
    rg_packed_survey(common->progress->plan, &unit);
}

static void fill_slot(void *context, int slot)
{
    const struct packed_common *common = context;
    const struct rg_grid_plan *plan = common->progress->plan;
    struct rg_packed_unit unit = team_unit(common, slot);
    const struct rg_share share =
        rg_share_units(rg_grid_blocks_of(plan->spec.in_h * plan->spec.in_w), unit.n_slots, slot);
    rg_packed_fill_input(common->progress, &unit, rg_packed_pixels_of(plan, share.begin),
                         rg_packed_pixels_of(plan, share.end));
}

static void work_slot(void *context, int slot)
{
    const struct packed_common *common = context;
    struct rg_packed_unit unit = team_unit(common, slot);
    rg_packed_begin_rows(common->progress, &unit, common->span);
    work(common->progress, &unit);
}

/* The greatest span of all slots. */
static int64_t team_span(const struct rg_grid_progress *progress)
{
    int64_t span = 0;
    for (int slot = 0; slot < progress->plan->base.n_slots; slot++)
        span = rg_max(span, rg_packed_make_unit(progress, slot, progress->plan->base.n_slots).scratch->span);
    return span;
}

static void count_slot(void *context, int slot)
{
    const struct packed_common *common = context;
    const struct rg_packed_unit unit = team_unit(common, slot);
    rg_packed_count(common->progress, &unit);
}

static void deal_slot(void *context, int slot)
{
    const struct packed_common *common = context;
    const struct rg_packed_unit unit = team_unit(common, slot);
    rg_packed_deal(common->progress, &unit);
}

static void bands_slot(void *context, int slot)
{
    const struct packed_common *common = context;
    const struct rg_packed_unit unit = team_unit(common, slot);
    work_bands(common->progress, &unit);
}

static void gather_slot(void *context, int slot)
{
    const struct packed_common *common = context;
    const struct rg_packed_unit unit = team_unit(common, slot);
    rg_packed_gather(common->progress, &unit);
}

/* As work_sorted, by all slots. Also true where a loop is left unfinished, and with it the run. */
static bool run_sorted(struct packed_common *common)
{
    const struct rg_grid_plan *plan = common->progress->plan;
    const struct rg_packed_unit unit = team_unit(common, 0);
    if (!plan->sorts || !rg_packed_is_scattered(common->progress, &unit))
        return false;
    if (!rg_grid_parallel(common->progress, count_slot, common))
        return true;
    if (!rg_packed_has_room(common->progress, &unit))
        return false;
    rg_grid_parallel(common->progress, deal_slot, common);
    rg_grid_parallel(common->progress, bands_slot, common);
    if (plan->want_grid_grad)
        rg_grid_parallel(common->progress, gather_slot, common);
    return true;
}

static void run_shared(const struct rg_grid_progress *progress, int64_t n)
{
    const struct rg_grid_plan *plan = progress->plan;
    const int n_slots = plan->base.n_slots;
    struct packed_common common = {progress, n, INT32_MAX};
    if (run_sorted(&common))
        return;
    if (rg_packed_needs_rows(plan, n_slots)) {
        if (!rg_grid_parallel(progress, find_slot, &common) || !rg_grid_parallel(progress, survey_slot, &common))
            return;
        common.span = team_span(progress);
    }
    if (rg_packed_has_input_copy(plan) && !rg_packed_fits_ring(plan, n_slots, common.span))
        rg_grid_parallel(progress, fill_slot, &common);
    rg_grid_parallel(progress, work_slot, &common);
}

void rg_packed_run(const struct rg_grid_progress *progress)
{
    const struct rg_grid_plan *plan = progress->plan;
    if (plan->n_alone > 0)
        rg_grid_parallel(progress, alone_slot, (void *)progress);
    for (int64_t n = plan->n_alone; n < plan->n; n++)
        run_shared(progress, n);
}
