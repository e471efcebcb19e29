#include "acl/object.h"

#include "acl/message.h"
#include "aclnn/opdev/op_errno.h"

static const char *const kind_names[] = {
    [RG_HANDLE_TENSOR] = "a tensor",
    [RG_HANDLE_TENSOR_LIST] = "a list of tensors",
    [RG_HANDLE_SCALAR] = "a scalar",
    [RG_HANDLE_SCALAR_LIST] = "a list of scalars",
    [RG_HANDLE_INT_ARRAY] = "an array of integers",
    [RG_HANDLE_FLOAT_ARRAY] = "an array of floats",
    [RG_HANDLE_BOOL_ARRAY] = "an array of booleans",
};

void *rg_object_publish(const char *function, enum rg_handle_kind kind, void *object, void (*destroy)(void *object))
{
    void *handle = object != NULL ? rg_handle_create(kind, object, destroy) : NULL;
    if (handle != NULL)
        return handle;
    if (object != NULL)
        destroy(object);
    rg_acl_fail(ACLNN_ERR_INNER, "%s: there is no memory for %s", function, kind_names[kind]);
    return NULL;
}

static aclnnStatus refuse_stale(const char *function, const char *argument, enum rg_handle_kind kind,
                                const void *handle)
{
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, "%s: %s is %p, must be %s that is alive", function, argument, handle,
                       kind_names[kind]);
}

void *rg_object_acquire(const char *function, const char *argument, enum rg_handle_kind kind, const void *handle,
                        aclnnStatus *status)
{
    *status = rg_object_check_pointer(function, argument, handle);
    if (*status != ACLNN_SUCCESS)
        return NULL;
    void *object = rg_handle_acquire(kind, handle);
    if (object == NULL)
        *status = refuse_stale(function, argument, kind, handle);
    return object;
}

aclnnStatus rg_object_destroy(const char *function, const char *argument, enum rg_handle_kind kind, const void *handle)
{
    if (handle == NULL || rg_handle_destroy(kind, handle))
        return ACLNN_SUCCESS;
    return refuse_stale(function, argument, kind, handle);
}

aclnnStatus rg_object_check_pointer(const char *function, const char *argument, const void *pointer)
{
    if (pointer != NULL)
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_NULLPTR, "%s: %s is NULL, must not be", function, argument);
}
