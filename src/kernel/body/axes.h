/* SPDX-License-Identifier: Apache-2.0 */
/* Where the sources of outputs are, and what they weigh: loops that compilers make vectors of. The formulas stand in
 * op/axis.c. */
#include "kernel/axis_kernels.h"
#include "kernel/body/unit.h"

/* min(s, last) for the source coordinate s of an output; not negative, so that casts to integers are floors. */
static inline float coordinate_in_float(float r, float centre, float shift, float last, int32_t output)
{
    const float s = r * ((float)output + centre) - shift, at = s > 0 ? s : 0;
    return at < last ? at : last;
}

static inline double coordinate_in_double(double r, double centre, double shift, double last, double output)
{
    const double s = r * (output + centre) - shift, at = s > 0 ? s : 0;
    return at < last ? at : last;
}

/* Nearest-exact multiplies in double, and rounds once more. */
static inline float nearest_exact_in_float(double r, float last, int32_t output)
{
    const float s = (float)(((double)output + 0.5) * r);
    return s < last ? s : last;
}

static void find_in_float(const struct rg_axis_formula *formula, int32_t from, int32_t n, int64_t *restrict source)
{
    const float r = (float)formula->step, last = (float)formula->last;
    const float centre = (float)formula->centre, shift = (float)formula->shift;
    for (int32_t k = 0; k < n && !formula->nearest_exact; k++)
        source[k] = (int64_t)(uint32_t)(int32_t)coordinate_in_float(r, centre, shift, last, from + k);
    const double step = formula->step;
    for (int32_t k = 0; k < n && formula->nearest_exact; k++)
        source[k] = (int64_t)(uint32_t)(int32_t)nearest_exact_in_float(step, last, from + k);
}

static void find_in_double(const struct rg_axis_formula *formula, int64_t from, int64_t n, int64_t *restrict source)
{
    const double step = formula->step, last = formula->last, centre = formula->centre, shift = formula->shift;
    for (int64_t k = 0; k < n; k++)
        source[k] = (int64_t)coordinate_in_double(step, centre, shift, last, (double)(from + k));
}

static void find_sources(const struct rg_axis_formula *formula, int64_t from, int64_t n, int64_t *source)
{
    if (formula->wide)
        find_in_double(formula, from, n, source);
    else
        find_in_float(formula, (int32_t)from, (int32_t)n, source);
}

/*
 * Of an output with source i0 = floor(s), s up to the last source, w1 = s - i0 is rounded to the type of weights, and
 * w0 = 1 - w1 follows from what it is then. In one type that difference is exact. A term's source i is i0 or i0 + 1, so
 * its weight is 1 - (s - i) or s - (i - 1): the lower one, since the other is 1 or more.
 */
static void weigh_in_float(const struct rg_axis_formula *formula, int32_t output, const int32_t *restrict outputs,
                           int32_t source, const int32_t *restrict sources, int64_t n, float *restrict weight)
{
    const float r = (float)formula->step, last = (float)formula->last;
    const float centre = (float)formula->centre, shift = (float)formula->shift;
    for (int64_t k = 0; k < n; k++) {
        const float s = coordinate_in_float(r, centre, shift, last, output + outputs[k]);
        const float i = (float)(source + sources[k]), w0 = 1 - (s - i), w1 = s - (i - 1);
        weight[k] = w0 < w1 ? w0 : w1;
    }
}

static void weigh_in_double(const struct rg_axis_formula *formula, double output, const int32_t *restrict outputs,
                            double source, const int32_t *restrict sources, int64_t n, double *restrict weight)
{
    const double step = formula->step, last = formula->last, centre = formula->centre, shift = formula->shift;
    for (int64_t k = 0; k < n; k++) {
        const double s = coordinate_in_double(step, centre, shift, last, output + (double)outputs[k]);
        const double i = source + (double)sources[k], w0 = 1 - (s - i), w1 = s - (i - 1);
        weight[k] = w0 < w1 ? w0 : w1;
    }
}

/* With coordinates in double and weights in float. */
static void weigh_long_axis(const struct rg_axis_formula *formula, double output, const int32_t *restrict outputs,
                            double source, const int32_t *restrict sources, int64_t n, float *restrict weight)
{
    const double step = formula->step, last = formula->last, centre = formula->centre, shift = formula->shift;
    for (int64_t k = 0; k < n; k++) {
        const double s = coordinate_in_double(step, centre, shift, last, output + (double)outputs[k]);
        const double i = source + (double)sources[k];
        const float w0 = 1 - (float)(s - i), w1 = (float)(s - (i - 1));
        weight[k] = w0 < w1 ? w0 : w1;
    }
}

static void weigh_terms(const struct rg_axis_formula *formula, const struct rg_axis_terms *terms, int64_t n,
                        void *weight)
{
    const int64_t output = formula->backward ? terms->column : terms->row,
                  source = formula->backward ? terms->row : terms->column;
    const int32_t *outputs = formula->backward ? terms->columns : terms->rows;
    const int32_t *sources = formula->backward ? terms->rows : terms->columns;
    if (formula->wide_weight)
        weigh_in_double(formula, (double)output, outputs, (double)source, sources, n, weight);
    else if (formula->wide)
        weigh_long_axis(formula, (double)output, outputs, (double)source, sources, n, weight);
    else
        weigh_in_float(formula, (int32_t)output, outputs, (int32_t)source, sources, n, weight);
}
