/* SPDX-License-Identifier: Apache-2.0 */
/* Ends a storage type, so that another can follow. */
#undef S
#undef STORED
#undef WIDEN
#undef NARROW
#undef V_WIDEN
#undef V_WIDEN_TWO
#undef V_UNZIP_TWO
#undef V_WIDEN_PART
#undef V_NARROW
#undef V_NARROW_PART
#undef V_STREAM
