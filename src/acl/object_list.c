/* Lists of tensors and of scalars, which end their members when they are destroyed. */
#include "acl/object.h"

#include <stdlib.h>
#include <string.h>

#include "aclnn/opdev/op_errno.h"

struct list {
    enum rg_handle_kind member_kind;
    uint64_t size;
    const void *members[];
};

static void destroy(void *object)
{
    struct list *list = object;
    for (uint64_t i = 0; i < list->size; i++)
        rg_handle_destroy(list->member_kind, list->members[i], rg_handle_ended_by());
    free(list);
}

static void *create(struct rg_origin origin, enum rg_handle_kind kind, enum rg_handle_kind member_kind,
                    const void *members, uint64_t n)
{
    const uint64_t size = members != NULL ? n : 0;
    struct list *list = NULL;
    if (size <= (SIZE_MAX / 2 - sizeof(*list)) / sizeof(void *))
        list = malloc(sizeof(*list) + size * sizeof(void *));
    if (list != NULL) {
        list->member_kind = member_kind;
        list->size = 0;
        if (size > 0)
            memcpy(list->members, members, size * sizeof(void *));
    }
    void *handle = rg_object_publish(&origin, kind, list, destroy);
    /* Only now, so that the members stay the caller's when there is no handle. */
    if (handle != NULL)
        list->size = size;
    return handle;
}

static aclnnStatus get_size(const char *function, const char *argument, enum rg_handle_kind kind, const void *handle,
                            uint64_t *size)
{
    aclnnStatus status;
    const struct list *list = rg_object_acquire(function, argument, kind, handle, &status);
    if (list == NULL)
        return status;
    status = rg_object_check_pointer(function, "size", size);
    if (status == ACLNN_SUCCESS)
        *size = list->size;
    rg_handle_release(kind, handle);
    return status;
}

aclTensorList *aclCreateTensorList(const aclTensor *const *value, uint64_t size)
{
    return create(rg_origin_here(__func__), RG_HANDLE_TENSOR_LIST, RG_HANDLE_TENSOR, value, size);
}

aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size)
{
    return create(rg_origin_here(__func__), RG_HANDLE_SCALAR_LIST, RG_HANDLE_SCALAR, value, size);
}

aclnnStatus aclDestroyTensorList(const aclTensorList *array)
{
    return rg_object_destroy(rg_origin_here(__func__), "array", RG_HANDLE_TENSOR_LIST, array);
}

aclnnStatus aclDestroyScalarList(const aclScalarList *array)
{
    return rg_object_destroy(rg_origin_here(__func__), "array", RG_HANDLE_SCALAR_LIST, array);
}

aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList, uint64_t *size)
{
    return get_size(__func__, "tensorList", RG_HANDLE_TENSOR_LIST, tensorList, size);
}

aclnnStatus aclGetScalarListSize(const aclScalarList *scalarList, uint64_t *size)
{
    return get_size(__func__, "scalarList", RG_HANDLE_SCALAR_LIST, scalarList, size);
}
