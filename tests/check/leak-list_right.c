/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    const aclTensor *members[] = {tensor(NULL, N_GIVEN)};
    aclTensorList *list = aclCreateTensorList(members, 1);
    must(aclDestroyTensorList(list));
    end();
    return 0;
}
