/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of tensors and of scalars, which end their members when they are destroyed. */
#include "acl/object/object.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/context/ignored.h"
#include "acl/handle/handle_check.h"
#include "acl/tell/message.h"
#include "aclnn/opdev/op_errno.h"

struct list {
    enum rg_handle_kind member_kind;
    uint64_t size;
    const void *members[];
};

/* What messages call a member of the argument. */
struct member_name {
    char text[32];
};

static struct member_name name_member(const char *argument, uint64_t index)
{
    struct member_name name;
    snprintf(name.text, sizeof(name.text), "%s[%" PRIu64 "]", argument, index);
    return name;
}

static bool is_live(enum rg_handle_kind kind, const void *member)
{
    const bool found = rg_handle_acquire(kind, member) != NULL;
    if (found)
        rg_handle_release(kind, member);
    return found;
}

/* Members may be NULL, but not dead. */
static bool check_members(const struct rg_function *function, const struct list *list)
{
    for (uint64_t i = 0; i < list->size; i++) {
        const void *member = list->members[i];
        if (member == NULL || is_live(list->member_kind, member))
            continue;
        const struct member_name name = name_member("value", i);
        rg_acl_fail(ACLNN_ERR_PARAM_INVALID, function, "%s is %p, must be NULL or %s that is alive", name.text, member,
                    rg_handle_kind_name(list->member_kind));
        rg_handle_tell_dead(function, name.text, list->member_kind, member);
        return false;
    }
    return true;
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
        list->size = size;
        if (size > 0)
            memcpy(list->members, members, size * sizeof(void *));
        if (!check_members(origin.function, list)) {
            free(list);
            rg_ignored_make((int)kind, ACLNN_ERR_PARAM_INVALID);
            return NULL;
        }
    }
    void *handle = rg_object_publish(&origin, kind, list, free);
    const void *const *given = members;
    for (uint64_t i = 0; handle != NULL && i < size; i++)
        rg_handle_own(handle, member_kind, given[i]);
    return handle;
}

/* Ends the members; those that have been ended before are refused. */
static aclnnStatus end_members(const struct rg_origin *origin, const struct list *list)
{
    aclnnStatus status = ACLNN_SUCCESS;
    for (uint64_t i = 0; i < list->size; i++) {
        const void *member = list->members[i];
        if (member == NULL || rg_handle_destroy(list->member_kind, member, origin))
            continue;
        const struct member_name name = name_member("array", i);
        status = rg_acl_fail(ACLNN_ERR_PARAM_INVALID, origin->function, "%s is %p, must be %s that is alive", name.text,
                             member, rg_handle_kind_name(list->member_kind));
        rg_handle_tell_ended(origin->function, name.text, list->member_kind, member);
    }
    return status;
}

/* The list and what is left of its members end in any case: nobody could end them later. */
static aclnnStatus destroy(struct rg_origin origin, enum rg_handle_kind kind, const void *handle)
{
    const struct list *list = rg_handle_acquire(kind, handle);
    aclnnStatus status = rg_object_destroy(origin, "array", kind, handle);
    if (list == NULL)
        return status;
    if (status == ACLNN_SUCCESS)
        status = end_members(&origin, list);
    rg_handle_release(kind, handle);
    return status;
}

static aclnnStatus get_size(const struct rg_function *function, const char *argument, enum rg_handle_kind kind,
                            const void *handle, uint64_t *size)
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
    static const struct rg_function function = {.name = __func__};
    return create(rg_origin_here(&function), RG_HANDLE_TENSOR_LIST, RG_HANDLE_TENSOR, value, size);
}

aclScalarList *aclCreateScalarList(const aclScalar *const *value, uint64_t size)
{
    static const struct rg_function function = {.name = __func__};
    return create(rg_origin_here(&function), RG_HANDLE_SCALAR_LIST, RG_HANDLE_SCALAR, value, size);
}

aclnnStatus aclDestroyTensorList(const aclTensorList *array)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ENDS_MEMBERS};
    return destroy(rg_origin_here(&function), RG_HANDLE_TENSOR_LIST, array);
}

aclnnStatus aclDestroyScalarList(const aclScalarList *array)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ENDS_MEMBERS};
    return destroy(rg_origin_here(&function), RG_HANDLE_SCALAR_LIST, array);
}

aclnnStatus aclGetTensorListSize(const aclTensorList *tensorList, uint64_t *size)
{
    static const struct rg_function function = {.name = __func__};
    return get_size(&function, "tensorList", RG_HANDLE_TENSOR_LIST, tensorList, size);
}

aclnnStatus aclGetScalarListSize(const aclScalarList *scalarList, uint64_t *size)
{
    static const struct rg_function function = {.name = __func__};
    return get_size(&function, "scalarList", RG_HANDLE_SCALAR_LIST, scalarList, size);
}
