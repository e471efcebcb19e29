/* SPDX-License-Identifier: Apache-2.0 */
/* Grid sample: where a point's neighbours are and what they weigh. Template; parameters in body/float.h. The formulas
 * stand in body/pixels.h and docs/operators.md; its loops too go without branches. */
#include "kernel/grid_kernels.h"
#ifndef T /* opened alone in an editor */
#include "kernel/body/float.h"
#endif

static void NAME(floor_pixels)(T *restrict low, int64_t *restrict index, const T *restrict pixel)
{
    for (int64_t p = 0; p < RG_GRID_POINTS; p += V_LANES)
        VOP(store)(low + p, VOP(floor)(VOP(load)(pixel + p)));
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        index[p] = (int64_t)low[p];
}

/* The same where neither more than one size outside of the image matters, nor, of float, pixels on long axes. Compilers
 * make vectors of conversions to 32 bits everywhere. */
static void NAME(take_index)(int64_t *restrict index, const T *restrict low)
{
    const T below = -8, above = (T)0x1p30;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const T near = low[p] < below ? below : low[p];
        index[p] = sizeof(T) == sizeof(float) ? (int64_t)(int32_t)(near > above ? above : near) : (int64_t)low[p];
    }
}

static void NAME(take_linear)(struct rg_grid_axis *axis, const T *restrict pixel)
{
    T low[RG_GRID_POINTS], *const weight0 = (T *)&axis->weight[0], *const weight1 = (T *)&axis->weight[1];
    for (int64_t p = 0; p < RG_GRID_POINTS; p += V_LANES)
        VOP(store)(low + p, VOP(floor)(VOP(load)(pixel + p)));
    NAME(take_index)(axis->index[0], low);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const T t = pixel[p] - low[p];
        weight0[p] = 1 - t;
        weight1[p] = t;
        ((T *)&axis->derivative[0])[p] = -1;
        ((T *)&axis->derivative[1])[p] = 1;
    }
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        axis->index[1][p] = axis->index[0][p] + 1;
}

/* The nearest integer, ties to even, whatever the thread's rounding mode is. */
static void NAME(take_nearest)(struct rg_grid_axis *axis, const T *restrict pixel)
{
    T low[RG_GRID_POINTS], *restrict const weight = (T *)&axis->weight[0];
    int64_t *restrict const index = axis->index[0];
    for (int64_t p = 0; p < RG_GRID_POINTS; p += V_LANES)
        VOP(store)(low + p, VOP(floor)(VOP(load)(pixel + p)));
    NAME(take_index)(index, low);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const T rest = pixel[p] - low[p];
        index[p] += ((rest > (T)0.5) | ((rest == (T)0.5) & (index[p] & 1))) ? 1 : 0;
        weight[p] = 1;
    }
    memset(&axis->derivative[0], 0, RG_GRID_POINTS * sizeof(T));
}

/* The same, and which of them are inside, of n points on an axis on which 32 bits count pixels: in a third of the time.
 */
static void NAME(locate_nearest)(struct rg_grid_axis *axis, const T *restrict pixel, int32_t size, int64_t n)
{
    T rest[RG_GRID_POINTS], *restrict const weight = (T *)&axis->weight[0];
    int32_t index[RG_GRID_POINTS];
    int64_t *restrict const wide = axis->index[0];
    NAME(find_first)(index, rest, pixel, size);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const T up = rest[p] > (T)0.5 ? 1 : 0, tie = rest[p] == (T)0.5 ? 1 : 0;
        index[p] += (int32_t)up + ((int32_t)tie & index[p]);
    }
    for (int64_t p = n; p < RG_GRID_POINTS; p++)
        index[p] = -1;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        index[p] = ((index[p] >= 0) & (index[p] < size)) ? index[p] : -1;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        weight[p] = (T)(1 + (index[p] >> 31));
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        wide[p] = index[p];
    memcpy(axis->inside, wide, sizeof axis->inside);
    memset(&axis->derivative[0], 0, RG_GRID_POINTS * sizeof(T));
}

/*
 * Cubic convolution with A = -0.75 at fraction t, u = 1 - t. The usual polynomials, with their zeros
 * factored out so that no digits cancel:
 *     w(-1) = A t u^2    w(0) = u (1 + t - (A + 2) t^2)    w(1), w(2): the same with t and u exchanged
 */
static void NAME(weigh_cubic)(struct rg_grid_axis *axis, int64_t p, T t)
{
    const T a = (T)-0.75, u = 1 - t;
    ((T *)&axis->weight[0])[p] = a * t * (u * u);
    ((T *)&axis->weight[1])[p] = u * (1 + t - (a + 2) * (t * t));
    ((T *)&axis->weight[2])[p] = t * (1 + u - (a + 2) * (u * u));
    ((T *)&axis->weight[3])[p] = a * u * (t * t);
    ((T *)&axis->derivative[0])[p] = a * (u * (1 - 3 * t));
    ((T *)&axis->derivative[1])[p] = t * (3 * (a + 2) * t - 2 * (a + 3));
    ((T *)&axis->derivative[2])[p] = -(u * (3 * (a + 2) * u - 2 * (a + 3)));
    ((T *)&axis->derivative[3])[p] = a * (t * (2 - 3 * t));
}

