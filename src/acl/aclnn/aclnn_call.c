/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/aclnn/aclnn_call.h"

#include <inttypes.h>
#include <stdlib.h>

#include "acl/aclnn/aclnn_check.h"
#include "acl/context/ignored.h"
#include "acl/executor/executor_overlap.h"
#include "acl/object/strided.h"
#include "acl/object/type.h"
#include "acl/tell/message.h"
#include "acl/tell/setting.h"
#include "aclnn/opdev/op_errno.h"
#include "base/overlap.h"

/* ---- Arguments ---------------------------------------------------------------------------- */

struct rg_acl_argument rg_tensor_argument(const char *name, const aclTensor *tensor)
{
    return (struct rg_acl_argument){.name = name, .kind = RG_HANDLE_TENSOR, .handle = tensor};
}

struct rg_acl_argument rg_result_argument(const char *name, const aclTensor *tensor)
{
    return (struct rg_acl_argument){.name = name, .kind = RG_HANDLE_TENSOR, .handle = tensor, .is_output = true};
}

struct rg_acl_argument rg_int_array_argument(const char *name, const aclIntArray *array)
{
    return (struct rg_acl_argument){.name = name, .kind = RG_HANDLE_INT_ARRAY, .handle = array};
}

struct rg_acl_argument rg_float_array_argument(const char *name, const aclFloatArray *array)
{
    return (struct rg_acl_argument){.name = name, .kind = RG_HANDLE_FLOAT_ARRAY, .handle = array};
}

struct rg_acl_argument rg_bool_array_argument(const char *name, const aclBoolArray *array)
{
    return (struct rg_acl_argument){.name = name, .kind = RG_HANDLE_BOOL_ARRAY, .handle = array};
}

struct rg_acl_argument rg_scalar_argument(const char *name, const aclScalar *scalar)
{
    return (struct rg_acl_argument){.name = name, .kind = RG_HANDLE_SCALAR, .handle = scalar};
}

static aclnnStatus acquire(struct rg_call *call, struct rg_acl_argument *argument)
{
    aclnnStatus status;
    const void *object = rg_object_acquire(call->function, argument->name, argument->kind, argument->handle, &status);
    if (argument->kind == RG_HANDLE_TENSOR)
        argument->tensor = object;
    else
        argument->array = object;
    return status;
}

/* Refuses NULL, which may stand for an object that could not be created. */
static aclnnStatus check_handle(const struct rg_call *call, const struct rg_acl_argument *argument)
{
    const aclnnStatus status = rg_object_check_pointer(call->function, argument->name, argument->handle);
    if (status != ACLNN_SUCCESS)
        rg_ignored_miss((int)argument->kind, NULL);
    return status;
}

aclnnStatus rg_call_open(struct rg_call *call, const uint64_t *workspaceSize, aclOpExecutor *const *executor)
{
    RG_TRY(rg_object_check_pointer(call->function, "workspaceSize", workspaceSize));
    RG_TRY(rg_object_check_pointer(call->function, "executor", executor));
    for (int i = 0; i < call->n_arguments; i++)
        RG_TRY(check_handle(call, &call->arguments[i]));
    for (int i = 0; i < call->n_arguments; i++)
        RG_TRY(acquire(call, &call->arguments[i]));
    return ACLNN_SUCCESS;
}

/* For the check mode: there will be no executor, and nobody writes the results. */
static void note_failure(const struct rg_call *call, aclnnStatus status)
{
    rg_ignored_make(RG_HANDLE_EXECUTOR, status);
    for (int i = 0; i < call->n_arguments; i++)
        if (call->arguments[i].is_output && !call->arguments[i].is_unused && call->arguments[i].tensor != NULL)
            rg_ignored_add_result(call->arguments[i].tensor->data);
}

aclnnStatus rg_call_close(struct rg_call *call, aclnnStatus status, uint64_t *workspaceSize, aclOpExecutor **executor)
{
    if (status != ACLNN_SUCCESS)
        note_failure(call, status);
    for (int i = 0; i < call->n_arguments; i++) {
        const struct rg_acl_argument *argument = &call->arguments[i];
        if (argument->tensor != NULL || argument->array != NULL)
            rg_handle_release(argument->kind, argument->handle);
    }
    if (status != ACLNN_SUCCESS) {
        rg_program_release(call->program);
        return status;
    }
    const uint64_t size = rg_program_workspace_size(call->program);
    const struct rg_origin origin = {call->function, call->place};
    RG_TRY(rg_ignored_make(RG_HANDLE_EXECUTOR, rg_executor_create(call->program, &origin, executor)));
    *workspaceSize = size;
    if (rg_check_level() != RG_CHECK_OFF)
        rg_semantic_tell(&call->semantic, call->function, call->place.frame[0]);
    return ACLNN_SUCCESS;
}

