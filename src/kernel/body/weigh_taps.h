/* SPDX-License-Identifier: Apache-2.0 */
/* The weights of the laws of more than two neighbours. Template; parameters in body/float.h. */
#include "kernel/axis_kernels.h"
#ifndef T /* opened alone in an editor */
#include "kernel/body/float.h"
#include "kernel/body/taps.h"
#endif

/* ---- Cubic convolution ---- */

/* t, and the taps as they are before they are added. */
RG_INLINE void NAME(find_cubic_taps)(const struct rg_tap_formula *formula, bool wide, double output, double *base,
                                     double tap[4])
{
    static const double a = -0.75;
    const double s = cubic_coordinate(formula, wide, output);
    *base = cubic_base(formula, s);
    const double t = clamped((double)(T)(s - *base), 0, 1), u = 1 - t;
    tap[0] = a * t * (u * u);
    tap[1] = u * (1 + t - (a + 2) * (t * t));
    tap[2] = t * (1 + u - (a + 2) * (u * u));
    tap[3] = a * u * (t * t);
}

/* The sums of outputs that read four inputs. A sum of one is no -0. */
RG_INLINE void NAME(fill_cubic)(const struct rg_tap_formula *formula, bool wide, double from,
                                T weight[restrict TAPPED][4])
{
    for (int32_t k = 0; k < TAPPED; k++) {
        double base, tap[4];
        NAME(find_cubic_taps)(formula, wide, from + (double)k, &base, tap);
        for (int j = 0; j < 4; j++)
            weight[k][j] = (T)(tap[j] + 0);
    }
}

/* Taps beyond an end of the axis count for the input there. */
static void NAME(add_cubic)(const struct rg_tap_formula *formula, double output, int64_t n, T *weight)
{
    double base, tap[4], sum[4] = {0};
    NAME(find_cubic_taps)(formula, formula->wide, output, &base, tap);
    const double begin = clamped(base - 1, 0, formula->last);
    for (int k = 0; k < 4; k++)
        sum[(int)(clamped(base - 1 + k, 0, formula->last) - begin)] += tap[k];
    for (int64_t j = 0; j < n; j++)
        weight[j] = formula->last == 0 ? 1 : (T)sum[j];
}

static void NAME(weigh_cubic)(const struct rg_tap_formula *formula, double from, int64_t n, const int64_t *first,
                              T *weight)
{
    T filled[TAPPED][4];
    if (formula->wide)
        NAME(fill_cubic)(formula, true, from, filled);
    else
        NAME(fill_cubic)(formula, false, from, filled);
    for (int64_t k = 0; k < n; k++) {
        T *const to = weight + (first[k] - first[0]);
        if (first[k + 1] - first[k] == 4)
            memcpy(to, filled[k], sizeof filled[k]);
        else
            NAME(add_cubic)(formula, from + (double)k, first[k + 1] - first[k], to);
    }
}

/* ---- Filters ---- */

/* Outputs of few taps, side by side: a row of the tile is a tap of all of them, 0 of those that have fewer. */
static void NAME(weigh_tile)(const struct rg_tap_formula *formula, double from, int64_t n, const int64_t *first,
                             int64_t most, T *weight)
{
    double begin[TAPPED], n_terms[TAPPED], centre[TAPPED], input[TAPPED], filtered[TAPPED];
    T tile[TAPPED][TAPPED], total[TAPPED] = {0};
    find_stretch(formula, from, begin, n_terms);
    find_centres(formula, from, centre);
    for (int32_t j = 0; j < most; j++) {
        for (int32_t k = 0; k < TAPPED; k++)
            input[k] = begin[k] + (double)j;
        filter_inputs(formula, input, centre, filtered);
        for (int32_t k = 0; k < TAPPED; k++) {
            tile[j][k] = (double)j < n_terms[k] ? (T)filtered[k] : 0;
            total[k] += tile[j][k];
        }
    }
    for (int32_t k = 0; k < TAPPED; k++)
        total[k] = total[k] != 0 ? total[k] : 1;
    for (int32_t j = 0; j < most; j++)
        for (int32_t k = 0; k < TAPPED; k++)
            tile[j][k] /= total[k];
    for (int64_t k = 0; k < n; k++)
        for (int64_t j = 0, end = first[k + 1] - first[k]; j < end; j++)
            weight[first[k] - first[0] + j] = tile[j][k];
}

/* An output of n taps, many of them side by side. */
static void NAME(weigh_row)(const struct rg_tap_formula *formula, double begin, double centre, int64_t n, T *weight)
{
    double input[TAPPED], centres[TAPPED], filtered[TAPPED];
    T total = 0;
    for (int32_t k = 0; k < TAPPED; k++)
        centres[k] = centre;
    for (int64_t at = 0; at < n; at += TAPPED) {
        for (int32_t k = 0; k < TAPPED; k++)
            input[k] = begin + ((double)at + (double)k);
        filter_inputs(formula, input, centres, filtered);
        for (int64_t k = 0; k < TAPPED && at + k < n; k++)
            weight[at + k] = (T)filtered[k];
    }
    for (int64_t j = 0; j < n; j++)
        total += weight[j];
    for (int64_t j = 0; j < n && total != 0; j++)
        weight[j] /= total;
}

static void NAME(weigh_filter)(const struct rg_tap_formula *formula, double from, int64_t n, const int64_t *first,
                               T *weight)
{
    double begin[TAPPED], n_terms[TAPPED], centre[TAPPED];
    int64_t most = 0;
    for (int64_t k = 0; k < n; k++)
        most = first[k + 1] - first[k] > most ? first[k + 1] - first[k] : most;
    if (most <= TAPPED) {
        NAME(weigh_tile)(formula, from, n, first, most, weight);
        return;
    }
    find_stretch(formula, from, begin, n_terms);
    find_centres(formula, from, centre);
    for (int64_t k = 0; k < n; k++)
        NAME(weigh_row)(formula, begin[k], centre[k], first[k + 1] - first[k], weight + (first[k] - first[0]));
}

static void NAME(weigh_taps)(const struct rg_tap_formula *formula, int64_t n, const int64_t *first, void *weight)
{
    for (int64_t at = 0; at < n; at += TAPPED) {
        const int64_t many = n - at < TAPPED ? n - at : TAPPED;
        T *const to = (T *)weight + first[at];
        if (formula->radius == 0)
            NAME(weigh_cubic)(formula, (double)at, many, first + at, to);
        else
            NAME(weigh_filter)(formula, (double)at, many, first + at, to);
    }
}
