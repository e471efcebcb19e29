/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/object/object.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "acl/context/ignored.h"
#include "acl/tell/message.h"
#include "aclnn/opdev/op_errno.h"
#include "base/plural.h"

/* ---- Creation ----------------------------------------------------------------------------- */

/* Sizes that overflow wrap round here; operators refuse them. */
static void set_contiguous_strides(struct rg_acl_tensor *tensor)
{
    uint64_t stride = 1;
    for (uint64_t d = tensor->rank; d-- > 0;) {
        tensor->stride[d] = (int64_t)stride;
        stride *= (uint64_t)tensor->shape[d];
    }
}

static void set_dims(int64_t *to, const int64_t *dims, uint64_t n)
{
    if (n > 0)
        memcpy(to, dims, n * sizeof(*dims));
}

static aclnnStatus check_rank(const struct rg_function *function, const char *argument, uint64_t rank)
{
    if (rank <= RG_MAX_DIMS)
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, function, "%s is %llu, must be at most %d", argument,
                       (unsigned long long)rank, RG_MAX_DIMS);
}

static bool check_dims(const struct rg_function *function, const char *argument, const int64_t *dims, uint64_t n)
{
    if (dims == NULL && n > 0) {
        rg_acl_fail(ACLNN_ERR_PARAM_NULLPTR, function, "%s is NULL, must point to %sNum = %llu value%s", argument,
                    argument, (unsigned long long)n, rg_plural(n));
        return false;
    }
    return true;
}

aclTensor *aclCreateTensor(const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType, const int64_t *stride,
                           int64_t offset, aclFormat format, const int64_t *storageDims, uint64_t storageDimsNum,
                           void *tensorData)
{
    static const struct rg_function function = {.name = __func__};
    if (!check_dims(&function, "viewDims", viewDims, viewDimsNum) ||
        !check_dims(&function, "storageDims", storageDims, storageDimsNum) ||
        check_rank(&function, "viewDimsNum", viewDimsNum) != ACLNN_SUCCESS ||
        check_rank(&function, "storageDimsNum", storageDimsNum) != ACLNN_SUCCESS) {
        rg_ignored_make(RG_HANDLE_TENSOR, ACLNN_ERR_PARAM_INVALID);
        return NULL;
    }
    struct rg_acl_tensor *tensor = malloc(sizeof(*tensor));
    if (tensor != NULL) {
        *tensor = (struct rg_acl_tensor){.rank = viewDimsNum,
                                         .offset = offset,
                                         .storage_rank = storageDimsNum,
                                         .type = dataType,
                                         .format = format,
                                         .data = tensorData};
        set_dims(tensor->shape, viewDims, viewDimsNum);
        set_dims(tensor->storage_shape, storageDims, storageDimsNum);
        if (stride != NULL)
            set_dims(tensor->stride, stride, viewDimsNum);
        else
            set_contiguous_strides(tensor);
    }
    const struct rg_origin origin = rg_origin_here(&function);
    return rg_object_publish(&origin, RG_HANDLE_TENSOR, tensor, free);
}

static void note_change(struct rg_acl_tensor *tensor, struct rg_origin origin)
{
    tensor->n_changes++;
    tensor->changed = origin;
}

aclnnStatus aclInitTensor(aclTensor *tensor, const int64_t *viewDims, uint64_t viewDimsNum, aclDataType dataType,
                          const int64_t *stride, int64_t offset, aclFormat format, const int64_t *storageDims,
                          uint64_t storageDimsNum, void *tensorDataAddr)
{
    static const struct rg_function function = {.name = __func__};
    aclnnStatus status = check_rank(&function, "viewDimsNum", viewDims != NULL ? viewDimsNum : 0);
    if (status == ACLNN_SUCCESS)
        status = check_rank(&function, "storageDimsNum", storageDims != NULL ? storageDimsNum : 0);
    struct rg_acl_tensor *object = NULL;
    if (status == ACLNN_SUCCESS)
        object = rg_object_acquire(&function, "tensor", RG_HANDLE_TENSOR, tensor, &status);
    if (object == NULL)
        return status;

    const struct rg_acl_tensor before = *object;
    object->type = dataType;
    object->offset = offset;
    object->format = format;
    if (viewDims != NULL) {
        object->rank = viewDimsNum;
        set_dims(object->shape, viewDims, viewDimsNum);
        set_contiguous_strides(object);
    }
    if (stride != NULL)
        set_dims(object->stride, stride, object->rank);
    if (storageDims != NULL) {
        object->storage_rank = storageDimsNum;
        set_dims(object->storage_shape, storageDims, storageDimsNum);
    }
    if (tensorDataAddr != NULL)
        object->data = tensorDataAddr;
    if (memcmp(&before, object, sizeof(before)) != 0)
        note_change(object, rg_origin_here(&function));
    rg_handle_release(RG_HANDLE_TENSOR, tensor);
    return ACLNN_SUCCESS;
}

aclnnStatus aclDestroyTensor(const aclTensor *tensor)
{
    static const struct rg_function function = {.name = __func__};
    return rg_object_destroy(rg_origin_here(&function), "tensor", RG_HANDLE_TENSOR, tensor);
}

/* ---- Questions ---------------------------------------------------------------------------- */

