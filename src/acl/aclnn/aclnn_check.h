/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks of phase 1, from which each operator puts its list together. Each refuses with 161002
 * and a sentence that names function, argument, value and wanted value.
 */
#ifndef RG_ACLNN_CHECK_H
#define RG_ACLNN_CHECK_H

#include "acl/aclnn/aclnn_call.h"

enum { RG_DIMS_TEXT = 128 };

/* Writes "(1, 3, 8, 8)"; what does not fit is cut. */
void rg_dims_text(char text[RG_DIMS_TEXT], const int64_t *dims, uint64_t n);

/* The size of a dimension, 0 for one that is not there; a value of an array of integers. */
int64_t rg_acl_dim(const struct rg_acl_argument *tensor, int d);
int64_t rg_acl_value(const struct rg_acl_argument *array, int i);

bool rg_acl_is_empty(const struct rg_acl_argument *tensor);

aclnnStatus rg_acl_check_rank(const struct rg_call *call, const struct rg_acl_argument *tensor, uint64_t rank);
aclnnStatus rg_acl_check_rank_at_most(const struct rg_call *call, const struct rg_acl_argument *tensor, uint64_t rank);
aclnnStatus rg_acl_check_length(const struct rg_call *call, const struct rg_acl_argument *array, uint64_t length);

/* One of a list that ends with ACL_DT_UNDEFINED. */
aclnnStatus rg_acl_check_type(const struct rg_call *call, const struct rg_acl_argument *tensor,
                              const aclDataType *types);
/* Elements of whole bytes. */
aclnnStatus rg_acl_check_whole_bytes(const struct rg_call *call, const char *name, aclDataType type);
aclnnStatus rg_acl_check_same_type(const struct rg_call *call, const struct rg_acl_argument *tensor,
                                   const struct rg_acl_argument *other);
aclnnStatus rg_acl_check_same_format(const struct rg_call *call, const struct rg_acl_argument *tensor,
                                     const struct rg_acl_argument *other);

/* Of images: NCHW, ND, which is read as NCHW, or, if it is taken, NHWC. */
aclnnStatus rg_acl_check_image_format(const struct rg_call *call, const struct rg_acl_argument *tensor,
                                      bool takes_nhwc);

/* A dimension, or a value, has the wanted size; reason says whose size that is. */
aclnnStatus rg_acl_check_dim(const struct rg_call *call, const struct rg_acl_argument *tensor, int d, int64_t wanted,
                             const char *reason);
aclnnStatus rg_acl_check_value(const struct rg_call *call, const struct rg_acl_argument *array, int i, int64_t wanted,
                               const char *reason);

/* These sizes, or those of the other tensor; reason says whose they are. */
aclnnStatus rg_acl_check_shape(const struct rg_call *call, const struct rg_acl_argument *tensor, const int64_t *dims,
                               uint64_t n, const char *reason);
aclnnStatus rg_acl_check_same_shape(const struct rg_call *call, const struct rg_acl_argument *tensor,
                                    const struct rg_acl_argument *other);

aclnnStatus rg_acl_check_positive_dim(const struct rg_call *call, const struct rg_acl_argument *tensor, int d);
aclnnStatus rg_acl_check_positive_value(const struct rg_call *call, const struct rg_acl_argument *array, int i);

/* An attribute is one of 0 .. n - 1. */
aclnnStatus rg_acl_check_choice(const struct rg_call *call, const char *name, int64_t value, int64_t n);

/* A scale is no NaN and not infinite, and neither is its inverse when it counts, being above 0. */
aclnnStatus rg_acl_check_scale(const struct rg_call *call, const char *name, double scale);
aclnnStatus rg_acl_check_scale_not_negative(const struct rg_call *call, const char *name, double scale);

/* An antialiasing filter that reads 2 half_taps inputs where it is not stretched has a finite length. */
aclnnStatus rg_acl_check_filter(const struct rg_call *call, const char *name, double scale, int half_taps);

/* An axis grows by no more than the device can: the inverse of the scale, or else in / out, is at
 * least 0.02. */
aclnnStatus rg_acl_check_ratio(const struct rg_call *call, const char *name, double scale, int64_t in, int64_t out);
/* The same for both, the scale and the sizes, which are not 0, and 500. */
aclnnStatus rg_acl_check_growth(const struct rg_call *call, const char *name, double scale, int64_t in, int64_t out);
/* It shrinks by no more than that: the inverse of the scale, or else in / out, is at most 50. */
aclnnStatus rg_acl_check_shrinkage(const struct rg_call *call, const char *name, double scale, int64_t in, int64_t out);

#endif
