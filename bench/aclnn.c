/* SPDX-License-Identifier: Apache-2.0 */
#include "aclnn.h"

#include "acl/acl.h"
#include "aclnnop/aclnn_grid_sampler2d_backward.h"
#include "aclnnop/aclnn_upsample_bilinear_2d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact1d_backward.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d_backward.h"

#include <stdlib.h>

#include "fail.h"

struct aclnn {
    const struct shape *shape;
    aclrtStream stream;
    char *data;
    aclTensor *tensors[N_PLACES];
    aclIntArray *output_size, *input_size;
    aclBoolArray *wanted;
    void *workspace;
    uint64_t workspace_size;
};

static void expect(int status, const char *what)
{
    if (status != ACL_SUCCESS)
        fail(STATUS_REFUSED, "%s gave %d: %s", what, status, aclGetRecentErrMsg());
}

static aclTensor *tensor(const struct aclnn *aclnn, const struct plan_of_memory *memory, enum place place)
{
    static const aclDataType types[] = {ACL_FLOAT, ACL_FLOAT16, ACL_BF16, ACL_DOUBLE};
    if (memory->nbytes[place] == 0)
        return NULL;
    int64_t d[REGRAD_MAX_RANK];
    const uint64_t rank = (uint64_t)shape_dimensions(aclnn->shape, place, d);
    const aclFormat format = aclnn->shape->layout == LAYOUT_NCL ? ACL_FORMAT_NCL : ACL_FORMAT_NCHW;
    aclTensor *created = aclCreateTensor(d, rank, types[aclnn->shape->dtype], NULL, 0, format, d, rank,
                                         aclnn->data + memory->offset[place]);
    expect(created != NULL ? ACL_SUCCESS : ACL_ERROR_FAILURE, "aclCreateTensor");
    return created;
}

static void create_arrays(struct aclnn *aclnn)
{
    const struct shape *shape = aclnn->shape;
    int64_t inputs[REGRAD_MAX_RANK];
    const uint64_t rank = (uint64_t)shape_dimensions(shape, INPUT_GRAD, inputs);
    const bool wanted[] = {shape->wanted != WANT_GRID_GRAD, shape->wanted != WANT_INPUT_GRAD};
    aclnn->output_size = aclCreateIntArray(shape->out + shape_first_axis(shape), (uint64_t)shape->op.n_axes);
    aclnn->input_size = aclCreateIntArray(inputs, rank);
    aclnn->wanted = aclCreateBoolArray(wanted, 2);
}

static int phase_1(const struct aclnn *aclnn, uint64_t *workspace_size, aclOpExecutor **executor)
{
    const struct shape *shape = aclnn->shape;
    aclTensor *const *of = aclnn->tensors;
    switch (shape->op.family) {
    case FAMILY_LINEAR:
        return aclnnUpsampleBilinear2dBackwardGetWorkspaceSize(of[GRAD_OUTPUT], aclnn->output_size, aclnn->input_size,
                                                               shape->align_corners, shape->scale[1], shape->scale[2],
                                                               of[INPUT_GRAD], workspace_size, executor);
    case FAMILY_NEAREST:
        if (shape->layout == LAYOUT_NCL)
            return aclnnUpsampleNearestExact1dBackwardGetWorkspaceSize(of[GRAD_OUTPUT], aclnn->output_size,
                                                                       aclnn->input_size, shape->scale[2],
                                                                       of[INPUT_GRAD], workspace_size, executor);
        return aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(of[GRAD_OUTPUT], aclnn->output_size,
                                                                   aclnn->input_size, shape->scale[1], shape->scale[2],
                                                                   of[INPUT_GRAD], workspace_size, executor);
    default:
        return aclnnGridSampler2DBackwardGetWorkspaceSize(of[GRAD_OUTPUT], of[INPUT], of[GRID], shape->interpolation,
                                                          shape->padding, shape->align_corners, aclnn->wanted,
                                                          of[INPUT_GRAD], of[GRID_GRAD], workspace_size, executor);
    }
}

