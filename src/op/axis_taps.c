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

#include "base/checked.h"
#include "base/status.h"

/* Half of the inputs that a filter reaches where it is not stretched; 0 if the law has none. */
static double radius_of(enum rg_axis_law law)
{
    return law == RG_AXIS_AA_LINEAR ? 1 : law == RG_AXIS_AA_CUBIC ? 2 : law == RG_AXIS_AA_LANCZOS ? 3 : 0;
}

/* Rounds to float unless the type is double. Sums, products and quotients of two floats may be computed in double
 * before: that rounds them as one operation in float does. */
static double rounded(bool wide, double value)
{
    return wide ? value : (double)(float)value;
}

double rg_axis_support(enum rg_axis_law law, double step, bool wide)
{
    const double radius = radius_of(law);
    return step >= 1 ? rounded(wide, radius * step) : radius;
}

/* An axis, and the inputs that one of its outputs reads: count from begin on. */
struct axis {
    const struct rg_axis_spec *spec;
    bool wide; /* coordinates are double */
    double step, last, support, inverse;
};

struct reach {
    int64_t begin, count;
};

static struct axis make_axis(const struct rg_axis_map *map, bool wide)
{
    const struct rg_axis_spec *spec = &map->spec;
    return (struct axis){
        .spec = spec,
        .wide = wide,
        .step = map->step,
        .last = (double)(spec->in_size - 1),
        .support = rg_axis_support(spec->law, map->step, wide),
        .inverse = map->step >= 1 ? rounded(wide, 1.0 / map->step) : 1,
    };
}

/* ---- Cubic convolution ---- */

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

/* i0 and t. Coordinates are compared before they become integers, for they may be too large for these. */
static double locate_cubic(const struct axis *axis, int64_t o, double *t)
{
    const bool wide = axis->wide;
    double s = rounded(wide, axis->step * (double)o);
    if (axis->spec->coordinates == REGRAD_HALF_PIXEL)
        s = rounded(wide, rounded(wide, axis->step * rounded(wide, (double)o + 0.5)) - 0.5);
    const double base = s >= axis->last ? axis->last : floor(s);
    *t = clamp(rounded(axis->spec->use_double, s - base), 0, 1);
    return base;
}

static struct reach reach_of_cubic(const struct axis *axis, int64_t o)
{
    double t;
    const double base = locate_cubic(axis, o, &t);
    const int64_t begin = (int64_t)clamp(base - 1, 0, axis->last), last = (int64_t)clamp(base + 2, 0, axis->last);
    return (struct reach){begin, last - begin + 1};
}

static void weigh_cubic(const struct axis *axis, int64_t o, struct reach reach, double *weight)
{
    static const double a = -0.75;
    double t;
    const double base = locate_cubic(axis, o, &t), u = 1 - t;
    const double tap[] = {a * t * (u * u), u * (1 + t - (a + 2) * (t * t)), t * (1 + u - (a + 2) * (u * u)),
                          a * u * (t * t)};
    for (int64_t j = 0; j < reach.count; j++)
        weight[j] = 0;
    for (int k = 0; k < 4; k++)
        weight[(int64_t)clamp(base - 1 + k, 0, axis->last) - reach.begin] += tap[k];
    if (axis->last == 0)
        weight[0] = 1;
}

/* ---- Antialiasing ---- */

static double centre_of(const struct axis *axis, int64_t o)
{
    return rounded(axis->wide, axis->step * ((double)o + 0.5));
}

/* The number of an input that a filter's end is rounded to: at most I. */
static double whole_up_to(const struct axis *axis, double end)
{
    return clamp(trunc(rounded(axis->wide, end) + 0.5), 0, axis->last + 1);
}

static struct reach reach_of_filter(const struct axis *axis, int64_t o)
{
    const double centre = centre_of(axis, o), most = 2 * ceil(axis->support) + 1;
    const double low = whole_up_to(axis, centre - axis->support), high = whole_up_to(axis, centre + axis->support);
    return (struct reach){(int64_t)low, (int64_t)clamp(high - low, 0, most)};
}

/* sin(pi x) / (pi x). The C library's sine differs between platforms. x less its nearest whole number is exact, and the
 * sine of what is left is the sum of y^(2 k + 1) / (2 k + 1)! with signs, for k up to 11. */
static double sinc(double x)
{
    static const double pi = 3.14159265358979323846;
    const double whole = rint(x), y = pi * (x - whole), y2 = y * y;
    double sum = 0;
    if (x == 0)
        return 1;
    for (int k = 11; k > 0; k--)
        sum = (1 + sum) * (-y2 / (double)(2 * k * (2 * k + 1)));
    const double sine = y + y * sum;
    return (fmod(whole, 2) == 0 ? sine : -sine) / (pi * x);
}

