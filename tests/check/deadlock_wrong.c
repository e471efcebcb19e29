/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

#include <pthread.h>

static void tell(void *text)
{
    puts((const char *)text);
}

int main(void)
{
    char done[] = "done";
    aclrtStream stream = NULL;
    start();
    must(aclrtCreateStream(&stream));
    must(aclrtSubscribeReport((uint64_t)pthread_self(), stream));
    must(aclrtLaunchCallback(tell, done, ACL_CALLBACK_BLOCK, stream));
    const int refused = aclrtSynchronizeStream(stream) != 0;
    must(aclrtProcessReport(1000));
    must(aclrtUnSubscribeReport((uint64_t)pthread_self(), stream));
    must(aclrtDestroyStream(stream));
    end();
    return refused;
}
