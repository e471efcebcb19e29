/* SPDX-License-Identifier: Apache-2.0 */
/* Grid sample: which rows of an image points touch. Template; parameters in body/float.h. */
#include "kernel/grid_kernels.h"
#ifndef T /* opened alone in an editor */
#include "kernel/body/float.h"
#endif

static void NAME(grid_range)(void *least, void *greatest, const void *value, int64_t n)
{
    const T *const in = value;
    T low = RG_GRID_FAR, high = -RG_GRID_FAR, lost = 0; /* infinity and NaN, times 0, are NaN */
    int64_t k = 0;
    if (n >= V_LANES) {
        V lows = VOP(load)(in), highs = lows, losts = VOP(set1)(0);
        for (; k + V_LANES <= n; k += V_LANES) {
            const V v = VOP(load)(in + k);
            lows = VOP(min)(lows, v);
            highs = VOP(max)(highs, v);
            losts = VOP(muladd)(v, VOP(set1)(0), losts);
        }
        T lane[3][V_LANES];
        VOP(store)(lane[0], lows);
        VOP(store)(lane[1], highs);
        VOP(store)(lane[2], losts);
        for (int64_t j = 0; j < V_LANES; j++) {
            low = lane[0][j] < low ? lane[0][j] : low;
            high = lane[1][j] > high ? lane[1][j] : high;
            lost += lane[2][j];
        }
    }
    for (; k < n; k++) {
        low = in[k] < low ? in[k] : low;
        high = in[k] > high ? in[k] : high;
        lost += in[k] * 0;
    }
    *(T *)least = lost == 0 && low > -RG_GRID_FAR ? low : -RG_GRID_FAR;
    *(T *)greatest = lost == 0 && high < RG_GRID_FAR ? high : RG_GRID_FAR;
}

/* The rows of the first taps of bilinear points; of others the same, before their index is padded. */
static void NAME(first_rows)(int32_t *row, const T *y, int64_t n, const struct rg_grid_spec *spec)
{
    T pixel[RG_GRID_POINTS], slope[RG_GRID_POINTS], rest[RG_GRID_POINTS];
    NAME(pad_pixels)(pixel, slope, y, n, spec->in_h, spec);
    NAME(find_first)(row, rest, pixel, spec->in_h);
}

/* Pixels grow with coordinates, except where they are reflected. Beyond an edge, bicubic taps are reflected by up to
 * two rows, and coordinates so far out that they have no pixel count as the edge, with taps up to two rows from it. */
static void NAME(grid_rows)(int32_t *low, int32_t *high, const void *least, const void *greatest, int64_t n,
                            const struct rg_grid_spec *spec)
{
    const int32_t last = (int32_t)spec->in_h - 1, more = spec->interpolation == REGRAD_BICUBIC ? 1 : 0;
    const bool reflects = spec->padding == REGRAD_REFLECTION, pads = spec->padding != REGRAD_ZEROS;
    int32_t from[RG_GRID_POINTS], to[RG_GRID_POINTS];
    NAME(first_rows)(from, least, n, spec);
    NAME(first_rows)(to, greatest, n, spec);
    for (int64_t k = 0; k < n; k++) {
        const bool turned = ((const T *)least)[k] < -1 || ((const T *)greatest)[k] > 1;
        int32_t begin = from[k] - more, end = to[k] + 1 + more;
        if (pads && from[k] < more && end < 2 * more)
            end = 2 * more;
        if (pads && to[k] + 1 + more > last && begin > last - 2 * more)
            begin = last - 2 * more;
        low[k] = begin < 0 || (reflects && turned) ? 0 : pads && begin > last ? last : begin;
        high[k] = end > last || (reflects && turned) ? last : pads && end < 0 ? 0 : end;
    }
}
