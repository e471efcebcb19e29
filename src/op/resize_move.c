/* SPDX-License-Identifier: Apache-2.0 */
#include "op/resize_move.h"

#include <string.h>

void rg_moved_begin(struct rg_moved *moved, const struct rg_resize_plan *plan)
{
    moved->plan = plan;
    moved->w = moved->n = 0;
}

static bool is_of_neighbours(const struct rg_resize_plan *plan)
{
    return plan->inner == 1 && plan->source.stride_w == 1 && plan->result.stride_w == 1;
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
    const int64_t n = RG_MOVED_NBYTES / (int64_t)nbytes, last = moved->plan->source.width - n;
    const int64_t *source = moved->source + at, first = rg_min(source[0], last);
    if (last < 0 || source[n - 1] - first >= n)
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
    if (moved->plan->base.kernels->values->move == NULL || !is_of_neighbours(moved->plan))
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
    const int64_t to_step = moved->plan->result.stride_w * moved->plan->result.element_nbytes;
    const int64_t from_step = moved->plan->source.stride_w * moved->plan->source.element_nbytes;
    for (int64_t k = 0; k < moved->n_full; k++, to += to_step) {
        const char *group = from + moved->source[k] * from_step;
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
    else if (!is_of_neighbours(moved->plan))
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
