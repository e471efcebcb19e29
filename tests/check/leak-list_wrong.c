/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    aclCreateTensorList(NULL, 0);
    end();
    return 0;
}
