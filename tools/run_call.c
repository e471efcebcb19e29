/* SPDX-License-Identifier: Apache-2.0 */
#include "run_call.h"

#include <stdlib.h>
#include <time.h>

#include "complain.h"
#include "progress.h"

enum { MAX_PIECES = 64, WORKSPACE_ALIGNMENT = 64 };

double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

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

/* A part of a call: indices from .. from + count - 1 of one dimension of all its tensors. */
struct piece {
    struct call call;
    regrad_tensor tensor[OP_MAX_TENSORS];
};

static void make_piece(struct piece *piece, const struct call *whole, int dimension, int64_t from, int64_t count)
{
    piece->call = *whole;
    for (int k = 0; k < whole->op->n_tensors; k++) {
        if (!whole->tensor[k])
            continue;
        regrad_tensor *tensor = &piece->tensor[k];
        *tensor = *whole->tensor[k];
        tensor->shape[dimension] = count;
        if (tensor->data)
            tensor->data =
                (char *)tensor->data + from * tensor->stride[dimension] * (int64_t)regrad_dtype_size(tensor->dtype);
        piece->call.tensor[k] = tensor;
    }
}

static int run_piece(const struct call *whole, int dimension, int64_t from, int64_t count)
{
    struct piece piece;
    regrad_plan *plan;
    make_piece(&piece, whole, dimension, from, count);
    int status = call_plan(&piece.call, &plan);
    if (status != STATUS_OK)
        return status;
    status = call_run_whole(&piece.call, plan);
    regrad_plan_destroy(plan);
    return status;
}

static int run_pieces(const struct call *call, int dimension, struct run_times *times)
{
    int64_t size = call->tensor[0]->shape[dimension];
    int64_t step = (size + MAX_PIECES - 1) / MAX_PIECES;
    int status = STATUS_OK;
    progress_begin("running", (uint64_t)size);
    for (int64_t from = 0; from < size && status == STATUS_OK; from += step) {
        status = run_piece(call, dimension, from, size - from < step ? size - from : step);
        progress_update((uint64_t)(from + step));
        times->n_pieces++;
    }
    progress_end();
    return status;
}

int call_run(const struct call *call, const regrad_plan *plan, struct run_times *times)
{
    const int64_t *shape = call->tensor[0]->shape;
    double begun = seconds_now();
    int status;
    if (progress_visible() && shape[0] > 1) {
        status = run_pieces(call, 0, times);
    } else if (progress_visible() && shape[1] > 1 && call->op->channels_apart) {
        status = run_pieces(call, 1, times);
    } else {
        status = call_run_whole(call, plan);
        times->n_pieces = 1;
    }
    times->run = seconds_now() - begun;
    return status;
}
