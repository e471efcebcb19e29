#include "small.h"

#include "aclnnop/aclnn_grid_sampler2d_backward.h"

int main(void)
{
    const int64_t grid_shape[] = {1, 1, N_GIVEN, 2};
    const bool mask[] = {false, false};
    start();
    float *data[] = {device_floats(N_GIVEN), device_floats(N_WANTED), device_floats(2 * N_GIVEN),
                     device_floats(N_WANTED), device_floats(2 * N_GIVEN)};
    aclTensor *tensors[] = {tensor(data[0], N_GIVEN), tensor(data[1], N_WANTED), NULL, tensor(data[3], N_WANTED), NULL};
    for (int k = 2; k < 5; k += 2)
        tensors[k] = aclCreateTensor(grid_shape, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, grid_shape, 4, data[k]);
    must(aclrtMemset(data[0], N_GIVEN * sizeof(float), 0, N_GIVEN * sizeof(float)));
    must(aclrtMemset(data[2], 2 * N_GIVEN * sizeof(float), 0, 2 * N_GIVEN * sizeof(float)));
    aclBoolArray *output_mask = aclCreateBoolArray(mask, 2);
    uint64_t size = 0;
    void *workspace = NULL;
    aclOpExecutor *executor = NULL;
    const aclnnStatus status = aclnnGridSampler2DBackwardGetWorkspaceSize(
        tensors[0], tensors[1], tensors[2], 0, 0, false, output_mask, tensors[3], tensors[4], &size, &executor);
    must(status);
    if (size > 0)
        must(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    must(aclnnGridSampler2DBackward(workspace, size, executor, NULL));
    must(aclrtSynchronizeStream(NULL));
    if (size > 0)
        must(aclrtFree(workspace));
    for (int k = 0; k < 5; k++) {
        must(aclDestroyTensor(tensors[k]));
        must(aclrtFree(data[k]));
    }
    must(aclDestroyBoolArray(output_mask));
    end();
    return status != 0;
}
