/* SPDX-License-Identifier: Apache-2.0 */
/* What the check mode remembers of things that are gone, and for how long. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <setjmp.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "acl/acl.h"
#include "acl/handle/handle.h"
#include "acl/life/leak.h"
#include "acl/store/block.h"
#include "acl/stream/stream_wait.h"
#include "acl/sys/runtime_lock.h"
#include "acl/tell/finding.h"
#include "aclnn/acl_meta.h"
#include "aclnnop/aclnn_relu.h"
#include "aclnnop/aclnn_upsample_bilinear_2d.h"

enum { N_REMEMBERED = 1024 };

static void *allocate(size_t size)
{
    void *memory = NULL;
    assert_int_equal(aclrtMalloc(&memory, size, ACL_MEM_MALLOC_HUGE_FIRST), ACL_SUCCESS);
    return memory;
}

static void assert_said(const char *words, const char *others)
{
    const char *message = aclGetRecentErrMsg();
    if (message == NULL || strstr(message, words) == NULL || strstr(message, others) == NULL)
        fail_msg("\"%s\" and \"%s\" are not both in: %s", words, others, message != NULL ? message : "");
}

static void remembers_freed_memory(void **state)
{
    (void)state;
    struct rg_memory_block block;
    char *memory = allocate(100);
    assert_true(rg_memory_find(memory + 99, &block));
    assert_false(rg_memory_find_freed(memory + 99, &block));
    assert_string_equal(block.allocated.function->name, "aclrtMalloc");
    assert_int_equal(aclrtFree(memory), ACL_SUCCESS);
    assert_false(rg_memory_find(memory + 99, &block));
    assert_true(rg_memory_find_freed(memory + 99, &block));
    assert_false(rg_memory_find_freed(memory + 100, &block));
    assert_true(rg_memory_find_freed(memory, &block));
    assert_ptr_equal(block.base, memory);
    assert_int_equal(block.size, 100);
    assert_string_equal(block.allocated.function->name, "aclrtMalloc");
    assert_string_equal(block.freed.function->name, "aclrtFree");
    assert_non_null(block.allocated.place.frame[0]);
    assert_non_null(block.freed.place.frame[0]);
}

static void remembers_the_last_of_many(void **state)
{
    (void)state;
    static void *memory[N_REMEMBERED + 1];
    struct rg_memory_block block;
    for (int i = 0; i <= N_REMEMBERED; i++)
        memory[i] = allocate(64);
    for (int i = 0; i <= N_REMEMBERED; i++)
        assert_int_equal(aclrtFree(memory[i]), ACL_SUCCESS);
    assert_false(rg_memory_find_freed(memory[0], &block));
    for (int i = 1; i <= N_REMEMBERED; i++)
        assert_true(rg_memory_find_freed(memory[i], &block));
}

/* A live block at the same address counts, whatever was freed there. */
static void forgets_what_is_allocated_anew(void **state)
{
    (void)state;
    char host[64] = {0};
    for (int i = 0; i < 100; i++) {
        void *memory = allocate(64);
        const unsigned n_told = rg_check_count();
        assert_int_equal(aclrtMemcpy(memory, 64, host, 64, ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
        assert_int_equal(rg_check_count(), n_told);
        assert_int_equal(aclrtFree(memory), ACL_SUCCESS);
    }
}

/* However large it is. */
static void tells_what_leaves_a_block(void **state)
{
    (void)state;
    const size_t sizes[] = {100, INT64_MAX, (size_t)INT64_MAX + 1, SIZE_MAX};
    void *memory = allocate(64);
    for (int k = 0; k < 4; k++) {
        assert_int_equal(aclrtMemset(memory, SIZE_MAX, 0, sizes[k]), ACL_ERROR_RT_PARAM_INVALID);
        assert_non_null(strstr(aclGetRecentErrMsg(), "(check: out-of-bounds)"));
    }
    assert_int_equal(aclrtFree(memory), ACL_SUCCESS);
}

static void knows_handles(void **state)
{
    (void)state;
    int number = 0;
    aclTensor *tensor = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
    assert_int_equal(rg_handle_look(&number).state, RG_HANDLE_FOREIGN);
    assert_int_equal(rg_handle_look(NULL).state, RG_HANDLE_FOREIGN);
    assert_int_equal(rg_handle_look((const void *)UINTPTR_MAX).state, RG_HANDLE_FOREIGN);
    const struct rg_handle_life live = rg_handle_look(tensor);
    assert_int_equal(live.state, RG_HANDLE_LIVE);
    assert_int_equal(live.kind, RG_HANDLE_TENSOR);
    assert_string_equal(live.created.function->name, "aclCreateTensor");
    aclDestroyTensor(tensor);
    const struct rg_handle_life dead = rg_handle_look(tensor);
    assert_int_equal(dead.state, RG_HANDLE_DEAD);
    assert_int_equal(dead.kind, RG_HANDLE_TENSOR);
    assert_ptr_equal(dead.created.place.frame[0], live.created.place.frame[0]);
    assert_string_equal(dead.ended.function->name, "aclDestroyTensor");
    assert_non_null(dead.ended.place.frame[0]);
}

/* One that was never given out, though its slot was. */
static void knows_handles_to_come(void **state)
{
    (void)state;
    aclTensor *first = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
    aclDestroyTensor(first);
    aclTensor *second = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
    const uintptr_t step = (uintptr_t)second - (uintptr_t)first;
    assert_int_equal(rg_handle_look((const void *)((uintptr_t)second + step)).state, RG_HANDLE_FOREIGN);
    aclDestroyTensor(second);
    assert_int_equal(rg_handle_look((const void *)((uintptr_t)second + step)).state, RG_HANDLE_FOREIGN);
}

static void forgets_old_handles(void **state)
{
    (void)state;
    aclTensor *tensor = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
    aclDestroyTensor(tensor);
    for (int i = 0; i < N_REMEMBERED; i++)
        aclDestroyIntArray(aclCreateIntArray(NULL, 0));
    assert_int_equal(rg_handle_look(tensor).state, RG_HANDLE_DEAD);
    assert_null(rg_handle_look(tensor).created.function);
}

static void lists_end_their_members(void **state)
{
    (void)state;
    const aclTensor *tensor = aclCreateTensor(NULL, 0, ACL_FLOAT, NULL, 0, ACL_FORMAT_ND, NULL, 0, NULL);
    aclDestroyTensorList(aclCreateTensorList(&tensor, 1));
    assert_string_equal(rg_handle_look(tensor).ended.function->name, "aclDestroyTensorList");
}

/* With RG_CHECK_WARN memory is told at aclFinalize, once, and nothing when others use the runtime. */
static void tells_leaks_once(void **state)
{
    (void)state;
    void *memory = allocate(64);
    const unsigned n_told = rg_check_count();
    assert_int_equal(aclInit(NULL), ACL_SUCCESS);
    assert_int_equal(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
    assert_int_equal(aclFinalize(), ACL_SUCCESS);
    assert_int_equal(rg_check_count(), n_told);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(aclInit(NULL), ACL_SUCCESS);
        assert_int_equal(aclFinalize(), ACL_SUCCESS);
        assert_int_equal(rg_check_count(), n_told + 1);
    }
    assert_int_equal(aclrtFree(memory), ACL_SUCCESS);
}

static bool is_idle(const void *device) RG_NEEDS(rg_runtime)
{
    return rg_stream_is_device_done(*(const int32_t *)device, UINT64_MAX);
}

/* Lets device 0 end its work without telling the check mode, which then still finds a race that does not happen. */
static void wait_unseen(void)
{
    const int32_t device = 0;
    rg_runtime_lock();
    rg_runtime_wait(is_idle, &device, -1);
    rg_runtime_unlock();
}

/* NULL would be another stream there. */
static void names_default_streams_of_others(void **state)
{
    (void)state;
    aclrtContext first = NULL, second = NULL;
    aclrtStream stream = NULL;
    char name[96], argument[64];
    assert_int_equal(aclrtSetDevice(0), ACL_SUCCESS);
    assert_int_equal(aclrtGetCurrentContext(&first), ACL_SUCCESS);
    assert_int_equal(aclrtCtxGetCurrentDefaultStream(&stream), ACL_SUCCESS);
    void *memory = allocate(64);
    snprintf(name, sizeof(name), "queued on %p, the default stream of context %p on device 0", stream, first);
    snprintf(argument, sizeof(argument), "aclrtSynchronizeStream(%p)", stream);
    aclGetRecentErrMsg();

    assert_int_equal(aclrtMemsetAsync(memory, 64, 1, 64, NULL), ACL_SUCCESS);
    wait_unseen();
    assert_int_equal(aclrtMemset(memory, 64, 2, 64), ACL_SUCCESS);
    assert_said("queued on the default stream, may", "aclrtSynchronizeStream(NULL)");

    assert_int_equal(aclrtMemsetAsync(memory, 64, 1, 64, NULL), ACL_SUCCESS);
    wait_unseen();
    assert_int_equal(aclrtCreateContext(&second, 0), ACL_SUCCESS);
    assert_int_equal(aclrtMemset(memory, 64, 2, 64), ACL_SUCCESS);
    assert_said(name, argument);

    assert_int_equal(aclrtMemsetAsync(memory, 64, 1, 64, stream), ACL_SUCCESS);
    wait_unseen();
    assert_int_equal(aclrtMemsetAsync(memory, 64, 2, 64, NULL), ACL_SUCCESS);
    assert_said("let the default stream wait for it", argument);

    assert_int_equal(aclrtSynchronizeDevice(), ACL_SUCCESS);
    assert_int_equal(aclrtFree(memory), ACL_SUCCESS);
    assert_int_equal(aclrtDestroyContext(second), ACL_SUCCESS);
    assert_int_equal(aclrtResetDevice(0), ACL_SUCCESS);
}

/* The static library's code; see place.c. */
extern const char code_begin[] __asm__("__start_regrad_acl_text"), code_end[] __asm__("__stop_regrad_acl_text");

static void note_place(void *place)
{
    *(struct rg_place *)place = rg_place_outside();
}

static void has_no_frames_of_its_own(void **state)
{
    (void)state;
    struct rg_place place = {{NULL}};
    assert_int_equal(aclrtSetDevice(0), ACL_SUCCESS);
    assert_int_equal(aclrtLaunchHostFunc(NULL, note_place, &place), ACL_SUCCESS);
    assert_int_equal(aclrtSynchronizeDevice(), ACL_SUCCESS);
    rg_place_cut(&place);
    assert_non_null(place.frame[0]);
    for (int k = 0; k < RG_PLACE_FRAMES; k++)
        assert_false((const char *)place.frame[k] >= code_begin && (const char *)place.frame[k] < code_end);
    assert_int_equal(aclrtResetDevice(0), ACL_SUCCESS);
}

/* ---- Statuses that are ignored ---------------------------------------------------------------- */

/* Has a finding of the kind been told in this thread since the last time? Asks for the thread's messages. */
static bool has_told(const char *kind)
{
    char wanted[64];
    const char *messages = aclGetRecentErrMsg();
    snprintf(wanted, sizeof(wanted), "(check: %s)", kind);
    return messages != NULL && strstr(messages, wanted) != NULL;
}

/* Programs that look at every status, and go on. */
static void handles_what_fails(void **state)
{
    (void)state;
    int device = 1;
    int64_t value;
    void *memory = NULL;
    aclrtEvent event = NULL;
    float time;
    aclGetRecentErrMsg();
    while (aclrtSetDevice(device) == ACL_SUCCESS)
        device++;
    assert_int_equal(aclrtCtxGetSysParamOpt(ACL_OPT_DETERMINISTIC, &value), 107021);
    assert_int_equal(aclrtMalloc(&memory, (size_t)1 << 60, ACL_MEM_MALLOC_HUGE_FIRST), 207001);
    assert_int_equal(aclrtFree(NULL), 100000);
    assert_int_equal(aclrtCreateEventWithFlag(&event, ACL_EVENT_IPC), 207000);
    assert_int_equal(aclrtCreateEvent(&event), ACL_SUCCESS);
    assert_int_equal(aclrtEventElapsedTime(&time, event, event), 507000);
    assert_int_equal(aclrtDestroyEvent(event), ACL_SUCCESS);
    assert_int_equal(aclrtCreateEventWithFlag(&event, ACL_EVENT_IPC), 207000);
    assert_int_equal(aclrtDestroyEvent(NULL), 100000);
    assert_false(has_told("status-ignored"));
}

static void misses_what_was_not_made(void **state)
{
    (void)state;
    char host[8] = {0};
    void *memory = NULL;
    aclrtEvent event = NULL;
    aclGetRecentErrMsg();
    aclrtMalloc(&memory, (size_t)1 << 60, ACL_MEM_MALLOC_HUGE_FIRST);
    assert_int_equal(aclrtMemcpy(memory, 8, host, 8, ACL_MEMCPY_HOST_TO_DEVICE), 100000);
    assert_true(has_told("status-ignored"));
    aclrtCreateEventWithFlag(&event, ACL_EVENT_IPC);
    assert_int_equal(aclrtSynchronizeEvent(event), 100000);
    assert_true(has_told("status-ignored"));
}

/* The same, but for another thing, or when something has been made since. */
static void blames_no_other_failure(void **state)
{
    (void)state;
    char host[8] = {0};
    void *memory = NULL;
    aclrtEvent event = NULL;
    aclGetRecentErrMsg();
    aclrtCreateEventWithFlag(&event, ACL_EVENT_IPC);
    assert_int_equal(aclrtMemcpy(NULL, 8, host, 8, ACL_MEMCPY_HOST_TO_DEVICE), 100000);
    aclrtMalloc(&memory, (size_t)1 << 60, ACL_MEM_MALLOC_HUGE_FIRST);
    memory = allocate(8);
    assert_int_equal(aclrtMemcpy(NULL, 8, host, 8, ACL_MEMCPY_HOST_TO_DEVICE), 100000);
    assert_int_equal(aclrtFree(memory), ACL_SUCCESS);
    assert_false(has_told("status-ignored"));
}

/* A copy is refused. Is it told when its memory is read? */
static bool tells_unwritten(bool is_filled, bool is_asked)
{
    char host[64] = {0};
    void *memory = allocate(sizeof(host));
    aclGetRecentErrMsg();
    assert_int_equal(aclrtMemcpy(memory, 10, host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE), 107000);
    if (is_asked)
        assert_int_equal(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 107000);
    if (is_filled)
        assert_int_equal(aclrtMemset(memory, sizeof(host), 0, sizeof(host)), ACL_SUCCESS);
    assert_int_equal(aclrtMemcpy(host, sizeof(host), memory, sizeof(host), ACL_MEMCPY_DEVICE_TO_HOST), ACL_SUCCESS);
    const bool was_told = has_told("status-ignored");
    assert_int_equal(aclrtFree(memory), ACL_SUCCESS);
    return was_told;
}

static void misses_what_was_not_copied(void **state)
{
    (void)state;
    assert_true(tells_unwritten(false, false));
    assert_false(tells_unwritten(true, false));
    assert_false(tells_unwritten(false, true));
}

enum { N_VALUES = 8 };

static aclTensor *values(void *memory)
{
    const int64_t shape[] = {1, 1, 1, N_VALUES};
    return aclCreateTensor(shape, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, shape, 4, memory);
}

/* The same, read by an operator, a copy between equal sizes. It may be filled between the phases. */
static bool tells_unwritten_operand(bool is_filled)
{
    const float host[N_VALUES] = {0};
    const int64_t sizes[] = {1, N_VALUES};
    uint64_t size = 0;
    aclOpExecutor *executor = NULL;
    void *from = allocate(sizeof(host)), *to = allocate(sizeof(host));
    aclTensor *given = values(from), *wanted = values(to);
    aclIntArray *output_size = aclCreateIntArray(sizes, 2);
    aclGetRecentErrMsg();
    assert_int_equal(aclrtMemcpy(from, 10, host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE), 107000);
    assert_int_equal(aclnnUpsampleBilinear2dGetWorkspaceSize(given, output_size, false, 0, 0, wanted, &size, &executor),
                     0);
    assert_int_equal(size, 0);
    if (is_filled)
        assert_int_equal(aclrtMemcpy(from, sizeof(host), host, sizeof(host), ACL_MEMCPY_HOST_TO_DEVICE), ACL_SUCCESS);
    assert_int_equal(aclnnUpsampleBilinear2d(NULL, 0, executor, NULL), 0);
    const bool was_told = has_told("status-ignored");
    aclDestroyIntArray(output_size);
    aclDestroyTensor(given);
    aclDestroyTensor(wanted);
    assert_int_equal(aclrtSynchronizeStream(NULL), ACL_SUCCESS);
    assert_int_equal(aclrtFree(from), ACL_SUCCESS);
    assert_int_equal(aclrtFree(to), ACL_SUCCESS);
    return was_told;
}

static void misses_what_an_operator_reads(void **state)
{
    (void)state;
    assert_true(tells_unwritten_operand(false));
    assert_false(tells_unwritten_operand(true));
}

/* ---- Order ------------------------------------------------------------------------------------ */

static void tells_other_contexts(void **state)
{
    (void)state;
    void *memory = allocate(64);
    aclrtContext own, other;
    aclrtStream stream;
    assert_int_equal(aclrtGetCurrentContext(&own), ACL_SUCCESS);
    assert_int_equal(aclrtCreateStream(&stream), ACL_SUCCESS);
    assert_int_equal(aclrtCreateContext(&other, 0), ACL_SUCCESS);
    aclGetRecentErrMsg();
    assert_int_equal(aclrtMemsetAsync(memory, 64, 0, 64, stream), ACL_SUCCESS);
    assert_true(has_told("wrong-context"));
    assert_int_equal(aclrtSynchronizeStream(stream), ACL_SUCCESS);
    assert_int_equal(aclrtSetCurrentContext(own), ACL_SUCCESS);
    assert_int_equal(aclrtMemsetAsync(memory, 64, 0, 64, stream), ACL_SUCCESS);
    assert_false(has_told("wrong-context"));
    assert_int_equal(aclrtDestroyContext(other), ACL_SUCCESS);
    assert_int_equal(aclrtDestroyStream(stream), ACL_SUCCESS);
    assert_int_equal(aclrtFree(memory), ACL_SUCCESS);
}

/* What is asked for, or waited for, may be missing. */
static void *ask_without_context(void *argument)
{
    int32_t device;
    aclrtContext context;
    (void)argument;
    assert_int_equal(aclrtGetDevice(&device), 107002);
    assert_int_equal(aclrtGetCurrentContext(&context), 107002);
    assert_int_equal(aclrtSynchronizeDevice(), 107002);
    assert_int_equal(aclrtSynchronizeStream(NULL), 107002);
    assert_false(has_told("wrong-context"));
    return NULL;
}

static void lets_threads_ask(void **state)
{
    (void)state;
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, ask_without_context, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
}

static void tells_who_may_not_unsubscribe(void **state)
{
    (void)state;
    aclrtStream stream;
    const uint64_t own = (uint64_t)pthread_self();
    assert_int_equal(aclrtCreateStream(&stream), ACL_SUCCESS);
    assert_int_equal(aclrtSubscribeReport(own, stream), ACL_SUCCESS);
    aclGetRecentErrMsg();
    assert_int_equal(aclrtUnSubscribeReport(own + 1, stream), 107011);
    assert_true(has_told("wrong-thread"));
    assert_int_equal(aclrtUnSubscribeReport(own, stream), ACL_SUCCESS);
    assert_int_equal(aclrtUnSubscribeReport(own, stream), 107011);
    assert_false(has_told("wrong-thread"));
    assert_int_equal(aclrtDestroyStream(stream), ACL_SUCCESS);
}

static void tells_ends_out_of_order(void **state)
{
    (void)state;
    assert_int_equal(aclInit(NULL), ACL_SUCCESS);
    assert_int_equal(aclInit(NULL), ACL_ERROR_REPEAT_INITIALIZE);
    assert_int_equal(aclrtSetDevice(0), ACL_SUCCESS);
    assert_int_equal(aclFinalize(), ACL_SUCCESS);
    aclGetRecentErrMsg();
    assert_int_equal(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE); /* as often as it was initialised */
    assert_false(has_told("wrong-order"));
    assert_int_equal(aclFinalize(), ACL_ERROR_REPEAT_FINALIZE);
    assert_true(has_told("wrong-order"));
    assert_int_equal(aclrtResetDevice(0), ACL_SUCCESS);
    assert_true(has_told("after-finalize"));
}

/* ---- Lists ------------------------------------------------------------------------------------ */

static void lists_have_live_members(void **state)
{
    (void)state;
    const aclTensor *members[] = {values(NULL), NULL, values(NULL)};
    aclTensorList *list = aclCreateTensorList(members, 3);
    assert_non_null(list);
    assert_int_equal(aclDestroyTensor(members[0]), 0);
    aclGetRecentErrMsg();
    assert_null(aclCreateTensorList(members, 1));
    assert_true(has_told("dead-object"));
    assert_int_equal(aclDestroyTensorList(list), 161002);
    assert_true(has_told("destroyed-twice"));
    assert_int_equal(rg_handle_look(list).state, RG_HANDLE_DEAD);
    assert_int_equal(rg_handle_look(members[2]).state, RG_HANDLE_DEAD);
}

/* Advice that follows from another finding's must not lead into the next. */
static bool has_advice(const char *advice)
{
    const char *messages = aclGetRecentErrMsg();
    return messages != NULL && strstr(messages, advice) != NULL;
}

static void advises_by_the_owner(void **state)
{
    (void)state;
    const aclTensor *members[] = {values(NULL)};
    aclTensorList *one = aclCreateTensorList(members, 1), *other = aclCreateTensorList(members, 1);
    assert_int_equal(aclDestroyTensorList(one), 0);
    aclGetRecentErrMsg();
    assert_int_equal(aclDestroyTensor(members[0]), 161002);
    assert_true(has_advice("a list ends its members: leave the tensor to the list"));
    assert_int_equal(aclDestroyTensorList(other), 161002);
    assert_true(has_advice("aclDestroyTensorList: array[0] is 0x"));
    assert_null(aclCreateTensorList(members, 1));
    assert_true(has_advice("a list ends its members: end it after the last use of the tensor"));
    aclrtContext before, context;
    aclrtStream stream;
    assert_int_equal(aclrtGetCurrentContext(&before), ACL_SUCCESS);
    assert_int_equal(aclrtCreateContext(&context, 0), ACL_SUCCESS);
    assert_int_equal(aclrtCreateStream(&stream), ACL_SUCCESS);
    assert_int_equal(aclrtDestroyContext(context), ACL_SUCCESS);
    assert_int_equal(aclrtSetCurrentContext(before), ACL_SUCCESS);
    aclGetRecentErrMsg();
    assert_int_equal(aclrtDestroyStream(stream), 107003);
    assert_true(has_advice("a context ends its streams: destroy the stream before the context"));
    assert_int_equal(aclrtSynchronizeStream(stream), 107003);
    assert_true(has_advice("a context ends its streams: destroy it after the last use of the stream"));
}

static void advises_by_the_reset(void **state)
{
    (void)state;
    for (int k = 0; k < 2; k++) {
        aclrtStream stream;
        assert_int_equal(aclrtCreateStream(&stream), ACL_SUCCESS);
        assert_int_equal(k == 0 ? aclrtResetDevice(0) : aclrtResetDeviceForce(0), ACL_SUCCESS);
        assert_int_equal(aclrtSetDevice(0), ACL_SUCCESS);
        aclGetRecentErrMsg();
        assert_int_equal(aclrtDestroyStream(stream), 107003);
        assert_true(has_advice("a device's reset ends its default context and the streams of that context: end them "));
    }
}

static void ends_a_member_once(void **state)
{
    (void)state;
    const aclTensor *twice[] = {values(NULL), NULL};
    twice[1] = twice[0];
    aclTensorList *list = aclCreateTensorList(twice, 2);
    aclGetRecentErrMsg();
    assert_int_equal(aclDestroyTensorList(list), 161002);
    assert_true(has_advice("a list ends its members: put the tensor into one list, and once"));
}

/* ---- Children --------------------------------------------------------------------------------- */

/* How many leaks a child is told at its end. */
static int count_in_child(bool makes_one)
{
    int status;
    const pid_t child = fork();
    if (child == 0) {
        const unsigned n_told = rg_check_count();
        if (makes_one)
            allocate(64);
        aclFinalize();
        _exit((int)(rg_check_count() - n_told));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    return WEXITSTATUS(status);
}

static void leaves_to_parents_what_is_theirs(void **state)
{
    (void)state;
    void *memory = allocate(64);
    assert_int_equal(aclInit(NULL), ACL_SUCCESS);
    assert_int_equal(count_in_child(false), 0);
    assert_int_equal(count_in_child(true), 1);
    assert_int_equal(aclrtFree(memory), ACL_SUCCESS);
    assert_int_equal(aclFinalize(), ACL_SUCCESS);
}

/* Every place that has left something is told, however many there are. */
#define TEN_PLACES(call) call call call call call call call call call call
static void tells_leaks_of_many_places(void **state)
{
    (void)state;
    enum { N_PLACES = 300 };
    static aclrtEvent events[N_PLACES];
    int n = 0;
    TEN_PLACES(
        TEN_PLACES(aclrtCreateEvent(&events[n++]); aclrtCreateEvent(&events[n++]); aclrtCreateEvent(&events[n++]);))
    assert_int_equal(n, N_PLACES);
    const unsigned n_told = rg_check_count();
    rg_leak_tell(&(const struct rg_function){.name = __func__});
    assert_int_equal(rg_check_count() - n_told, N_PLACES);
    while (n > 0)
        assert_int_equal(aclrtDestroyEvent(events[--n]), ACL_SUCCESS);
}

/* Of six dimensions with gaps: the elements whose numbers to base 3 have no digit 2. */
static aclTensor *describe_with_gaps(void *memory)
{
    static const int64_t shape[] = {2, 2, 2, 2, 2, 2}, stride[] = {243, 81, 27, 9, 3, 1}, storage = 729;
    return aclCreateTensor(shape, 6, ACL_FLOAT, stride, 0, ACL_FORMAT_ND, &storage, 1, memory);
}

static void watches_each_dimension(void **state)
{
    (void)state;
    float *memory = allocate(729 * sizeof(float));
    aclTensor *tensor = describe_with_gaps(memory);
    aclOpExecutor *executor = NULL;
    aclrtStream first, second;
    uint64_t size = 0;
    assert_int_equal(aclrtMemset(memory, 729 * sizeof(float), 0, 729 * sizeof(float)), ACL_SUCCESS);
    assert_int_equal(aclrtCreateStream(&first), ACL_SUCCESS);
    assert_int_equal(aclrtCreateStream(&second), ACL_SUCCESS);
    assert_int_equal(aclnnReluGetWorkspaceSize(tensor, tensor, &size, &executor), ACL_SUCCESS);
    assert_int_equal(aclnnRelu(NULL, size, executor, first), ACL_SUCCESS);
    (void)aclGetRecentErrMsg();
    assert_int_equal(aclrtMemsetAsync(memory + 242, 4, 0, 4, second), ACL_SUCCESS); /* 22222 */
    assert_null(aclGetRecentErrMsg());
    assert_int_equal(aclrtMemsetAsync(memory + 364, 4, 0, 4, second), ACL_SUCCESS); /* 111111 */
    assert_said("aclrtMemsetAsync", "aclnnRelu");
    assert_int_equal(aclrtSynchronizeDevice(), ACL_SUCCESS);
    assert_int_equal(aclrtDestroyStream(first), ACL_SUCCESS);
    assert_int_equal(aclrtDestroyStream(second), ACL_SUCCESS);
    assert_int_equal(aclDestroyTensor(tensor), ACL_SUCCESS);
    assert_int_equal(aclrtFree(memory), ACL_SUCCESS);
}

int main(void)
{
    unsetenv("REGRAD_CHECK");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(leaves_to_parents_what_is_theirs), /* while there are no threads */
        cmocka_unit_test(remembers_freed_memory),
        cmocka_unit_test(watches_each_dimension),
        cmocka_unit_test(remembers_the_last_of_many),
        cmocka_unit_test(forgets_what_is_allocated_anew),
        cmocka_unit_test(knows_handles),
        cmocka_unit_test(knows_handles_to_come),
        cmocka_unit_test(forgets_old_handles),
        cmocka_unit_test(names_default_streams_of_others),
        cmocka_unit_test(has_no_frames_of_its_own),
        cmocka_unit_test(lists_end_their_members),
        cmocka_unit_test(tells_leaks_once),
        cmocka_unit_test(tells_what_leaves_a_block),
        cmocka_unit_test(handles_what_fails),
        cmocka_unit_test(misses_what_was_not_made),
        cmocka_unit_test(blames_no_other_failure),
        cmocka_unit_test(misses_what_was_not_copied),
        cmocka_unit_test(misses_what_an_operator_reads),
        cmocka_unit_test(tells_other_contexts),
        cmocka_unit_test(lets_threads_ask),
        cmocka_unit_test(tells_who_may_not_unsubscribe),
        cmocka_unit_test(lists_have_live_members),
        cmocka_unit_test(advises_by_the_owner),
        cmocka_unit_test(advises_by_the_reset),
        cmocka_unit_test(ends_a_member_once),
        cmocka_unit_test(tells_ends_out_of_order),
        cmocka_unit_test(tells_leaks_of_many_places),
    };
    return aclrtSetDevice(0) != ACL_SUCCESS || cmocka_run_group_tests(tests, NULL, NULL) != 0;
}
