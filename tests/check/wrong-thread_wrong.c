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
    pthread_t thread;
    start();
    must(aclrtCreateStream(&stream));
    must(aclrtSubscribeReport((uint64_t)pthread_self(), stream));
    must(aclrtLaunchCallback(done, text, ACL_CALLBACK_NO_BLOCK, stream));
    must(aclrtSynchronizeStream(stream));
    pthread_create(&thread, NULL, take_callbacks, NULL);
    pthread_join(thread, NULL);
    must(aclrtUnSubscribeReport((uint64_t)pthread_self(), stream));
    must(aclrtDestroyStream(stream));
    end();
    return 0;
}
