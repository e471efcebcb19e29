/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every allocation of the runtime in turn is refused: each call then returns 207001 with a message, has had
 * no effect, leaks nothing, and succeeds when it is made again.
 */
#include "refusal.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/handle/handle.h"
#include "acl/tell/setting.h"
#include "allocation.h"

enum { PIECE = 2 << 20 };

/* ---- Calls that allocate ---------------------------------------------------------------------- */

static aclrtStream stream;
static aclrtEvent event;
static void *memory, *reserved;
static aclrtDrvMemHandle physical;
static uint64_t exported;
static char bytes[16];
static char config_path[64];

static void do_nothing(void *argument)
{
    (void)argument;
}

static aclError set_device(void)
{
    return aclrtSetDevice(1);
}

static aclError reset_device(void)
{
    return aclrtResetDevice(1);
}

static aclError create_context(void)
{
    static aclrtContext context;
    aclrtContext old = NULL;
    aclrtGetCurrentContext(&old);
    const aclError status = aclrtCreateContext(&context, 0);
    if (status != ACL_SUCCESS)
        return status;
    return aclrtDestroyContext(context) == ACL_SUCCESS ? aclrtSetCurrentContext(old) : -1;
}

static aclError create_stream(void)
{
    aclrtStream created = NULL;
    const aclError status = aclrtCreateStream(&created);
    return status != ACL_SUCCESS ? status : aclrtDestroyStream(created);
}

static aclError create_event(void)
{
    aclrtEvent created = NULL;
    const aclError status = aclrtCreateEvent(&created);
    return status != ACL_SUCCESS ? status : aclrtDestroyEvent(created);
}

static aclError record_event(void)
{
    return aclrtRecordEvent(event, stream);
}

static aclError reset_event(void)
{
    return aclrtResetEvent(event, stream);
}

static aclError wait_event(void)
{
    return aclrtStreamWaitEvent(stream, event);
}

static aclError allocate(void)
{
    void *pointer = NULL;
    const aclError status = aclrtMalloc(&pointer, 100, ACL_MEM_MALLOC_HUGE_FIRST);
    return status != ACL_SUCCESS ? status : aclrtFree(pointer);
}

static aclError allocate_host(void)
{
    void *pointer = NULL;
    const aclError status = aclrtMallocHost(&pointer, 100);
    return status != ACL_SUCCESS ? status : aclrtFreeHost(pointer);
}

static aclError allocate_physical(void)
{
    const aclrtPhysicalMemProp prop = {.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
    aclrtDrvMemHandle handle = NULL;
    const aclError status = aclrtMallocPhysical(&handle, PIECE, &prop, 0);
    return status != ACL_SUCCESS ? status : aclrtFreePhysical(handle);
}

static aclError import(void)
{
    aclrtDrvMemHandle handle = NULL;
    const aclError status = aclrtMemImportFromShareableHandle(exported, 0, &handle);
    return status != ACL_SUCCESS ? status : aclrtFreePhysical(handle);
}

static aclError reserve(void)
{
    void *addresses = NULL;
    const aclError status = aclrtReserveMemAddress(&addresses, PIECE, 0, NULL, 0);
    return status != ACL_SUCCESS ? status : aclrtReleaseMemAddress(addresses);
}

static aclError map(void)
{
    const aclError status = aclrtMapMem(reserved, PIECE, 0, physical, 0);
    return status != ACL_SUCCESS ? status : aclrtUnmapMem(reserved);
}

/* Maps first, with what that allocates. */
static aclError map_with_access(void)
{
    aclrtMemAccessDesc access = {ACL_RT_MEM_ACCESS_FLAGS_READ, {0, ACL_MEM_LOCATION_TYPE_DEVICE}, {0}};
    aclError status = aclrtMapMem(reserved, PIECE, 0, physical, 0);
    if (status != ACL_SUCCESS)
        return status;
    status = aclrtMemSetAccess(reserved, PIECE, &access, 1);
    const aclError unmapped = aclrtUnmapMem(reserved);
    return status != ACL_SUCCESS ? status : unmapped;
}

static aclError copy(void)
{
    return aclrtMemcpyAsync(memory, 16, bytes, 16, ACL_MEMCPY_HOST_TO_DEVICE, stream);
}

static aclError copy_rows(void)
{
    return aclrtMemcpy2dAsync(memory, 8, bytes, 8, 4, 2, ACL_MEMCPY_HOST_TO_DEVICE, stream);
}

static aclError fill(void)
{
    return aclrtMemsetAsync(memory, 16, 1, 16, stream);
}

static aclError launch_host(void)
{
    return aclrtLaunchHostFunc(stream, do_nothing, NULL);
}

static aclError submit(void)
{
    return submit_work(stream, NULL, NULL, NULL);
}

static aclError subscribe(void)
{
    const uint64_t self = (uint64_t)pthread_self();
    const aclError status = aclrtSubscribeReport(self, stream);
    return status != ACL_SUCCESS ? status : aclrtUnSubscribeReport(self, stream);
}

static aclError launch(void)
{
    const aclError status = aclrtLaunchCallback(do_nothing, NULL, ACL_CALLBACK_BLOCK, NULL);
    return status != ACL_SUCCESS ? status : aclrtProcessReport(1000);
}

static aclError init(void)
{
    const aclError status = aclInit(config_path);
    return status != ACL_SUCCESS ? status : aclFinalize();
}

static aclError create_buffer(void)
{
    const aclDataBuffer *buffer = aclCreateDataBuffer(bytes, 16);
    return buffer == NULL ? aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL) : aclDestroyDataBuffer(buffer);
}

