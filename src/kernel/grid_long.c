/* SPDX-License-Identifier: Apache-2.0 */
/* Points on long axes. Float has no quarters of a pixel on an axis longer than RG_LONGEST_IN_FLOAT, and past 2^24 not
 * every last pixel. So pixels, neighbours and weights on it are found in double, and the weights are rounded to float.
 */
#include <string.h>

#include "kernel/grid_kernels.h"

static void widen(union rg_grid_values *to, const union rg_grid_values *from, int64_t n)
{
    for (int64_t p = 0; p < n; p++)
        to->f64[p] = (double)from->f32[p];
}

static void narrow(union rg_grid_values *to, const union rg_grid_values *from)
{
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        to->f32[p] = (float)from->f64[p];
}

/* The first of two weights is 1 minus the second as it is used, also where only the first is inside. That is at the far
 * end, where 1 - (1 - t) is t: there a double has no more than 30 digits of the fraction. */
static void complement(struct rg_grid_axis *to, const struct rg_grid_axis *from)
{
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const double t = from->index[1][p] < 0 ? 1 - from->weight[0].f64[p] : from->weight[1].f64[p];
        if (from->index[0][p] >= 0)
            to->weight[0].f32[p] = 1 - (float)t;
    }
}

static void narrow_axis(struct rg_grid_axis *to, const struct rg_grid_axis *from, int64_t n_taps)
{
    memcpy(to->index, from->index, sizeof to->index);
    memcpy(to->inside, from->inside, sizeof to->inside);
    narrow(&to->slope, &from->slope);
    for (int64_t k = 0; k < n_taps; k++) {
        narrow(&to->weight[k], &from->weight[k]);
        narrow(&to->derivative[k], &from->derivative[k]);
    }
    if (n_taps == 2)
        complement(to, from);
}

void rg_grid_locate_long(struct rg_grid_axis *axis, const union rg_grid_values *x, int64_t n, int64_t size,
                         const struct rg_grid_spec *spec, const struct rg_grid_kernels *kernels)
{
    struct rg_grid_axis wide;
    union rg_grid_values wide_x;
    widen(&wide_x, x, n);
    kernels->locate(&wide, &wide_x, n, size, spec);
    narrow_axis(axis, &wide, rg_grid_count_taps(spec->interpolation));
}
