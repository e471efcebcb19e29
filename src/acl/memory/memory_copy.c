/* SPDX-License-Identifier: Apache-2.0 */
#include <stdint.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "acl/context/ignored.h"
#include "acl/memory/mapping_access.h"
#include "acl/memory/memory_copy_check.h"
#include "acl/store/block.h"
#include "acl/store/isolate_arena.h"
#include "acl/store/registered.h"
#include "acl/stream/race.h"
#include "acl/stream/submit.h"
#include "acl/sys/after.h"
#include "acl/tell/refuse.h"

/* Rows to copy, or to fill with value. A plain copy is one row. */
struct transfer {
    const char *target_name; /* of the argument; a literal */
    char *target;
    const char *source; /* NULL: fill */
    size_t target_pitch;
    size_t source_pitch;
    size_t width;
    size_t height;
    uint32_t value; /* the low byte of it, */
    bool is_word;   /* or all four */
};

/* The address may be any. */
static void fill_words(char *target, uint32_t value, size_t size)
{
    for (size_t at = 0; at < size; at += sizeof(value))
        memcpy(target + at, &value, sizeof(value));
}

static void run(const struct transfer *transfer)
{
    char *first = rg_memory_touch(transfer->target);
    const char *source = rg_memory_touch(transfer->source);
    for (size_t row = 0; row < transfer->height; row++) {
        char *target = first + row * transfer->target_pitch;
        if (source != NULL)
            memmove(target, source + row * transfer->source_pitch, transfer->width);
        else if (transfer->is_word)
            fill_words(target, transfer->value, transfer->width);
        else
            memset(target, (int)transfer->value, transfer->width);
    }
}

static aclError run_work(void *argument)
{
    run(argument);
    return ACL_SUCCESS;
}

/* For the check mode: what it touches. */
static int list_accesses(const struct transfer *transfer, struct rg_access accesses[2])
{
    const bool is_copy = transfer->source != NULL;
    accesses[0] =
        (struct rg_access){RG_WRITES, transfer->target_name,
                           rg_bytes_rows(transfer->target, transfer->width, transfer->target_pitch, transfer->height)};
    if (is_copy)
        accesses[1] = (struct rg_access){
            RG_READS, "src",
            rg_bytes_rows(transfer->source, transfer->width, transfer->source_pitch, transfer->height)};
    return 1 + is_copy;
}

static bool is_ours(const void *address)
{
    struct rg_memory_block block;
    return address == NULL || rg_memory_find(address, &block) || rg_host_is_registered(address, 1);
}

static aclError fail_access(const struct rg_function *function)
{
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function,
                           "the addresses must be of memory that the device may use");
}

/* What the system may page out is copied before the function returns, as a device's driver does it. */
static aclError push(const struct rg_origin *origin, aclrtStream stream, struct transfer transfer, struct rg_use *use)
{
    const uint64_t bytes = transfer.width * transfer.height;
    struct rg_access accesses[2];
    const struct rg_work work = {.run = run_work,
                                 .argument = &transfer,
                                 .bytes_read = transfer.source != NULL ? bytes : 0,
                                 .bytes_written = bytes,
                                 .is_waited_for = !is_ours(transfer.target) || !is_ours(transfer.source),
                                 .origin = *origin,
                                 .accesses = accesses,
                                 .n_accesses = list_accesses(&transfer, accesses),
                                 .use = use};
    if (rg_mapping_tell_access(origin->function, accesses, work.n_accesses))
        return fail_access(origin->function);
    return rg_stream_push_copy(stream, origin->function, work, sizeof(transfer));
}

/* Does it at once. */
static aclError run_now(const struct rg_origin *origin, const struct transfer *transfer)
{
    struct rg_access accesses[2];
    const int n = list_accesses(transfer, accesses);
    if (rg_mapping_tell_access(origin->function, accesses, n))
        return fail_access(origin->function);
    if (rg_race_check_host(origin, accesses, n))
        return rg_runtime_fail(ACL_ERROR_RT_STREAM_NOT_COMPLETE, origin->function,
                               "a stream has work that touches the same memory, must be waited for first");
    run(transfer);
    return ACL_SUCCESS;
}

/* ---- Copies ----------------------------------------------------------------------------------- */

/* Refuses NULL, which may stand for memory that there was none of. */
static aclError check_pointer(const struct rg_function *function, const char *argument, const void *pointer)
{
    if (pointer != NULL)
        return ACL_SUCCESS;
    const aclError refused = rg_runtime_fail_null(function, argument);
    rg_ignored_miss(RG_MAKES_MEMORY, NULL);
    return refused;
}

