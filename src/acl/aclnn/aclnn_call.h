/* SPDX-License-Identifier: Apache-2.0 */
/* One call of phase 1: its arguments while they are pinned, and the program that it makes. */
#ifndef RG_ACLNN_CALL_H
#define RG_ACLNN_CALL_H

#include "acl/aclnn/semantic.h"
#include "acl/executor/executor.h"

/* Hands a failure on to the caller, who has nothing to add. */
#define RG_TRY(expression)                                                                                             \
    do {                                                                                                               \
        const aclnnStatus tried_ = (expression);                                                                       \
        if (tried_ != 0)                                                                                               \
            return tried_;                                                                                             \
    } while (0)

enum { RG_MAX_ARGUMENTS = 6 };

struct rg_acl_argument {
    const char *name;
    enum rg_handle_kind kind;
    const void *handle;
    bool is_output;
    bool is_unused; /* the operator wants it, but not its memory */

    /* What the handle stands for; one of them. */
    const struct rg_acl_tensor *tensor;
    const struct rg_array *array;
};

/* A tensor that is read, one that is written, an array, and a scalar, which is an array of one. */
struct rg_acl_argument rg_tensor_argument(const char *name, const aclTensor *tensor);
struct rg_acl_argument rg_result_argument(const char *name, const aclTensor *tensor);
struct rg_acl_argument rg_int_array_argument(const char *name, const aclIntArray *array);
struct rg_acl_argument rg_float_array_argument(const char *name, const aclFloatArray *array);
struct rg_acl_argument rg_bool_array_argument(const char *name, const aclBoolArray *array);
struct rg_acl_argument rg_scalar_argument(const char *name, const aclScalar *scalar);

struct rg_call {
    const struct rg_function *function;
    struct rg_place place; /* where it was called */
    int n_arguments;
    struct rg_acl_argument arguments[RG_MAX_ARGUMENTS];
    struct rg_program *program;
    struct rg_semantic semantic; /* of which rg_call_prepare fills in what it knows */
};

/* Pins the arguments, in their order. Refuses NULL and stale ones, and NULL for workspaceSize and executor. */
aclnnStatus rg_call_open(struct rg_call *call, const uint64_t *workspaceSize, aclOpExecutor *const *executor);

/* Releases what open has pinned, and with a status of 0 turns the program into an executor. Returns the status. */
aclnnStatus rg_call_close(struct rg_call *call, aclnnStatus status, uint64_t *workspaceSize, aclOpExecutor **executor);

/* Of all plans of calls: an executor is mostly run once. */
extern const regrad_plan_options rg_call_options;

/*
 * Makes the call's program, and checks the memory that the work will use: that views lie within their
 * storage and their allocation, and that data addresses are there. A plan is then for the caller to
 * make, in call->program->plan, and for rg_call_planned to judge; or a loop, for rg_call_check_overlap.
 */
aclnnStatus rg_call_prepare(struct rg_call *call, enum rg_program_work work);
aclnnStatus rg_call_check_overlap(const struct rg_call *call);

/* Refuses results, of a program without a plan, whose elements overlap, and what reaches too far to tell. */
aclnnStatus rg_call_check_results(const struct rg_call *call);
aclnnStatus rg_call_planned(struct rg_call *call, regrad_status status);

/* Where a tensor of the rank has dimension d of the order N, C and the axes; is_channels_last: the channels come behind
 * the axes. */
int rg_call_dim(int d, int rank, bool is_channels_last);

/* An argument as the native library takes it, which must be of a type that it has and of rank REGRAD_MAX_RANK or
 * less. */
regrad_tensor rg_call_tensor(const struct rg_call *call, int argument, bool is_channels_last);

/* Makes a copy of the first argument to the last: both have the same shape, type and rank 4. */
aclnnStatus rg_call_copy(struct rg_call *call);

#endif
