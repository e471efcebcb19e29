/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formulas, with r, I, O, i and o as in op/axis.c. T is the type of weights, float or double; "float" that of
 * coordinates. Each operation rounds once to the type that is named.
 *
 * cubic: source coordinate s of output o (float)
 *     half-pixel     r * (o + 0.5) - 0.5
 *     align_corners, asymmetric   r * o
 *     i0 = min(floor(s), I - 1)   t = clamp(s - i0, 0, 1) in T   u = 1 - t   A = -0.75
 *     inputs clamp(i0 - 1 + k, 0, I - 1), k = 0 .. 3, with the weights, in double
 *     A t u^2,   u (1 + t - (A + 2) t^2),   t (1 + u - (A + 2) u^2),   A u t^2
 *     those of one input are added in double, in order of k, and their sum is rounded to T
 * antialiased: a filter f that is 0 from n / 2 on
 *     support = r >= 1 ? n / 2 * r : n / 2     inverse = r >= 1 ? 1 / r : 1     most = 2 ceil(support) + 1
 *     centre = r * (o + 0.5)                   (one rounding to float)
 *     lo = max(trunc((centre - support) + 0.5), 0)
 *     count = clamp(min(trunc((centre + support) + 0.5), I) - lo, 0, most)       (sums with 0.5 in double)
 *     x[j] = |(((lo + j) - centre) + 0.5) * inverse|
 *            ((lo + j) - centre in float, the rest in double, and one rounding to float)
 *     w[j] = f(x[j]), evaluated in double and rounded to T, divided by w[0] + w[1] + ... in T unless that is 0
 *     linear   n = 2   1 - x
 *     cubic    n = 4   x < 1: (1 - x)(1 + x - 1.5 x^2)      else -0.5 (x - 1)(2 - x)^2
 *     lanczos  n = 6   sinc(x) sinc(x / 3)
 */
#include "op/axis_taps.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/status.h"
#include "kernel/kernel.h"

/* Half of the inputs that a filter reaches where it is not stretched; 0 if the law has none. */
static double radius_of(enum rg_axis_law law)
{
    return law == RG_AXIS_AA_LINEAR ? 1 : law == RG_AXIS_AA_CUBIC ? 2 : law == RG_AXIS_AA_LANCZOS ? 3 : 0;
}

/* Rounds to float unless the type is double. */
static double rounded(bool wide, double value)
{
    return wide ? value : (double)(float)value;
}

double rg_axis_support(enum rg_axis_law law, double step, bool wide)
{
    const double radius = radius_of(law);
    return step >= 1 ? rounded(wide, radius * step) : radius;
}

static enum rg_filter filter_of(enum rg_axis_law law)
{
    return law == RG_AXIS_AA_LINEAR    ? RG_FILTER_LINEAR
           : law == RG_AXIS_AA_CUBIC   ? RG_FILTER_CUBIC
           : law == RG_AXIS_AA_LANCZOS ? RG_FILTER_LANCZOS
                                       : RG_NO_FILTER;
}

static struct rg_tap_formula formula_of(const struct rg_axis_map *map, bool wide)
{
    const struct rg_axis_spec *spec = &map->spec;
    const enum rg_filter filter = filter_of(spec->law);
    const bool half_pixel = filter != RG_NO_FILTER || spec->coordinates == REGRAD_HALF_PIXEL;
    return (struct rg_tap_formula){
        .filter = filter,
        .wide = wide,
        .step = map->step,
        .centre = half_pixel ? 0.5 : 0,
        .shift = half_pixel ? 0.5 : 0,
        .last = (double)(spec->in_size - 1),
        .radius = radius_of(spec->law),
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
