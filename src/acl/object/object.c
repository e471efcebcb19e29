/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/object/object.h"

#include "acl/context/ignored.h"
#include "acl/handle/handle_check.h"
#include "acl/tell/message.h"
#include "aclnn/opdev/op_errno.h"

void *rg_object_publish(const struct rg_origin *origin, enum rg_handle_kind kind, void *object,
                        void (*destroy)(void *object))
{
    void *handle = object != NULL ? rg_handle_create(kind, object, destroy, origin) : NULL;
    int status = ACLNN_SUCCESS;
    if (handle == NULL && object != NULL)
        destroy(object);
    if (handle == NULL)
        status = rg_acl_fail(ACLNN_ERR_INNER, origin->function, "there is no memory for %s", rg_handle_kind_name(kind));
    rg_ignored_make((int)kind, status);
    return handle;
}

static aclnnStatus refuse_stale(const struct rg_function *function, const char *argument, enum rg_handle_kind kind,
                                const void *handle)
{
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, function, "%s is %p, must be %s that is alive", argument, handle,
                       rg_handle_kind_name(kind));
}

void *rg_object_acquire(const struct rg_function *function, const char *argument, enum rg_handle_kind kind,
                        const void *handle, aclnnStatus *status)
{
    *status = rg_object_check_pointer(function, argument, handle);
    if (*status != ACLNN_SUCCESS) {
        rg_ignored_miss((int)kind, handle);
        return NULL;
    }
    void *object = rg_handle_acquire(kind, handle);
    if (object == NULL) {
        *status = refuse_stale(function, argument, kind, handle);
        rg_handle_tell_dead(function, argument, kind, handle);
    }
    return object;
}

aclnnStatus rg_object_destroy(struct rg_origin origin, const char *argument, enum rg_handle_kind kind,
                              const void *handle)
{
    if (handle == NULL || rg_handle_destroy(kind, handle, &origin))
        return ACLNN_SUCCESS;
    const aclnnStatus status = refuse_stale(origin.function, argument, kind, handle);
    rg_handle_tell_ended(origin.function, argument, kind, handle);
    return status;
}

aclnnStatus rg_object_check_pointer(const struct rg_function *function, const char *argument, const void *pointer)
{
    if (pointer != NULL)
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_NULLPTR, function, "%s is NULL, must not be", argument);
}
