/* SPDX-License-Identifier: Apache-2.0 */
/* Plans and runs a call of an operator, at once or slice by slice. */
#ifndef RUN_CALL_H
#define RUN_CALL_H

#include "operators.h"

/* Makes a plan. Complains and returns an exit status. */
int call_plan(const struct call *call, regrad_plan **plan);

/* Runs a plan of the call on the data of its tensors. */
int call_run_whole(const struct call *call, const regrad_plan *plan);

/*
 * A call that is cut along its images, and where one image is too large along its channels, into slices. The results of
 * a slice have room of their own, which the next slice uses again, and lie there as they stand in a C-order file: those
 * of one slice behind those of the last. The results are the same to the bit however a call is cut.
 */
struct sliced_call {
    const struct call *whole; /* without data of results */
    bool channels_last;
    int64_t images, channels; /* of a slice; the last ones may be smaller */
    int64_t n_slices;
    double nbytes; /* the data and the workspace of a slice */
    regrad_plan *plan;
    void *results[OP_MAX_TENSORS];
};

struct slice {
    struct call call;
    regrad_tensor tensor[OP_MAX_TENSORS];
};

/*
 * Plans the call and halves its slices until one takes at most `memory` bytes, if they can be cut so far; and until a
 * bar, if one can be seen, has steps enough. Complains and returns an exit status; whatever it is, the caller calls
 * sliced_call_free.
 */
int sliced_call_make(struct sliced_call *sliced, const struct call *whole, bool channels_last, int64_t memory);

/* Runs slice number k. Complains and returns an exit status. */
int sliced_call_run(const struct sliced_call *sliced, int64_t k, struct slice *slice);

void sliced_call_free(struct sliced_call *sliced);

/* Bytes of a tensor without gaps that has been planned with. */
size_t tensor_nbytes(const regrad_tensor *tensor);

#endif
