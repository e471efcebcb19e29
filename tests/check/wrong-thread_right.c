/* SPDX-License-Identifier: Apache-2.0 */
#include "small.h"

#include <pthread.h>

static void done(void *text)
{
    puts((const char *)text);
}

static void *take_callbacks(void *argument)
{
    (void)argument;
    aclrtProcessReport(100);
    return NULL;
}

int main(void)
{
    char text[] = "done";
    aclrtStream stream = NULL;
    start();
    must(aclrtCreateStream(&stream));
    must(aclrtSubscribeReport((uint64_t)pthread_self(), stream));
    must(aclrtLaunchCallback(done, text, ACL_CALLBACK_NO_BLOCK, stream));
    must(aclrtSynchronizeStream(stream));
    take_callbacks(NULL);
    must(aclrtUnSubscribeReport((uint64_t)pthread_self(), stream));
    must(aclrtDestroyStream(stream));
    end();
    return 0;
}
