/* SPDX-License-Identifier: Apache-2.0 */
/* Grid sample: where a point's neighbours are and what they weigh. Template; parameters in body/float.h. The formulas
 * stand in body/pixels.h and docs/operators.md; its loops too go without branches. */
#include "kernel/grid_kernels.h"
#ifndef T /* opened alone in an editor */
#include "kernel/body/float.h"
#endif

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
}

static void NAME(derive_cubic)(struct rg_grid_axis *axis, int64_t p, T t)
{
    const T a = (T)-0.75, u = 1 - t;
    ((T *)&axis->derivative[0])[p] = a * (u * (1 - 3 * t));
    ((T *)&axis->derivative[1])[p] = t * (3 * (a + 2) * t - 2 * (a + 3));
    ((T *)&axis->derivative[2])[p] = -(u * (3 * (a + 2) * u - 2 * (a + 3)));
    ((T *)&axis->derivative[3])[p] = a * (t * (2 - 3 * t));
}

static void NAME(weigh_taps)(struct rg_grid_axis *axis, int64_t n_taps, const T *restrict rest)
{
    for (int64_t p = 0; p < RG_GRID_POINTS && n_taps == 4; p++)
        NAME(weigh_cubic)(axis, p, rest[p]);
    for (int64_t p = 0; p < RG_GRID_POINTS && n_taps < 4; p++)
        ((T *)&axis->weight[0])[p] = n_taps == 1 ? 1 : 1 - rest[p];
    for (int64_t p = 0; p < RG_GRID_POINTS && n_taps == 2; p++)
        ((T *)&axis->weight[1])[p] = rest[p];
}

static void NAME(derive_taps)(struct rg_grid_axis *axis, int64_t n_taps, const T *restrict rest)
{
    for (int64_t p = 0; p < RG_GRID_POINTS && n_taps == 4; p++)
        NAME(derive_cubic)(axis, p, rest[p]);
    for (int64_t p = 0; p < RG_GRID_POINTS && n_taps < 4; p++)
        ((T *)&axis->derivative[0])[p] = n_taps == 1 ? 0 : -1;
    for (int64_t p = 0; p < RG_GRID_POINTS && n_taps == 2; p++)
        ((T *)&axis->derivative[1])[p] = 1;
}

/* ---- Axes on which 32 bits count pixels ---- */

/* Bicubic neighbours are mirrored one by one, with a fold's period; here all of a point come within one. */
static void NAME(floor_mirrored)(int32_t *first, T *rest, const T *pixel, int64_t size, const struct rg_grid_spec *spec)
{
    struct NAME(axis_law) law = NAME(law_of)(size, spec);
    law.edge = 0; /* whole pixels are mirrored later */
    for (int64_t p = 0; p < RG_GRID_POINTS; p += V_LANES) {
        V more;
        const V low = NAME(floor_pixel)(VOP(load)(pixel + p), &more);
        VOP(store)(rest + p, more);
        VOP(store_int)(first + p, NAME(distance_within)(low, &law));
    }
}

static void NAME(mirror)(int32_t *restrict index, int32_t span, bool align_corners)
{
    const int32_t before = align_corners ? 0 : -1, period = 2 * span;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const int32_t after = index[p] < 0 ? before - index[p] : index[p];
        const int32_t within = after >= period ? after - period : after;
        index[p] = within >= span ? period + before - within : within;
    }
}

static void NAME(clamp_index)(int32_t *restrict index, int32_t last)
{
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const int32_t above = index[p] < 0 ? 0 : index[p];
        index[p] = above > last ? last : above;
    }
}

/* Weights of a tap count for nothing where it is outside. */
static void NAME(leave_out)(T *restrict weight, const int32_t *restrict index)
{
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        weight[p] = index[p] < 0 ? 0 : weight[p];
}

/* Tap k of n points. */
static void NAME(put_tap)(int64_t *restrict wide, int32_t *restrict index, int32_t size, int64_t n)
{
    for (int64_t p = n; p < RG_GRID_POINTS; p++)
        index[p] = -1;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        index[p] = ((index[p] >= 0) & (index[p] < size)) ? index[p] : -1;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        wide[p] = index[p];
}

/* An index that is not -1 has its sign bit clear, and so has what it is ANDed with. */
static void NAME(note_inside)(int64_t *restrict inside, const int32_t *restrict index, int64_t k)
{
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        inside[p] = k == 0 ? index[p] : inside[p] & index[p];
}

