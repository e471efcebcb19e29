/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    float *data = device_floats(N_GIVEN), *result = device_floats(N_WANTED);
    aclTensor *given = tensor(data, N_GIVEN), *wanted = tensor(result, N_WANTED);
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    must(prepare(given, wanted, &size, &executor));
    void *workspace = NULL;
    must(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    const aclnnStatus status = run(workspace, size, executor);
    must(aclDestroyTensor(given)); /* the stream need not be done */
    must(aclrtSynchronizeStream(NULL));
    aclrtFree(workspace);
    aclDestroyTensor(wanted);
    aclrtFree(data);
    aclrtFree(result);
    end();
    return status != 0;
}
