/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of values, and scalars, which are arrays of one. */
#include "acl/object/object.h"

#include <stdlib.h>
#include <string.h>

#include "acl/object/type.h"
#include "acl/tell/message.h"
#include "aclnn/opdev/op_errno.h"

static struct rg_array *allocate(const void *values, uint64_t n, size_t value_size)
{
    const uint64_t size = values != NULL ? n : 0;
    struct rg_array *array = NULL;
    if (size <= (SIZE_MAX / 2 - sizeof(*array)) / value_size)
        array = malloc(sizeof(*array) + size * value_size);
    if (array != NULL) {
        array->size = size;
        array->values = array + 1;
        if (size > 0)
            memcpy(array->values, values, size * value_size);
    }
    return array;
}

static void *create(struct rg_origin origin, enum rg_handle_kind kind, const void *values, uint64_t n,
                    size_t value_size)
{
    return rg_object_publish(&origin, kind, allocate(values, n, value_size), free);
}

static aclnnStatus get_size(const struct rg_function *function, enum rg_handle_kind kind, const void *handle,
                            uint64_t *size)
{
    aclnnStatus status;
    const struct rg_array *array = rg_object_acquire(function, "array", kind, handle, &status);
    if (array == NULL)
        return status;
    status = rg_object_check_pointer(function, "size", size);
    if (status == ACLNN_SUCCESS)
        *size = array->size;
    rg_handle_release(kind, handle);
    return status;
}

aclIntArray *aclCreateIntArray(const int64_t *value, uint64_t size)
{
    static const struct rg_function function = {.name = __func__};
    return create(rg_origin_here(&function), RG_HANDLE_INT_ARRAY, value, size, sizeof(*value));
}

aclFloatArray *aclCreateFloatArray(const float *value, uint64_t size)
{
    static const struct rg_function function = {.name = __func__};
    return create(rg_origin_here(&function), RG_HANDLE_FLOAT_ARRAY, value, size, sizeof(*value));
}

aclBoolArray *aclCreateBoolArray(const bool *value, uint64_t size)
{
    static const struct rg_function function = {.name = __func__};
    return create(rg_origin_here(&function), RG_HANDLE_BOOL_ARRAY, value, size, sizeof(*value));
}

aclnnStatus aclDestroyIntArray(const aclIntArray *array)
{
    static const struct rg_function function = {.name = __func__};
    return rg_object_destroy(rg_origin_here(&function), "array", RG_HANDLE_INT_ARRAY, array);
}

aclnnStatus aclDestroyFloatArray(const aclFloatArray *array)
{
    static const struct rg_function function = {.name = __func__};
    return rg_object_destroy(rg_origin_here(&function), "array", RG_HANDLE_FLOAT_ARRAY, array);
}

aclnnStatus aclDestroyBoolArray(const aclBoolArray *array)
{
    static const struct rg_function function = {.name = __func__};
    return rg_object_destroy(rg_origin_here(&function), "array", RG_HANDLE_BOOL_ARRAY, array);
}

aclnnStatus aclGetIntArraySize(const aclIntArray *array, uint64_t *size)
{
    static const struct rg_function function = {.name = __func__};
    return get_size(&function, RG_HANDLE_INT_ARRAY, array, size);
}

aclnnStatus aclGetFloatArraySize(const aclFloatArray *array, uint64_t *size)
{
    static const struct rg_function function = {.name = __func__};
    return get_size(&function, RG_HANDLE_FLOAT_ARRAY, array, size);
}

aclnnStatus aclGetBoolArraySize(const aclBoolArray *array, uint64_t *size)
{
    static const struct rg_function function = {.name = __func__};
    return get_size(&function, RG_HANDLE_BOOL_ARRAY, array, size);
}

aclScalar *aclCreateScalar(void *value, aclDataType dataType)
{
    static const struct rg_function function = {.name = __func__};
    const size_t size = rg_type_size(dataType);
    if (rg_object_check_pointer(&function, "value", value) != ACLNN_SUCCESS)
        return NULL;
    if (size == 0) {
        rg_acl_fail(ACLNN_ERR_PARAM_INVALID, &function, "dataType is %s (%d), must be a type of whole bytes",
                    rg_type_name(dataType), (int)dataType);
        return NULL;
    }
    struct rg_array *scalar = allocate(value, 1, size);
    if (scalar != NULL)
        scalar->type = dataType;
    const struct rg_origin origin = rg_origin_here(&function);
    return rg_object_publish(&origin, RG_HANDLE_SCALAR, scalar, free);
}

aclnnStatus aclDestroyScalar(const aclScalar *scalar)
{
    static const struct rg_function function = {.name = __func__};
    return rg_object_destroy(rg_origin_here(&function), "scalar", RG_HANDLE_SCALAR, scalar);
}
