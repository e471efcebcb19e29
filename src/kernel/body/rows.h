/* Weighted sums of rows. Template; parameters in body/arithmetic.h. */

static void NAME(rows)(void *dst, const void *const *src, const void *weight, int64_t n_rows, int64_t n)
{
    T *out = dst;
    const T *w = weight;
    int64_t k = 0;
    for (; k + V_LANES <= n; k += V_LANES) {
        V sum = VOP(load)(out + k);
        for (int64_t r = 0; r < n_rows; r++)
            sum = VOP(muladd)(VOP(set1)(w[r]), VOP(load)((const T *)src[r] + k), sum);
        VOP(store)(out + k, sum);
    }
    for (; k < n; k++)
        for (int64_t r = 0; r < n_rows; r++)
            out[k] = M(fma)(w[r], ((const T *)src[r])[k], out[k]);
}

static void NAME(muladd)(void *dst, const void *a, const void *b, int64_t n)
{
    T *out = dst;
    const T *left = a, *right = b;
    int64_t k = 0;
    for (; k + V_LANES <= n; k += V_LANES)
        VOP(store)(out + k, VOP(muladd)(VOP(load)(left + k), VOP(load)(right + k), VOP(load)(out + k)));
    for (; k < n; k++)
        out[k] = M(fma)(left[k], right[k], out[k]);
}
