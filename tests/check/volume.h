/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on a volume of 2 x 2 x 2, with whatever the program says of them. */
#ifndef VOLUME_H
#define VOLUME_H

#include "small.h"

#include "aclnnop/aclnn_grid_sampler3d.h"
#include "aclnnop/aclnn_upsample_trilinear_3d_backward.h"

/* The gradient of a forward that has stretched the depth from 2 to 4: both phases, and the end of everything. */
INLINED aclnnStatus do_volume(aclDataType type, double scale_d)
{
    const int64_t input[] = {1, 1, 2, 2, 2}, output[] = {1, 1, 4, 2, 2};
    float *read = device_floats(N_WANTED), *written = device_floats(N_GIVEN);
    void *workspace = NULL;
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    must(aclrtMemset(read, N_WANTED * sizeof(*read), 0, N_WANTED * sizeof(*read)));
    aclTensor *given = aclCreateTensor(output, 5, type, NULL, 0, ACL_FORMAT_NCDHW, output, 5, read);
    aclTensor *wanted = aclCreateTensor(input, 5, type, NULL, 0, ACL_FORMAT_NCDHW, input, 5, written);
    aclIntArray *input_size = aclCreateIntArray(input, 5), *output_size = aclCreateIntArray(output + 2, 3);
    const aclnnStatus status = aclnnUpsampleTrilinear3dBackwardGetWorkspaceSize(
        given, output_size, input_size, false, scale_d, 1, 1, wanted, &size, &executor);
    must(status);
    if (size > 0)
        must(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    must(aclnnUpsampleTrilinear3dBackward(workspace, size, executor, NULL));
    must(aclrtSynchronizeStream(NULL));
    must(aclDestroyTensor(given));
    must(aclDestroyTensor(wanted));
    must(aclDestroyIntArray(input_size));
    must(aclDestroyIntArray(output_size));
    if (size > 0)
        must(aclrtFree(workspace));
    must(aclrtFree(read));
    must(aclrtFree(written));
    return status;
}

/* The volume at 4 points: both phases, and the end of everything. */
INLINED aclnnStatus do_sampling(aclDataType type)
{
    const int64_t shapes[][5] = {{1, 1, 2, 2, 2}, {1, 4, 1, 1, 3}, {1, 1, 4, 1, 1}};
    float *data[3];
    aclTensor *tensor[3]; /* the volume, the points and the values there */
    void *workspace = NULL;
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    for (int k = 0; k < 3; k++) {
        data[k] = device_floats(N_WANTED);
        must(aclrtMemset(data[k], N_WANTED * sizeof(float), 0, N_WANTED * sizeof(float)));
        tensor[k] = aclCreateTensor(shapes[k], 5, type, NULL, 0, ACL_FORMAT_NCDHW, shapes[k], 5, data[k]);
    }
    const aclnnStatus status =
        aclnnGridSampler3DGetWorkspaceSize(tensor[0], tensor[1], 0, 0, false, tensor[2], &size, &executor);
    must(status);
    if (size > 0)
        must(aclrtMalloc(&workspace, size, ACL_MEM_MALLOC_HUGE_FIRST));
    must(aclnnGridSampler3D(workspace, size, executor, NULL));
    must(aclrtSynchronizeStream(NULL));
    if (size > 0)
        must(aclrtFree(workspace));
    for (int k = 0; k < 3; k++) {
        must(aclDestroyTensor(tensor[k]));
        must(aclrtFree(data[k]));
    }
    return status;
}

#endif
