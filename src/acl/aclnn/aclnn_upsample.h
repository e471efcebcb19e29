/* SPDX-License-Identifier: Apache-2.0 */
/* What the calls of all resizes, and of all their gradients, have in common: their arguments. */
#ifndef RG_ACLNN_UPSAMPLE_H
#define RG_ACLNN_UPSAMPLE_H

#include "acl/aclnn/aclnn_call.h"

enum rg_resize_arguments { RG_SELF, RG_OUTPUT_SIZE, RG_OUT, RG_N_RESIZE_ARGUMENTS };

enum rg_gradient_arguments { RG_GRAD, RG_GRAD_OUTPUT_SIZE, RG_GRAD_INPUT_SIZE, RG_GRAD_OUT, RG_N_GRADIENT_ARGUMENTS };

struct rg_call rg_resize_call(struct rg_origin origin, const aclTensor *self, const aclIntArray *output_size,
                              aclTensor *out);

/* grad_name: some call it gradOut, others gradOutput. */
struct rg_call rg_gradient_call(struct rg_origin origin, const char *grad_name, const aclTensor *grad,
                                const aclIntArray *output_size, const aclIntArray *input_size, aclTensor *out);

#endif
