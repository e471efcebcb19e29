/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

int main(void)
{
    start();
    device_floats(N_GIVEN);
    return 0;
}
