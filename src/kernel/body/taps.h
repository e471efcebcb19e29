/* SPDX-License-Identifier: Apache-2.0 */
/* Where outputs of the laws of more than two neighbours begin to read, how many inputs, and what filters are worth:
 * loops over outputs that compilers make vectors of. All is in double, and rounded where the formulas say so.
 *
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
#include "kernel/axis_kernels.h"
#include "kernel/body/unit.h"

/* So many outputs are looked at together, or so many taps of one that has more: a few vectors. What is there of others
 * is computed, too. */
#ifdef RG_IS_SCALAR
enum { TAPPED = 4 };
#else
enum { TAPPED = 32 };
#endif

/* Rounds to float unless the type is double. Sums, products and quotients of two floats may be computed in double
 * before: that rounds them as one operation in float does. */
RG_INLINE double rounded(bool wide, double value)
{
    return wide ? value : (double)(float)value;
}

RG_INLINE double clamped(double value, double low, double high)
{
    const double above = value < low ? low : value;
    return above > high ? high : above;
}

/* ---- Cubic convolution ---- */

RG_INLINE double cubic_coordinate(const struct rg_tap_formula *formula, bool wide, double output)
{
    const double middle = rounded(wide, output + formula->centre);
    return rounded(wide, rounded(wide, formula->step * middle) - formula->shift);
}

/* i0, which may be less than 0. Coordinates are compared first, for they may be too large for integers. */
RG_INLINE double cubic_base(const struct rg_tap_formula *formula, double s)
{
    return s >= formula->last ? formula->last : floor(s);
}

RG_INLINE void find_cubic(const struct rg_tap_formula *formula, bool wide, double from, double *restrict begin,
                          double *restrict n_terms)
{
    const double last = formula->last;
    for (int32_t k = 0; k < TAPPED; k++) {
        const double base = cubic_base(formula, cubic_coordinate(formula, wide, from + (double)k));
        begin[k] = clamped(base - 1, 0, last);
        n_terms[k] = clamped(base + 2, 0, last) - begin[k] + 1;
    }
}

/* ---- Filters ---- */

RG_INLINE double centre_of(const struct rg_tap_formula *formula, bool wide, double output)
{
    return rounded(wide, formula->step * (output + formula->centre));
}

/* The number of an input that a filter's end is rounded to: at most I. */
RG_INLINE double whole_up_to(const struct rg_tap_formula *formula, bool wide, double end)
{
    return clamped(trunc(rounded(wide, end) + 0.5), 0, formula->last + 1);
}

RG_INLINE void find_filter(const struct rg_tap_formula *formula, bool wide, double from, double *restrict begin,
                           double *restrict n_terms)
{
    const double support = formula->support, most = 2 * ceil(support) + 1;
    for (int32_t k = 0; k < TAPPED; k++) {
        const double centre = centre_of(formula, wide, from + (double)k);
        begin[k] = whole_up_to(formula, wide, centre - support);
        n_terms[k] = clamped(whole_up_to(formula, wide, centre + support) - begin[k], 0, most);
    }
}

RG_INLINE void find_centres_of(const struct rg_tap_formula *formula, bool wide, double from, double *restrict centre)
{
    for (int32_t k = 0; k < TAPPED; k++)
        centre[k] = centre_of(formula, wide, from + (double)k);
}

/* x of an input and an output, or the filter's end if that is nearer. */
RG_INLINE void find_distances_of(const struct rg_tap_formula *formula, bool wide, const double *restrict input,
                                 const double *restrict centre, double *restrict x)
{
    const double inverse = formula->inverse, radius = formula->radius;
    for (int32_t k = 0; k < TAPPED; k++) {
        const double distance = rounded(wide, input[k] - centre[k]) + 0.5;
        const double at = fabs(rounded(wide, distance * inverse));
        x[k] = at < radius ? at : radius;
    }
}

static void filter_linear(const double *restrict x, double *restrict weight)
{
    for (int32_t k = 0; k < TAPPED; k++)
        weight[k] = 1 - x[k];
}

