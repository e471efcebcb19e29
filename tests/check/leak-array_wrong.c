/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    const int64_t values[] = {1, 2};
    const bool flags[] = {true, false};
    aclCreateIntArray(values, 2);
    aclCreateBoolArray(flags, 2);
    end();
    return 0;
}
