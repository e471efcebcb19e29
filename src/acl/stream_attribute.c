/* Attributes that a stream keeps. */
#include "acl/runtime_error.h"
#include "acl/runtime_lock.h"
#include "acl/stream.h"
#include "acl/stream_queue.h"

static aclError check_switch(const char *function, const char *argument, uint32_t value)
{
    if (value <= 1)
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: %s is %u, must be 0 or 1", function, argument, value);
}

aclError aclrtSetStreamOverflowSwitch(aclrtStream stream, uint32_t flag)
{
    aclError status = check_switch(__func__, "flag", flag);
    struct rg_stream *object = status == ACL_SUCCESS ? rg_stream_acquire(stream, __func__, &status) : NULL;
    if (object == NULL)
        return status;
    rg_runtime_lock();
    object->looks_for_overflow = flag != 0;
    rg_runtime_unlock();
    rg_stream_release(object);
    return ACL_SUCCESS;
}

aclError aclrtGetStreamOverflowSwitch(aclrtStream stream, uint32_t *flag)
{
    if (flag == NULL)
        return rg_runtime_fail_null(__func__, "flag");
    aclError status = ACL_SUCCESS;
    const struct rg_stream *object = rg_stream_acquire(stream, __func__, &status);
    if (object == NULL)
        return status;
    rg_runtime_lock();
    *flag = object->looks_for_overflow;
    rg_runtime_unlock();
    rg_stream_release(object);
    return ACL_SUCCESS;
}

static aclError fail_attribute(const char *function, aclrtStreamAttr attribute, const char *wanted)
{
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, "%s: stmAttrType is %d, must be %s", function, (int)attribute,
                           wanted);
}

/* Sets it in an object that is locked. Leaves *object alone when it fails, without a message. */
static bool set(struct rg_stream *object, aclrtStreamAttr attribute, const aclrtStreamAttrValue *value)
{
    switch (attribute) {
    case ACL_STREAM_ATTR_FAILURE_MODE:
        if (value->failureMode <= ACL_STOP_ON_FAILURE)
            object->stops_on_failure = value->failureMode == ACL_STOP_ON_FAILURE;
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

static bool is_known(aclrtStreamAttr attribute)
{
    return (int)attribute >= ACL_STREAM_ATTR_FAILURE_MODE && attribute <= ACL_STREAM_ATTR_PRIORITY;
}

static const char known[] = "one from ACL_STREAM_ATTR_FAILURE_MODE (1) to ACL_STREAM_ATTR_PRIORITY (5)";

aclError aclrtSetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)
{
    if (value == NULL)
        return rg_runtime_fail_null(__func__, "value");
    if (!is_known(stmAttrType))
        return fail_attribute(__func__, stmAttrType, known);
    aclError status = ACL_SUCCESS;
    struct rg_stream *object = rg_stream_acquire(stream, __func__, &status);
    if (object == NULL)
        return status;
    rg_runtime_lock();
    const bool is_set = set(object, stmAttrType, value);
    rg_runtime_unlock();
    rg_stream_release(object);
    return is_set ? ACL_SUCCESS
                  : fail_attribute(__func__, stmAttrType, "an attribute with 0 or 1 for a value, as this one has not");
}

aclError aclrtGetStreamAttribute(aclrtStream stream, aclrtStreamAttr stmAttrType, aclrtStreamAttrValue *value)
{
    if (value == NULL)
        return rg_runtime_fail_null(__func__, "value");
    if (!is_known(stmAttrType))
        return fail_attribute(__func__, stmAttrType, known);
    aclError status = ACL_SUCCESS;
    const struct rg_stream *object = rg_stream_acquire(stream, __func__, &status);
    if (object == NULL)
        return status;
    rg_runtime_lock();
    *value = (aclrtStreamAttrValue){.failureMode = 0};
    if (stmAttrType == ACL_STREAM_ATTR_FAILURE_MODE)
        value->failureMode = object->stops_on_failure ? ACL_STOP_ON_FAILURE : ACL_CONTINUE_ON_FAILURE;
    else if (stmAttrType == ACL_STREAM_ATTR_FLOAT_OVERFLOW_CHECK)
        value->overflowSwitch = object->looks_for_overflow;
    else if (stmAttrType == ACL_STREAM_ATTR_USER_CUSTOM_TAG)
        value->userCustomTag = object->tag;
    else if (stmAttrType == ACL_STREAM_ATTR_CACHE_OP_INFO)
        value->cacheOpInfoSwitch = object->caches_operators;
    else
        value->priority = object->traits.priority;
    rg_runtime_unlock();
    rg_stream_release(object);
    return ACL_SUCCESS;
}
