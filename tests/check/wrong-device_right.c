/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    setenv("REGRAD_DEVICES", "2", 1);
    start();
    float *from = device_floats(N_GIVEN), *to = device_floats(N_WANTED), *workspace = device_floats(1024);
    aclTensor *given = tensor(from, N_GIVEN), *wanted = tensor(to, N_WANTED);
    must(prepare(given, wanted, &size, &executor));
    const int refused = run(workspace, size, executor) != 0;
    must(aclrtSynchronizeDevice());
    aclDestroyTensor(given);
    aclDestroyTensor(wanted);
    aclrtFree(from);
    aclrtFree(to);
    aclrtFree(workspace);
    end();
    return refused;
}