/* The tensor, pinned, when there is one and when value can be written to; else NULL and a status. */
static struct rg_acl_tensor *acquire(const struct rg_function *function, const aclTensor *tensor, const char *argument,
                                     const void *value, aclnnStatus *status)
{
    struct rg_acl_tensor *object = rg_object_acquire(function, "tensor", RG_HANDLE_TENSOR, tensor, status);
    if (object == NULL)
        return NULL;
    *status = rg_object_check_pointer(function, argument, value);
    if (*status == ACLNN_SUCCESS)
        return object;
    rg_handle_release(RG_HANDLE_TENSOR, tensor);
    return NULL;
}

/*
 * C++ programs release the arrays with delete[], which must then come from their operator new[]. It
 * and std::nothrow, which only a C++ runtime has, are looked for by their names in the C++ ABI, so that
 * the library does not depend on such a runtime; where there is none, nobody can call delete[].
 */
extern const char std_nothrow __asm__("_ZSt7nothrow") __attribute__((weak));
extern void *operator_new_array(size_t size, const void *nothrow) __asm__("_ZnamRKSt9nothrow_t") __attribute__((weak));

static int64_t *copy_dims(const int64_t *dims, uint64_t n)
{
    const size_t size = (n > 0 ? n : 1) * sizeof(*dims);
    const bool is_cxx = &std_nothrow != NULL && operator_new_array != NULL;
    int64_t *copy = is_cxx ? operator_new_array(size, &std_nothrow) : malloc(size);
    if (copy != NULL)
        set_dims(copy, dims, n);
    return copy;
}

enum dims { VIEW_SHAPE, STORAGE_SHAPE, VIEW_STRIDES };

static aclnnStatus get_dims(const struct rg_function *function, const aclTensor *tensor, enum dims which,
                            int64_t **dims, uint64_t *n)
{
    static const char *const names[][2] = {
        {"viewDims", "viewDimsNum"}, {"storageDims", "storageDimsNum"}, {"stridesValue", "stridesNum"}};
    aclnnStatus status;
    const struct rg_acl_tensor *object = acquire(function, tensor, names[which][0], dims, &status);
    if (object == NULL)
        return status;
    const int64_t *const from[] = {object->shape, object->storage_shape, object->stride};
    const uint64_t rank = which == STORAGE_SHAPE ? object->storage_rank : object->rank;
    status = rg_object_check_pointer(function, names[which][1], n);
    int64_t *copy = status == ACLNN_SUCCESS ? copy_dims(from[which], rank) : NULL;
    rg_handle_release(RG_HANDLE_TENSOR, tensor);
    if (status != ACLNN_SUCCESS)
        return status;
    if (copy == NULL)
        return rg_acl_fail(ACLNN_ERR_INNER, function, "there is no memory for %s", names[which][0]);
    *dims = copy;
    *n = rank;
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetViewShape(const aclTensor *tensor, int64_t **viewDims, uint64_t *viewDimsNum)
{
    static const struct rg_function function = {.name = __func__};
    return get_dims(&function, tensor, VIEW_SHAPE, viewDims, viewDimsNum);
}

aclnnStatus aclGetStorageShape(const aclTensor *tensor, int64_t **storageDims, uint64_t *storageDimsNum)
{
    static const struct rg_function function = {.name = __func__};
    return get_dims(&function, tensor, STORAGE_SHAPE, storageDims, storageDimsNum);
}

aclnnStatus aclGetViewStrides(const aclTensor *tensor, int64_t **stridesValue, uint64_t *stridesNum)
{
    static const struct rg_function function = {.name = __func__};
    return get_dims(&function, tensor, VIEW_STRIDES, stridesValue, stridesNum);
}

/* Copies a member of the tensor to the client. */
static aclnnStatus get_member(const struct rg_function *function, const aclTensor *tensor, const char *argument,
                              void *value, size_t offset, size_t size)
{
    aclnnStatus status;
    const struct rg_acl_tensor *object = acquire(function, tensor, argument, value, &status);
    if (object == NULL)
        return status;
    memcpy(value, (const char *)object + offset, size);
    rg_handle_release(RG_HANDLE_TENSOR, tensor);
    return ACLNN_SUCCESS;
}

aclnnStatus aclGetViewOffset(const aclTensor *tensor, int64_t *offset)
{
    static const struct rg_function function = {.name = __func__};
    return get_member(&function, tensor, "offset", offset, offsetof(struct rg_acl_tensor, offset), sizeof(*offset));
}

aclnnStatus aclGetFormat(const aclTensor *tensor, aclFormat *format)
{
    static const struct rg_function function = {.name = __func__};
    return get_member(&function, tensor, "format", format, offsetof(struct rg_acl_tensor, format), sizeof(*format));
}

aclnnStatus aclGetDataType(const aclTensor *tensor, aclDataType *dataType)
{
    static const struct rg_function function = {.name = __func__};
    return get_member(&function, tensor, "dataType", dataType, offsetof(struct rg_acl_tensor, type), sizeof(*dataType));
}

aclnnStatus aclGetRawTensorAddr(const aclTensor *tensor, void **addr)
{
    static const struct rg_function function = {.name = __func__};
    return get_member(&function, tensor, "addr", addr, offsetof(struct rg_acl_tensor, data), sizeof(*addr));
}

aclnnStatus aclSetRawTensorAddr(aclTensor *tensor, void *addr)
{
    static const struct rg_function function = {.name = __func__};
    aclnnStatus status;
    struct rg_acl_tensor *object = rg_object_acquire(&function, "tensor", RG_HANDLE_TENSOR, tensor, &status);
    if (object == NULL)
        return status;
    if (object->data != addr)
        note_change(object, rg_origin_here(&function));
    object->data = addr;
    rg_handle_release(RG_HANDLE_TENSOR, tensor);
    return ACLNN_SUCCESS;
}
