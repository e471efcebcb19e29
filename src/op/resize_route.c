/* SPDX-License-Identifier: Apache-2.0 */
#include "op/resize_route.h"

#include "kernel/resize_kernels.h"
#include "op/resize_interleave.h"
#include "op/resize_line.h"
#include "op/resize_move.h"

enum {
    MOST_SHRUNK = 1 << 24, /* results of a row that is one strip, the tables of which are indexed with 32 bits */
    SHARED_VECTORS = 10,   /* of lines that are summed together with their neighbours, at most */
    LEAST_GROUP = 16,      /* groups of as many values are resampled side by side */
    MOST_TERMS = 256,      /* results of more terms are added up one by one */
    MANY_VECTORS = 64      /* of results that are looked at together */
};

/* Rows are shared if that keeps as much of the slots at work. */
static const double ROWS_BUSY = 0.9;

/* ---- Routes ---- */

static bool always(const struct rg_resize_plan *plan)
{
    (void)plan;
    return true;
}

static bool keeps_sizes(const struct rg_resize_plan *plan)
{
    return plan->depth.identity && plan->height.identity && plan->width.identity;
}

static bool moves(const struct rg_resize_plan *plan)
{
    return plan->moves;
}

/* Are values only moved? */
static bool only_moves(const struct rg_resize_plan *plan)
{
    return plan->route == RG_COPIED || plan->route == RG_MOVED;
}

/* Are rows summed into a line, or into a ring of them? */
static bool has_lines(const struct rg_resize_plan *plan)
{
    return plan->route == RG_ROWS || plan->route == RG_GROUPS || plan->route == RG_COLUMNS;
}

/* Is each source summed by two results at most? So it is in all gradients. */
static bool has_pairs(const struct rg_axis_map *map)
{
    for (int64_t i = 0; i + 2 < map->n_dst; i++)
        if (map->begin[i + 2] < rg_axis_end(map, i))
            return false;
    return true;
}

/* NULL is what an instruction set has no kernel for. */
static const struct rg_resize_kernels *kernels_of(const struct rg_resize_plan *plan)
{
    return plan->base.kernels->resize[plan->source.dtype];
}

static bool can_fuse_groups(const struct rg_resize_plan *plan)
{
    return kernels_of(plan)->fused_groups != NULL && plan->grouped && plan->inner >= RG_MAX_LANES &&
           !plan->width.identity && !rg_resize_needs_ring(plan) && plan->result.solid && has_pairs(&plan->height) &&
           has_pairs(&plan->width);
}

/* Rows of neighbours that shrink by a small integer need no line. */
static bool can_shrink(const struct rg_resize_plan *plan)
{
    return kernels_of(plan)->shrink != NULL && plan->inner == 1 && !rg_plan_goes(&plan->base, RG_TURNED) &&
           !plan->grouped && !rg_resize_needs_ring(plan) && plan->result.solid && plan->result.width <= MOST_SHRUNK &&
           plan->factor > 0;
}

static bool is_grouped(const struct rg_resize_plan *plan)
{
    return plan->grouped;
}

/* The first one is taken that can be and pays; where `pays` is NULL the law asks for it, or nothing else is left. */
static const struct {
    enum rg_way way;
    bool (*can)(const struct rg_resize_plan *plan);
    bool (*pays)(const struct rg_resize_plan *plan);
} routes[] = {
    {RG_COPIED, keeps_sizes, NULL}, /* as the law says, bit by bit */
    {RG_MOVED, moves, NULL},        /* no arithmetic; op/resize.c asks whether it pays */
    {RG_INTERLEAVED, rg_resize_can_interleave, rg_resize_interleaving_pays}, /* what a row costs is shared by planes */
    {RG_FUSED_GROUPS, can_fuse_groups,
     rg_resize_has_wide_vectors},           /* no line: a row of results holds what the next one needs */
    {RG_SHRINK, can_shrink, always},        /* no line: phases in registers */
    {RG_ROWS, rg_resize_keeps_width, NULL}, /* a line, which is the result */
    {RG_GROUPS, is_grouped, NULL},          /* a line, of which results are made one by one */
    {RG_COLUMNS, always, NULL},             /* a line, of which a vector of results is made at a time */
};

