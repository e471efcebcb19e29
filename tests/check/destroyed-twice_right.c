/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    aclTensor *nothing = tensor(NULL, N_GIVEN);
    aclDestroyTensor(nothing);
    nothing = NULL;
    const aclnnStatus status = aclDestroyTensor(nothing);
    end();
    return status != 0;
}
