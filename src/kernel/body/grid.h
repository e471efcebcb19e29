/*
 * Grid sample: where a point's neighbours are and what they weigh. Template; parameters in
 * body/arithmetic.h.
 *
 * The coordinate x of a point becomes
 *     pixel = align_corners ? (x + 1) / 2 * (size - 1) : ((x + 1) * size - 1) / 2
 * and then, by the padding,
 *     zeros        stays
 *     border       is clamped to [0, size - 1]; the slope is 0 where it was <= 0 or >= size - 1
 *     reflection   is reflected about -0.5 and size - 0.5 (align_corners: 0 and size - 1), each
 *                  reflection turning the slope's sign, and then clamped as for border
 * With bicubic interpolation the padding is applied to the index of each neighbour instead.
 */

/* One axis of one point: neighbour k is at index[k] (-1: outside) and has weight[k], whose derivative by
 * pixel is derivative[k]. */
struct NAME(axis_taps) {
    int64_t index[4];
    T weight[4], derivative[4], slope;
};

/* Mirrors pixel into the image: a fold with period 2 * span. fmod is exact, so far coordinates do not
 * lose the side they are on. */
static T NAME(reflect_pixel)(T pixel, int64_t size, bool align_corners, T *slope)
{
    const T low = align_corners ? 0 : (T)-0.5;
    const T span = align_corners ? (T)(size - 1) : (T)size;
    if (span == 0) {
        *slope = 0;
        return 0;
    }
    T distance = pixel - low;
    if (distance < 0) {
        distance = -distance;
        *slope = -*slope;
    }
    T rest = M(fmod)(distance, 2 * span);
    if (rest >= span) {
        rest = 2 * span - rest;
        *slope = -*slope;
    }
    return rest + low;
}

static T NAME(clamp_pixel)(T pixel, int64_t size, T *slope)
{
    const T last = (T)(size - 1);
    if (pixel > 0 && pixel < last)
        return pixel;
    *slope = 0;
    return pixel <= 0 ? 0 : last;
}

/* Where a coordinate that has no pixel counts, with border and reflection: NaN at 0, a huge or infinite
 * one at the nearest end, or at 0 with reflection. */
static T NAME(lost_pixel)(T x, int64_t size, regrad_padding padding)
{
    return padding == REGRAD_BORDER && x > 0 ? (T)(size - 1) : 0;
}

/* The pixel of a coordinate before padding, and its slope. False when it has none: NaN, infinite, or
 * beyond int64. */
static bool NAME(find_pixel)(T x, int64_t size, bool align_corners, T *pixel, T *slope)
{
    *slope = (align_corners ? (T)(size - 1) : (T)size) / 2;
    *pixel = align_corners ? (x + 1) / 2 * (T)(size - 1) : ((x + 1) * (T)size - 1) / 2;
    return isfinite(x) && M(fabs)(*pixel) < (T)0x1p63;
}