static enum rg_way choose_route(struct rg_resize_plan *plan)
{
    int k = 0;
    while (!(routes[k].pays == NULL
                 ? rg_plan_note(&plan->base, routes[k].way, routes[k].can(plan))
                 : rg_plan_takes(&plan->base, routes[k].way, routes[k].can(plan), routes[k].pays(plan))))
        k++;
    return routes[k].way;
}

/* ---- What the route and the strips are chosen by ---- */

/* Are there more than `most` sources between the first and the last of those that a vector of results has? Both ends
 * of what rows read grow, so few looks are enough where many vectors together have no more. */
static bool has_wide_step(const struct rg_axis_map *map, double most)
{
    for (int64_t from = 0, n = MANY_VECTORS * RG_MAX_LANES; from < map->n_dst;) {
        const int64_t last = rg_min(from + n, map->n_dst) - 1;
        const bool is_wide = (double)(rg_axis_end(map, last) - map->begin[from]) > most;
        if (is_wide && n == RG_MAX_LANES)
            return true;
        from += is_wide ? 0 : n;
        n = is_wide ? RG_MAX_LANES : n;
    }
    return false;
}

/* Results are made one by one where they are groups, or have so many terms that their tables would be larger than a
 * row, or have them so far apart that a line could not hold those of a vector. */
static bool makes_groups(const struct rg_resize_plan *plan)
{
    const double most = RG_RESIZE_HELD / (double)plan->inner / (double)plan->base.t_nbytes;
    const bool pays = plan->inner >= LEAST_GROUP || plan->width.max_taps > MOST_TERMS;
    return has_wide_step(&plan->width, most) || rg_way_is_taken(RG_GROUPS, true, pays);
}

/* Does each row of a tensor follow the one before it, in all planes? */
static bool rows_follow(const struct rg_resize_plan *plan, const struct rg_resize_side *side)
{
    const int64_t row = side->width * plan->inner, plane = row * side->height, volume = plane * side->depth;
    return side->solid && (side->height == 1 || side->stride_h == row) &&
           (side->depth == 1 || side->stride_d == plane) && (plan->n_channels == 1 || side->stride_c == volume) &&
           (plan->n_volumes <= plan->n_channels || side->stride_n == volume * plan->n_channels);
}

/* A sum that starts at +0 makes -0 to +0, of a source too; with weights of 1 nothing else can make a -0, and one sum
 * does what two would. */
static bool can_be_in_place(const struct rg_resize_plan *plan)
{
    return rg_plan_own_dtype(&plan->base) == plan->source.dtype && rows_follow(plan, &plan->source) &&
           !rg_resize_keeps_width(plan) && plan->height.ones && plan->width.ones;
}

void rg_resize_choose_route(struct rg_resize_plan *plan)
{
    plan->grouped = !plan->moves && plan->width.begin != NULL && makes_groups(plan);
    plan->factor = plan->moves || plan->width.place != NULL ? 0 : rg_columns_factor(&plan->width);
    plan->route = choose_route(plan);
    rg_plan_note(&plan->base, RG_WIDTH_FIRST, plan->width_first && (has_lines(plan) || plan->route == RG_INTERLEAVED));
    rg_plan_note(&plan->base, RG_STRIDED_SOURCE, !plan->source.solid);
    rg_plan_note(&plan->base, RG_STRIDED_RESULT, !plan->result.solid);
    plan->factor = plan->route == RG_SHRINK ? plan->factor : 0;
    plan->n_sources = plan->n_volumes * plan->source.depth * plan->source.height * plan->source.width * plan->inner;
    plan->in_place = !plan->moves && rg_way_is_taken(RG_IN_PLACE, can_be_in_place(plan), true);
}

/* ---- Traits ---- */

/* Source rows that lines share are read once for both, all those of a batch side by side. Where they are longer that is
 * too far from the order of memory to pay. */
static void choose_shared_rows(struct rg_resize_plan *plan)
{
    const bool can = has_lines(plan) && kernels_of(plan)->shared_rows != NULL && !plan->in_place &&
                     !rg_resize_needs_ring(plan) && plan->batch > 1 && has_pairs(&plan->height) &&
                     !rg_plan_goes(&plan->base, RG_TURNED);
    const bool pays = rg_resize_line_length(plan) <= SHARED_VECTORS * plan->base.kernels->lanes;
    plan->shares_rows = rg_plan_takes(&plan->base, RG_SHARED_ROWS, can, pays);
}

