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
 * A coordinate that has no pixel (NaN, infinite, or beyond int64) counts as outside with zeros, else as pixel 0, and
 * with border at the nearest end; its slope is 0.
 *
 * A vector of points stays in registers from its coordinates to its pixels.
 */
#include "kernel/grid_kernels.h"
#ifndef T /* opened alone in an editor */
#include "kernel/body/float.h"
#endif

/* One axis: a pixel is ((x + 1) * first - less) * then, and changes by `full` when x changes by 1. */
struct NAME(axis_law) {
    T first, less, then, full;
    T last;
    T edge, span, period; /* reflection: a fold about `edge` with period 2 * span */
    T limit;              /* a distance from the edge that is less is within one period, and has a pixel */
    T lost[2];            /* pixels of coordinates without one, to the left and to the right */
};

static struct NAME(axis_law) NAME(law_of)(int64_t size, const struct rg_grid_spec *spec)
{
    const T all = (T)size, last = (T)(size - 1), most = (T)0x1p63;
    const bool align = spec->align_corners;
    const T span = align ? last : all, low = spec->padding == REGRAD_ZEROS ? -8 : 0;
    return (struct NAME(axis_law)){
        .first = align ? (T)0.5 : all,
        .less = align ? 0 : 1,
        .then = align ? last : (T)0.5,
        .full = span / 2,
        .last = last,
        .edge = align ? 0 : (T)-0.5,
        .span = span,
        .period = 2 * span,
        .limit = span == 0         ? (T)INFINITY
                 : 2 * span < most ? 2 * span
                                   : most,
        .lost = {low, spec->padding == REGRAD_BORDER ? last : low},
    };
}

RG_INLINE V NAME(less)(V a, T b)
{
    return VOP(add)(a, VOP(set1)(-b));
}

RG_INLINE V NAME(times)(V a, T b)
{
    return VOP(mul)(a, VOP(set1)(b));
}

RG_INLINE V NAME(magnitude)(V a)
{
    return VOP(max)(a, NAME(times)(a, -1));
}

RG_INLINE V NAME(find_pixel)(V x, const struct NAME(axis_law) * law)
{
    return NAME(times)(NAME(less)(NAME(times)(NAME(less)(x, -1), law->first), law->less), law->then);
}

/* `yes` where a found pixel is one, else `no`. */
RG_INLINE V NAME(if_pixel)(V found, V yes, V no)
{
    const V most = VOP(set1)((T)0x1p63);
    return VOP(if_less)(found, most, VOP(if_less)(found, NAME(times)(most, -1), no, yes), no);
}

/* Pixels and slopes are clamped, and slopes are 0 at the ends. */
RG_INLINE V NAME(clamp_pixel)(V pixel, V *slope, const struct NAME(axis_law) * law)
{
    const V zero = VOP(set1)(0), last = VOP(set1)(law->last);
    *slope = VOP(if_less)(zero, pixel, VOP(if_less)(pixel, last, *slope, zero), zero);
    return VOP(min)(VOP(max)(pixel, zero), last);
}

/* `a` less b where that is from 0 to before b. */
RG_INLINE V NAME(less_once)(V a, T b)
{
    const V less = NAME(less)(a, b), zero = VOP(set1)(0);
    return VOP(if_less)(less, zero, a, VOP(if_less)(less, VOP(set1)(b), less, a));
}

/* Signed distances from the edge modulo the period, of found pixels that may be anything. fmod is exact, so far
 * coordinates do not lose the side they are on, but slow. From a distance of less than twice a number of periods, these
 * are subtracted exactly as well. */
RG_APART void NAME(wrap_far)(T *distance, const T *found, const struct NAME(axis_law) * law)
{
    const V zero = VOP(set1)(0), any = VOP(load)(found);
    const V from = NAME(less)(NAME(if_pixel)(any, any, zero), law->edge);
    V wrapped = NAME(less_once)(NAME(less_once)(NAME(magnitude)(from), 2 * law->period), law->period);
    if (!VOP(all_less)(wrapped, VOP(set1)(law->limit))) {
        T lane[V_LANES];
        VOP(store)(lane, wrapped);
        for (int64_t j = 0; j < V_LANES; j++)
            lane[j] = lane[j] < law->limit ? lane[j] : M(fmod)(lane[j], law->period);
        wrapped = VOP(load)(lane);
    }
    VOP(store)(distance, VOP(if_less)(from, zero, NAME(times)(wrapped, -1), wrapped));
}

/* Signed distances from the edge that are less than a period, as nearly all are already. */
RG_INLINE V NAME(distance_within)(V found, const struct NAME(axis_law) * law)
{
    const V from = NAME(less)(found, law->edge);
    T lane[2][V_LANES];
    if (__builtin_expect(VOP(all_less)(NAME(magnitude)(from), VOP(set1)(law->limit)), 1))
        return from;
    VOP(store)(lane[0], found);
    NAME(wrap_far)(lane[1], lane[0], law);
    return VOP(load)(lane[1]);
}

