/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random programs against the runtime: each byte string is a sequence of calls on live, dead, foreign and NULL streams,
 * events, contexts, devices and memory, with operators on repeatable executors, callbacks and host functions, and
 * memory that is freed while work that uses it is queued; physical memory is mapped at reserved addresses, unmapped,
 * exported and imported, in any order. With an odd first byte two threads share it. Nothing may
 * crash or hang, and every refusal must leave a message.
 *
 * Memory that streams work on belongs to one stream each, so that the programs have no races of their own. What could
 * wait for ever is asked with a timeout, or after all subscriptions have ended, which lets go what waits for callbacks.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d_backward.h"

enum { N_HANDLES = 4, N_THREADS = 2, NBYTES = 1024, MAX_CALLS = 60, PIECE = 2 << 20 };

/* A stream and what its work touches. */
struct lane {
    aclrtStream stream;
    unsigned char *memory; /* of the device */
    unsigned char host[NBYTES];
    aclTensor *grad, *out;
    aclOpExecutor *executor;
    void *workspace;
    uint64_t workspace_size;
};

/* What one thread does. Handles stay here after their end, so that later calls use them dead. */
struct program {
    const uint8_t *data;
    size_t size;
    struct lane lane[N_HANDLES];
    aclrtEvent event[N_HANDLES];
    aclrtContext context[N_HANDLES];
    char *reserved[N_HANDLES]; /* four pieces each */
    bool is_released[N_HANDLES];
    char *mapped[MAX_CALLS]; /* at one time or another */
    int n_mapped;
    aclrtDrvMemHandle physical[N_HANDLES];
    uint64_t exported;
    void *freed;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what the threads show each other */
static aclrtStream shown_stream;
static aclrtEvent shown_event;
static atomic_int n_called;

static uint8_t take(struct program *program)
{
    if (program->size == 0)
        return 0;
    program->size--;
    return *program->data++;
}

static int take_below(struct program *program, int n)
{
    return take(program) % n;
}

/* A failure that says nothing is a failure of ours. */
static void expect_message(int status)
{
    const char *message = aclGetRecentErrMsg();
    if (status != 0 && (message == NULL || *message == '\0')) {
        fprintf(stderr, "status %d without a message\n", status);
        abort();
    }
}

static void *foreign(void)
{
    static char nothing[64];
    return nothing;
}

static aclrtStream any_stream(struct program *program)
{
    const int k = take_below(program, N_HANDLES + 4);
    if (k < N_HANDLES)
        return program->lane[k].stream;
    pthread_mutex_lock(&lock);
    void *const others[] = {NULL, foreign(), program->event[0], shown_stream};
    pthread_mutex_unlock(&lock);
    return others[k - N_HANDLES];
}

static aclrtEvent any_event(struct program *program)
{
    const int k = take_below(program, N_HANDLES + 4);
    if (k < N_HANDLES)
        return program->event[k];
    pthread_mutex_lock(&lock);
    void *const others[] = {NULL, foreign(), program->lane[0].stream, shown_event};
    pthread_mutex_unlock(&lock);
    return others[k - N_HANDLES];
}

static void show(aclrtStream stream, aclrtEvent event)
{
    pthread_mutex_lock(&lock);
    shown_stream = stream != NULL ? stream : shown_stream;
    shown_event = event != NULL ? event : shown_event;
    pthread_mutex_unlock(&lock);
}

static int32_t take_timeout(struct program *program)
{
    static const int32_t timeout[] = {0, -2, 1, 2, 3};
    return timeout[take_below(program, 5)];
}

/* ---- Work of a stream ------------------------------------------------------------------------- */

/* Not for default streams, of which each context has another. */
static void allocate(struct lane *lane)
{
    if (lane->stream != NULL && lane->memory == NULL &&
        aclrtMalloc((void **)&lane->memory, NBYTES, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        (void)aclGetRecentErrMsg(); /* no context is current */
}

static void move_memory(struct program *program)
{
    struct lane *lane = &program->lane[take_below(program, N_HANDLES)];
    const size_t count = (size_t)take(program) * 5;
    allocate(lane);
    if (lane->memory == NULL)
        return;
    switch (take_below(program, 5)) {
    case 0:
        expect_message(aclrtMemsetAsync(lane->memory, NBYTES, 1, count, lane->stream));
        break;
    case 4:
        expect_message(aclrtMemsetD32Async(lane->memory, NBYTES, 1, count, lane->stream));
        break;
    case 1:
        expect_message(
            aclrtMemcpyAsync(lane->memory, NBYTES, lane->host, count, ACL_MEMCPY_HOST_TO_DEVICE, lane->stream));
        break;
    case 2:
        if (count <= NBYTES) /* there is no telling how large host memory is */
            expect_message(
                aclrtMemcpyAsync(lane->host, NBYTES, lane->memory, count, ACL_MEMCPY_DEVICE_TO_HOST, lane->stream));
        break;
    default:
        expect_message(aclrtMemcpy2dAsync(lane->memory, 32, lane->memory + NBYTES / 2, 32, count % 40, 16,
                                          ACL_MEMCPY_DEVICE_TO_DEVICE, lane->stream));
    }
}

static void end_executor(struct lane *lane)
{
    aclDestroyAclOpExecutor(lane->executor);
    aclDestroyTensor(lane->grad);
    aclDestroyTensor(lane->out);
    if (lane->workspace != NULL && aclrtFree(lane->workspace) != 0)
        abort();
    lane->workspace = NULL;
    lane->executor = NULL;
    (void)aclGetRecentErrMsg();
}

/* Often while work that uses it is queued. */
static void free_memory(struct program *program)
{
    struct lane *lane = &program->lane[take_below(program, N_HANDLES)];
    if (lane->memory != NULL) {
        end_executor(lane);
        program->freed = lane->memory;
        lane->memory = NULL;
        expect_message(aclrtFree(program->freed));
    } else {
        /* Perhaps somebody else's by now. */
        expect_message(aclrtFree(foreign()));
    }
    aclrtPtrAttributes attributes;
    expect_message(aclrtPointerGetAttributes(program->freed, &attributes));
    void *base;
    size_t size;
    expect_message(aclrtMemGetAddressRange(program->freed, &base, &size));
}

static void make_executor(struct program *program)
{
    struct lane *lane = &program->lane[take_below(program, N_HANDLES)];
    const int64_t grad[] = {1, 1, 4, 4}, out[] = {1, 1, 2, 2};
    allocate(lane);
    if (lane->memory == NULL)
        return;
    end_executor(lane);
    lane->grad = aclCreateTensor(grad, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, grad, 4, lane->memory);
    lane->out = aclCreateTensor(out, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, out, 4, lane->memory + NBYTES / 2);
    aclIntArray *output_size = aclCreateIntArray(grad + 2, 2), *input_size = aclCreateIntArray(out, 4);
    expect_message(aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(
        lane->grad, output_size, input_size, 0, 0, lane->out, &lane->workspace_size, &lane->executor));
    aclDestroyIntArray(output_size);
    aclDestroyIntArray(input_size);
    if (take_below(program, 4) != 0)
        expect_message(aclSetAclOpExecutorRepeatable(lane->executor));
    if (lane->workspace_size > 0 && aclrtMalloc(&lane->workspace, lane->workspace_size, ACL_MEM_MALLOC_HUGE_FIRST) != 0)
        (void)aclGetRecentErrMsg();
}

static void run_executor(struct program *program)
{
    struct lane *lane = &program->lane[take_below(program, N_HANDLES)];
    const int n_runs = take_below(program, 4);
    /* From inside of the memory, perhaps past its end. */
    if (take_below(program, 2) == 0 && lane->memory != NULL)
        expect_message(aclSetOutputTensorAddr(lane->executor, 0, lane->out, lane->memory + 4 * take(program)));
    for (int run = 0; run < n_runs; run++)
        expect_message(
            aclnnUpsampleNearestExact2dBackward(lane->workspace, lane->workspace_size, lane->executor, lane->stream));
}

/* ---- Physical memory -------------------------------------------------------------------------- */

/* Mostly what is right: four pieces, or what another number says. */
static size_t any_size(struct program *program)
{
    const int k = take(program);
    return k % 8 != 7 ? (size_t)(k % 5) * PIECE : (size_t)k << (k % 60);
}

/* A place in reserved addresses, whether or not they are reserved still, or somewhere else. */
static char *any_place(struct program *program)
{
    const int k = take(program);
    char *base = program->reserved[k % N_HANDLES];
    if (base == NULL && aclrtReserveMemAddress((void **)&base, (size_t)4 * PIECE, 0, NULL, 0) == 0) {
        program->reserved[k % N_HANDLES] = base;
        program->is_released[k % N_HANDLES] = false;
    }
    if (k >= 240 || base == NULL)
        return k % 2 == 0 ? NULL : (char *)program->lane[0].memory;
    return base + (k / 16 % 5) * PIECE + (k % 16 == 15);
}

static aclrtDrvMemHandle any_physical(struct program *program)
{
    const int k = take_below(program, N_HANDLES + 3);
    void *const others[] = {NULL, foreign(), program->event[0]};
    if (k >= N_HANDLES)
        return others[k - N_HANDLES];
    const aclrtPhysicalMemProp prop = {.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
    if (program->physical[k] == NULL && aclrtMallocPhysical(&program->physical[k], PIECE, &prop, 0) != 0)
        (void)aclGetRecentErrMsg(); /* the device is full */
    return program->physical[k];
}

static void reserve(struct program *program)
{
    const int k = take_below(program, N_HANDLES), option = take(program);
    void *const wanted = option % 32 > 16 ? any_place(program) : NULL;
    void *base = program->reserved[k];
    const aclError released = aclrtReleaseMemAddress(base);
    expect_message(released);
    program->is_released[k] = program->is_released[k] || base == NULL || released == 0;
    if (!program->is_released[k] || option % 4 == 0)
        return; /* where memory is mapped they must not be lost */
    const size_t size = option % 8 < 6 ? (size_t)4 * PIECE : any_size(program);
    const size_t alignment = option % 16 == 9 ? any_size(program) : 0;
    const aclError status = aclrtReserveMemAddress(&base, size, alignment, wanted, option == 255);
    expect_message(status);
    program->reserved[k] = base;
    program->is_released[k] = status != 0;
}

/* False where it is mapped, and must not be lost. */
static bool free_physical(aclrtDrvMemHandle handle)
{
    const aclError status = aclrtFreePhysical(handle);
    expect_message(status);
    return status != ACL_ERROR_RT_PARAM_INVALID;
}

static void make_physical(struct program *program)
{
    aclrtDrvMemHandle *handle = &program->physical[take_below(program, N_HANDLES)];
    const int option = take(program);
    aclrtPhysicalMemProp prop = {.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
    if (!free_physical(*handle))
        return;
    if (option % 4 == 3)
        prop.location.id = (uint32_t)option / 4 % 4;
    if (option % 16 == 1)
        prop.memAttr = (aclrtMemAttr)(option / 16 * 3 - 1);
    if (option % 16 == 2)
        prop.location.type = (aclrtMemLocationType)(option / 16 - 1);
    if (option % 16 == 4)
        prop.handleType = (aclrtMemHandleType)(option / 16 - 1);
    size_t granularity;
    expect_message(aclrtMemGetAllocationGranularity(&prop, (aclrtMemGranularityOptions)(option % 3), &granularity));
    expect_message(aclrtMallocPhysical(handle, option % 8 == 0 ? any_size(program) : PIECE, &prop, option == 100));
}

static const struct lane *lane_of(const struct program *program, const char *place)
{
    int k = 0;
    while (k < N_HANDLES - 1 && (uintptr_t)place - (uintptr_t)program->reserved[k] >= (size_t)4 * PIECE)
        k++;
    return &program->lane[k];
}

static void set_access(char *place, int option)
{
    const aclrtMemLocation here = {0, ACL_MEM_LOCATION_TYPE_DEVICE};
    aclrtMemAccessDesc access[] = {{(aclrtMemAccessFlags)(option % 5), here, {0}},
                                   {ACL_RT_MEM_ACCESS_FLAGS_READWRITE, here, {0}}};
    if (option % 16 == 6)
        access[0].location = (aclrtMemLocation){(uint32_t)option / 16 % 4, (aclrtMemLocationType)(option / 64)};
    expect_message(
        aclrtMemSetAccess(place, (size_t)(option % 7 == 0 ? option : option % 3) * PIECE, access, (size_t)option % 3));
}

/* Maps, and lets a stream work there, which each range has one of; what is mapped may go meanwhile. */
static void map_physical(struct program *program)
{
    char *place = any_place(program);
    const int option = take(program);
    const size_t offset = option % 8 == 0 ? any_size(program) : 0;
    const aclError status =
        aclrtMapMem(place, option % 4 == 0 ? any_size(program) : PIECE, offset, any_physical(program), option == 99);
    expect_message(status);
    if (status == 0)
        program->mapped[program->n_mapped++] = place;
    set_access(place, option);
    aclrtPtrAttributes attributes;
    if (place != NULL)
        expect_message(aclrtPointerGetAttributes(place, &attributes));
    const struct lane *lane = lane_of(program, place);
    if (status == 0 && lane->stream != NULL)
        expect_message(aclrtMemsetAsync(place, PIECE, option, (size_t)option * 16, lane->stream));
}

static void unmap_physical(struct program *program)
{
    char *place = any_place(program);
    if (take_below(program, 16) != 15 || place == (char *)program->lane[0].memory)
        expect_message(aclrtUnmapMem(place));
    else
        expect_message(aclrtFree(place));
}

static void share_physical(struct program *program)
{
    aclrtDrvMemHandle *handle = &program->physical[take_below(program, N_HANDLES)];
    const int option = take(program);
    int32_t pids[] = {1, option - 8};
    expect_message(aclrtMemExportToShareableHandle(
        any_physical(program), (aclrtMemHandleType)(option % 16 == 5 ? 2 : 0), option == 98, &program->exported));
    const uint64_t flipped = option % 4 == 0 ? (uint64_t)1 << take_below(program, 64) : 0;
    expect_message(aclrtMemSetPidToShareableHandle(program->exported ^ flipped, pids, (size_t)option % 3));
    if (free_physical(*handle))
        expect_message(aclrtMemImportFromShareableHandle(program->exported ^ flipped, option % 3, handle));
}

/* When both threads have ended: they may have mapped memory in each other's addresses. */
static void end_physical(struct program programs[N_THREADS])
{
    for (int t = 0; t < N_THREADS; t++)
        for (int k = 0; k < programs[t].n_mapped; k++)
            aclrtUnmapMem(programs[t].mapped[k]);
    for (int k = 0; k < N_THREADS * N_HANDLES; k++) {
        aclrtReleaseMemAddress(programs[k / N_HANDLES].reserved[k % N_HANDLES]);
        aclrtFreePhysical(programs[k / N_HANDLES].physical[k % N_HANDLES]);
    }
}

/* ---- Streams ---------------------------------------------------------------------------------- */

static void call_back(void *argument)
{
    (void)argument;
    atomic_fetch_add(&n_called, 1);
}

static void launch(struct program *program)
{
    const uint64_t self = (uint64_t)pthread_self();
    aclrtStream stream = program->lane[take_below(program, N_HANDLES)].stream;
    if (stream == NULL)
        return; /* the default stream of some context: see let_go */
    if (take_below(program, 2) == 0)
        expect_message(aclrtSubscribeReport(self, stream));
    expect_message(aclrtLaunchCallback(call_back, NULL, (aclrtCallbackBlockType)take_below(program, 3), stream));
    expect_message(aclrtLaunchHostFunc(any_stream(program), call_back, NULL));
    if (take_below(program, 2) == 0)
        expect_message(aclrtProcessReport(take_timeout(program)));
}

/* Ends the subscriptions of the program's streams, and with them the wait for callbacks. */
static void let_go(struct program *program)
{
    for (int k = 0; k < N_HANDLES; k++)
        aclrtUnSubscribeReport((uint64_t)pthread_self(), program->lane[k].stream);
    (void)aclGetRecentErrMsg();
}

static void make_stream(struct program *program)
{
    struct lane *lane = &program->lane[take_below(program, N_HANDLES)];
    /* Not with a stream of the other thread before: it could wait for that thread's callbacks. */
    expect_message(aclrtDestroyStreamForce(lane->stream));
    const uint32_t flags = take_below(program, 4) == 0 ? take(program) : 0;
    expect_message(aclrtCreateStreamWithConfig(&lane->stream, take(program), flags));
    expect_message(aclrtSetStreamFailureMode(any_stream(program), (uint64_t)take_below(program, 3)));
    show(lane->stream, NULL);
}

static void ask_stream(struct program *program)
{
    aclrtStreamStatus status;
    int32_t id;
    aclrtStream stream = any_stream(program);
    expect_message(aclrtStreamQuery(stream, &status));
    expect_message(aclrtStreamGetId(stream, &id));
    expect_message(aclrtSynchronizeStreamWithTimeout(stream, take_timeout(program)));
    if (take_below(program, 8) == 0)
        expect_message(aclrtSynchronizeDeviceWithTimeout(take_timeout(program)));
}

/* ---- Events ----------------------------------------------------------------------------------- */

static void make_event(struct program *program)
{
    aclrtEvent *event = &program->event[take_below(program, N_HANDLES)];
    expect_message(aclrtDestroyEvent(*event));
    expect_message(aclrtCreateEventWithFlag(event, take_below(program, 4) == 0 ? take(program) : 0));
    show(NULL, *event);
}

static void use_event(struct program *program)
{
    expect_message(aclrtRecordEvent(any_event(program), any_stream(program)));
    expect_message(aclrtStreamWaitEvent(any_stream(program), any_event(program)));
    if (take_below(program, 4) == 0)
        expect_message(aclrtResetEvent(any_event(program), any_stream(program)));
}

static void ask_event(struct program *program)
{
    aclrtEventRecordedStatus recorded;
    aclrtEventWaitStatus waited;
    uint64_t timestamp;
    float ms;
    aclrtEvent event = any_event(program);
    expect_message(aclrtQueryEventStatus(event, &recorded));
    expect_message(aclrtQueryEventWaitStatus(event, &waited));
    expect_message(aclrtEventGetTimestamp(event, &timestamp));
    expect_message(aclrtEventElapsedTime(&ms, event, any_event(program)));
    expect_message(aclrtSynchronizeEventWithTimeout(event, take_timeout(program)));
}

/* ---- Contexts and devices --------------------------------------------------------------------- */

static void use_context(struct program *program)
{
    aclrtContext *context = &program->context[take_below(program, N_HANDLES)];
    aclrtContext current = NULL;
    switch (take_below(program, 5)) {
    case 0:
        expect_message(aclrtCreateContext(context, take_below(program, 4) - 1));
        break;
    case 1:
        expect_message(aclrtSetCurrentContext(take_below(program, 4) == 0 ? foreign() : *context));
        break;
    case 2:
        expect_message(aclrtGetCurrentContext(&current));
        break;
    case 3:
        let_go(program);
        expect_message(aclrtDestroyContext(*context));
        break;
    default:
        expect_message(aclrtSetDevice(take_below(program, 4) - 1));
    }
}

/* Options, and what is read only. */
static void use_parameters(struct program *program)
{
    int64_t value = 0;
    size_t n_free, total;
    int32_t device;
    const aclSysParamOpt option = (aclSysParamOpt)(take_below(program, 6) - 1);
    expect_message(aclrtSetSysParamOpt(option, take_below(program, 6) - 1));
    expect_message(aclrtCtxSetSysParamOpt(option, take_below(program, 6) - 1));
    expect_message(aclrtCtxGetSysParamOpt(option, &value));
    expect_message(aclrtGetMemInfo((aclrtMemAttr)take(program), &n_free, &total));
    expect_message(aclrtGetDevice(&device));
    expect_message(aclrtSetTsDevice((aclrtTsId)take_below(program, 4)));
    (void)aclrtPeekAtLastError((aclrtLastErrLevel)take_below(program, 2)); /* an answer, not a refusal */
}

/* ---- Programs --------------------------------------------------------------------------------- */

static void (*const call[])(struct program *) = {
    make_stream,  make_stream,  make_event,     make_executor,  run_executor, run_executor,
    move_memory,  move_memory,  free_memory,    launch,         use_event,    use_event,
    ask_event,    ask_stream,   use_context,    use_parameters, reserve,      make_physical,
    map_physical, map_physical, unmap_physical, share_physical,
};

static void finish(struct program *program)
{
    let_go(program);
    for (int k = 0; k < N_HANDLES; k++) {
        struct lane *lane = &program->lane[k];
        aclrtDestroyStreamForce(lane->stream);
        end_executor(lane);
        if (lane->memory != NULL)
            aclrtFree(lane->memory);
        aclrtDestroyEvent(program->event[k]);
        aclrtDestroyContext(program->context[k]);
    }
    (void)aclGetRecentErrMsg();
}

static void *run(void *argument)
{
    struct program *program = argument;
    expect_message(aclrtSetDevice(0));
    for (int k = 0; k < MAX_CALLS && program->size > 0; k++)
        call[take_below(program, sizeof(call) / sizeof(call[0]))](program);
    finish(program);
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static bool ready;
    if (!ready) {
        setenv("REGRAD_DEVICES", "2", 0);
        setenv("REGRAD_DEVICE_MEMORY", "12M", 0); /* so that physical memory runs out */
        if (aclInit(NULL) != 0)
            abort();
    }
    ready = true;
    if (size == 0)
        return 0;
    static struct program programs[N_THREADS];
    const int n_threads = *data % N_THREADS + 1;
    const size_t share = (size - 1) / (size_t)n_threads;
    pthread_t threads[N_THREADS];
    memset(programs, 0, sizeof(programs));
    shown_stream = shown_event = NULL;
    for (int k = 0; k < n_threads; k++) {
        programs[k].data = data + 1 + (size_t)k * share;
        programs[k].size = share;
        if (pthread_create(&threads[k], NULL, run, &programs[k]) != 0)
            abort();
    }
    for (int k = 0; k < n_threads; k++)
        pthread_join(threads[k], NULL);
    end_physical(programs);
    for (int32_t device = 0; device < 2; device++)
        aclrtResetDeviceForce(device);
    (void)aclGetRecentErrMsg();
    return 0;
}
