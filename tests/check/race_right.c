#include "small.h"

int main(void)
{
    static const float given[N_GIVEN] = {1, 2, 3};
    float wanted[N_WANTED];
    uint64_t size = 0;
    void *workspace = NULL;
    aclOpExecutor *executor = NULL;
    start();
    float *from = device_floats(N_GIVEN), *to = device_floats(N_WANTED);
    must(aclrtMemcpy(from, sizeof(given), given, sizeof(given), ACL_MEMCPY_HOST_TO_DEVICE));
    must(prepare(tensor(from, N_GIVEN), tensor(to, N_WANTED), &size, &executor));
    if (size > 0)
        must(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    must(run(workspace, size, executor));
    must(aclrtSynchronizeStream(NULL));
    return aclrtMemcpy(wanted, sizeof(wanted), to, sizeof(wanted), ACL_MEMCPY_DEVICE_TO_HOST) != 0;
}
