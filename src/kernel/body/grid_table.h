/* SPDX-License-Identifier: Apache-2.0 */
/* TABLE, the kernels of grid sample. Template; parameters in body/float.h. */

const struct rg_grid_kernels TABLE = {
    .locate = NAME(grid_locate),
    .weigh = NAME(grid_weigh),
    .place = grid_place,
    .scatter = NAME(grid_scatter),
    .spread_cubic = NAME(grid_spread_cubic),
    .fold = NAME(grid_fold),
    .finish = NAME(grid_finish),
    .finish_bilinear = NAME(grid_finish_bilinear),
    .bilinear_axis = NAME(grid_bilinear_axis),
    .range = NAME(grid_range),
    .rows = NAME(grid_rows),
};
