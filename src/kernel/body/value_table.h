/* SPDX-License-Identifier: Apache-2.0 */
/* TABLE, the kernels that move values. Template; parameters in body/float.h. */

const struct rg_value_kernels TABLE = {
    .load = BY_DTYPE(load),
    .store = BY_DTYPE(store),
    .split = BY_DTYPE(split),
    .join = BY_DTYPE(join),
    .transpose = NAME(transpose),
    .clear_far = clear_far,
    .copy_far = copy_far,
    .fence = fence_stores,
    .move = move_blocks,
};
