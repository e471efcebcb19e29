/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formulas. With I = in_size, O = out_size, and one rounding to the named type an operation:
 *
 * r (source step)
 *     align_corners  O > 1 ? (I - 1) / (O - 1) : 0
 *     others         scale > 0 ? 1.0 / scale : I / O      (float; the inverse is taken in double)
 * bilinear: source coordinate s of output o
 *     half-pixel     max(r * (o + 0.5) - 0.5, 0)
 *     align_corners, asymmetric   r * o
 *     i0 = min(floor(s), I - 1)   i1 = min(i0 + 1, I - 1)   w1 = clamp(s - i0, 0, 1)   w0 = 1 - w1
 * nearest-exact, forward law: output o reads
 *     min(floor((float)((o + 0.5) * (double)r)), I - 1)
 * nearest-exact, gather law: input i is read by outputs begin(i) .. begin(i + 1) - 1,
 *     m = scale > 0 ? scale : O / I (float)   begin(i) = clamp(ceil(i * m - 0.5), 0, O)
 *
 * "float" is float32, and double for float64 bilinear tensors and wherever an axis is longer than
 * RG_LONGEST_IN_FLOAT.
 */
#include "op/axis.h"

#include <math.h>

#include "base/checked.h"
#include "base/status.h"
#include "kernel/kernel.h"

/* What one output reads. */
struct taps {
    int64_t begin, n;
    double weight[2];
};

static bool is_nearest(const struct rg_axis_spec *spec)
{
    return spec->law == RG_AXIS_NEAREST || spec->law == RG_AXIS_GATHER;
}

/* Indices and coordinates in double? */
static bool index_in_double(const struct rg_axis_spec *spec)
{
    return (spec->use_double && !is_nearest(spec)) || spec->in_size > RG_LONGEST_IN_FLOAT ||
           spec->out_size > RG_LONGEST_IN_FLOAT;
}

static double step_of(const struct rg_axis_spec *spec)
{
    const bool wide = index_in_double(spec);
    if (spec->law == RG_AXIS_ALIGN_CORNERS) {
        if (spec->out_size <= 1)
            return 0;
        const int64_t in_steps = spec->in_size - 1, out_steps = spec->out_size - 1;
        return wide ? (double)in_steps / (double)out_steps : (double)((float)in_steps / (float)out_steps);
    }
    if (spec->scale > 0)
        return wide ? 1.0 / spec->scale : (double)(float)(1.0 / spec->scale);
    return wide ? (double)spec->in_size / (double)spec->out_size
                : (double)((float)spec->in_size / (float)spec->out_size);
}

/* The gather law's multiplier m. */
static double multiplier_of(const struct rg_axis_spec *spec)
{
    const bool wide = index_in_double(spec);
    if (spec->scale > 0)
        return wide ? spec->scale : (double)(float)spec->scale;
    return wide ? (double)spec->out_size / (double)spec->in_size
                : (double)((float)spec->out_size / (float)spec->in_size);
}

bool rg_axis_scale_ok(const struct rg_axis_spec *spec)
{
    if (!isfinite(spec->scale) || (is_nearest(spec) && spec->scale < 0))
        return false;
    if (spec->scale <= 0)
        return true;
    const double used = spec->law == RG_AXIS_GATHER ? multiplier_of(spec) : step_of(spec);
    return isfinite(1.0 / spec->scale) && isfinite(used);
}

static double coordinate_in_float(const struct rg_axis_spec *spec, float r, int64_t o)
{
    if (spec->law != RG_AXIS_HALF_PIXEL)
        return (double)(r * (float)o);
    const float centre = (float)o + 0.5f;
    const float s = r * centre - 0.5f;
    return (double)(s > 0 ? s : 0);
}

static double coordinate_in_double(const struct rg_axis_spec *spec, double r, int64_t o)
{
    if (spec->law != RG_AXIS_HALF_PIXEL)
        return r * (double)o;
    const double s = r * ((double)o + 0.5) - 0.5;
    return s > 0 ? s : 0;
}

/* Taps of a bilinear output. Each subtraction is computed in double and rounded to the type of the weights,
 * so that w0 is 1 minus the weight that is used beside it. */
