/* SPDX-License-Identifier: Apache-2.0 */
#include "op/resize_move.h"

#include <string.h>

enum { FOLDED_WIDTH = 24 }; /* columns of a row that is worth folding */

void rg_moved_begin(struct rg_moved *moved, const struct rg_resize_plan *plan)
{
    const struct rg_resize_side *source = &plan->source, *result = &plan->result;
    moved->plan = plan;
    moved->w = moved->n = 0;
    moved->from_step = source->stride_w * source->element_nbytes;
    moved->to_step = result->stride_w * result->element_nbytes;
    moved->n_src = source->width;
}

static bool is_of_neighbours(const struct rg_moved *moved)
{
    const int64_t element = moved->plan->source.element_nbytes;
    return moved->plan->inner == 1 && moved->from_step == element && moved->to_step == element;
}

/* The lanes of n results of so many bytes each, a constant, which lie from `first` on. */
static inline void fill_lanes(uint8_t *lane, const int64_t *source, int64_t first, int64_t n, size_t nbytes)
{
    for (int64_t k = 0; k < n; k++) {
        const uint64_t at = (uint64_t)(source[k] - first) * nbytes;
        const uint64_t bytes = at * UINT64_C(0x0101010101010101) + UINT64_C(0x0706050403020100);
        memcpy(lane + (size_t)k * nbytes, &bytes, nbytes); /* bytes in memory follow those of a number, lowest first */
    }
}

/* The block from result `at` of the stretch on. Its sources must be within as many neighbours as it has results. */
static inline bool take_block(struct rg_moved *moved, int64_t block, int64_t at, size_t nbytes)
{
    const int64_t n = RG_MOVED_NBYTES / (int64_t)nbytes, last = moved->n_src - n;
    const int64_t *source = moved->source + at;
    int64_t first = rg_min(source[0], last), end = source[0];
    for (int64_t k = 1; k < n; k++) {
        first = rg_min(first, source[k]);
        end = rg_max(end, source[k]);
    }
    if (last < 0 || end - first >= n)
        return false;
    moved->offset[block] = (int32_t)((first - moved->source[0]) * (int64_t)nbytes);
    fill_lanes(moved->lane + block * RG_MOVED_NBYTES, source, first, n, nbytes);
    return true;
}

/* The last block may overlap the one before it. */
static inline int64_t take_blocks_of(struct rg_moved *moved, size_t nbytes)
{
    const int64_t n = RG_MOVED_NBYTES / (int64_t)nbytes;
    int64_t block = 0;
    if (moved->n_full < n)
        return 0;
    for (int64_t at = 0; at < moved->n_full; at += n, block++)
        if (!take_block(moved, block, rg_min(at, moved->n_full - n), nbytes))
            return 0;
    return block;
}

static int64_t take_blocks(struct rg_moved *moved)
{
    const int64_t element = moved->plan->source.element_nbytes;
    if (moved->plan->base.kernels->values->move == NULL || !is_of_neighbours(moved))
        return 0;
    return element == 1   ? take_blocks_of(moved, 1)
           : element == 2 ? take_blocks_of(moved, 2)
           : element == 4 ? take_blocks_of(moved, 4)
                          : take_blocks_of(moved, 8);
}

/* Results without sources are the last ones of a row. */
void rg_moved_take(struct rg_moved *moved, int64_t w, int64_t end)
{
    const struct rg_axis_map *map = &moved->plan->width;
    const int64_t n = rg_min(end - w, RG_AXIS_STRETCH);
    if (moved->w == w && moved->n == n) /* narrow rows have one stretch */
        return;
    moved->w = w;
    moved->n = moved->n_full = n;
    moved->source = moved->found;
    if (map->begin == NULL) {
        rg_axis_find(map, w, end, moved->found);
    } else {
        moved->n_full = rg_max(rg_min(map->first[map->n_dst] - w, n), 0);
        moved->source = map->begin + w;
    }
    moved->n_blocks = take_blocks(moved);
}

