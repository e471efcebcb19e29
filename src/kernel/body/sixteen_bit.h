/*
 * Loads, stores and fetches of float16 or bfloat16 tensors, with conversion.
 *
 * Parameters, to be defined before inclusion and undefined here:
 *   NAME(kernel)       the name of a kernel for this storage type
 *   WIDEN, NARROW      one value to and from float
 *   V_WIDEN, V_NARROW  a whole vector, at an address
 */

static void NAME(load)(void *dst, const void *src, int64_t stride, int64_t n)
{
    float *out = dst;
    const uint16_t *in = src;
    int64_t k = 0;
    if (stride == 1)
        for (; k + VF_LANES <= n; k += VF_LANES)
            vf_store(out + k, V_WIDEN(in + k));
    for (; k < n; k++)
        out[k] = WIDEN(in[k * stride]);
}

static void NAME(store)(void *dst, int64_t stride, const void *src, int64_t n)
{
    uint16_t *out = dst;
    const float *in = src;
    int64_t k = 0;
    if (stride == 1)
        for (; k + VF_LANES <= n; k += VF_LANES)
            V_NARROW(out + k, vf_canonical(vf_load(in + k)));
    for (; k < n; k++)
        out[k * stride] = NARROW(in[k]);
}

static void NAME(fetch)(void *dst, const void *plane, const int64_t *offset, int64_t n)
{
    float *out = dst;
    const uint16_t *in = plane;
    for (int64_t p = 0; p < n; p++)
        out[p] = offset[p] < 0 ? 0 : WIDEN(in[offset[p]]);
}

#undef NAME
#undef WIDEN
#undef NARROW
#undef V_WIDEN
#undef V_NARROW
