/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The one loop of the operators that take values one by one. Each result begins as +0, and each of its terms makes a
 * new value of it, in float32 and in C order; then it is stored. A sum has many terms for a result, the others have
 * one.
 */
#ifndef RG_VALUE_LOOP_H
#define RG_VALUE_LOOP_H

#include <stdint.h>

#include "acl/math/number.h"

enum { RG_VALUE_LOOP_DIMS = 8 };

enum rg_value_view { RG_SELF_VIEW, RG_OTHER_VIEW, RG_OUT_VIEW, RG_N_VALUE_VIEWS };

/* The value of a result after one more term. */
enum rg_value_step {
    RG_ADD_STEP,      /* self + other */
    RG_MULTIPLY_STEP, /* self * other */
    RG_RECTIFY_STEP,  /* self, or +0 where that is 0 or less */
    RG_SUM_STEP       /* the value before + self */
};

struct rg_value_dim {
    int64_t size;
    int64_t stride[RG_N_VALUE_VIEWS]; /* in elements; 0 where a view has one element for all */
};

struct rg_value_loop {
    enum rg_value_step step;
    float alpha;                    /* other is multiplied by it first */
    const struct rg_number *number; /* the type of all views */
    int64_t offset[RG_N_VALUE_VIEWS];
    int n_dims, n_kept; /* the first n_kept dimensions are those of the results, the others count the terms of each */
    struct rg_value_dim dim[RG_VALUE_LOOP_DIMS];
};

/* Adds an inner dimension. */
void rg_value_loop_add(struct rg_value_loop *loop, struct rg_value_dim dim);

/* Runs a loop without dimensions of size 0, on views at these data addresses. */
void rg_value_loop_run(const struct rg_value_loop *loop, void *const addresses[RG_N_VALUE_VIEWS]);

#endif
