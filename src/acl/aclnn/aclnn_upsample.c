/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/aclnn/aclnn_upsample.h"

struct rg_call rg_resize_call(struct rg_origin origin, const aclTensor *self, const aclIntArray *output_size,
                              aclTensor *out)
{
    return (struct rg_call){.function = origin.function,
                            .place = origin.place,
                            .n_arguments = RG_N_RESIZE_ARGUMENTS,
                            .arguments = {[RG_SELF] = rg_tensor_argument("self", self),
                                          [RG_OUTPUT_SIZE] = rg_int_array_argument("outputSize", output_size),
                                          [RG_OUT] = rg_result_argument("out", out)}};
}

struct rg_call rg_gradient_call(struct rg_origin origin, const char *grad_name, const aclTensor *grad,
                                const aclIntArray *output_size, const aclIntArray *input_size, aclTensor *out)
{
    return (struct rg_call){.function = origin.function,
                            .place = origin.place,
                            .n_arguments = RG_N_GRADIENT_ARGUMENTS,
                            .arguments = {[RG_GRAD] = rg_tensor_argument(grad_name, grad),
                                          [RG_GRAD_OUTPUT_SIZE] = rg_int_array_argument("outputSize", output_size),
                                          [RG_GRAD_INPUT_SIZE] = rg_int_array_argument("inputSize", input_size),
                                          [RG_GRAD_OUT] = rg_result_argument("out", out)}};
}
