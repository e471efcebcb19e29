/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    const aclTensor *members[] = {tensor(NULL, N_GIVEN)};
    aclCreateTensorList(members, 1);
    end();
    return 0;
}