/* Mirrors a whole index, for bicubic neighbours. */
static int64_t NAME(reflect_index)(int64_t index, int64_t size, bool align_corners)
{
    const int64_t span = align_corners ? size - 1 : size;
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

/* To the nearest integer, ties to even, whatever the thread's rounding mode is. */
static T NAME(round_even)(T pixel)
{
    const T low = M(floor)(pixel);
    const T rest = pixel - low;
    const bool odd = M(fmod)(low, 2) != 0;
    return rest > (T)0.5 || (rest == (T)0.5 && odd) ? low + 1 : low;
}

/*
 * Cubic convolution with A = -0.75 at fraction t, u = 1 - t. The usual polynomials, with their zeros
 * factored out so that no digits cancel:
 *     w(-1) = A t u^2    w(0) = u (1 + t - (A + 2) t^2)    w(1), w(2): the same with t and u exchanged
 */
static void NAME(weigh_cubic)(T t, T weight[4], T derivative[4])
{
    const T a = (T)-0.75, u = 1 - t;
    weight[0] = a * t * (u * u);
    weight[1] = u * (1 + t - (a + 2) * (t * t));
    weight[2] = t * (1 + u - (a + 2) * (u * u));
    weight[3] = a * u * (t * t);
    derivative[0] = a * (u * (1 - 3 * t));
    derivative[1] = t * (3 * (a + 2) * t - 2 * (a + 3));
    derivative[2] = -(u * (3 * (a + 2) * u - 2 * (a + 3)));
    derivative[3] = a * (t * (2 - 3 * t));
}

static void NAME(take_cubic)(struct NAME(axis_taps) * taps, T pixel, int64_t size, const struct rg_grid_spec *spec)
{
    const T low = M(floor)(pixel);
    NAME(weigh_cubic)(pixel - low, taps->weight, taps->derivative);
    for (int k = 0; k < 4; k++)
        taps->index[k] = NAME(pad_index)((int64_t)low - 1 + k, size, spec);
}

static void NAME(take_linear)(struct NAME(axis_taps) * taps, T pixel)
{
    const T low = M(floor)(pixel);
    taps->index[0] = (int64_t)low;
    taps->index[1] = (int64_t)low + 1;
    taps->weight[1] = pixel - low;
    taps->weight[0] = 1 - taps->weight[1];
    taps->derivative[0] = -1;
    taps->derivative[1] = 1;
}

static void NAME(take_nearest)(struct NAME(axis_taps) * taps, T pixel)
{
    taps->index[0] = (int64_t)NAME(round_even)(pixel);
    taps->weight[0] = 1;
    taps->derivative[0] = 0;
}

static void NAME(find_taps)(struct NAME(axis_taps) * taps, T x, int64_t size, const struct rg_grid_spec *spec)
{
    T pixel;
    if (!NAME(find_pixel)(x, size, spec->align_corners, &pixel, &taps->slope)) {
        pixel = spec->padding == REGRAD_ZEROS ? -8 : NAME(lost_pixel)(x, size, spec->padding); /* -8: outside */
        taps->slope = 0;
    } else if (spec->padding != REGRAD_ZEROS && spec->interpolation != REGRAD_BICUBIC) {
        if (spec->padding == REGRAD_REFLECTION)
            pixel = NAME(reflect_pixel)(pixel, size, spec->align_corners, &taps->slope);
        pixel = NAME(clamp_pixel)(pixel, size, &taps->slope);
    }
    if (spec->interpolation == REGRAD_BICUBIC)
        NAME(take_cubic)(taps, pixel, size, spec);
    else if (spec->interpolation == REGRAD_NEAREST)
        NAME(take_nearest)(taps, pixel);
    else
        NAME(take_linear)(taps, pixel);
    for (int k = 0; k < 4; k++)
        if (taps->index[k] < 0 || taps->index[k] >= size)
            taps->index[k] = -1;
}

/* Stores the product of a point's two axes. */
static void NAME(place_point)(struct rg_grid_points *points, int64_t p, const struct NAME(axis_taps) * x,
                              const struct NAME(axis_taps) * y)
{
    T *const weight = (T *)&points->weight, *const dx = (T *)&points->weight_dx, *const dy = (T *)&points->weight_dy;
    bool active = false;
    for (int64_t ky = 0; ky < points->n_taps; ky++) {
        points->index_y[ky][p] = y->index[ky];
        points->index_x[ky][p] = x->index[ky];
        for (int64_t kx = 0; kx < points->n_taps; kx++) {
            const int64_t k = (ky * points->n_taps + kx) * RG_GRID_POINTS + p;
            const bool inside = y->index[ky] >= 0 && x->index[kx] >= 0;
            weight[k] = inside ? y->weight[ky] * x->weight[kx] : 0;
            dx[k] = inside ? y->weight[ky] * x->derivative[kx] : 0;
            dy[k] = inside ? y->derivative[ky] * x->weight[kx] : 0;
            active = active || inside;
        }
    }
    points->active[p] = active;
    ((T *)&points->slope_x)[p] = x->slope;
    ((T *)&points->slope_y)[p] = y->slope;
}

static void NAME(grid_locate)(struct rg_grid_points *points, const void *x, const void *y, int64_t n,
                              const struct rg_grid_spec *spec)
{
    struct NAME(axis_taps) taps_x = {.index = {-1, -1, -1, -1}}, taps_y = taps_x;
    points->n_taps = spec->interpolation == REGRAD_BICUBIC ? 4 : spec->interpolation == REGRAD_NEAREST ? 1 : 2;
    for (int64_t p = 0; p < n; p++) {
        NAME(find_taps)(&taps_x, ((const T *)x)[p], spec->in_w, spec);
        NAME(find_taps)(&taps_y, ((const T *)y)[p], spec->in_h, spec);
        NAME(place_point)(points, p, &taps_x, &taps_y);
    }
}

static void NAME(grid_scatter)(void *plane, const int64_t *offset, const void *weight, const void *grad,
                               int64_t n_neighbours, int64_t n)
{
    T *out = plane;
    for (int64_t p = 0; p < n; p++)
        for (int64_t k = 0; k < n_neighbours; k++) {
            const int64_t at = offset[k * RG_GRID_POINTS + p];
            if (at >= 0)
                out[at] = M(fma)(((const T *)weight)[k * RG_GRID_POINTS + p], ((const T *)grad)[p], out[at]);
        }
}

static void NAME(grid_blend)(void *dst, const void *weight, const void *value, int64_t n_neighbours, int64_t n)
{
    T *out = dst;
    const T *w = weight, *v = value;
    int64_t p = 0;
    for (; p + V_LANES <= n; p += V_LANES) {
        V sum = VOP(set1)(0);
        for (int64_t k = 0; k < n_neighbours; k++)
            sum = VOP(muladd)(VOP(load)(w + k * RG_GRID_POINTS + p), VOP(load)(v + k * RG_GRID_POINTS + p), sum);
        VOP(store)(out + p, sum);
    }
    for (; p < n; p++) {
        T sum = 0;
        for (int64_t k = 0; k < n_neighbours; k++)
            sum = M(fma)(w[k * RG_GRID_POINTS + p], v[k * RG_GRID_POINTS + p], sum);
        out[p] = sum;
    }
}
