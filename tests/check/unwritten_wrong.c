/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    float result[N_WANTED];
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    start();
    float *from = device_floats(N_GIVEN), *to = device_floats(N_WANTED), *workspace = device_floats(1024);
    aclTensor *given = tensor(from, N_GIVEN), *wanted = tensor(to, N_WANTED - 1);
    prepare(given, wanted, &size, &executor);
    if (executor != NULL)
        must(run(workspace, size, executor));
    must(aclrtSynchronizeDevice());
    must(aclrtMemcpy(result, sizeof(result), to, sizeof(result), ACL_MEMCPY_DEVICE_TO_HOST));
    aclDestroyTensor(given);
    aclDestroyTensor(wanted);
    aclrtFree(from);
    aclrtFree(to);
    aclrtFree(workspace);
    end();
    return 0;
}
