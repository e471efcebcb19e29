/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    float *data = device_floats(N_GIVEN), *result = device_floats(N_WANTED);
    aclTensor *given = tensor(data, N_GIVEN), *wanted = tensor(result, N_WANTED);
    aclrtFree(data);
    const aclnnStatus status = compute(given, wanted);
    aclDestroyTensor(given);
    aclDestroyTensor(wanted);
    aclrtFree(result);
    end();
    return status != 0;
}
