/* Weighted sums along a row, by an axis map. Template; parameters in body/arithmetic.h. */

static void NAME(cols)(void *dst, const void *src, const int64_t *begin, const int64_t *first, const void *weight,
                       int64_t n)
{
    T *out = dst;
    const T *w = weight;
    for (int64_t i = 0; i < n; i++) {
        const T *in = (const T *)src + begin[i];
        T sum = 0;
        for (int64_t t = first[i]; t < first[i + 1]; t++)
            sum = M(fma)(w[t], in[t - first[i]], sum);
        out[i] = sum;
    }
}
