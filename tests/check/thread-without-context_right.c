/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

#include <pthread.h>

enum { SIZE = N_GIVEN * sizeof(float) };

static aclrtStream stream;
static float *memory;

static void *fill(void *refused)
{
    must(aclrtSetDevice(0));
    *(int *)refused = aclrtMemsetAsync(memory, SIZE, 0, SIZE, stream) != 0;
    must(aclrtResetDevice(0));
    return NULL;
}

int main(void)
{
    int refused = 0;
    pthread_t thread;
    start();
    memory = device_floats(N_GIVEN);
    must(aclrtCreateStream(&stream));
    must(pthread_create(&thread, NULL, fill, &refused));
    must(pthread_join(thread, NULL));
    must(aclrtDestroyStream(stream));
    must(aclrtFree(memory));
    end();
    return refused;
}
