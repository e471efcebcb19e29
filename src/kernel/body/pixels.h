/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grid sample: the pixels of points, after padding, and the slopes. Template; parameters in
 * body/float.h.
 *
 * The coordinate x of a point becomes
 *     pixel = align_corners ? (x + 1) / 2 * (size - 1) : ((x + 1) * size - 1) / 2
 * and then, by the padding,
 *     zeros        stays
 *     border       is clamped to [0, size - 1]; the slope is 0 where it was <= 0 or >= size - 1
 *     reflection   is reflected about -0.5 and size - 0.5 (align_corners: 0 and size - 1), each
 *                  reflection turning the slope's sign, and then clamped as for border
 * With bicubic interpolation the padding is applied to the index of each neighbour instead.
 *
 * The loops go over all points of a block, one small step at a time and without branches, so that
 * compilers make vectors of them.
 */
#include "kernel/grid_kernels.h"
#ifndef T /* opened alone in an editor */
#include "kernel/body/float.h"
#endif

/* Pixels before padding, and slopes. A coordinate that has no pixel (NaN, infinite, or beyond int64) counts
 * as outside with zeros, else as pixel 0, and with border at the nearest end; its slope is 0. */
static void NAME(find_pixels)(T *restrict pixel, T *restrict slope, const T *restrict x, int64_t size,
                              const struct rg_grid_spec *spec)
{
    const bool align = spec->align_corners;
    const T all = (T)size, last = (T)(size - 1), full = (align ? last : all) / 2;
    const T low = spec->padding == REGRAD_ZEROS ? -8 : 0, high = spec->padding == REGRAD_BORDER ? last : low;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const T found = align ? (x[p] + 1) / 2 * last : ((x[p] + 1) * all - 1) / 2;
        const T lost = x[p] > 0 ? high : low;
        const bool has = (M(fabs)(x[p]) < (T)INFINITY) & (found >= -(T)0x1p63) & (found < (T)0x1p63);
        pixel[p] = has ? found : lost;
        slope[p] = has ? full : 0;
    }
}

static bool NAME(is_beyond)(const T *distance, T period)
{
    int beyond = 0;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        beyond |= distance[p] >= period;
    return beyond;
}

/* Distances to be folded are taken modulo the period. fmod is exact, so far coordinates do not lose the side
 * they are on, but slow. From a distance of less than twice a number of periods, these are subtracted exactly as well.
 */
static void NAME(wrap_distances)(T *distance, T period)
{
    if (!NAME(is_beyond)(distance, period))
        return;
    for (int64_t k = 2; k > 0; k--)
        for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
            const T less = distance[p] - (T)k * period;
            distance[p] = ((less >= 0) & (less < (T)k * period)) ? less : distance[p];
        }
    if (!NAME(is_beyond)(distance, period))
        return;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        if (distance[p] >= period)
            distance[p] = M(fmod)(distance[p], period);
}

/* Mirrors pixels into the image: a fold with period 2 * span. */
static void NAME(reflect_pixels)(T *restrict pixel, T *restrict slope, int64_t size, bool align_corners)
{
    const T low = align_corners ? 0 : (T)-0.5;
    const T span = align_corners ? (T)(size - 1) : (T)size;
    T distance[RG_GRID_POINTS], back[RG_GRID_POINTS];
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const T signed_distance = pixel[p] - low;
        slope[p] = signed_distance < 0 ? -slope[p] : slope[p];
        distance[p] = M(fabs)(signed_distance);
    }
    if (span > 0)
        NAME(wrap_distances)(distance, 2 * span);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        back[p] = 2 * span - distance[p];
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const bool turn = distance[p] >= span;
        pixel[p] = turn ? back[p] : distance[p];
        slope[p] = turn ? -slope[p] : slope[p];
    }
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        pixel[p] += low;
}

static void NAME(clamp_pixels)(T *restrict pixel, T *restrict slope, int64_t size)
{
    const T last = (T)(size - 1);
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const bool above = pixel[p] > 0, below = pixel[p] < last;
        slope[p] = (above & below) ? slope[p] : 0;
        pixel[p] = !above ? 0 : below ? pixel[p] : last;
    }
}

/* Pixels after padding, except that of bicubic neighbours, and slopes, of n coordinates. */
static void NAME(pad_pixels)(T *restrict pixel, T *restrict slope, const T *x, int64_t n, int64_t size,
                             const struct rg_grid_spec *spec)
{
    T padded[RG_GRID_POINTS];
    if (n < RG_GRID_POINTS) {
        memset(padded, 0, sizeof padded);
        memcpy(padded, x, (size_t)n * sizeof(T));
        x = padded;
    }
    NAME(find_pixels)(pixel, slope, x, size, spec);
    if (spec->interpolation != REGRAD_BICUBIC && spec->padding == REGRAD_REFLECTION)
        NAME(reflect_pixels)(pixel, slope, size, spec->align_corners);
    if (spec->interpolation != REGRAD_BICUBIC && spec->padding != REGRAD_ZEROS)
        NAME(clamp_pixels)(pixel, slope, size);
}

/* Where the first taps are: near enough to the image that they have an index, of which only those that touch it
 * matter. */
static void NAME(find_first)(int32_t *restrict first, T *restrict rest, const T *restrict pixel, int64_t size)
{
    const T below = -2, above = (T)size;
    T low[RG_GRID_POINTS];
    for (int64_t p = 0; p < RG_GRID_POINTS; p += V_LANES)
        VOP(store)(low + p, VOP(floor)(VOP(load)(pixel + p)));
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        rest[p] = pixel[p] - low[p];
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const T near = low[p] < below ? below : low[p];
        first[p] = (int32_t)(near > above ? above : near);
    }
}
