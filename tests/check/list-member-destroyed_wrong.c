/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    const aclTensor *members[] = {tensor(NULL, N_GIVEN)};
    aclTensorList *list = aclCreateTensorList(members, 1);
    aclDestroyTensor(members[0]);
    const aclnnStatus status = aclDestroyTensorList(list);
    end();
    return status != 0;
}