static void filter_cubic(const double *restrict x, double *restrict weight)
{
    for (int32_t k = 0; k < TAPPED; k++) {
        const double near = (1 - x[k]) * (1 + x[k] - 1.5 * (x[k] * x[k]));
        const double far = -0.5 * (x[k] - 1) * ((2 - x[k]) * (2 - x[k]));
        weight[k] = x[k] < 1 ? near : x[k] < 2 ? far : 0;
    }
}

/* a / n for a whole number n of up to 2^20, rounded once as divisions are, which take longer. The quotient by the
 * inverse is off by two units in the last place at most; so what it leaves of a is exact, and what is rounded at the
 * end is off by less than 2^-51 units. That could be rounded the other way only where a / n is as near to the middle of
 * two doubles, but it is 1 / 2n units away or more. Where numbers are too small for their places, nobody sees it
 * beside 1. */
RG_INLINE double divided(double a, double n)
{
#ifdef RG_IS_SCALAR
    return a / n;
#else
    const double inverse = 1 / n, quotient = a * inverse;
    return fma(fma(-n, quotient, a), inverse, quotient);
#endif
}

/* sin(pi x) / (pi x). The C library's sine differs between platforms. x less its nearest whole number is exact, and the
 * sine of what is left is the sum of y^(2 k + 1) / (2 k + 1)! with signs, for k up to 11. */
RG_INLINE double sinc(double x)
{
    static const double pi = 3.14159265358979323846;
    const double whole = rint(x), y = pi * (x - whole), y2 = y * y, half = whole * 0.5;
    double sum = 0;
    for (int k = 11; k > 0; k--)
        sum = (1 + sum) * divided(-y2, (double)(2 * k * (2 * k + 1)));
    const double sine = y + y * sum, turned = half == floor(half) ? sine : -sine;
    return x == 0 ? 1 : turned / (x == 0 ? 1 : pi * x);
}

static void filter_lanczos(const double *restrict x, double *restrict weight)
{
    for (int32_t k = 0; k < TAPPED; k++) {
        const double value = sinc(x[k]) * sinc(x[k] / 3);
        weight[k] = x[k] < 3 ? value : 0;
    }
}

static void find_centres(const struct rg_tap_formula *formula, double from, double *centre)
{
    if (formula->wide)
        find_centres_of(formula, true, from, centre);
    else
        find_centres_of(formula, false, from, centre);
}

/* What the filters of outputs with these centres make of inputs. */
static void filter_inputs(const struct rg_tap_formula *formula, const double *input, const double *centre,
                          double *weight)
{
    double x[TAPPED];
    if (formula->wide)
        find_distances_of(formula, true, input, centre, x);
    else
        find_distances_of(formula, false, input, centre, x);
    if (formula->law == RG_AXIS_AA_LINEAR)
        filter_linear(x, weight);
    else if (formula->law == RG_AXIS_AA_CUBIC)
        filter_cubic(x, weight);
    else
        filter_lanczos(x, weight);
}

/* ---- Both ---- */

static void find_stretch(const struct rg_tap_formula *formula, double from, double *begin, double *n_terms)
{
    const bool wide = formula->wide, is_filter = formula->radius > 0;
    if (is_filter && wide)
        find_filter(formula, true, from, begin, n_terms);
    else if (is_filter)
        find_filter(formula, false, from, begin, n_terms);
    else if (wide)
        find_cubic(formula, true, from, begin, n_terms);
    else
        find_cubic(formula, false, from, begin, n_terms);
}

static void find_taps(const struct rg_tap_formula *formula, int64_t from, int64_t n, int64_t *begin, int64_t *n_terms)
{
    double low[TAPPED], many[TAPPED];
    for (int64_t at = 0; at < n; at += TAPPED) {
        find_stretch(formula, (double)(from + at), low, many);
        for (int64_t k = 0; k < TAPPED && at + k < n; k++) {
            begin[at + k] = (int64_t)low[k];
            n_terms[at + k] = (int64_t)many[k];
        }
    }
}