static int phase_2(const struct aclnn *aclnn, aclOpExecutor *executor)
{
    switch (aclnn->shape->op.family) {
    case FAMILY_LINEAR:
        return aclnnUpsampleBilinear2dBackward(aclnn->workspace, aclnn->workspace_size, executor, aclnn->stream);
    case FAMILY_NEAREST:
        if (aclnn->shape->layout == LAYOUT_NCL)
            return aclnnUpsampleNearestExact1dBackward(aclnn->workspace, aclnn->workspace_size, executor,
                                                       aclnn->stream);
        return aclnnUpsampleNearestExact2dBackward(aclnn->workspace, aclnn->workspace_size, executor, aclnn->stream);
    default:
        return aclnnGridSampler2DBackward(aclnn->workspace, aclnn->workspace_size, executor, aclnn->stream);
    }
}

bool aclnn_run(void *context)
{
    struct aclnn *aclnn = context;
    uint64_t workspace_size;
    aclOpExecutor *executor;
    return phase_1(aclnn, &workspace_size, &executor) == ACL_SUCCESS && phase_2(aclnn, executor) == ACL_SUCCESS &&
           aclrtSynchronizeStream(aclnn->stream) == ACL_SUCCESS;
}

/* Phase 1 tells how much workspace there has to be; phase 2 ends its executor. */
static void create_workspace(struct aclnn *aclnn)
{
    aclOpExecutor *executor;
    expect(phase_1(aclnn, &aclnn->workspace_size, &executor), "the first phase");
    if (aclnn->workspace_size > 0)
        expect(aclrtMalloc(&aclnn->workspace, aclnn->workspace_size, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    expect(phase_2(aclnn, executor), "the second phase");
    expect(aclrtSynchronizeStream(aclnn->stream), "aclrtSynchronizeStream");
}

struct aclnn *aclnn_create(const struct shape *shape, const struct plan_of_memory *memory, const char *base)
{
    struct aclnn *aclnn = take_memory(sizeof *aclnn);
    *aclnn = (struct aclnn){.shape = shape};
    expect(aclInit(NULL), "aclInit");
    expect(aclrtSetDevice(0), "aclrtSetDevice");
    expect(aclrtCreateStream(&aclnn->stream), "aclrtCreateStream");
    expect(aclrtMalloc((void **)&aclnn->data, memory->end, ACL_MEM_MALLOC_HUGE_FIRST), "aclrtMalloc");
    expect(aclrtMemcpy(aclnn->data, memory->end, base, memory->end, ACL_MEMCPY_HOST_TO_DEVICE), "aclrtMemcpy");
    for (enum place place = 0; place < N_PLACES; place++)
        aclnn->tensors[place] = tensor(aclnn, memory, place);
    create_arrays(aclnn);
    create_workspace(aclnn);
    return aclnn;
}

void aclnn_result(const struct aclnn *aclnn, const struct plan_of_memory *memory, char *base)
{
    const size_t n = memory->end - memory->written;
    expect(aclrtMemcpy(base + memory->written, n, aclnn->data + memory->written, n, ACL_MEMCPY_DEVICE_TO_HOST),
           "aclrtMemcpy");
}

void aclnn_destroy(struct aclnn *aclnn)
{
    for (enum place place = 0; place < N_PLACES; place++) {
        if (aclnn->tensors[place] != NULL)
            aclDestroyTensor(aclnn->tensors[place]);
    }
    aclDestroyIntArray(aclnn->output_size);
    aclDestroyIntArray(aclnn->input_size);
    aclDestroyBoolArray(aclnn->wanted);
    if (aclnn->workspace != NULL)
        aclrtFree(aclnn->workspace);
    aclrtFree(aclnn->data);
    aclrtDestroyStream(aclnn->stream);
    aclrtResetDevice(0);
    aclFinalize();
    free(aclnn);
}