/* Of source and result. */
static double count_values(const struct rg_resize_plan *plan)
{
    const struct rg_resize_side *source = &plan->source, *result = &plan->result;
    return (double)plan->n_volumes * (double)plan->inner *
           ((double)source->depth * (double)source->height * (double)source->width +
            (double)result->depth * (double)result->height * (double)result->width);
}

/* Do source and result together exceed half of the caches? What of the other half is still there when the result is
 * read is worth less than not to fetch the result before it is written. */
static bool exceeds_caches(const struct rg_resize_plan *plan)
{
    return count_values(plan) * (double)plan->source.element_nbytes > (double)rg_way_cache_nbytes() / 2;
}

/* What is put beside streamed values in the same line is slow, as where a row ends within a vector. */
static bool ends_in_vectors(const struct rg_resize_plan *plan)
{
    return plan->result.width * plan->inner % plan->base.kernels->lanes == 0;
}

/* Results that exceed the caches go past them, and the sources of later rows are asked for ahead where these are most
 * of what is moved: else that costs more than it gains. */
static void choose_streams(struct rg_resize_plan *plan)
{
    const bool moves_rows = plan->route == RG_MOVED && !plan->width.backward && plan->inner == 1;
    const bool stores_rows = plan->result.solid && !plan->width_first && (moves_rows || !only_moves(plan));
    const bool shrinks = plan->source.height * plan->source.width > plan->result.height * plan->result.width;
    const bool far = exceeds_caches(plan);
    plan->streamed = rg_plan_takes(&plan->base, RG_STREAMED, stores_rows, far && ends_in_vectors(plan));
    plan->prefetched = rg_plan_takes(&plan->base, RG_PREFETCHED,
                                     stores_rows && plan->route == RG_COLUMNS && !plan->sums_planes &&
                                         rg_resize_is_dense(&plan->source, plan->inner),
                                     far && shrinks);
}

/* Does every row of the result sum more than one row of the source, or none? */
static bool has_no_single(const struct rg_axis_map *map)
{
    for (int64_t i = 0; i < map->n_dst; i++)
        if (map->first[i + 1] - map->first[i] == 1)
            return false;
    return true;
}

static void note_traits(struct rg_resize_plan *plan)
{
    regrad_plan *base = &plan->base;
    const bool sums_lines = has_lines(plan);
    rg_plan_note(base, RG_LONG, sums_lines && plan->has_long);
    rg_plan_note(base, RG_IN_PLACE,
                 sums_lines && plan->in_place && !plan->width_first && !has_no_single(&plan->height));
}

/* Rows that are short are moved as one, all of a volume. */
static void choose_folded(struct rg_resize_plan *plan)
{
    if (!rg_plan_takes(&plan->base, RG_FOLDED, rg_moved_can_fold(plan), rg_moved_folding_pays(plan)))
        return;
    plan->folded = rg_moved_volumes_to_fold(plan);
    plan->n_rows = rg_divide_up(plan->n_volumes, plan->folded);
}

void rg_resize_choose_traits(struct rg_resize_plan *plan)
{
    choose_folded(plan);
    choose_shared_rows(plan);
    choose_streams(plan);
    note_traits(plan);
}

/* ---- Shares ---- */

/* The part of all slots that is at work when these share n_units fairly. */
static double busy_part(int64_t n_units, int64_t n_slots)
{
    const int64_t most = rg_divide_up(n_units, n_slots);
    return n_units == 0 ? 0 : (double)n_units / ((double)most * (double)n_slots);
}

/* Rows are shared unless that leaves slots idle which parts of rows would not. */
bool rg_resize_split(struct rg_resize_plan *plan)
{
    const int n_threads = plan->base.setup.n_threads;
    const int64_t slot_nbytes = only_moves(plan) ? 0 : rg_resize_slot_nbytes(plan);
    const int64_t n_parts = rg_resize_count_parts(plan);
    const double by_rows = busy_part(plan->n_rows, n_threads);
    const bool pays = by_rows < ROWS_BUSY && busy_part(n_parts, n_threads) > by_rows;
    plan->across = rg_way_is_taken(RG_ACROSS, n_parts > 1, pays);
    if (!rg_plan_split(&plan->base, plan->across ? n_parts : plan->n_rows, count_values(plan), slot_nbytes))
        return false;
    rg_plan_note(&plan->base, RG_ACROSS, plan->across && plan->base.n_slots > 1);
    return true;
}