/* Mirrors a whole index, for bicubic neighbours. */
static int64_t NAME(reflect_index)(int64_t index, int64_t size, bool align_corners)
{
    const int64_t span = align_corners ? size - 1 : size;
    if (index >= 0 && index < size)
        return index;
    if (span == 0)
        return 0;
    if (index < 0)
        index = align_corners ? -index : -(index + 1);
    index %= 2 * span;
    if (index >= span)
        index = align_corners ? 2 * span - index : 2 * span - 1 - index;
    return index;
}

static int64_t NAME(pad_index)(int64_t index, int64_t size, const struct rg_grid_spec *spec)
{
    if (spec->padding == REGRAD_BORDER)
        return index < 0 ? 0 : index >= size ? size - 1 : index;
    if (spec->padding == REGRAD_REFLECTION)
        return NAME(reflect_index)(index, size, spec->align_corners);
    return index;
}

/* An index with the same padding, near enough that its neighbours have an index. */
static int64_t NAME(near_index)(int64_t index, int64_t size, const struct rg_grid_spec *spec)
{
    const int64_t span = spec->align_corners ? size - 1 : size, far = INT64_C(1) << 62;
    if (spec->padding == REGRAD_REFLECTION && span > 0)
        return index % (2 * span);
    return index < -far ? -far : index > far ? far : index;
}

static void NAME(take_cubic)(struct rg_grid_axis *axis, const T *restrict pixel, int64_t size,
                             const struct rg_grid_spec *spec)
{
    T low[RG_GRID_POINTS];
    int64_t index[RG_GRID_POINTS];
    NAME(floor_pixels)(low, index, pixel);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        index[p] = NAME(near_index)(index[p], size, spec);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        NAME(weigh_cubic)(axis, p, pixel[p] - low[p]);
    for (int64_t k = 0; k < 4; k++)
        for (int64_t p = 0; p < RG_GRID_POINTS; p++)
            axis->index[k][p] = NAME(pad_index)(index[p] - 1 + k, size, spec);
}

/* Marks tap k of the points that have it outside, and of those from n on. An index that is not -1 has its sign
 * bit clear, and so has what it is ANDed with. */
static void NAME(leave_out)(struct rg_grid_axis *axis, int64_t k, int64_t size, int64_t n)
{
    int64_t *restrict const index = axis->index[k], *restrict const inside = axis->inside;
    T *restrict const weight = (T *)&axis->weight[k], *restrict const derivative = (T *)&axis->derivative[k];
    for (int64_t p = n; p < RG_GRID_POINTS; p++)
        index[p] = -1;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        index[p] = ((index[p] >= 0) & (index[p] < size)) ? index[p] : -1;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        inside[p] &= index[p];
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        weight[p] = index[p] < 0 ? 0 : weight[p];
        derivative[p] = index[p] < 0 ? 0 : derivative[p];
    }
}

static void NAME(locate_axis)(struct rg_grid_axis *axis, int64_t n_taps, const T *x, int64_t n, int64_t size,
                              const struct rg_grid_spec *spec)
{
    T pixel[RG_GRID_POINTS];
    NAME(pad_pixels)(pixel, (T *)&axis->slope, x, n, size, spec);
    if (spec->interpolation == REGRAD_NEAREST && size <= RG_LONGEST_IN_FLOAT) {
        NAME(locate_nearest)(axis, pixel, (int32_t)size, n);
        return;
    }
    if (spec->interpolation == REGRAD_BICUBIC)
        NAME(take_cubic)(axis, pixel, size, spec);
    else if (spec->interpolation == REGRAD_NEAREST)
        NAME(take_nearest)(axis, pixel);
    else
        NAME(take_linear)(axis, pixel);
    memset(axis->inside, 0xFF, sizeof axis->inside);
    for (int64_t k = 0; k < n_taps; k++)
        NAME(leave_out)(axis, k, size, n);
}

static void NAME(grid_locate)(struct rg_grid_points *points, const void *x, const void *y, int64_t n,
                              const struct rg_grid_spec *spec)
{
    points->n_taps = spec->interpolation == REGRAD_BICUBIC ? 4 : spec->interpolation == REGRAD_NEAREST ? 1 : 2;
    NAME(locate_axis)(&points->x, points->n_taps, x, n, spec->in_w, spec);
    NAME(locate_axis)(&points->y, points->n_taps, y, n, spec->in_h, spec);
}