static struct taps linear_taps(const struct rg_axis_spec *spec, double r, int64_t o)
{
    const bool wide = index_in_double(spec);
    const double s = wide ? coordinate_in_double(spec, r, o) : coordinate_in_float(spec, (float)r, o);
    const int64_t last = spec->in_size - 1;
    const int64_t i0 = s < (double)last ? (int64_t)s : last;
    double w1 = s - (double)i0;
    if (!spec->use_double)
        w1 = (double)(float)w1;
    w1 = w1 < 0 ? 0 : w1 > 1 ? 1 : w1;
    double w0 = 1 - w1;
    if (!spec->use_double)
        w0 = (double)(float)w0;
    if (i0 == last) /* both neighbours are the same: w0 + w1, which is 1 exactly */
        return (struct taps){.begin = i0, .n = 1, .weight = {1}};
    return (struct taps){.begin = i0, .n = 2, .weight = {w0, w1}};
}

static struct taps nearest_taps(const struct rg_axis_spec *spec, double r, int64_t o)
{
    const double s = ((double)o + 0.5) * r;
    const double source = floor(index_in_double(spec) ? s : (double)(float)s);
    const int64_t last = spec->in_size - 1;
    return (struct taps){.begin = source < (double)last ? (int64_t)source : last, .n = 1, .weight = {1}};
}

static int64_t gather_begin(const struct rg_axis_spec *spec, double m, int64_t i)
{
    double edge;
    if (index_in_double(spec)) {
        edge = ceil((double)i * m - 0.5);
    } else {
        const float product = (float)i * (float)m;
        edge = (double)ceilf(product - 0.5f);
    }
    const int64_t out_size = spec->out_size;
    return edge <= 0 ? 0 : edge >= (double)out_size ? out_size : (int64_t)edge;
}

static size_t weight_nbytes(const struct rg_axis_map *map)
{
    return map->weights_double ? sizeof(double) : sizeof(float);
}

/* Memory for a map of n_dst rows and n_weights weights, all of them zeros. */
static regrad_status allocate(struct rg_axis_map *map, struct rg_memory *memory, int64_t n_dst, int64_t n_src,
                              int64_t n_weights, bool is_double)
{
    *map = (struct rg_axis_map){
        .n_dst = n_dst, .n_src = n_src, .n_weights = n_weights, .weights_double = is_double, .memory = memory};
    map->begin = rg_memory_take(memory, n_dst, sizeof *map->begin);
    map->first = rg_memory_take(memory, n_dst + 1, sizeof *map->first);
    map->weight = rg_memory_take(memory, n_weights, weight_nbytes(map));
    if (map->begin != NULL && map->first != NULL && map->weight != NULL)
        return REGRAD_OK;
    rg_axis_fini(map);
    return REGRAD_ERROR_OUT_OF_MEMORY;
}

void rg_axis_fini(struct rg_axis_map *map)
{
    rg_memory_give(map->memory, map->begin, map->n_dst, sizeof *map->begin);
    rg_memory_give(map->memory, map->first, map->n_dst + 1, sizeof *map->first);
    rg_memory_give(map->memory, map->weight, map->n_weights, weight_nbytes(map));
    *map = (struct rg_axis_map){0};
}

static void set_weight(struct rg_axis_map *map, int64_t at, double value)
{
    if (map->weights_double)
        ((double *)map->weight)[at] = value;
    else
        ((float *)map->weight)[at] = (float)value;
}

static double get_weight(const struct rg_axis_map *map, int64_t at)
{
    return map->weights_double ? ((const double *)map->weight)[at] : (double)((const float *)map->weight)[at];
}

static void find_max_taps(struct rg_axis_map *map)
{
    for (int64_t d = 0; d < map->n_dst; d++)
        map->max_taps = rg_max(map->max_taps, map->first[d + 1] - map->first[d]);
}