static aclError check_pointers(const struct rg_function *function, const void *dst, const void *src)
{
    const aclError refused = check_pointer(function, "dst", dst);
    return refused != ACL_SUCCESS ? refused : check_pointer(function, "src", src);
}

static aclError fail_kind(const struct rg_function *function, aclrtMemcpyKind kind, const char *wanted)
{
    return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, function, "kind is %d, must be %s", (int)kind, wanted);
}

static aclError fail_room(const struct rg_function *function, size_t count, const char *room_name, size_t room)
{
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function, "count is %zu, must be at most %s, which is %zu",
                           count, room_name, room);
}

static aclError judge_copy(const struct rg_function *function, const void *dst, size_t room, const void *src,
                           size_t count, aclrtMemcpyKind kind)
{
    const aclError refused = check_pointers(function, dst, src);
    if (refused != ACL_SUCCESS)
        return refused;
    if ((int)kind < ACL_MEMCPY_HOST_TO_HOST || kind > ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE)
        return fail_kind(function, kind,
                         "one from ACL_MEMCPY_HOST_TO_HOST (0) to ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE (5)");
    if (count > room)
        return fail_room(function, count, "destMax", room);
    return rg_memory_check_copy(function, (int)kind, dst, count, src, count);
}

/* The checks of a copy of count > 0 bytes. */
static aclError check_copy(const struct rg_function *function, const void *dst, size_t room, const void *src,
                           size_t count, aclrtMemcpyKind kind)
{
    return rg_ignored_fill(dst, judge_copy(function, dst, room, src, count, kind));
}

aclError aclrtMemcpy(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    const struct transfer transfer = {.target_name = "dst", .target = dst, .source = src, .width = count, .height = 1};
    struct rg_use use;
    if (count == 0)
        return ACL_SUCCESS;
    rg_use_begin(&use);
    aclError status = check_copy(&function, dst, destMax, src, count, kind);
    if (status == ACL_SUCCESS && dst != src)
        status = run_now(&origin, &transfer);
    return rg_use_end(&use, status);
}

static bool is_on_device(const void *address)
{
    struct rg_memory_block block;
    return rg_memory_find(address, &block) && block.place != RG_MEMORY_HOST;
}

aclError aclrtMemcpyAsync(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
                          aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    const struct transfer transfer = {.target_name = "dst", .target = dst, .source = src, .width = count, .height = 1};
    struct rg_use use;
    if (count == 0)
        return ACL_SUCCESS;
    rg_use_begin(&use);
    aclError status = check_copy(&function, dst, destMax, src, count, kind);
    if (status == ACL_SUCCESS && !is_on_device(dst) && !is_on_device(src))
        status = rg_runtime_fail(ACL_ERROR_RT_FEATURE_NOT_SUPPORT, &function,
                                 "dst is %p and src is %p, one of them must be in live device memory", dst, src);
    if (status == ACL_SUCCESS)
        status = push(&origin, stream, transfer, &use);
    return rg_use_end(&use, status);
}

aclError aclrtMemcpyAsyncWithCondition(void *dst, size_t destMax, const void *src, size_t count, aclrtMemcpyKind kind,
                                       aclrtStream stream)
{
    return aclrtMemcpyAsync(dst, destMax, src, count, kind, stream);
}

/* Bytes from the first to the last; more than there can be where that overflows. */
static size_t reach(const struct transfer *transfer, size_t pitch)
{
    size_t bytes;
    if (__builtin_mul_overflow(transfer->height - 1, pitch, &bytes) ||
        __builtin_add_overflow(bytes, transfer->width, &bytes))
        return SIZE_MAX;
    return bytes;
}

/* The checks of a copy of rows that are not empty. */
static aclError check_rows(const struct rg_function *function, const struct transfer *transfer, aclrtMemcpyKind kind)
{
    const aclError refused = check_pointers(function, transfer->target, transfer->source);
    if (refused != ACL_SUCCESS)
        return refused;
    if (transfer->width > transfer->target_pitch)
        return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, function, "width is %zu, must be at most dpitch, which is %zu",
                               transfer->width, transfer->target_pitch);
    if (transfer->width > transfer->source_pitch)
        return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, function, "width is %zu, must be at most spitch, which is %zu",
                               transfer->width, transfer->source_pitch);
    if ((int)kind < ACL_MEMCPY_HOST_TO_DEVICE || kind > ACL_MEMCPY_DEFAULT)
        return fail_kind(function, kind, "one from ACL_MEMCPY_HOST_TO_DEVICE (1) to ACL_MEMCPY_DEFAULT (4)");
    return rg_memory_check_copy(function, (int)kind, transfer->target, reach(transfer, transfer->target_pitch),
                                transfer->source, reach(transfer, transfer->source_pitch));
}

