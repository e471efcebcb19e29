/* SPDX-License-Identifier: Apache-2.0 */
/* Ends an arithmetic type, so that another can follow. */
#undef T
#undef V
#undef Q
#undef V_FOURS
#undef V_LANES
#undef VOP
#undef M
#undef NAME
#undef BY_DTYPE
