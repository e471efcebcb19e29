/* SPDX-License-Identifier: Apache-2.0 */
#include "reference.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"

double arithmetic(bool use_double, double value)
{
    return use_double ? value : (double)(float)value;
}

/* ---- Sums and their bounds ---- */

void sum_add(struct sum *sum, long double weight, double error, double operand)
{
    sum->value += weight * operand;
    if (weight == 0 && error == 0)
        return; /* adds nothing and rounds nothing, unless operand is not finite, which the value then shows */
    sum->magnitude += (double)fabsl(weight * operand);
    sum->slack += error * fabs(operand);
    sum->n_terms++;
}

/* Below the normal range a rounding errs by up to half of the smallest number, whatever the size of the value;
 * a term has at most four roundings (weight, weight times operand, each axis). */
static double underflow(const struct sum *sum, bool use_double)
{
    return sum->magnitude == 0 ? 0 : 4 * (double)sum->n_terms * (use_double ? 0x1p-1074 : 0x1p-149);
}

double sum_bound(const struct sum *sum, regrad_dtype dtype)
{
    bool use_double = dtype == REGRAD_FLOAT64;
    double unit = use_double ? 0x1p-53 : 0x1p-24;
    return ((double)(sum->n_terms + 4) * sum->magnitude + sum->slack) * unit + underflow(sum, use_double);
}

bool sum_accepts(const struct sum *sum, regrad_dtype dtype, double result)
{
    double value = (double)sum->value;
    if (isnan(value) || isinf(value))
        return isnan(value) ? isnan(result) : result == value;
    double bound = sum_bound(sum, dtype);
    double largest = fabs(value) + bound;
    if (isinf(result))
        return largest >= number_max(dtype) + number_rounding(dtype, number_max(dtype)) &&
               signbit(result) == signbit(value);
    if (dtype == REGRAD_FLOAT16 || dtype == REGRAD_BFLOAT16)
        bound += number_rounding(dtype, largest);
    return (double)fabsl((long double)result - sum->value) <= bound;
}

/* ---- Axes ---- */

/* Above 2^22 a float does not hold every quarter of a pixel. */
static bool indices_in_double(const struct rg_axis_spec *spec)
{
    return spec->in_size > 1 << 22 || spec->out_size > 1 << 22;
}

/* input over output; `wide` as in: computed in double */
static double source_step(const struct rg_axis_spec *spec, bool wide)
{
    if (spec->scale > 0)
        return arithmetic(wide, 1.0 / spec->scale);
    return arithmetic(wide, (double)spec->in_size / (double)spec->out_size);
}

static void add_tap(struct axis_row *row, int64_t index, double weight)
{
    row->index[row->n] = index;
    row->weight[row->n++] = weight;
}

static void nearest_rows(const struct rg_axis_spec *spec, struct axis_row *rows)
{
    bool wide = indices_in_double(spec);
    double r = source_step(spec, wide);
    for (int64_t o = 0; o < spec->out_size; o++) {
        double source = floor(arithmetic(wide, ((double)o + 0.5) * r));
        add_tap(&rows[o], source < (double)(spec->in_size - 1) ? (int64_t)source : spec->in_size - 1, 1);
    }
}

/* The first output that input i owns. */
static int64_t gather_begin(const struct rg_axis_spec *spec, int64_t i)
{
    bool wide = indices_in_double(spec);
    double m = arithmetic(wide, spec->scale > 0 ? spec->scale : (double)spec->out_size / (double)spec->in_size);
    double begin = ceil(arithmetic(wide, arithmetic(wide, (double)i * m) - 0.5));
    return begin < 0 ? 0 : begin > (double)spec->out_size ? spec->out_size : (int64_t)begin;
}

static void gather_rows(const struct rg_axis_spec *spec, struct axis_row *rows)
{
    for (int64_t i = 0; i < spec->in_size; i++) {
        int64_t end = gather_begin(spec, i + 1);
        for (int64_t o = gather_begin(spec, i); o < end; o++)
            add_tap(&rows[o], i, 1);
    }
}

