/* SPDX-License-Identifier: Apache-2.0 */
/* Start and end of the operator library, which needs neither, and what is not there to be used. */
#include "aclnn/aclnn_base.h"

#include "acl/acl_rt.h"
#include "acl/tell/message.h"
#include "aclnn/opdev/op_errno.h"

aclnnStatus aclnnInit(const char *configPath)
{
    (void)configPath;
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnFinalize(void)
{
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnReselectStaticKernel(void)
{
    return ACLNN_SUCCESS;
}

aclnnStatus aclnnReselectStaticKernelWithPath(const char *path)
{
    (void)path;
    return ACLNN_SUCCESS;
}

aclnnStatus aclDumpOpTensors(const char *opType, const char *opName, aclTensor **tensors, size_t inputTensorNum,
                             size_t outputTensorNum, aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__};
    (void)opName, (void)tensors, (void)inputTensorNum, (void)outputTensorNum, (void)stream;
    return rg_acl_fail(ACL_ERROR_API_NOT_SUPPORT, &function,
                       "opType is %s, must not be dumped: this library does not support dumping",
                       opType != NULL ? opType : "NULL");
}
