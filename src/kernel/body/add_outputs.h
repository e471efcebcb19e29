/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of outputs are added one by one to those of their sources. Template; parameters in body/float.h. */
#include "kernel/axis_kernels.h"
#ifndef T /* opened alone in an editor */
#include "kernel/body/float.h"
#endif

/* Both sums stay in registers as long as the next output needs them: read back, each would wait for its store. */
static void NAME(add_outputs)(void *sum, int64_t at, const int64_t *source, const void *value, const void *lower,
                              const void *upper, int64_t n)
{
    const T *const v = value, *const w0 = lower, *const w1 = upper;
    T *const sums = (T *)sum;
    for (int64_t k = 0; k < n && lower == NULL; k++)
        sums[source[k] - at] += v[k];
    if (n == 0 || lower == NULL)
        return;
    int64_t i = source[0] - at;
    T own = sums[i], next = sums[i + 1];
    for (int64_t k = 0; k < n; k++) {
        const int64_t step = source[k] - at - i;
        const T term = v[k] + 0;
        own = step == 0 ? own : step == 1 ? next : 0;
        next = step == 0 ? next : 0;
        i += step;
        sums[i] = own = M(fma)(w0[k], term, own);
        sums[i + 1] = next = M(fma)(w1[k], term, next);
    }
}
