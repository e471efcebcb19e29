/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes that a stream keeps. */
#include "acl/stream/stream.h"
#include "acl/stream/stream_queue.h"
#include "acl/sys/runtime_lock.h"
#include "acl/tell/refuse.h"

/* Sets it in an object that is locked. False, and nothing is set, for a value that it cannot have. */
RG_NEEDS(rg_runtime)
static bool set(struct rg_stream *object, aclrtStreamAttr attribute, const aclrtStreamAttrValue *value)
{
    switch (attribute) {
    case ACL_STREAM_ATTR_FAILURE_MODE:
        if (value->failureMode <= ACL_STOP_ON_FAILURE)
            object->queue.stops_on_failure = value->failureMode == ACL_STOP_ON_FAILURE;
        return value->failureMode <= ACL_STOP_ON_FAILURE;
    case ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK:
        if (value->overflowSwitch <= 1)
            object->looks_for_overflow = value->overflowSwitch != 0;
        return value->overflowSwitch <= 1;
    case ACL_STREAM_ATTR_USER_CUSTOM_TAG:
        object->tag = value->userCustomTag;
        return true;
    case ACL_STREAM_ATTR_CACHE_OP_INFO:
        if (value->cacheOpInfoSwitch <= 1)
            object->caches_operators = value->cacheOpInfoSwitch != 0;
        return value->cacheOpInfoSwitch <= 1;
    case ACL_STREAM_ATTR_PRIORITY:
        object->traits.priority = value->priority;
        return true;
    default:
        return false;
    }
}

static aclError fail_attribute(const struct rg_function *function, aclrtStreamAttr attribute, const char *wanted)
{
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function, "stmAttrType is %d, must be %s", (int)attribute,
                           wanted);
}

static aclError set_attribute(const struct rg_function *function, aclrtStream stream, aclrtStreamAttr attribute,
                              const aclrtStreamAttrValue *value)
{
    aclError status = ACL_SUCCESS;
    struct rg_stream *object = rg_stream_acquire(stream, function, &status);
    if (object == NULL)
        return status;
    rg_runtime_lock();
    const bool is_set = set(object, attribute, value);
    rg_runtime_unlock();
    rg_stream_release(object);
    return is_set ? ACL_SUCCESS
                  : fail_attribute(function, attribute, "an attribute with 0 or 1 for a value, as this one has not");
}

static aclError get_attribute(const struct rg_function *function, aclrtStream stream, aclrtStreamAttr attribute,
                              aclrtStreamAttrValue *value)
{
    aclError status = ACL_SUCCESS;
    const struct rg_stream *object = rg_stream_acquire(stream, function, &status);
    if (object == NULL)
        return status;
    rg_runtime_lock();
    *value = (aclrtStreamAttrValue){.failureMode = 0};
    if (attribute == ACL_STREAM_ATTR_FAILURE_MODE)
        value->failureMode = object->queue.stops_on_failure ? ACL_STOP_ON_FAILURE : ACL_CONTINUE_ON_FAILURE;
    else if (attribute == ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK)
        value->overflowSwitch = object->looks_for_overflow;
    else if (attribute == ACL_STREAM_ATTR_USER_CUSTOM_TAG)
        value->userCustomTag = object->tag;
    else if (attribute == ACL_STREAM_ATTR_CACHE_OP_INFO)
        value->cacheOpInfoSwitch = object->caches_operators;
    else
        value->priority = object->traits.priority;
    rg_runtime_unlock();
    rg_stream_release(object);
    return ACL_SUCCESS;
}

static aclError check_attribute(const struct rg_function *function, aclrtStreamAttr attribute,
                                const aclrtStreamAttrValue *value)
{
    if (value == NULL)
        return rg_runtime_fail_null(function, "value");
    if ((int)attribute >= ACL_STREAM_ATTR_FAILURE_MODE && attribute <= ACL_STREAM_ATTR_PRIORITY)
        return ACL_SUCCESS;
    return fail_attribute(function, attribute,
                          "one from ACL_STREAM_ATTR_FAILURE_MODE (1) to ACL_STREAM_ATTR_PRIORITY (5)");
}

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)
{
    static const struct rg_function function = {.name = __func__};
    const aclError refused = check_attribute(&function, stmAttrType, value);
    return refused != ACL_SUCCESS ? refused : set_attribute(&function, stream, stmAttrType, value);
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    const aclError refused = check_attribute(&function, stmAttrType, value);
    return refused != ACL_SUCCESS ? refused : get_attribute(&function, stream, stmAttrType, value);
}

/* ---- Some of them have functions of their own ------------------------------------------------- */

aclError aclrtSetStreamFailureMode(aclrtStream stream, uint64_t mode)
{
    static const struct rg_function function = {.name = __func__};
    if (stream == NULL)
        return rg_runtime_fail_null(&function, "stream");
    if (mode != ACL_CONTINUE_ON_FAILURE && mode != ACL_STOP_ON_FAILURE)
        return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, &function,
                               "mode is %llu, must be ACL_CONTINUE_ON_FAILURE (0) or ACL_STOP_ON_FAILURE (1)",
                               (unsigned long long)mode);
    const aclrtStreamAttrValue value = {.failureMode = mode};
    return set_attribute(&function, stream, ACL_STREAM_ATTR_FAILURE_MODE, &value);
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag)
{
    static const struct rg_function function = {.name = __func__};
    if (flag > 1)
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, &function, "flag is %u, must be 0 or 1", flag);
    const aclrtStreamAttrValue value = {.overflowSwitch = flag};
    return set_attribute(&function, stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &value);
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    if (flag == NULL)
        return rg_runtime_fail_null(&function, "flag");
    aclrtStreamAttrValue value = {.overflowSwitch = 0};
    const aclError refused = get_attribute(&function, stream, ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK, &value);
    if (refused == ACL_SUCCESS)
        *flag = value.overflowSwitch;
    return refused;
}