/* The forward map of every law that says what an output reads. */
static regrad_status build_forward(struct rg_axis_map *map, const struct rg_axis_spec *spec, struct rg_memory *memory)
{
    const bool nearest = is_nearest(spec);
    const double r = step_of(spec);
    int64_t n_weights;
    if (!rg_mul(spec->out_size, nearest ? 1 : 2, &n_weights))
        return REGRAD_ERROR_OUT_OF_MEMORY;
    RG_FORWARD(allocate(map, memory, spec->out_size, spec->in_size, n_weights, spec->use_double));
    for (int64_t o = 0; o < spec->out_size; o++) {
        const struct taps taps = nearest ? nearest_taps(spec, r, o) : linear_taps(spec, r, o);
        map->begin[o] = taps.begin;
        map->first[o + 1] = map->first[o] + taps.n;
        for (int64_t t = 0; t < taps.n; t++)
            set_weight(map, map->first[o] + t, taps.weight[t]);
    }
    return REGRAD_OK;
}

/* The gradient's map of the gather law, which says what an input owns. */
static regrad_status build_gather(struct rg_axis_map *map, const struct rg_axis_spec *spec, struct rg_memory *memory)
{
    const double m = multiplier_of(spec);
    RG_FORWARD(allocate(map, memory, spec->in_size, spec->out_size, spec->out_size, spec->use_double));
    for (int64_t i = 0; i < spec->in_size; i++) {
        map->begin[i] = gather_begin(spec, m, i);
        map->first[i + 1] = map->first[i] + gather_begin(spec, m, i + 1) - map->begin[i];
    }
    for (int64_t t = 0; t < map->first[spec->in_size]; t++)
        set_weight(map, t, 1);
    return REGRAD_OK;
}

/* Columns become rows: counted, then filled. The entries of a column are in neighbouring rows, because
 * every law is monotone. */
static regrad_status transpose(struct rg_axis_map *to, const struct rg_axis_map *from)
{
    RG_FORWARD(allocate(to, from->memory, from->n_src, from->n_dst, from->first[from->n_dst], from->weights_double));
    for (int64_t d = from->n_dst - 1; d >= 0; d--)
        for (int64_t t = from->first[d]; t < from->first[d + 1]; t++) {
            const int64_t column = from->begin[d] + t - from->first[d];
            to->first[column + 1]++;
            to->begin[column] = d;
        }
    for (int64_t row = 0; row < to->n_dst; row++) {
        if (to->first[row + 1] == 0 && row > 0) /* an empty row begins where the last one ended */
            to->begin[row] = to->begin[row - 1] + to->first[row] - to->first[row - 1];
        to->first[row + 1] += to->first[row];
    }
    for (int64_t d = 0; d < from->n_dst; d++)
        for (int64_t t = from->first[d]; t < from->first[d + 1]; t++) {
            const int64_t column = from->begin[d] + t - from->first[d];
            set_weight(to, to->first[column] + d - to->begin[column], get_weight(from, t));
        }
    return REGRAD_OK;
}

/* An axis that keeps its length: each index reads itself. */
static regrad_status build_copy(struct rg_axis_map *map, const struct rg_axis_spec *spec, struct rg_memory *memory)
{
    RG_FORWARD(allocate(map, memory, spec->in_size, spec->in_size, spec->in_size, spec->use_double));
    for (int64_t i = 0; i < spec->in_size; i++) {
        map->begin[i] = map->first[i] = i;
        set_weight(map, i, 1);
    }
    map->first[spec->in_size] = spec->in_size;
    return REGRAD_OK;
}

static bool is_identity(const struct rg_axis_map *map)
{
    if (map->n_dst != map->n_src || map->max_taps != 1)
        return false;
    for (int64_t d = 0; d < map->n_dst; d++)
        if (map->begin[d] != d || map->first[d + 1] != d + 1 || get_weight(map, d) != 1)
            return false;
    return true;
}

regrad_status rg_axis_init(struct rg_axis_map *map, const struct rg_axis_spec *spec, bool backward,
                           struct rg_memory *memory)
{
    const bool copied = !is_nearest(spec) && spec->in_size == spec->out_size;
    const bool gather = spec->law == RG_AXIS_GATHER;
    regrad_status status = copied   ? build_copy(map, spec, memory)
                           : gather ? build_gather(map, spec, memory)
                                    : build_forward(map, spec, memory);
    if (status == REGRAD_OK && gather != backward) { /* a copy is its own transpose */
        struct rg_axis_map built = *map;
        status = transpose(map, &built);
        rg_axis_fini(&built);
    }
    if (status != REGRAD_OK)
        return status;
    find_max_taps(map);
    map->identity = is_identity(map);
    return REGRAD_OK;
}
