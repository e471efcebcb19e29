/* SPDX-License-Identifier: Apache-2.0 */
/* TABLE, the kernels of axes. Template; parameters in body/float.h. */

const struct rg_axis_kernels TABLE = {
    .most_pairs = VOP(most_pairs),
    .find_sources = find_sources,
    .weigh_terms = weigh_terms,
    .add_outputs = NAME(add_outputs),
    .find_taps = find_taps,
    .weigh_taps = NAME(weigh_taps),
    .fill_columns = NAME(fill_columns),
};
