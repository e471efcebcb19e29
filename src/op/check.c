/* SPDX-License-Identifier: Apache-2.0 */
#include "op/check.h"

#include <stdio.h>

#include "base/status.h"
#include "base/tensor.h"

const char *rg_argument_name(const struct rg_argument *argument)
{
    if (argument->tensor != NULL && argument->tensor->name != NULL)
        return argument->tensor->name;
    return argument->name;
}

regrad_status rg_check_pointer(const char *op, const void *pointer, const char *name)
{
    if (pointer != NULL)
        return REGRAD_OK;
    return rg_fail(REGRAD_ERROR_NULL_POINTER, "%s: %s is NULL, must be a valid pointer", op, name);
}

static regrad_status check_storage(const char *op, const struct rg_argument *argument)
{
    const regrad_tensor *tensor = argument->tensor;
    const char *name = rg_argument_name(argument);
    const int64_t element = (int64_t)regrad_dtype_size(tensor->dtype);
    struct rg_extent extent;
    if (!rg_tensor_extent(tensor, &extent))
        return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT,
                       "%s: %s: sizes, strides and offset reach over more than 2^61 bytes, must be less", op, name);
    if (tensor->storage < 0)
        return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT,
                       "%s: %s.storage is %lld, must be a number of elements, or 0 when it is not known", op, name,
                       (long long)tensor->storage);
    if (tensor->storage == 0 || rg_tensor_is_empty(tensor))
        return REGRAD_OK;
    const int64_t low = extent.low / element, high = extent.high / element;
    if (low >= 0 && high <= tensor->storage)
        return REGRAD_OK;
    return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT,
                   "%s: %s reaches elements %lld to %lld of its storage, must stay within 0 to %lld", op, name,
                   (long long)low, (long long)(high - 1), (long long)(tensor->storage - 1));
}

/* Bytes can be moved, but nothing is computed of them. */
static regrad_status check_dtype(const char *op, const struct rg_argument *argument, bool is_moved)
{
    const regrad_dtype dtype = argument->tensor->dtype;
    const char *name = rg_argument_name(argument), *bytes = "REGRAD_UINT8 (4)";
    char number[16];
    if (regrad_dtype_size(dtype) != 0 && (is_moved || dtype != REGRAD_UINT8))
        return REGRAD_OK;
    snprintf(number, sizeof number, "%d", (int)dtype);
    return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT,
                   "%s: %s.dtype is %s, must be REGRAD_FLOAT32 (0), REGRAD_FLOAT16 (1), REGRAD_BFLOAT16 (2)%s "
                   "REGRAD_FLOAT64 (3)%s%s",
                   op, name, dtype == REGRAD_UINT8 ? bytes : number, is_moved ? "," : " or", is_moved ? " or " : "",
                   is_moved ? bytes : "");
}

static regrad_status check_tensor(const char *op, const struct rg_argument *argument, int rank, bool is_moved)
{
    RG_FORWARD(rg_check_pointer(op, argument->tensor, argument->name));
    const regrad_tensor *tensor = argument->tensor;
    const char *name = rg_argument_name(argument);
    if (tensor->rank != rank) {
        static const char hint[] = " (rank 0 comes from a rank, shape or size that regrad_tensor_* could not take)";
        return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT, "%s: %s.rank is %d, must be %d%s", op, name, (int)tensor->rank,
                       rank, tensor->rank == 0 ? hint : "");
    }
    RG_FORWARD(check_dtype(op, argument, is_moved));
    for (int d = 0; d < rank; d++)
        if (tensor->shape[d] < 0)
            return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT, "%s: %s.shape[%d] is %lld, must be 0 or more", op, name, d,
                           (long long)tensor->shape[d]);
    return check_storage(op, argument);
}

regrad_status rg_check_tensor(const char *op, const struct rg_argument *argument, int rank)
{
    return check_tensor(op, argument, rank, false);
}

regrad_status rg_check_moved_tensor(const char *op, const struct rg_argument *argument, int rank)
{
    return check_tensor(op, argument, rank, true);
}

regrad_status rg_check_output(const char *op, const struct rg_argument *argument)
{
    if (!rg_tensor_overlaps_itself(argument->tensor))
        return REGRAD_OK;
    char strides[RG_SIZES_LENGTH];
    return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT,
                   "%s: %s.stride is %s, with which elements overlap; must give each element memory of its own", op,
                   rg_argument_name(argument),
                   rg_format_sizes(strides, argument->tensor->stride, argument->tensor->rank));
}

regrad_status rg_check_same_dtype(const char *op, const struct rg_argument *argument, const struct rg_argument *other)
{
    if (argument->tensor->dtype == other->tensor->dtype)
        return REGRAD_OK;
    return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT, "%s: %s.dtype is %s, must be %s, the type of %s", op,
                   rg_argument_name(argument), regrad_dtype_name(argument->tensor->dtype),
                   regrad_dtype_name(other->tensor->dtype), rg_argument_name(other));
}

regrad_status rg_check_size(const char *op, const struct rg_argument *argument, int d, const struct rg_argument *other,
                            int other_d, const char *order)
{
    const int64_t size = argument->tensor->shape[d], wanted = other->tensor->shape[other_d];
    if (size == wanted)
        return REGRAD_OK;
    return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT,
                   "%s: %s.shape[%d] is %lld, must be %lld, as %s.shape[%d]; the order is %s whatever the layout", op,
                   rg_argument_name(argument), d, (long long)size, (long long)wanted, rg_argument_name(other), other_d,
                   order);
}

regrad_status rg_check_same_shape(const char *op, const struct rg_argument *argument, const struct rg_argument *other,
                                  const char *order)
{
    for (int d = 0; d < other->tensor->rank; d++)
        RG_FORWARD(rg_check_size(op, argument, d, other, d, order));
    return REGRAD_OK;
}

regrad_status rg_check_value(const char *op, const char *name, int d, int64_t value, const struct rg_argument *tensor,
                             int tensor_d, const char *order)
{
    const int64_t wanted = tensor->tensor->shape[tensor_d];
    if (value == wanted)
        return REGRAD_OK;
    return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT,
                   "%s: %s[%d] is %lld, must be %lld, as %s.shape[%d]; the order is %s whatever the layout", op, name,
                   d, (long long)value, (long long)wanted, rg_argument_name(tensor), tensor_d, order);
}

regrad_status rg_check_positive(const char *op, const struct rg_argument *argument, int d)
{
    if (argument->tensor->shape[d] > 0)
        return REGRAD_OK;
    return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT, "%s: %s.shape[%d] is %lld, must be 1 or more", op,
                   rg_argument_name(argument), d, (long long)argument->tensor->shape[d]);
}

regrad_status rg_check_enum(const char *op, const char *name, int value, int n)
{
    if (value >= 0 && value < n)
        return REGRAD_OK;
    return rg_fail(REGRAD_ERROR_INVALID_ARGUMENT, "%s: %s is %d, must be 0 to %d", op, name, value, n - 1);
}