static double filter(enum rg_axis_law law, double x)
{
    if (x >= radius_of(law))
        return 0;
    if (law == RG_AXIS_AA_LINEAR)
        return 1 - x;
    if (law == RG_AXIS_AA_LANCZOS)
        return sinc(x) * sinc(x / 3);
    return x < 1 ? (1 - x) * (1 + x - 1.5 * (x * x)) : -0.5 * (x - 1) * ((2 - x) * (2 - x));
}

static void weigh_filter(const struct axis *axis, int64_t o, struct reach reach, double *weight)
{
    const bool wide = axis->wide, wide_weight = axis->spec->use_double;
    const double centre = centre_of(axis, o);
    double total = 0;
    for (int64_t j = 0; j < reach.count; j++) {
        const double distance = rounded(wide, (double)(reach.begin + j) - centre) + 0.5;
        weight[j] = rounded(wide_weight, filter(axis->spec->law, fabs(rounded(wide, distance * axis->inverse))));
        total = rounded(wide_weight, total + weight[j]);
    }
    for (int64_t j = 0; j < reach.count && total != 0; j++)
        weight[j] = rounded(wide_weight, weight[j] / total);
}

/* ---- Maps ---- */

static struct reach reach_of(const struct axis *axis, int64_t o)
{
    return axis->spec->law == RG_AXIS_CUBIC ? reach_of_cubic(axis, o) : reach_of_filter(axis, o);
}

static void weigh(const struct axis *axis, int64_t o, struct reach reach, double *weight)
{
    if (axis->spec->law == RG_AXIS_CUBIC)
        weigh_cubic(axis, o, reach, weight);
    else
        weigh_filter(axis, o, reach, weight);
}

static void put_weight(struct rg_axis_map *map, int64_t term, double weight)
{
    if (map->spec.use_double)
        ((double *)map->weight)[term] = weight;
    else
        ((float *)map->weight)[term] = (float)weight;
}

static double weight_of(const struct rg_axis_map *map, int64_t term)
{
    return map->spec.use_double ? ((const double *)map->weight)[term] : (double)((const float *)map->weight)[term];
}

static regrad_status take_weights(struct rg_axis_map *map)
{
    map->weight =
        rg_memory_take(map->memory, map->first[map->n_dst], map->spec.use_double ? sizeof(double) : sizeof(float));
    return map->weight != NULL ? REGRAD_OK : REGRAD_ERROR_OUT_OF_MEMORY;
}

static void find_rows(struct rg_axis_map *map, const struct axis *axis)
{
    map->first[0] = 0;
    for (int64_t o = 0; o < map->n_dst; o++) {
        const struct reach reach = reach_of(axis, o);
        map->begin[o] = reach.begin;
        map->first[o + 1] = map->first[o] + reach.count;
        map->max_taps = rg_max(map->max_taps, reach.count);
    }
}

static regrad_status fill_forward(struct rg_axis_map *map, bool wide)
{
    const struct axis axis = make_axis(map, wide);
    find_rows(map, &axis);
    const int64_t most = rg_max(map->max_taps, 1);
    double *weight = rg_memory_take(map->memory, most, sizeof *weight);
    const regrad_status status = weight != NULL ? take_weights(map) : REGRAD_ERROR_OUT_OF_MEMORY;
    for (int64_t o = 0; o < map->n_dst && status == REGRAD_OK; o++) {
        const struct reach reach = {map->begin[o], map->first[o + 1] - map->first[o]};
        weigh(&axis, o, reach, weight);
        for (int64_t j = 0; j < reach.count; j++)
            put_weight(map, map->first[o] + j, weight[j]);
    }
    rg_memory_give(map->memory, weight, most, sizeof *weight);
    return status;
}

/* Input i is read by the outputs from the first one that ends behind it to the last one that begins no later. */
static void transpose_rows(struct rg_axis_map *map, const struct rg_axis_map *forward)
{
    int64_t from = 0, to = 0;
    map->first[0] = 0;
    for (int64_t i = 0; i < map->n_dst; i++) {
        while (from < map->n_src && rg_axis_end(forward, from) <= i)
            from++;
        while (to < map->n_src && (to < from || forward->begin[to] <= i))
            to++;
        map->begin[i] = from;
        map->first[i + 1] = map->first[i] + to - from;
        map->max_taps = rg_max(map->max_taps, to - from);
    }
}

static void transpose_weights(struct rg_axis_map *map, const struct rg_axis_map *forward)
{
    for (int64_t i = 0; i < map->n_dst; i++)
        for (int64_t term = map->first[i], o = map->begin[i]; term < map->first[i + 1]; term++, o++)
            put_weight(map, term, weight_of(forward, forward->first[o] + i - forward->begin[o]));
}

regrad_status rg_axis_fill_taps(struct rg_axis_map *map, bool wide)
{
    struct rg_axis_map forward;
    if (!map->backward)
        return fill_forward(map, wide);
    RG_FORWARD(rg_axis_init(&forward, &map->spec, false, map->memory));
    transpose_rows(map, &forward);
    const regrad_status status = take_weights(map);
    if (status == REGRAD_OK)
        transpose_weights(map, &forward);
    rg_axis_fini(&forward);
    return status;
}