/* ---- The test --------------------------------------------------------------------------------- */

/* What they end later must not count. */
static void wait_for_workers(void)
{
    if (aclrtSynchronizeDevice() != ACL_SUCCESS)
        aclGetRecentErrMsg(); /* there is no device yet */
}

/* Refuses the call's allocations one after the other; the messages must have the name. Returns how many there are. */
static int refuse_each(const char *name, aclError (*call)(void))
{
    for (int n_refused = 0;; n_refused++) {
        wait_for_workers();
        const int64_t n_live = allocation_live();
        const size_t n_handles = rg_handle_count();
        allocation_refuse_after(n_refused);
        const aclError status = call();
        const bool was_refused = allocation_was_refused();
        allocation_refuse_after(-1);
        wait_for_workers();
        if (!was_refused) {
            assert_int_equal(status, ACL_SUCCESS);
            return n_refused;
        }
        assert_refused(status, ACL_ERROR_RT_MEMORY_ALLOCATION, name);
        assert_int_equal(allocation_live(), n_live);
        assert_int_equal(rg_handle_count(), n_handles);
        assert_true(n_refused < 20);
    }
}

static void test_each(void **state)
{
    (void)state;
    const struct {
        const char *name;
        aclError (*call)(void);
        int n_allocations; /* known to be needed, so that none goes by untried */
    } cases[] = {{"aclrtCreateContext", create_context, 3},
                 {"aclrtCreateStream", create_stream, 2},
                 {"aclrtCreateEvent", create_event, 1},
                 {"aclrtRecordEvent", record_event, 2},
                 {"aclrtResetEvent", reset_event, 2},
                 {"aclrtStreamWaitEvent", wait_event, 2},
                 {"aclrtMalloc", allocate, rg_check_isolates() ? 2 : 3},
                 {"aclrtMallocHost", allocate_host, 3},
                 {"aclrtMallocPhysical", allocate_physical, 1},
                 {"aclrtMemImportFromShareableHandle", import, 1},
                 {"aclrtReserveMemAddress", reserve, 1},
                 {"aclrtMapMem", map, 3},
                 {"aclrtM", map_with_access, 5}, /* of aclrtMapMem, and of aclrtMemSetAccess */
                 {"aclrtMemcpyAsync", copy, 2},
                 {"aclrtMemcpy2dAsync", copy_rows, 2},
                 {"aclrtMemsetAsync", fill, 2},
                 {"aclrtLaunchHostFunc", launch_host, 2},
                 {"submit_work", submit, 1},
                 {"aclrtSubscribeReport", subscribe, 1},
                 {"aclrtLaunchCallback", launch, 2},
                 {"aclCreateDataBuffer", create_buffer, 1}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const int n_allocations = refuse_each(cases[i].name, cases[i].call);
        if (n_allocations != cases[i].n_allocations)
            print_error("%s makes %d allocations, expected %d\n", cases[i].name, n_allocations, cases[i].n_allocations);
        assert_int_equal(n_allocations, cases[i].n_allocations);
    }
}

/* A device is set only in full. Its streams and contexts go again with its last reset. */
static void test_set_device(void **state)
{
    (void)state;
    const int64_t n_live = allocation_live();
    assert_int_equal(refuse_each("aclrtSetDevice", set_device), 3);
    assert_success(reset_device());
    assert_int_equal(allocation_live(), n_live);
    assert_success(aclrtSetDevice(0));
    assert_success(aclrtResetDevice(0));
}

/* The C library allocates for the file too; those are not ours. */
static void test_init(void **state)
{
    (void)state;
    assert_int_equal(refuse_each("aclInit", init), 1);
}

/* The table of handles is full, and must not grow: nothing that needs a handle can be made. */
static void refuse_all_handles(void)
{
    const aclError refused = ACL_ERROR_RT_MEMORY_ALLOCATION;
    aclrtContext context = NULL;
    aclrtEvent an_event = NULL;
    aclrtStream a_stream = NULL;
    const int64_t n_live = allocation_live();
    assert_refused(aclrtCreateEvent(&an_event), refused, "aclrtCreateEvent: the system has no memory left");
    assert_refused(aclrtCreateStream(&a_stream), refused, "aclrtCreateStream: the system has no memory left");
    assert_refused(aclrtCreateContext(&context, 0), refused, "aclrtCreateContext: the system has no memory left");
    assert_refused(aclrtSetDevice(1), refused, "aclrtSetDevice: the system has no memory left");
    assert_null(aclCreateDataBuffer(bytes, 16));
    assert_refused(refused, refused, "aclCreateDataBuffer: the system has no memory left");
    assert_int_equal(allocation_live(), n_live);
}

