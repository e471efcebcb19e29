/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Linked into a test of the native interface, with --wrap=problem_call, this leads its one-call runs through the
 * two phases of the vendor's interface, as NCHW and as NHWC by turns. What that interface has not goes the native
 * way. A program in which nothing went through it has failed. Tensors are copied to memory of the device, and back, so
 * that this also serves where the host cannot touch that memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "acl/acl.h"
#include "problem_acl.h"

regrad_status __real_problem_call(const struct problem *problem, const regrad_tensor *in, const regrad_tensor *out);
regrad_status __wrap_problem_call(const struct problem *problem, const regrad_tensor *in, const regrad_tensor *out);

static unsigned n_calls;

static void finish(void)
{
    printf("%u calls went through the vendor's interface\n", n_calls);
    fflush(stdout);
    if (n_calls == 0)
        _exit(1);
}

static void start(void)
{
    if (atexit(finish) != 0 || aclInit(NULL) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS)
        exit(1);
}

/* ---- Memory of the device --------------------------------------------------------------------- */

static void must(aclError status)
{
    if (status == ACL_SUCCESS)
        return;
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "%d: %s\n", status, message != NULL ? message : "");
    exit(1);
}

/* A tensor of the host and its twin on the device. */
struct twin {
    regrad_tensor tensor;
    char *host;
    void *device;
    size_t size;
};

/* The elements that the storage has, or else those that the view reaches: [*low, *high). */
static void find_extent(const regrad_tensor *tensor, int64_t *low, int64_t *high)
{
    *low = *high = tensor->offset;
    if (tensor->storage > 0) {
        *low = 0;
        *high = tensor->storage;
        return;
    }
    for (int d = 0; d < tensor->rank; d++) {
        if (tensor->shape[d] == 0)
            return;
    }
    for (int d = 0; d < tensor->rank; d++)
        *(tensor->stride[d] < 0 ? low : high) += (tensor->shape[d] - 1) * tensor->stride[d];
    ++*high;
}

static struct twin make_twin(const regrad_tensor *tensor)
{
    static const size_t sizes[] = {
        [REGRAD_FLOAT32] = 4, [REGRAD_FLOAT16] = 2, [REGRAD_BFLOAT16] = 2, [REGRAD_FLOAT64] = 8};
    struct twin twin = {.tensor = *tensor};
    int64_t low, high;
    find_extent(tensor, &low, &high);
    twin.size = (size_t)(high - low) * sizes[tensor->dtype];
    if (tensor->data == NULL || twin.size == 0)
        return twin;
    twin.host = (char *)tensor->data + low * (int64_t)sizes[tensor->dtype];
    must(aclrtMalloc(&twin.device, twin.size, ACL_MEM_MALLOC_NORMAL_ONLY));
    must(aclrtMemcpy(twin.device, twin.size, twin.host, twin.size, ACL_MEMCPY_HOST_TO_DEVICE));
    twin.tensor.data = twin.device;
    twin.tensor.offset -= low;
    return twin;
}

/* Inputs come back, too: the test sees whether they were changed. */
static void end_twin(const struct twin *twin)
{
    if (twin->device == NULL)
        return;
    must(aclrtMemcpy(twin->host, twin->size, twin->device, twin->size, ACL_MEMCPY_DEVICE_TO_HOST));
    must(aclrtFree(twin->device));
}

/* ---- Calls ------------------------------------------------------------------------------------ */

static aclnnStatus run_on_device(const struct problem *problem, const regrad_tensor *in, const regrad_tensor *out)
{
    aclOpExecutor *executor;
    uint64_t workspace_size;
    const bool is_channels_last = n_calls++ % 2 == 1;
    aclnnStatus status = problem_acl_phase_1(problem, in, out, is_channels_last, &workspace_size, &executor);
    if (status != 0)
        return status;
    void *workspace = NULL;
    if (workspace_size > 0)
        status = aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_NORMAL_ONLY);
    if (status == 0)
        status = problem_acl_phase_2(problem, workspace, workspace_size, executor);
    if (workspace != NULL)
        aclrtFree(workspace);
    return status;
}

static aclnnStatus run(const struct problem *problem, const regrad_tensor *in, const regrad_tensor *out)
{
    struct signature signature;
    struct twin twins[MAX_INPUTS + MAX_OUTPUTS];
    regrad_tensor tensors[MAX_INPUTS + MAX_OUTPUTS];
    problem_signature(problem, &signature);
    const int n = signature.n_in + signature.n_out;
    for (int k = 0; k < n; k++) {
        twins[k] = make_twin(k < signature.n_in ? &in[k] : &out[k - signature.n_in]);
        tensors[k] = twins[k].tensor;
    }
    const aclnnStatus status = run_on_device(problem, tensors, tensors + signature.n_in);
    for (int k = 0; k < n; k++)
        end_twin(&twins[k]);
    return status;
}

regrad_status __wrap_problem_call(const struct problem *problem, const regrad_tensor *in, const regrad_tensor *out)
{
    static bool is_started;
    if (!is_started)
        start();
    is_started = true;
    if (!problem_acl_has(problem))
        return __real_problem_call(problem, in, out);
    const aclnnStatus status = run(problem, in, out);
    if (status == 0)
        return REGRAD_OK;
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "%s: %d: %s\n", problem_text(problem), status, message != NULL ? message : "");
    return REGRAD_ERROR_INVALID_ARGUMENT;
}