static void move_blocks(const struct rg_moved *moved, char *to, const char *from)
{
    const int64_t last = moved->n_blocks - 1, size = moved->plan->source.element_nbytes;
    rg_move_fn *const move = moved->plan->base.kernels->values->move;
    from += moved->source[0] * size;
    move(to, from, moved->offset, moved->lane, last, moved->plan->streamed);
    move(to + moved->n_full * size - RG_MOVED_NBYTES, from, moved->offset + last, moved->lane + last * RG_MOVED_NBYTES,
         1, moved->plan->streamed);
}

/* Neighbours of so many bytes, a constant; four at a time, or each store would wait for its own load. */
static inline void move_values(char *to, const char *from, const int64_t *source, int64_t n, size_t nbytes)
{
    const int64_t step = (int64_t)nbytes;
    int64_t k = 0;
    for (; k + 4 <= n; k += 4) {
        int64_t value[4];
        for (int j = 0; j < 4; j++)
            memcpy(&value[j], from + source[k + j] * step, nbytes);
        for (int j = 0; j < 4; j++)
            memcpy(to + (k + j) * step, &value[j], nbytes);
    }
    for (; k < n; k++)
        memcpy(to + k * step, from + source[k] * step, nbytes);
}

/* Groups of so many bytes. */
static void move_groups(const struct rg_moved *moved, char *to, const char *from, int64_t nbytes)
{
    for (int64_t k = 0; k < moved->n_full; k++, to += moved->to_step) {
        const char *group = from + moved->source[k] * moved->from_step;
        if (nbytes >= RG_LEAST_BLOCK)
            memcpy(to, group, (size_t)nbytes);
        for (int64_t c = 0; c < nbytes && nbytes < RG_LEAST_BLOCK; c++)
            to[c] = group[c];
    }
}

/* From a row of the source; the first result is at `to`. */
static void move_full(const struct rg_moved *moved, char *to, const char *from)
{
    const int64_t element = moved->plan->result.element_nbytes, n = moved->n_full;
    if (moved->n_blocks > 0)
        move_blocks(moved, to, from);
    else if (!is_of_neighbours(moved))
        move_groups(moved, to, from, moved->plan->inner * element);
    else if (element == 1)
        move_values(to, from, moved->source, n, 1);
    else if (element == 2)
        move_values(to, from, moved->source, n, 2);
    else if (element == 4)
        move_values(to, from, moved->source, n, 4);
    else
        move_values(to, from, moved->source, n, 8);
}

static void clear_groups(const struct rg_resize_side *result, int64_t inner, char *to, int64_t n)
{
    const int64_t nbytes = inner * result->element_nbytes;
    if (result->solid && n > 0)
        memset(to, 0, (size_t)(n * nbytes));
    for (int64_t k = 0; k < n && !result->solid; k++)
        memset(to + k * result->stride_w * result->element_nbytes, 0, (size_t)nbytes);
}

/* Is row h of the result the one above it once more? */
static bool repeats(const struct rg_axis_map *map, int64_t h)
{
    return h > 0 && map->begin[h] == map->begin[h - 1] &&
           map->first[h + 1] - map->first[h] == map->first[h] - map->first[h - 1];
}

/* The stretch of a row, from a row of the source or from none, to where its first result is to be. */
static void make_stretch(const struct rg_moved *moved, char *to, const char *from)
{
    const struct rg_resize_side *result = &moved->plan->result;
    const int64_t n_full = from == NULL ? 0 : moved->n_full;
    if (from != NULL)
        move_full(moved, to, from);
    clear_groups(result, moved->plan->inner, to + n_full * result->stride_w * result->element_nbytes,
                 moved->n - n_full);
}

