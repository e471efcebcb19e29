/* SPDX-License-Identifier: Apache-2.0 */
/* An operator with its files, sizes and parameters, as a command line gives them. */
#ifndef PROBLEM_H
#define PROBLEM_H

#include "npy.h"
#include "operators.h"
#include "options.h"

struct problem {
    const struct op *op;
    const struct settings *settings;
    struct params params;
    regrad_dtype dtype;
    int n_files;
    int64_t shape[N_PLACES][REGRAD_MAX_RANK];
    bool known[N_PLACES];
    /* By the operator's tensors. Data of the tensors that are read comes from files and belongs to the
     * problem; that of the others is NULL. */
    struct npy_array array[OP_MAX_TENSORS];
    regrad_tensor tensor[OP_MAX_TENSORS];
    char *name[OP_MAX_TENSORS]; /* of the tensors in messages */
};

enum files_needed { FILES_NEEDED, FILES_OPTIONAL };

/* Finds the operator and opens the files that settings->words name, and works out all shapes. Complains
 * and returns an exit status; whatever it is, the caller calls problem_fini. */
int problem_init(struct problem *problem, const struct settings *settings, enum files_needed needed);

void problem_fini(struct problem *problem);

/* The call with all tensors; outputs that settings->output_mask does not name are NULL. */
struct call problem_call(const struct problem *problem);

/* Where the channels of a tensor in this place stand in a file. */
bool problem_channels_last(const struct problem *problem, enum place place);

#endif
