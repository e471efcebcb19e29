/* SPDX-License-Identifier: Apache-2.0 */
/* TABLE, the kernels of packed images. Template; parameters in body/float.h. */

const struct rg_packed_kernels TABLE = {
    .place = packed_place,
    .range = NAME(packed_range),
    .rows = NAME(packed_rows),
    .spread = NAME(packed_spread),
    .sample = NAME(packed_sample),
    .slope = NAME(packed_slope),
    .prefetch = NAME(packed_prefetch),
    .bounded = NAME(packed_bounded),
    .span = packed_span,
    .interleave = BY_DTYPE(interleave),
    .deinterleave = BY_DTYPE(deinterleave),
};