/* The row of the source that a row of the result repeats; NULL: it is 0. */
static const char *source_row(const struct rg_resize_plan *plan, const struct rg_resize_row *row)
{
    const struct rg_axis_map *depth = &plan->depth, *height = &plan->height;
    if (depth->first[row->d + 1] == depth->first[row->d] || height->first[row->h + 1] == height->first[row->h])
        return NULL;
    return row->source + rg_resize_offset(&plan->source, height->begin[row->h], 0);
}

void rg_moved_row(struct rg_moved *moved, const struct rg_resize_row *row, bool has_above)
{
    const struct rg_resize_plan *plan = moved->plan;
    const struct rg_resize_side *result = &plan->result;
    char *to = row->result + rg_resize_offset(result, row->h, moved->w);
    const size_t nbytes = (size_t)(moved->n * plan->inner * result->element_nbytes);
    /* What went past the caches is made again rather than read back. */
    if (has_above && result->solid && repeats(&plan->height, row->h) && !(plan->streamed && moved->n_blocks > 0))
        memcpy(to, to - result->stride_h * result->element_nbytes, nbytes);
    else
        make_stretch(moved, to, source_row(plan, row));
}

/* ---- Folded: all rows of a volume, or of some of them, are one ---- */

/* The axes of a volume but the width, the outer one first, in the order of the result's memory. */
struct outer_axis {
    const struct rg_axis_map *map;
    int64_t n_sources, n_results, source_stride, result_stride;
};

static struct outer_axis outer_axis(const struct rg_resize_plan *plan, int k)
{
    const struct rg_resize_side *source = &plan->source, *result = &plan->result;
    if ((k == 0) == plan->height_outer)
        return (struct outer_axis){&plan->height, source->height, result->height, source->stride_h, result->stride_h};
    return (struct outer_axis){&plan->depth, source->depth, result->depth, source->stride_d, result->stride_d};
}

static int64_t volume_length(const struct rg_resize_side *side)
{
    return side->depth * side->height * side->width;
}

/* Does each result have a source? Maps without tables are of laws by which it has. */
static bool is_full(const struct rg_axis_map *map)
{
    return map->first == NULL || map->first[map->n_dst] == map->n_dst;
}

bool rg_moved_can_fold(const struct rg_resize_plan *plan)
{
    const struct rg_resize_side *result = &plan->result;
    const struct outer_axis outer = outer_axis(plan, 0), middle = outer_axis(plan, 1);
    const int64_t row = result->width * plan->inner;
    return plan->route == RG_MOVED && !plan->width.backward && result->width <= RG_MOST_FOLDED && result->solid &&
           (middle.n_results == 1 || middle.result_stride == row) &&
           (outer.n_results == 1 || outer.result_stride == middle.n_results * row) && is_full(&plan->depth) &&
           is_full(&plan->height) && is_full(&plan->width);
}

bool rg_moved_folding_pays(const struct rg_resize_plan *plan)
{
    return plan->result.width <= FOLDED_WIDTH;
}

/* Elements from one volume to the next where that is the same for all of them, else 0. */
static int64_t volume_pitch(const struct rg_resize_plan *plan, const struct rg_resize_side *side)
{
    const int64_t n_samples = plan->n_volumes / plan->n_channels;
    if (plan->n_channels == 1)
        return side->stride_n;
    return n_samples == 1 || side->stride_n == plan->n_channels * side->stride_c ? side->stride_c : 0;
}

/* As many as a stretch has room for, where all volumes follow one another alike. */
int64_t rg_moved_volumes_to_fold(const struct rg_resize_plan *plan)
{
    const int64_t length = volume_length(&plan->result);
    const bool follow =
        volume_pitch(plan, &plan->result) == length * plan->inner && volume_pitch(plan, &plan->source) != 0;
    return follow ? rg_max(rg_min(RG_AXIS_STRETCH / length, plan->n_volumes), 1) : 1;
}