aclError aclrtMemcpy2d(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                       aclrtMemcpyKind kind)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    const struct transfer transfer = {"dst", dst, src, dpitch, spitch, width, height, 0, false};
    struct rg_use use;
    if (width == 0 || height == 0)
        return ACL_SUCCESS;
    rg_use_begin(&use);
    const aclError refused = check_rows(&function, &transfer, kind);
    return rg_use_end(&use, refused != ACL_SUCCESS ? refused : run_now(&origin, &transfer));
}

aclError aclrtMemcpy2dAsync(void *dst, size_t dpitch, const void *src, size_t spitch, size_t width, size_t height,
                            aclrtMemcpyKind kind, aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    const struct transfer transfer = {"dst", dst, src, dpitch, spitch, width, height, 0, false};
    struct rg_use use;
    if (width == 0 || height == 0)
        return ACL_SUCCESS;
    rg_use_begin(&use);
    const aclError refused = check_rows(&function, &transfer, kind);
    return rg_use_end(&use, refused != ACL_SUCCESS ? refused : push(&origin, stream, transfer, &use));
}

/* ---- Filling ---------------------------------------------------------------------------------- */

static struct transfer bytes_to_fill(void *devPtr, int32_t value, size_t count)
{
    return (struct transfer){
        .target_name = "devPtr", .target = devPtr, .width = count, .height = 1, .value = (uint32_t)value};
}

static aclError check_fill(const struct rg_function *function, const struct transfer *fill, size_t room)
{
    aclError refused = check_pointer(function, fill->target_name, fill->target);
    if (refused == ACL_SUCCESS && fill->width > room)
        refused = fail_room(function, fill->width, "maxCount", room);
    if (refused == ACL_SUCCESS)
        refused = rg_memory_check_fill(function, fill->target_name, fill->target, fill->width);
    return rg_ignored_fill(fill->target, refused);
}

aclError aclrtMemset(void *devPtr, size_t maxCount, int32_t value, size_t count)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    const struct transfer fill = bytes_to_fill(devPtr, value, count);
    struct rg_use use;
    if (count == 0)
        return ACL_SUCCESS;
    rg_use_begin(&use);
    const aclError refused = check_fill(&function, &fill, maxCount);
    return rg_use_end(&use, refused != ACL_SUCCESS ? refused : run_now(&origin, &fill));
}

aclError aclrtMemsetAsync(void *devPtr, size_t maxCount, int32_t value, size_t count, aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    const struct transfer fill = bytes_to_fill(devPtr, value, count);
    struct rg_use use;
    if (count == 0)
        return ACL_SUCCESS;
    rg_use_begin(&use);
    const aclError refused = check_fill(&function, &fill, maxCount);
    return rg_use_end(&use, refused != ACL_SUCCESS ? refused : push(&origin, stream, fill, &use));
}

/* The same with words of four bytes. */
static aclError check_words(const struct rg_function *function, void *ptr, size_t room, uint32_t value, size_t n,
                            struct transfer *fill)
{
    if (ptr != NULL && n > room / sizeof(value))
        return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function,
                               "N is %zu, must be at most memSize / 4, which is %zu", n, room / sizeof(value));
    *fill = (struct transfer){
        .target_name = "ptr", .target = ptr, .width = n * sizeof(value), .height = 1, .value = value, .is_word = true};
    return check_fill(function, fill, SIZE_MAX);
}

aclError aclrtMemsetD32(void *ptr, size_t memSize, uint32_t value, size_t N)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    struct transfer fill;
    struct rg_use use;
    if (N == 0)
        return ACL_SUCCESS;
    rg_use_begin(&use);
    const aclError refused = check_words(&function, ptr, memSize, value, N, &fill);
    return rg_use_end(&use, refused != ACL_SUCCESS ? refused : run_now(&origin, &fill));
}

aclError aclrtMemsetD32Async(void *ptr, size_t memSize, uint32_t value, size_t N, aclrtStream stream)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    struct transfer fill;
    struct rg_use use;
    if (N == 0)
        return ACL_SUCCESS;
    rg_use_begin(&use);
    const aclError refused = check_words(&function, ptr, memSize, value, N, &fill);
    return rg_use_end(&use, refused != ACL_SUCCESS ? refused : push(&origin, stream, fill, &use));
}
