/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    const int64_t values[] = {1, 2};
    const bool flags[] = {true, false};
    aclIntArray *sizes = aclCreateIntArray(values, 2);
    aclBoolArray *mask = aclCreateBoolArray(flags, 2);
    aclDestroyIntArray(sizes);
    aclDestroyBoolArray(mask);
    end();
    return 0;
}
