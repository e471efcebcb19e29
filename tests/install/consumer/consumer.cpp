// SPDX-License-Identifier: Apache-2.0
#include <regrad.h>

#include <iostream>
#include <vector>

int main()
{
    std::vector<float> grad_output(6, 1.0f), grad_input(4);
    const int64_t long_shape[] = {1, 1, 6}, short_shape[] = {1, 1, 4};
    const regrad_tensor given = regrad_tensor_contiguous(grad_output.data(), REGRAD_FLOAT32, 3, long_shape);
    const regrad_tensor wanted = regrad_tensor_contiguous(grad_input.data(), REGRAD_FLOAT32, 3, short_shape);
    if (regrad_upsample_nearest_exact1d_backward(&given, &wanted, REGRAD_NEAREST_FORWARD_LAW, 0) != REGRAD_OK) {
        std::cerr << regrad_last_message() << "\n";
        return 1;
    }
    std::cout << grad_input[0] << " " << grad_input[1] << " " << grad_input[2] << " " << grad_input[3] << "\n";
    return 0;
}
