/* SPDX-License-Identifier: Apache-2.0 */
/* kernel/body/taps.h has the formulas. */
#include "op/axis_taps.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "kernel/kernel.h"

/* Rounds to float unless the type is double. */
static double rounded(bool wide, double value)
{
    return wide ? value : (double)(float)value;
}

double rg_axis_support(enum rg_axis_law law, double step, bool wide)
{
    const double radius = rg_axis_radius(law);
    return step >= 1 ? rounded(wide, radius * step) : radius;
}

static struct rg_tap_formula formula_of(const struct rg_axis_map *map, bool wide)
{
    const struct rg_axis_spec *spec = &map->spec;
    const bool half_pixel = rg_axis_radius(spec->law) > 0 || spec->coordinates == REGRAD_HALF_PIXEL;
    return (struct rg_tap_formula){
        .law = spec->law,
        .wide = wide,
        .step = map->step,
        .centre = half_pixel ? 0.5 : 0,
        .shift = half_pixel ? 0.5 : 0,
        .last = (double)(spec->in_size - 1),
        .radius = rg_axis_radius(spec->law),
        .support = rg_axis_support(spec->law, map->step, wide),
        .inverse = map->step >= 1 ? rounded(wide, 1.0 / map->step) : 1,
    };
}

/* Returns the longest row. */
static int64_t find_rows(const struct rg_axis_map *map, const struct rg_tap_formula *formula)
{
    int64_t n_terms[RG_AXIS_STRETCH], longest = 0, end = 0, *const first = map->first;
    first[0] = 0;
    for (int64_t from = 0; from < map->n_dst; from += RG_AXIS_STRETCH) {
        const int64_t n = rg_min(map->n_dst - from, RG_AXIS_STRETCH);
        rg_axis_kernels_of(map)->find_taps(formula, from, n, map->begin + from, n_terms);
        for (int64_t k = 0; k < n; k++) {
            first[from + k + 1] = end += n_terms[k];
            longest = rg_max(longest, n_terms[k]);
        }
    }
    return longest;
}

static regrad_status fill_forward(struct rg_axis_map *map, bool wide)
{
    const struct rg_tap_formula formula = formula_of(map, wide);
    map->max_taps = find_rows(map, &formula);
    RG_FORWARD(rg_axis_take_room(map));
    rg_axis_kernels_of(map)->weigh_taps(&formula, map->n_dst, map->first, map->weight);
    return REGRAD_OK;
}

/* Input i is read by the outputs from the first one that ends behind it to the last one that begins no later. As many
 * as end no later, or begin so, are noted where the last of them does. */
static void transpose_rows(struct rg_axis_map *map, const struct rg_axis_map *forward)
{
    int64_t *const ended = map->first, *const begun = map->begin;
    memset(ended, 0, (size_t)(map->n_dst + 1) * sizeof *ended);
    memset(begun, 0, (size_t)(map->n_dst + 1) * sizeof *begun);
    for (int64_t o = 0, n = map->n_src; o < n; o++) {
        begun[forward->begin[o]] = o + 1;
        ended[rg_axis_end(forward, o)] = o + 1;
    }
    int64_t from = 0, to = 0, n = 0, longest = 0;
    for (int64_t i = 0, end = map->n_dst; i < end; i++) {
        from = rg_max(from, ended[i]);
        to = rg_max(rg_max(to, begun[i]), from);
        map->first[i] = n;
        map->begin[i] = from;
        longest = rg_max(longest, to - from);
        n += to - from;
    }
    map->first[map->n_dst] = n;
    map->max_taps = longest;
}

/* Of so many bytes, a constant. Output by output, for these have about as many terms each. */
static inline void transpose_values(const struct rg_axis_map *map, const struct rg_axis_map *forward, size_t nbytes)
{
    const int64_t *restrict const first = map->first, *restrict const begin = map->begin;
    const char *restrict from = forward->weight;
    char *restrict const to = map->weight;
    for (int64_t o = 0; o < map->n_src; o++) {
        const int64_t low = forward->begin[o], n = forward->first[o + 1] - forward->first[o];
        for (int64_t i = low; i < low + n; i++, from += nbytes)
            memcpy(to + (first[i] + o - begin[i]) * (int64_t)nbytes, from, nbytes);
    }
}

static void transpose_weights(const struct rg_axis_map *map, const struct rg_axis_map *forward)
{
    if (map->spec.use_double)
        transpose_values(map, forward, sizeof(double));
    else
        transpose_values(map, forward, sizeof(float));
}

regrad_status rg_axis_fill_taps(struct rg_axis_map *map, bool wide)
{
    struct rg_axis_map forward;
    if (!map->backward)
        return fill_forward(map, wide);
    RG_FORWARD(rg_axis_init(&forward, &map->spec, false, map->memory));
    transpose_rows(map, &forward);
    const regrad_status status = rg_axis_take_room(map);
    if (status == REGRAD_OK)
        transpose_weights(map, &forward);
    rg_axis_fini(&forward);
    return status;
}
