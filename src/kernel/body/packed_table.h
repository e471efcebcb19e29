/* SPDX-License-Identifier: Apache-2.0 */
/* TABLE, the kernels of packed images. Template; parameters in body/float.h. */

const struct rg_packed_kernels TABLE = {
    .place = packed_place,
    .spread = NAME(packed_spread),
    .sample = NAME(packed_sample),
    .slope = NAME(packed_slope),
    .prefetch = NAME(packed_prefetch),
    .bounded = NAME(packed_bounded),
    .load = BY_DTYPE(packed_load),
    .gather = BY_DTYPE(packed_gather),
    .sample_each = BY_DTYPE(packed_sample_each),
    .slope_each = BY_DTYPE(packed_slope_each),
    .store = BY_DTYPE(packed_store),
};
