/* SPDX-License-Identifier: Apache-2.0 */
#include "run_call.h"

#include <stdlib.h>

#include "complain.h"
#include "progress.h"

/* A bar moves in at least this many steps, where a call can be cut into as many. */
enum { LEAST_FOR_BAR = 32, WORKSPACE_ALIGNMENT = 64 };

int call_plan(const struct call *call, regrad_plan **plan)
{
    regrad_status status = call->op->make_plan(call, plan);
    return status == REGRAD_OK ? STATUS_OK : complain_library(status);
}

int call_run_whole(const struct call *call, const regrad_plan *plan)
{
    const void *inputs[OP_MAX_TENSORS];
    void *outputs[OP_MAX_TENSORS];
    int n_inputs = 0, n_outputs = 0;
    for (int k = 0; k < call->op->n_tensors; k++) {
        void *data = call->tensor[k] ? call->tensor[k]->data : NULL;
        if (call->op->tensor[k].access == ACCESS_WRITE)
            outputs[n_outputs++] = data;
        else
            inputs[n_inputs++] = data;
    }
    size_t size = regrad_plan_workspace_size(plan);
    size_t room = (size + WORKSPACE_ALIGNMENT) / WORKSPACE_ALIGNMENT * WORKSPACE_ALIGNMENT;
    void *workspace = aligned_alloc(WORKSPACE_ALIGNMENT, room);
    if (!workspace)
        return complain_memory("the workspace");
    regrad_status status = regrad_plan_run(plan, inputs, outputs, workspace, size);
    free(workspace);
    return status == REGRAD_OK ? STATUS_OK : complain_library(status);
}

/* ---- Slices ---- */