/* Mirrored pixels, which turn slopes. */
RG_INLINE V NAME(reflect_pixel)(V found, V *slope, const struct NAME(axis_law) * law)
{
    const V zero = VOP(set1)(0), span = VOP(set1)(law->span);
    const V from = NAME(distance_within)(found, law), distance = NAME(magnitude)(from);
    const V back = VOP(add)(VOP(set1)(law->period), NAME(times)(distance, -1));
    const V turned = VOP(if_less)(from, zero, NAME(times)(*slope, -1), *slope);
    *slope = VOP(if_less)(distance, span, turned, NAME(times)(turned, -1));
    return NAME(less)(VOP(min)(distance, back), -law->edge);
}

/* What padding makes of pixels; of bicubic points it is their neighbours that are padded. */
enum { NAME(as_they_are), NAME(outside), NAME(clamped), NAME(reflected) };

RG_VECTOR_INLINE void NAME(pad_as)(T *pixel, T *slope, const T *x, const struct NAME(axis_law) * from, int pads,
                                   bool derives)
{
    const struct NAME(axis_law) law = *from;
    const V zero = VOP(set1)(0), most = VOP(set1)((T)0x1p63);
    for (int64_t p = 0; p < RG_GRID_POINTS; p += V_LANES) {
        const V at = VOP(load)(x + p), found = NAME(find_pixel)(at, &law);
        V padded = found, full = VOP(set1)(law.full);
        if (pads == NAME(outside)) {
            const V lost = VOP(set1)(law.lost[0]);
            padded = VOP(if_less)(found, most, VOP(max)(found, lost), lost);
        } else if (pads == NAME(as_they_are)) {
            const V lost = VOP(if_less)(zero, at, VOP(set1)(law.lost[1]), VOP(set1)(law.lost[0]));
            padded = NAME(if_pixel)(found, found, lost);
            full = NAME(if_pixel)(found, full, zero);
        } else {
            if (pads == NAME(reflected))
                padded = NAME(reflect_pixel)(found, &full, &law);
            padded = NAME(clamp_pixel)(padded, &full, &law);
        }
        VOP(store)(pixel + p, padded);
        if (derives)
            VOP(store)(slope + p, full);
    }
}

RG_VECTOR_INLINE void NAME(pad_with)(T *pixel, T *slope, const T *x, int64_t size, const struct rg_grid_spec *spec,
                                     bool derives)
{
    const struct NAME(axis_law) law = NAME(law_of)(size, spec);
    if (spec->padding == REGRAD_ZEROS)
        NAME(pad_as)(pixel, slope, x, &law, NAME(outside), derives);
    else if (spec->interpolation == REGRAD_BICUBIC)
        NAME(pad_as)(pixel, slope, x, &law, NAME(as_they_are), derives);
    else if (spec->padding == REGRAD_BORDER)
        NAME(pad_as)(pixel, slope, x, &law, NAME(clamped), derives);
    else
        NAME(pad_as)(pixel, slope, x, &law, NAME(reflected), derives);
}

/* Pixels after padding, except that of bicubic neighbours, and slopes if derivatives are wanted, of n coordinates. */
static void NAME(pad_pixels)(T *pixel, T *slope, const T *x, int64_t n, int64_t size, const struct rg_grid_spec *spec)
{
    T padded[RG_GRID_POINTS];
    if (n < RG_GRID_POINTS) {
        memset(padded, 0, sizeof padded);
        memcpy(padded, x, (size_t)n * sizeof(T));
        x = padded;
    }
    if (spec->derives)
        NAME(pad_with)(pixel, slope, x, size, spec, true);
    else
        NAME(pad_with)(pixel, slope, x, size, spec, false);
}

/* The whole pixel before, and what is left. */
RG_INLINE V NAME(floor_pixel)(V pixel, V *rest)
{
    const V low = VOP(floor)(pixel);
    *rest = VOP(add)(pixel, NAME(times)(low, -1));
    return low;
}

/* `low` where it is from `least` to before `end`, else `no`. */
RG_INLINE V NAME(if_within)(V low, T least, T end, V no)
{
    return VOP(if_less)(low, VOP(set1)(end), VOP(if_less)(low, VOP(set1)(least), no, low), no);
}

/* The pixels before, as indices where none before `below` or behind `above` matters, and the rests. */
static void NAME(floor_pixels)(int32_t *index, T *rest, const T *pixel, T below, T above)
{
    for (int64_t p = 0; p < RG_GRID_POINTS; p += V_LANES) {
        V more;
        const V low = NAME(floor_pixel)(VOP(load)(pixel + p), &more);
        VOP(store)(rest + p, more);
        VOP(store_int)(index + p, VOP(min)(VOP(max)(low, VOP(set1)(below)), VOP(set1)(above)));
    }
}

/* Where the first taps are, and those of bicubic points but one: near enough to the image that they have an index, of
 * which only those that touch it matter. */
static void NAME(find_first)(int32_t *first, T *rest, const T *pixel, int64_t size)
{
    NAME(floor_pixels)(first, rest, pixel, -3, (T)(size + 1));
}
