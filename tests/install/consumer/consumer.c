/* SPDX-License-Identifier: Apache-2.0 */
#include <regrad.h>

#include <stdio.h>

int main(void)
{
    float grad_output[6] = {1, 1, 1, 1, 1, 1}, grad_input[4];
    const int64_t long_shape[] = {1, 1, 6}, short_shape[] = {1, 1, 4};
    const regrad_tensor given = regrad_tensor_contiguous(grad_output, REGRAD_FLOAT32, 3, long_shape);
    const regrad_tensor wanted = regrad_tensor_contiguous(grad_input, REGRAD_FLOAT32, 3, short_shape);
    if (regrad_upsample_nearest_exact1d_backward(&given, &wanted, REGRAD_NEAREST_FORWARD_LAW, 0) != REGRAD_OK) {
        fprintf(stderr, "%s\n", regrad_last_message());
        return 1;
    }
    printf("%g %g %g %g\n", (double)grad_input[0], (double)grad_input[1], (double)grad_input[2], (double)grad_input[3]);
    return 0;
}
