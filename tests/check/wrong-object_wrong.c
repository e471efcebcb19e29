/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    const int64_t values[] = {1, 2};
    aclIntArray *array = aclCreateIntArray(values, 2);
    const aclnnStatus status = aclDestroyTensor((const aclTensor *)array);
    aclDestroyIntArray(array);
    end();
    return status != 0;
}