/* ---- Memory ------------------------------------------------------------------------------- */

static aclnnStatus check_storage(const struct rg_call *call, const struct rg_acl_operand *operand, int64_t low,
                                 int64_t high)
{
    const struct rg_acl_tensor *view = &operand->view;
    char shape[RG_DIMS_TEXT];
    int64_t n_elements = 1;
    if (view->storage_rank == 0 || low == high)
        return ACLNN_SUCCESS;
    bool is_countable = true;
    for (uint64_t d = 0; d < view->storage_rank && is_countable; d++)
        is_countable =
            view->storage_shape[d] >= 0 && !__builtin_mul_overflow(n_elements, view->storage_shape[d], &n_elements);
    if (is_countable && low >= 0 && high <= n_elements)
        return ACLNN_SUCCESS;
    rg_dims_text(shape, view->storage_shape, view->storage_rank);
    if (!is_countable)
        return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function,
                           "the storage of %s has shape %s, must not have negative sizes or more than 2^63 - 1 "
                           "elements",
                           operand->name, shape);
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function,
                       "the view of %s reaches the elements [%" PRId64 ", %" PRId64
                       ") of its storage, must stay within [0, %" PRId64 "), which its storage shape %s declares",
                       operand->name, low, high, n_elements, shape);
}

static aclnnStatus measure(const struct rg_call *call, struct rg_acl_operand *operand)
{
    int64_t low, high;
    char shape[RG_DIMS_TEXT];
    if (!rg_strided_extent(&operand->view, &low, &high)) {
        rg_dims_text(shape, operand->view.shape, operand->view.rank);
        return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function,
                           "%s has shape %s, must not have negative sizes or reach further than 2^63 - 1 bytes",
                           operand->name, shape);
    }
    if (low != high)
        RG_TRY(rg_acl_check_whole_bytes(call, operand->name, operand->view.type));
    const int64_t size = (int64_t)rg_type_size(operand->view.type);
    operand->low = low * size;
    operand->high = high * size;
    return check_storage(call, operand, low, high);
}

/* A tensor that nobody looks at has sizes, too. */
static aclnnStatus check_sizes(const struct rg_call *call, const struct rg_acl_operand *operand)
{
    char shape[RG_DIMS_TEXT];
    for (uint64_t d = 0; d < operand->view.rank; d++)
        if (operand->view.shape[d] < 0) {
            rg_dims_text(shape, operand->view.shape, operand->view.rank);
            return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function, "%s has shape %s, must not have negative sizes",
                               operand->name, shape);
        }
    return ACLNN_SUCCESS;
}

/* Neither what is read nor what is written may reach further than the search for overlaps can count. */
static aclnnStatus check_reach(const struct rg_call *call, const struct rg_acl_operand *operand)
{
    if (operand->low >= -RG_FURTHEST && operand->high <= RG_FURTHEST)
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function,
                       "%s reaches the bytes [%" PRId64 ", %" PRId64
                       ") from its data address, must stay within 2^61 of it",
                       operand->name, operand->low, operand->high);
}

static aclnnStatus check_result(const struct rg_call *call, const struct rg_acl_operand *operand)
{
    char strides[RG_DIMS_TEXT];
    const bool has_elements = operand->is_used && operand->low != operand->high;
    if (!has_elements || !operand->is_output || !rg_operand_overlaps_itself(operand))
        return ACLNN_SUCCESS;
    rg_dims_text(strides, operand->view.stride, operand->view.rank);
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, call->function,
                       "%s has strides %s, with which elements overlap; must give each element memory of its own",
                       operand->name, strides);
}

aclnnStatus rg_call_check_results(const struct rg_call *call)
{
    for (int i = 0; i < call->program->n_operands; i++) {
        RG_TRY(check_reach(call, &call->program->operands[i]));
        RG_TRY(check_result(call, &call->program->operands[i]));
    }
    return ACLNN_SUCCESS;
}

