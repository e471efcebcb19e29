/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

#include "aclnnop/aclnn_add.h"

int main(void)
{
    start();
    float *data = device_floats(N_GIVEN), *result = device_floats(N_GIVEN), one = 1;
    aclTensor *self = tensor(result, N_GIVEN), *other = tensor(data, N_GIVEN);
    aclScalar *alpha = aclCreateScalar(&one, ACL_FLOAT);
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    aclrtFree(data);
    aclnnStatus status = aclnnAddGetWorkspaceSize(self, other, alpha, self, &size, &executor);
    if (status == 0)
        status = aclnnAdd(NULL, size, executor, NULL);
    must(aclrtSynchronizeStream(NULL));
    aclDestroyScalar(alpha);
    aclDestroyTensor(self);
    aclDestroyTensor(other);
    aclrtFree(result);
    end();
    return status != 0;
}
