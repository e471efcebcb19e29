/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/device/init_callback.h"

#include <stdbool.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "acl/sys/runtime_lock.h"
#include "acl/tell/refuse.h"

enum { MOST_CALLBACKS = 64 };

/* One of the functions is NULL. */
struct callback {
    aclRegisterCallbackType type;
    aclInitCallbackFunc begin;
    aclFinalizeCallbackFunc end;
    void *user_data;
};

/* In the order in which they were registered. */
RG_GUARDED_BY(rg_runtime) static struct callback callbacks[MOST_CALLBACKS];
RG_GUARDED_BY(rg_runtime) static int n_callbacks;

/* ---- Registering ------------------------------------------------------------------------------ */

static aclError check(const struct rg_function *function, const struct callback *callback)
{
    if ((callback->type < ACL_REG_TYPE_ACL_MODEL || callback->type > ACL_REG_TYPE_ACL_RETR) &&
        callback->type != ACL_REG_TYPE_OTHER)
        return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, function, "type is %d, must be one from 0 to %d, or 0x%x",
                               (int)callback->type, ACL_REG_TYPE_ACL_RETR, ACL_REG_TYPE_OTHER);
    if (callback->begin == NULL && callback->end == NULL)
        return rg_runtime_fail_null(function, "cbFunc");
    return ACL_SUCCESS;
}

/* Where it is; n_callbacks when it is not there. */
RG_NEEDS(rg_runtime) static int find(const struct callback *callback)
{
    int k = 0;
    while (k < n_callbacks && (callbacks[k].type != callback->type || callbacks[k].begin != callback->begin ||
                               callbacks[k].end != callback->end))
        k++;
    return k;
}

static aclError add(const struct rg_function *function, struct callback callback)
{
    const aclError refused = check(function, &callback);
    if (refused != ACL_SUCCESS)
        return refused;
    rg_runtime_lock();
    const bool is_new = find(&callback) == n_callbacks, fits = n_callbacks < MOST_CALLBACKS;
    if (is_new && fits)
        callbacks[n_callbacks++] = callback;
    rg_runtime_unlock();
    if (!is_new)
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function,
                               "cbFunc is registered for type %d already, must be another one", (int)callback.type);
    if (!fits)
        return rg_runtime_fail(ACL_ERROR_RT_OVER_LIMIT, function,
                               "cbFunc would be one of %d, must be one of at most %d", MOST_CALLBACKS + 1,
                               MOST_CALLBACKS);
    return ACL_SUCCESS;
}

static aclError take_away(const struct rg_function *function, struct callback callback)
{
    const aclError refused = check(function, &callback);
    if (refused != ACL_SUCCESS)
        return refused;
    rg_runtime_lock();
    const int k = find(&callback);
    const bool found = k < n_callbacks;
    if (found)
        memmove(&callbacks[k], &callbacks[k + 1], (size_t)(--n_callbacks - k) * sizeof(callbacks[0]));
    rg_runtime_unlock();
    if (found)
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function, "cbFunc is not registered for type %d, must be",
                           (int)callback.type);
}

aclError aclInitCallbackRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc, void *userData)
{
    static const struct rg_function function = {.name = __func__};
    return add(&function, (struct callback){.type = type, .begin = cbFunc, .user_data = userData});
}

aclError aclInitCallbackUnRegister(aclRegisterCallbackType type, aclInitCallbackFunc cbFunc)
{
    static const struct rg_function function = {.name = __func__};
    return take_away(&function, (struct callback){.type = type, .begin = cbFunc});
}

aclError aclFinalizeCallbackRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc, void *userData)
{
    static const struct rg_function function = {.name = __func__};
    return add(&function, (struct callback){.type = type, .end = cbFunc, .user_data = userData});
}

aclError aclFinalizeCallbackUnRegister(aclRegisterCallbackType type, aclFinalizeCallbackFunc cbFunc)
{
    static const struct rg_function function = {.name = __func__};
    return take_away(&function, (struct callback){.type = type, .end = cbFunc});
}

/* ---- Calling ---------------------------------------------------------------------------------- */

/* Callbacks may register others. */
static int copy_callbacks(struct callback copies[MOST_CALLBACKS])
{
    rg_runtime_lock();
    const int n = n_callbacks;
    memcpy(copies, callbacks, sizeof(callbacks));
    rg_runtime_unlock();
    return n;
}

static aclError fail(const struct rg_function *function, const struct callback *callback, aclError status)
{
    return rg_runtime_fail(status, function, "the callback for type %d has failed with status %d, must return 0",
                           (int)callback->type, status);
}

aclError rg_init_callbacks_begin(const struct rg_function *function, const char *config)
{
    struct callback copies[MOST_CALLBACKS];
    const int n = copy_callbacks(copies);
    const char *text = config != NULL ? config : "";
    for (int k = 0; k < n; k++) {
        const aclError status =
            copies[k].begin != NULL ? copies[k].begin(text, strlen(text), copies[k].user_data) : ACL_SUCCESS;
        if (status != ACL_SUCCESS)
            return fail(function, &copies[k], status);
    }
    return ACL_SUCCESS;
}

aclError rg_init_callbacks_end(const struct rg_function *function)
{
    struct callback copies[MOST_CALLBACKS];
    const int n = copy_callbacks(copies);
    aclError first = ACL_SUCCESS;
    for (int k = 0; k < n; k++) {
        const aclError status = copies[k].end != NULL ? copies[k].end(copies[k].user_data) : ACL_SUCCESS;
        if (status != ACL_SUCCESS && first == ACL_SUCCESS)
            first = fail(function, &copies[k], status);
    }
    return first;
}
