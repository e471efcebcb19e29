/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>

#include "acl/acl_rt.h"
#include "acl/context/current.h"
#include "acl/sys/runtime_lock.h"
#include "acl/tell/refuse.h"

enum { N_OPTIONS = 4 };

RG_GUARDED_BY(rg_runtime) static int64_t process_option[N_OPTIONS];

static aclError check_option(const struct rg_function *function, aclSysParamOpt opt, int n_options)
{
    if ((int)opt >= 0 && (int)opt < n_options)
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, function, "opt is %d, must be an option from 0 to %d", (int)opt,
                           n_options - 1);
}

static aclError check_setting(const struct rg_function *function, aclSysParamOpt opt, int n_options, int64_t value)
{
    const aclError refused = check_option(function, opt, n_options);
    if (refused != ACL_SUCCESS)
        return refused;
    const int64_t largest = opt == ACL_OPT_DETERMINISTIC ? 3 : 1;
    if (value >= 0 && value <= largest)
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, function, "value is %lld, must be from 0 to %lld for option %d",
                           (long long)value, (long long)largest, (int)opt);
}

aclError aclrtSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
    static const struct rg_function function = {.name = __func__};
    const aclError refused = check_setting(&function, opt, N_OPTIONS, value);
    if (refused != ACL_SUCCESS)
        return refused;
    rg_runtime_lock();
    process_option[opt] = value;
    rg_runtime_unlock();
    return ACL_SUCCESS;
}

aclError aclrtGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    if (value == NULL)
        return rg_runtime_fail_null(&function, "value");
    const aclError refused = check_option(&function, opt, N_OPTIONS);
    if (refused != ACL_SUCCESS)
        return refused;
    rg_runtime_lock();
    *value = process_option[opt];
    rg_runtime_unlock();
    return ACL_SUCCESS;
}

aclError aclrtCtxSetSysParamOpt(aclSysParamOpt opt, int64_t value)
{
    static const struct rg_function function = {.name = __func__};
    aclError status = check_setting(&function, opt, RG_N_CONTEXT_OPTIONS, value);
    if (status != ACL_SUCCESS)
        return status;
    struct rg_context *context = rg_context_acquire_current(&function, &status);
    if (context == NULL)
        return status;
    rg_runtime_lock();
    context->option[opt] = value;
    context->has_option[opt] = true;
    process_option[opt] = value;
    rg_runtime_unlock();
    rg_context_release(context);
    return ACL_SUCCESS;
}

aclError aclrtCtxGetSysParamOpt(aclSysParamOpt opt, int64_t *value)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    if (value == NULL)
        return rg_runtime_fail_null(&function, "value");
    aclError status = check_option(&function, opt, RG_N_CONTEXT_OPTIONS);
    if (status != ACL_SUCCESS)
        return status;
    const struct rg_context *context = rg_context_acquire_current(&function, &status);
    if (context == NULL)
        return status;
    rg_runtime_lock();
    const bool is_set = context->has_option[opt];
    if (is_set)
        *value = context->option[opt];
    rg_runtime_unlock();
    rg_context_release(context);
    if (is_set)
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_RT_SYSPARAMOPT_NOT_SET, &function,
                           "opt is %d, which has not been set in this context, must be set first", (int)opt);
}
