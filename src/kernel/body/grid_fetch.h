/* SPDX-License-Identifier: Apache-2.0 */
/* Grid sample: values of points from planes of one storage type. Template; parameters in body/stored_f32.h. */
#include "kernel/grid_kernels.h"
#ifndef S /* opened alone in an editor */
#include "kernel/body/float.h"
#include "kernel/body/stored_f32.h"
#endif

static void STORED(grid_fetch)(void *dst, const void *plane, const int64_t *offset, int64_t n)
{
    T *out = dst;
    const S *in = plane;
    for (int64_t p = 0; p < n; p++)
        out[p] = offset[p] < 0 ? 0 : WIDEN(in[offset[p]]);
}
