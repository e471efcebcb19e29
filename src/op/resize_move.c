/* SPDX-License-Identifier: Apache-2.0 */
#include "op/resize_move.h"

#include <math.h>
#include <string.h>

void rg_moved_begin(struct rg_moved *moved, const struct rg_resize_plan *plan)
{
    moved->plan = plan;
    moved->w = moved->n = 0;
    moved->from = moved->to = NULL;
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
    const struct rg_resize_side *source = &moved->plan->source, *result = &moved->plan->result;
    const int64_t element = result->element_nbytes, n = moved->n_full;
    if (moved->plan->inner > 1 || source->stride_w != 1 || result->stride_w != 1)
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

/* What is to be canonicalised is so together as long as it is in one piece. */
static void add_moved(struct rg_moved *moved, char *to, int64_t nbytes)
{
    if (moved->to != to) {
        rg_moved_canonicalise(moved);
        moved->from = to;
    }
    moved->to = to + nbytes;
}

void rg_moved_row(struct rg_moved *moved, const struct rg_resize_row *row, bool has_above)
{
    const struct rg_resize_plan *plan = moved->plan;
    const struct rg_resize_side *result = &plan->result;
    const struct rg_axis_map *height = &plan->height;
    const bool has_source = height->first[row->h + 1] > height->first[row->h];
    const int64_t step = result->stride_w * result->element_nbytes, group = plan->inner * result->element_nbytes;
    const int64_t n_full = has_source ? moved->n_full : 0;
    char *to = row->result + rg_resize_offset(result, row->h, moved->w);
    if (has_above && result->solid && repeats(height, row->h)) {
        memcpy(to, to - result->stride_h * result->element_nbytes, (size_t)(moved->n * group));
    } else {
        if (has_source)
            move_full(moved, to, row->source + rg_resize_offset(&plan->source, height->begin[row->h], 0));
        clear_groups(result, plan->inner, to + n_full * step, moved->n - n_full);
    }
    if (result->solid)
        add_moved(moved, to, moved->n * group);
    for (int64_t k = 0; k < moved->n && !result->solid; k++)
        add_moved(moved, to + k * step, group);
}

static void canonicalise_half(uint16_t *value, int64_t n, int16_t infinity, uint16_t nan)
{
    for (int64_t k = 0; k < n; k++) {
        const int16_t size = (int16_t)(value[k] & INT16_MAX);
        const uint16_t number = size > infinity ? nan : value[k];
        value[k] = size > 0 ? number : 0;
    }
}

static void canonicalise_float(float *value, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        const float sum = value[k] + 0;
        value[k] = sum == sum ? sum : NAN;
    }
}

static void canonicalise_double(double *value, int64_t n)
{
    for (int64_t k = 0; k < n; k++) {
        const double sum = value[k] + 0;
        value[k] = sum == sum ? sum : (double)NAN;
    }
}

void rg_moved_canonicalise(struct rg_moved *moved)
{
    const regrad_dtype dtype = moved->plan->result.dtype;
    void *const from = moved->from;
    const int64_t n = (moved->to - moved->from) / moved->plan->result.element_nbytes;
    moved->from = moved->to = NULL;
    if (dtype == REGRAD_FLOAT16 || dtype == REGRAD_BFLOAT16)
        canonicalise_half(from, n, dtype == REGRAD_FLOAT16 ? 0x7C00 : 0x7F80,
                          dtype == REGRAD_FLOAT16 ? 0x7E00 : 0x7FC0);
    else if (dtype == REGRAD_FLOAT32)
        canonicalise_float(from, n);
    else if (dtype == REGRAD_FLOAT64)
        canonicalise_double(from, n);
}
