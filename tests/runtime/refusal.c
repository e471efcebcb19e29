/* SPDX-License-Identifier: Apache-2.0 */
#include "refusal.h"

#include <pthread.h>
#include <sched.h>
#include <string.h>

#include "acl/stream/stream.h"
#include "acl/stream/submit.h"

static int not_a_handle;
void *const foreign_handle = &not_a_handle;

void check_success(aclError status, const char *call, const char *file, int line)
{
    if (status == ACL_SUCCESS)
        return;
    const char *message = aclGetRecentErrMsg();
    print_error("%s is %d: %s", call, status, message != NULL ? message : "(no message)\n");
    _fail(file, line);
}

void check_refused(aclError status, aclError wanted, const char *words, const char *file, int line)
{
    const char *message = aclGetRecentErrMsg();
    const aclError peeked = aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL);
    const aclError last = aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    if (status == wanted && peeked == wanted && last == wanted && message != NULL && strstr(message, words) != NULL)
        return;
    print_error("the status is %d, the last error %d then %d, both must be %d; the message is %s, must have \"%s\"\n",
                status, peeked, last, wanted, message != NULL ? message : "NULL", words);
    _fail(file, line);
}

int set_device_0(void **state)
{
    (void)state;
    return aclrtSetDevice(0);
}

int reset_device_0(void **state)
{
    (void)state;
    return aclrtResetDevice(0);
}

aclError submit_work(aclrtStream stream, aclError (*task)(void *argument), void *argument,
                     void (*destroy)(void *argument))
{
    static const struct rg_function function = {.name = __func__};
    aclError status = ACL_SUCCESS;
    struct rg_stream *object = rg_stream_acquire(stream, &function, &status);
    if (object == NULL) {
        if (destroy != NULL)
            destroy(argument);
        return status;
    }
    status =
        rg_stream_push(object, &function, &(struct rg_work){.run = task, .argument = argument, .destroy = destroy});
    rg_stream_release(object);
    return status;
}

void drain(aclrtStream stream)
{
    aclrtStreamStatus status = ACL_STREAM_STATUS_NOT_READY;
    while (status != ACL_STREAM_STATUS_COMPLETE) {
        assert_success(aclrtStreamQuery(stream, &status));
        sched_yield();
    }
}

static void do_nothing(void *user_data)
{
    (void)user_data;
}

void block(aclrtStream stream)
{
    const aclError status = aclrtSubscribeReport((uint64_t)pthread_self(), stream);
    assert_true(status == ACL_SUCCESS || status == ACL_ERROR_REPEAT_SUBSCRIBE);
    if (status != ACL_SUCCESS) {
        aclGetRecentErrMsg();
        aclrtGetLastError(ACL_RT_THREAD_LEVEL);
    }
    assert_success(aclrtLaunchCallback(do_nothing, NULL, ACL_CALLBACK_BLOCK, stream));
}

void unblock(void)
{
    assert_success(aclrtProcessReport(1000));
}

void end_blocking(aclrtStream stream)
{
    assert_success(aclrtUnSubscribeReport((uint64_t)pthread_self(), stream));
}