/* Are the sources of so many volumes neighbours, all of them? */
static bool has_dense_source(const struct rg_resize_plan *plan)
{
    const struct rg_resize_side *side = &plan->source;
    const struct outer_axis outer = outer_axis(plan, 0), middle = outer_axis(plan, 1);
    return plan->inner == 1 && side->solid && (middle.n_sources == 1 || middle.source_stride == side->width) &&
           (outer.n_sources == 1 || outer.source_stride == middle.n_sources * side->width) &&
           (plan->folded == 1 || volume_pitch(plan, side) == volume_length(side));
}

/* As many as the first `end` columns have where they all are; not if offsets of 32 bits do not reach all. */
static int64_t count_neighbours(const struct rg_resize_plan *plan, int64_t end)
{
    const int64_t n_volumes = rg_divide_up(end, volume_length(&plan->result)), length = volume_length(&plan->source);
    const double nbytes = (double)n_volumes * (double)length * (double)plan->source.element_nbytes;
    return has_dense_source(plan) && nbytes <= INT32_MAX ? n_volumes * length : 0;
}

static void begin_folded(struct rg_moved *moved, const struct rg_resize_plan *plan)
{
    const struct rg_axis_map *map = &plan->width;
    rg_moved_begin(moved, plan);
    moved->from_step = plan->source.element_nbytes;
    moved->to_step = plan->inner * plan->result.element_nbytes;
    if (map->begin == NULL)
        rg_axis_find(map, 0, map->n_dst, moved->column);
    for (int64_t w = 0; w < map->n_dst; w++)
        moved->column[w] = (map->begin == NULL ? moved->column[w] : map->begin[w]) * plan->source.stride_w;
}

/* Takes columns from w to `end` of a folded row, or some of them: a row of the volume after another. */
static void take_folded(struct rg_moved *moved, int64_t w, int64_t end)
{
    const struct rg_resize_plan *plan = moved->plan;
    const struct outer_axis outer = outer_axis(plan, 0), middle = outer_axis(plan, 1);
    const int64_t n = rg_min(end - w, RG_AXIS_STRETCH), width = plan->result.width;
    const int64_t pitch = volume_pitch(plan, &plan->source);
    if (moved->w == w && moved->n == n)
        return;
    moved->w = w;
    moved->n = moved->n_full = n;
    moved->source = moved->found;
    int64_t row = w / width, column = w % width;
    for (int64_t k = 0; k < n; row++, column = 0) {
        const int64_t m = row % middle.n_results, o = row / middle.n_results % outer.n_results;
        const int64_t volume = row / middle.n_results / outer.n_results;
        const int64_t from = volume * pitch + rg_axis_begin(outer.map, o) * outer.source_stride +
                             rg_axis_begin(middle.map, m) * middle.source_stride;
        for (; column < width && k < n; column++)
            moved->found[k++] = from + moved->column[column];
    }
    moved->n_src = count_neighbours(plan, end);
    moved->n_blocks = take_blocks(moved);
}

void rg_moved_folded(const struct rg_resize_plan *plan, const char *source, char *result, struct rg_share rows,
                     struct rg_share columns)
{
    const int64_t n_whole = plan->n_volumes / plan->folded, length = volume_length(&plan->result);
    const int64_t rest = plan->n_volumes % plan->folded * length;
    struct rg_moved moved;
    begin_folded(&moved, plan);
    for (int64_t at = rows.begin, n; at < rows.end; at += n) {
        const int64_t end = at < n_whole ? columns.end : rg_min(columns.end, rest);
        n = at < n_whole ? rg_min(rg_min(rows.end, n_whole) - at, RG_RESIZE_BATCH) : 1;
        for (int64_t w = columns.begin; w < end; w += moved.n) {
            take_folded(&moved, w, end);
            for (int64_t k = at; k < at + n; k++)
                move_full(&moved,
                          result + rg_resize_plane_nbytes(plan, &plan->result, k * plan->folded, 0) + w * moved.to_step,
                          source + rg_resize_plane_nbytes(plan, &plan->source, k * plan->folded, 0));
        }
    }
}
