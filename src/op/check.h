/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checks at the door of every operator. Each says in rg_fail what is wrong: operator, argument,
 * value given, value wanted.
 */
#ifndef RG_CHECK_H
#define RG_CHECK_H

#include "regrad.h"

/* What an operator's check functions need to know to speak of a tensor. */
struct rg_argument {
    const regrad_tensor *tensor;
    const char *name; /* the parameter's name */
};

/* The name that messages use: the tensor's own if it has one. */
const char *rg_argument_name(const struct rg_argument *argument);

/* pointer is not NULL. */
regrad_status rg_check_pointer(const char *op, const void *pointer, const char *name);

/* The tensor is there, of this rank, of a known type, with sizes that are not negative and do not
 * overflow, and inside of its storage. */
regrad_status rg_check_tensor(const char *op, const struct rg_argument *argument, int rank);

/* The same for a tensor whose elements are only moved, and so may be bytes. */
regrad_status rg_check_moved_tensor(const char *op, const struct rg_argument *argument, int rank);

/* No two elements of an output share memory. */
regrad_status rg_check_output(const char *op, const struct rg_argument *argument);

/* Both have the same type. */
regrad_status rg_check_same_dtype(const char *op, const struct rg_argument *argument, const struct rg_argument *other);

/* shape[d] is the other tensor's shape[other_d]. Messages recall the order of dimensions, for instance "N, C, H, W". */
regrad_status rg_check_size(const char *op, const struct rg_argument *argument, int d, const struct rg_argument *other,
                            int other_d, const char *order);

/* All sizes are those of other. */
regrad_status rg_check_same_shape(const char *op, const struct rg_argument *argument, const struct rg_argument *other,
                                  const char *order);

/* Element d of an array of sizes is the tensor's shape[tensor_d]; order is the array's. */
regrad_status rg_check_value(const char *op, const char *name, int d, int64_t value, const struct rg_argument *tensor,
                             int tensor_d, const char *order);

/* shape[d] is at least 1. */
regrad_status rg_check_positive(const char *op, const struct rg_argument *argument, int d);

/* value is one of an enum's: 0 .. n - 1. */
regrad_status rg_check_enum(const char *op, const char *name, int value, int n);

/* A check of a tensor and its rank. */
typedef regrad_status rg_check(const char *op, const struct rg_argument *argument, int rank);

#endif