static void NAME(locate_short)(struct rg_grid_axis *axis, int64_t n_taps, const T *pixel, int64_t n, int32_t size,
                               const struct rg_grid_spec *spec)
{
    const int32_t span = spec->align_corners ? size - 1 : size;
    const bool pads = n_taps == 4 && spec->padding != REGRAD_ZEROS;
    const bool mirrors = pads && spec->padding == REGRAD_REFLECTION && span > 0;
    int32_t first[RG_GRID_POINTS], index[RG_GRID_POINTS];
    T rest[RG_GRID_POINTS];
    if (mirrors)
        NAME(floor_mirrored)(first, rest, pixel, size, spec);
    else
        NAME(find_first)(first, rest, pixel, size);
    NAME(weigh_taps)(axis, n_taps, rest);
    if (spec->derives)
        NAME(derive_taps)(axis, n_taps, rest);
    for (int32_t k = 0; k < n_taps; k++) {
        for (int64_t p = 0; p < RG_GRID_POINTS; p++)
            index[p] = first[p] + k - (n_taps == 4);
        if (mirrors)
            NAME(mirror)(index, span, spec->align_corners);
        else if (pads)
            NAME(clamp_index)(index, size - 1);
        NAME(put_tap)(axis->index[k], index, size, n);
        if (spec->derives)
            NAME(note_inside)(axis->inside, index, k);
        if (n < RG_GRID_POINTS || !pads)
            NAME(leave_out)((T *)&axis->weight[k], index);
        if ((n < RG_GRID_POINTS || !pads) && spec->derives)
            NAME(leave_out)((T *)&axis->derivative[k], index);
    }
}

/* The same of nearest pixels: of two the even one. */
static void NAME(locate_nearest)(struct rg_grid_axis *axis, const T *pixel, int64_t n, int32_t size,
                                 const struct rg_grid_spec *spec)
{
    const V zero = VOP(set1)(0), one = VOP(set1)(1), none = VOP(set1)(-1);
    int64_t *restrict const index = axis->index[0];
    int32_t found[RG_GRID_POINTS];
    T *const weight = (T *)&axis->weight[0];
    for (int64_t p = 0; p < RG_GRID_POINTS; p += V_LANES) {
        const V nearest = NAME(if_within)(VOP(round)(VOP(load)(pixel + p)), 0, (T)size, none);
        VOP(store)(weight + p, VOP(if_less)(nearest, zero, zero, one));
        VOP(store_int)(found + p, nearest);
    }
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        index[p] = found[p];
    for (int64_t p = n; p < RG_GRID_POINTS; p++) {
        index[p] = -1;
        weight[p] = 0;
    }
    if (spec->derives) {
        memcpy(axis->inside, index, sizeof axis->inside);
        memset(&axis->derivative[0], 0, sizeof axis->derivative[0]);
    }
}

/* ---- Long axes: one point at a time ---- */

/* The index of a bicubic neighbour. */
static int64_t NAME(pad_index)(int64_t index, int64_t size, const struct rg_grid_spec *spec)
{
    const int64_t before = spec->align_corners ? 0 : -1, period = 2 * (spec->align_corners ? size - 1 : size);
    if (spec->padding == REGRAD_ZEROS)
        return index;
    if (spec->padding == REGRAD_BORDER)
        return index < 0 ? 0 : index >= size ? size - 1 : index;
    index = (index < 0 ? before - index : index) % period;
    return index < size ? index : period + before - index;
}

/* An index with the same padding, near enough that its neighbours have an index. */
static int64_t NAME(near_index)(int64_t index, int64_t size, const struct rg_grid_spec *spec)
{
    const int64_t far = INT64_C(1) << 62;
    if (spec->padding == REGRAD_REFLECTION)
        return index % (2 * (spec->align_corners ? size - 1 : size));
    return index < -far ? -far : index > far ? far : index;
}

static void NAME(locate_long)(struct rg_grid_axis *axis, int64_t n_taps, const T *pixel, int64_t n, int64_t size,
                              const struct rg_grid_spec *spec)
{
    T low[RG_GRID_POINTS], rest[RG_GRID_POINTS];
    for (int64_t p = 0; p < RG_GRID_POINTS; p += V_LANES) {
        V more;
        const V at = VOP(load)(pixel + p), before = NAME(floor_pixel)(at, &more);
        VOP(store)(low + p, n_taps == 1 ? VOP(round)(at) : before);
        VOP(store)(rest + p, more);
    }
    NAME(weigh_taps)(axis, n_taps, rest);
    if (spec->derives)
        NAME(derive_taps)(axis, n_taps, rest);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        int64_t first = (int64_t)low[p];
        if (n_taps == 4)
            first = NAME(near_index)(first, size, spec) - 1;
        axis->inside[p] = -1;
        for (int64_t k = 0; k < n_taps; k++) {
            const int64_t index = n_taps == 4 ? NAME(pad_index)(first + k, size, spec) : first + k;
            const bool has = p < n && index >= 0 && index < size;
            axis->index[k][p] = has ? index : -1;
            axis->inside[p] &= axis->index[k][p];
            if (!has)
                ((T *)&axis->weight[k])[p] = ((T *)&axis->derivative[k])[p] = 0;
        }
    }
}

static void NAME(grid_locate)(struct rg_grid_axis *axis, const void *x, int64_t n, int64_t size,
                              const struct rg_grid_spec *spec)
{
    const int64_t n_taps = rg_grid_count_taps(spec->interpolation);
    T pixel[RG_GRID_POINTS];
    NAME(pad_pixels)(pixel, (T *)&axis->slope, x, n, size, spec);
    if (size <= RG_LONGEST_IN_FLOAT && n_taps == 1)
        NAME(locate_nearest)(axis, pixel, n, (int32_t)size, spec);
    else if (size <= RG_LONGEST_IN_FLOAT)
        NAME(locate_short)(axis, n_taps, pixel, n, (int32_t)size, spec);
    else
        NAME(locate_long)(axis, n_taps, pixel, n, size, spec);
}