/* Where output o of a bilinear axis reads. */
static double bilinear_source(const struct rg_axis_spec *spec, bool wide, int64_t o)
{
    double r = source_step(spec, wide);
    if (spec->law == RG_AXIS_ALIGN_CORNERS)
        r = spec->out_size > 1 ? arithmetic(wide, (double)(spec->in_size - 1) / (double)(spec->out_size - 1)) : 0;
    if (spec->law != RG_AXIS_HALF_PIXEL)
        return arithmetic(wide, r * (double)o);
    double source = arithmetic(wide, arithmetic(wide, r * arithmetic(wide, (double)o + 0.5)) - 0.5);
    return source > 0 ? source : 0;
}

static void bilinear_row(const struct rg_axis_spec *spec, int64_t o, struct axis_row *row)
{
    bool wide = spec->use_double || indices_in_double(spec);
    double source = bilinear_source(spec, wide, o);
    int64_t last = spec->in_size - 1;
    if (source >= (double)last) {
        add_tap(row, last, 1); /* both neighbours are the last input, and their weights sum to 1 */
        return;
    }
    double w1 = arithmetic(spec->use_double, source - floor(source));
    add_tap(row, (int64_t)source, arithmetic(spec->use_double, 1 - w1));
    add_tap(row, (int64_t)source + 1, w1);
}

static void bilinear_rows(const struct rg_axis_spec *spec, struct axis_row *rows)
{
    for (int64_t o = 0; o < spec->out_size; o++) {
        if (spec->in_size == spec->out_size)
            add_tap(&rows[o], o, 1);
        else
            bilinear_row(spec, o, &rows[o]);
    }
}

struct axis_row *reference_axis(const struct rg_axis_spec *spec)
{
    struct axis_row *rows = calloc((size_t)spec->out_size, sizeof *rows);
    if (!rows)
        abort();
    if (spec->law == RG_AXIS_NEAREST)
        nearest_rows(spec, rows);
    else if (spec->law == RG_AXIS_GATHER)
        gather_rows(spec, rows);
    else
        bilinear_rows(spec, rows);
    return rows;
}

/* ---- Resize ---- */

/* The taps of output (oy, ox) of one plane: where in the input, and with which weight. */
static int plane_taps(const struct axis_row *y, const struct axis_row *x, int64_t in_w, int64_t *at,
                      long double *weight)
{
    int n = 0;
    for (int ky = 0; ky < y->n; ky++)
        for (int kx = 0; kx < x->n; kx++) {
            at[n] = y->index[ky] * in_w + x->index[kx];
            weight[n++] = (long double)y->weight[ky] * x->weight[kx];
        }
    return n;
}

/* Adds one plane's outputs to what they touch (backward), or what they touch to them. */
static void resize_plane(const struct reference_resize *resize, const struct axis_row *h, const struct axis_row *w,
                         bool backward, const double *from, struct sum *to)
{
    int64_t at[4], out_w = resize->w.out_size;
    long double weight[4];
    for (int64_t oy = 0; oy < resize->h.out_size; oy++)
        for (int64_t ox = 0; ox < out_w; ox++) {
            int n = plane_taps(&h[oy], &w[ox], resize->w.in_size, at, weight);
            int64_t o = oy * out_w + ox;
            for (int k = 0; k < n; k++)
                sum_add(&to[backward ? at[k] : o], weight[k], 0, from[backward ? o : at[k]]);
        }
}

static void resize_planes(const struct reference_resize *resize, bool backward, const double *from, struct sum *to)
{
    struct axis_row *h = reference_axis(&resize->h), *w = reference_axis(&resize->w);
    int64_t in_area = resize->h.in_size * resize->w.in_size, out_area = resize->h.out_size * resize->w.out_size;
    int64_t from_area = backward ? out_area : in_area, to_area = backward ? in_area : out_area;
    memset(to, 0, (size_t)(resize->n_planes * to_area) * sizeof *to);
    for (int64_t plane = 0; plane < resize->n_planes; plane++)
        resize_plane(resize, h, w, backward, from + plane * from_area, to + plane * to_area);
    free(h);
    free(w);
}

void reference_resize_forward(const struct reference_resize *resize, const double *in, struct sum *out)
{
    resize_planes(resize, false, in, out);
}

void reference_resize_backward(const struct reference_resize *resize, const double *grad_out, struct sum *grad_in)
{
    resize_planes(resize, true, grad_out, grad_in);
}
