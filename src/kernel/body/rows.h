/* Products of rows. Template; parameters in body/arithmetic.h. */

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