size_t tensor_nbytes(const regrad_tensor *tensor)
{
    size_t nbytes = regrad_dtype_size(tensor->dtype);
    for (int d = 0; d < tensor->rank; d++)
        nbytes *= (size_t)tensor->shape[d];
    return nbytes;
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool has_grid(const struct call *call)
{
    for (int k = 0; k < call->op->n_tensors; k++)
        if (call->op->tensor[k].place == PLACE_GRID)
            return true;
    return false;
}

/* The gradient of a grid is a sum over the channels; nothing else depends on more than one. */
static bool channels_apart(const struct call *call)
{
    for (int k = 0; k < call->op->n_tensors; k++)
        if (call->tensor[k] && call->op->tensor[k].place == PLACE_GRID && call->op->tensor[k].access == ACCESS_WRITE)
            return false;
    return true;
}

/* Into how many parts of this size, of which the last may be smaller, is the whole cut? */
static int64_t parts(int64_t whole, int64_t part)
{
    return part > 0 ? (whole + part - 1) / part : 0;
}

/* The slice from an image and a channel on. A grid, which has no channels, is cut along its images alone. */
static void make_slice(const struct sliced_call *sliced, int64_t image, int64_t channel, struct slice *slice)
{
    const struct call *whole = sliced->whole;
    slice->call = *whole;
    for (int k = 0; k < whole->op->n_tensors; k++) {
        if (!whole->tensor[k])
            continue;
        const struct op_tensor *role = &whole->op->tensor[k];
        const int64_t from[2] = {image, channel}, most[2] = {sliced->images, sliced->channels};
        regrad_tensor *tensor = &slice->tensor[k];
        *tensor = *whole->tensor[k];
        int64_t offset = 0;
        for (int d = 0; d < (role->place == PLACE_GRID ? 1 : 2); d++) {
            tensor->shape[d] = least(most[d], tensor->shape[d] - from[d]);
            offset += from[d] * tensor->stride[d];
        }
        tensor->data = role->access == ACCESS_WRITE
                           ? sliced->results[k]
                           : (char *)tensor->data + offset * (int64_t)regrad_dtype_size(tensor->dtype);
        slice->call.tensor[k] = tensor;
    }
}

/* The results of some channels alone follow one another in a file only if the channels do not stand last there. */
static bool halve(struct sliced_call *sliced)
{
    if (sliced->images > 1)
        sliced->images = parts(sliced->images, 2);
    else if (sliced->channels > 1 && !sliced->channels_last && channels_apart(sliced->whole))
        sliced->channels = parts(sliced->channels, 2);
    else
        return false;
    return true;
}

/* Of a grid, the points would have to be located again for each part of the channels. */
static bool too_few_for_bar(const struct sliced_call *sliced)
{
    return progress_visible() && sliced->n_slices < LEAST_FOR_BAR && (sliced->images > 1 || !has_grid(sliced->whole));
}

/* Plans the first slice, or the whole. */
static int plan_slice(struct sliced_call *sliced, const struct call *call)
{
    const int64_t *shape = sliced->whole->tensor[0]->shape;
    regrad_plan_destroy(sliced->plan);
    sliced->plan = NULL;
    int status = call_plan(call, &sliced->plan);
    if (status != STATUS_OK)
        return status;
    sliced->n_slices = parts(shape[0], sliced->images) * parts(shape[1], sliced->channels);
    sliced->nbytes = (double)regrad_plan_workspace_size(sliced->plan);
    for (int k = 0; k < call->op->n_tensors; k++)
        if (call->tensor[k] && call->op->tensor[k].access != ACCESS_SHAPE)
            sliced->nbytes += (double)tensor_nbytes(call->tensor[k]);
    return STATUS_OK;
}

static int allocate_results(struct sliced_call *sliced)
{
    struct slice first;
    make_slice(sliced, 0, 0, &first);
    for (int k = 0; k < first.call.op->n_tensors; k++) {
        const struct op_tensor *role = &first.call.op->tensor[k];
        if (!first.call.tensor[k] || role->access != ACCESS_WRITE)
            continue;
        const size_t nbytes = tensor_nbytes(first.call.tensor[k]);
        sliced->results[k] = malloc(nbytes > 0 ? nbytes : 1);
        if (!sliced->results[k])
            return complain(STATUS_SYSTEM, "no memory for the %zu bytes of %s", nbytes, role->name);
    }
    return STATUS_OK;
}

int sliced_call_make(struct sliced_call *sliced, const struct call *whole, bool channels_last, int64_t memory)
{
    const int64_t *shape = whole->tensor[0]->shape;
    *sliced =
        (struct sliced_call){.whole = whole, .channels_last = channels_last, .images = shape[0], .channels = shape[1]};
    int status = plan_slice(sliced, whole); /* which refuses what cannot be computed */
    while (status == STATUS_OK && (sliced->nbytes > (double)memory || too_few_for_bar(sliced)) && halve(sliced)) {
        struct slice first;
        make_slice(sliced, 0, 0, &first);
        status = plan_slice(sliced, &first.call);
    }
    return status == STATUS_OK ? allocate_results(sliced) : status;
}

int sliced_call_run(const struct sliced_call *sliced, int64_t k, struct slice *slice)
{
    const int64_t *shape = sliced->whole->tensor[0]->shape;
    const int64_t n_parts = parts(shape[1], sliced->channels);
    const int64_t image = k / n_parts * sliced->images, channel = k % n_parts * sliced->channels;
    make_slice(sliced, image, channel, slice);
    if (shape[0] - image >= sliced->images && shape[1] - channel >= sliced->channels)
        return call_run_whole(&slice->call, sliced->plan);
    regrad_plan *plan;
    int status = call_plan(&slice->call, &plan);
    if (status != STATUS_OK)
        return status;
    status = call_run_whole(&slice->call, plan);
    regrad_plan_destroy(plan);
    return status;
}

void sliced_call_free(struct sliced_call *sliced)
{
    for (int k = 0; k < OP_MAX_TENSORS; k++)
        free(sliced->results[k]);
    regrad_plan_destroy(sliced->plan);
}