static struct rg_program *create_program(const struct rg_call *call, enum rg_program_work work)
{
    struct rg_program *program = calloc(1, sizeof(*program));
    if (program == NULL)
        return NULL;
    atomic_init(&program->n_owners, 1);
    program->function = call->function;
    program->work = work;
    for (int i = 0; i < call->n_arguments; i++) {
        const struct rg_acl_argument *argument = &call->arguments[i];
        if (argument->kind == RG_HANDLE_TENSOR)
            program->operands[program->n_operands++] =
                (struct rg_acl_operand){.name = argument->name,
                                        .handle = argument->handle,
                                        .is_output = argument->is_output,
                                        .is_used = work != RG_WORK_NONE && !argument->is_unused,
                                        .is_unwanted = argument->is_output && argument->is_unused,
                                        .view = *argument->tensor};
    }
    return program;
}

static void note_tensors(struct rg_call *call, enum rg_program_work work)
{
    call->semantic.is_copy = work == RG_WORK_COPY;
    for (int i = 0; i < call->n_arguments; i++) {
        const struct rg_acl_argument *argument = &call->arguments[i];
        if (argument->kind != RG_HANDLE_TENSOR)
            continue;
        call->semantic.type = argument->tensor->type;
        call->semantic.has_nd_format |= argument->tensor->format == ACL_FORMAT_ND;
    }
}

aclnnStatus rg_call_prepare(struct rg_call *call, enum rg_program_work work)
{
    call->program = create_program(call, work);
    if (call->program == NULL)
        return rg_acl_fail(ACLNN_ERR_INNER_CREATE_EXECUTOR, call->function, "there is no memory for an executor");
    note_tensors(call, work);
    for (int i = 0; i < call->program->n_operands; i++) {
        struct rg_acl_operand *operand = &call->program->operands[i];
        RG_TRY(operand->is_used ? measure(call, operand) : check_sizes(call, operand));
        if (operand->is_used && !operand->is_output)
            rg_ignored_expect_read(call->function, operand->name, operand->view.data);
    }
    if (work == RG_WORK_ZERO)
        RG_TRY(rg_call_check_results(call));
    return rg_program_settle(call->function, call->program);
}

const regrad_plan_options rg_call_options = {.size = sizeof rg_call_options, .once = 1};

aclnnStatus rg_call_check_overlap(const struct rg_call *call)
{
    void *addresses[RG_MAX_OPERANDS] = {NULL};
    for (int i = 0; i < call->program->n_operands; i++)
        addresses[i] = call->program->operands[i].view.data;
    if (!rg_program_has_addresses(call->program, addresses))
        return ACLNN_SUCCESS; /* phase 2 looks */
    return rg_program_check_overlap(call->function, call->program, addresses);
}

aclnnStatus rg_call_planned(struct rg_call *call, regrad_status status)
{
    RG_TRY(rg_native_refusal(call->function, status));
    return rg_call_check_overlap(call);
}

/* ---- Native tensors ----------------------------------------------------------------------- */

int rg_call_dim(int d, int rank, bool is_channels_last)
{
    if (!is_channels_last || d == 0)
        return d;
    return d == 1 ? rank - 1 : d - 1;
}

regrad_tensor rg_call_tensor(const struct rg_call *call, int argument, bool is_channels_last)
{
    const struct rg_acl_tensor *view = call->arguments[argument].tensor;
    regrad_tensor tensor = {.data = view->data,
                            .rank = (int32_t)view->rank,
                            .offset = view->offset,
                            .name = call->arguments[argument].name};
    rg_type_native(view->type, &tensor.dtype);
    for (int d = 0; d < tensor.rank; d++) {
        const int from = rg_call_dim(d, tensor.rank, is_channels_last);
        tensor.shape[d] = view->shape[from];
        tensor.stride[d] = view->stride[from];
    }
    return tensor;
}

aclnnStatus rg_call_copy(struct rg_call *call)
{
    RG_TRY(rg_call_prepare(call, RG_WORK_COPY));
    /* A resize between equal shapes is refused exactly where a copy must be: see executor_program.c. */
    regrad_tensor from = rg_call_tensor(call, 0, false), to = rg_call_tensor(call, call->n_arguments - 1, false);
    from.dtype = to.dtype = REGRAD_FLOAT64;
    return rg_call_planned(call, regrad_upsample_bilinear2d_plan_with(&from, &to, REGRAD_HALF_PIXEL, 0, 0,
                                                                      &rg_call_options, &call->program->plan));
}
