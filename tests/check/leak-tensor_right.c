/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    for (int i = 0; i < 3; i++)
        aclDestroyTensor(tensor(NULL, N_GIVEN));
    end();
    return 0;
}