static void test_handles(void **state)
{
    (void)state;
    enum { N = 600 };
    static aclrtEvent events[N];
    int n_refused = 0;
    for (int i = 0; i < N; i++) {
        allocation_refuse_growth(true);
        aclError status = aclrtCreateEvent(&events[i]);
        if (status != ACL_SUCCESS) {
            assert_refused(status, ACL_ERROR_RT_MEMORY_ALLOCATION, "aclrtCreateEvent");
            refuse_all_handles();
            n_refused++;
            allocation_refuse_growth(false);
            status = aclrtCreateEvent(&events[i]);
        }
        assert_success(status);
    }
    allocation_refuse_growth(false);
    assert_true(n_refused >= 2);
    for (int i = 0; i < N; i++)
        assert_success(aclrtDestroyEvent(events[i]));
}

/* A recording that is refused leaves the event what it was. */
static void test_refused_recording(void **state)
{
    (void)state;
    for (int n_let_through = 0; n_let_through < 2; n_let_through++) {
        aclrtEvent fresh = NULL;
        aclrtEventRecordedStatus status = ACL_EVENT_RECORDED_STATUS_COMPLETE;
        aclrtEventWaitStatus waited = ACL_EVENT_WAIT_STATUS_NOT_READY;
        assert_success(aclrtCreateEvent(&fresh));
        allocation_refuse_after(n_let_through);
        assert_refused(aclrtRecordEvent(fresh, stream), ACL_ERROR_RT_MEMORY_ALLOCATION, "aclrtRecordEvent");
        assert_success(aclrtQueryEventStatus(fresh, &status));
        assert_int_equal(status, ACL_EVENT_RECORDED_STATUS_NOT_READY);
        allocation_refuse_after(n_let_through);
        assert_refused(aclrtStreamWaitEvent(stream, fresh), ACL_ERROR_RT_MEMORY_ALLOCATION, "aclrtStreamWaitEvent");
        assert_success(aclrtQueryEventWaitStatus(fresh, &waited));
        assert_int_equal(waited, ACL_EVENT_WAIT_STATUS_COMPLETE);
        assert_success(aclrtDestroyEvent(fresh));
    }
}

/* What cases map and import. */
static bool make_physical(void)
{
    const aclrtPhysicalMemProp prop = {.location = {0, ACL_MEM_LOCATION_TYPE_DEVICE}};
    return aclrtMallocPhysical(&physical, PIECE, &prop, 0) == ACL_SUCCESS &&
           aclrtReserveMemAddress(&reserved, PIECE, 0, NULL, 0) == ACL_SUCCESS &&
           aclrtMemExportToShareableHandle(physical, ACL_MEM_HANDLE_TYPE_NONE, 0, &exported) == ACL_SUCCESS;
}

static bool end_physical(void)
{
    return aclrtFreePhysical(physical) == ACL_SUCCESS && aclrtReleaseMemAddress(reserved) == ACL_SUCCESS;
}

static int set_up(void **state)
{
    (void)state;
    snprintf(config_path, sizeof(config_path), "/tmp/regrad-allocation-%ld.json", (long)getpid());
    FILE *file = fopen(config_path, "w");
    if (file == NULL || fputs("{\"a\": 1}", file) < 0 || fclose(file) != 0)
        return -1;
    return aclrtSetDevice(0) != ACL_SUCCESS || !make_physical() || aclrtCreateStream(&stream) != ACL_SUCCESS ||
           aclrtCreateEvent(&event) != ACL_SUCCESS ||
           aclrtMalloc(&memory, 16, ACL_MEM_MALLOC_HUGE_FIRST) != ACL_SUCCESS ||
           aclrtRecordEvent(event, stream) != ACL_SUCCESS ||
           aclrtSubscribeReport((uint64_t)pthread_self(), NULL) != ACL_SUCCESS;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(config_path);
    return aclrtSetDevice(0) != ACL_SUCCESS || !end_physical() || aclrtFree(memory) != ACL_SUCCESS ||
           aclrtDestroyEvent(event) != ACL_SUCCESS || aclrtDestroyStream(stream) != ACL_SUCCESS ||
           aclrtResetDeviceForce(0) != ACL_SUCCESS || allocation_live() != 1; /* the table of handles is kept */
}

int main(void)
{
    setenv("REGRAD_DEVICES", "2", 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each),    cmocka_unit_test(test_set_device),        cmocka_unit_test(test_init),
        cmocka_unit_test(test_handles), cmocka_unit_test(test_refused_recording),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
