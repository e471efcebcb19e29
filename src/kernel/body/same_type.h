/* Loads, stores and fetches of tensors whose storage type is the arithmetic type. Template; parameters in
 * body/arithmetic.h. */

static void NAME(load)(void *dst, const void *src, int64_t stride, int64_t n)
{
    T *out = dst;
    const T *in = src;
    if (stride == 1)
        memcpy(out, in, (size_t)n * sizeof(T));
    else
        for (int64_t k = 0; k < n; k++)
            out[k] = in[k * stride];
}

static void NAME(store)(void *dst, int64_t stride, const void *src, int64_t n)
{
    T *out = dst;
    const T *in = src;
    int64_t k = 0;
    if (stride == 1)
        for (; k + V_LANES <= n; k += V_LANES)
            VOP(store)(out + k, VOP(canonical)(VOP(load)(in + k)));
    for (; k < n; k++)
        out[k * stride] = in[k] == in[k] ? in[k] : (T)NAN;
}

static void NAME(fetch)(void *dst, const void *plane, const int64_t *offset, int64_t n)
{
    T *out = dst;
    const T *in = plane;
    for (int64_t p = 0; p < n; p++)
        out[p] = offset[p] < 0 ? 0 : in[offset[p]];
}
