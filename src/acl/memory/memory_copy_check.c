/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/memory/memory_copy_check.h"

#include <stdio.h>

#include "acl/acl_rt.h"
#include "acl/context/ignored.h"
#include "acl/memory/memory_check.h"
#include "acl/store/addresses.h"
#include "acl/store/block_text.h"
#include "acl/tell/refuse.h"
#include "acl/tell/setting.h"
#include "base/plural.h"

/* One end of a copy. */
struct end {
    const char *argument;
    const void *address;
    size_t size;
    bool wants_device; /* says the kind */
    bool is_live;
    struct rg_memory_block block; /* if so */
};

static struct end look(const char *argument, const void *address, size_t size, bool wants_device)
{
    struct end end = {.argument = argument,
                      .address = address,
                      .size = size > INT64_MAX ? INT64_MAX : size, /* more than there can be, either way */
                      .wants_device = wants_device};
    end.is_live = rg_memory_find(address, &end.block);
    return end;
}

static bool is_on_device(const struct end *end)
{
    return end->is_live && end->block.place != RG_MEMORY_HOST;
}

static aclError fail(const struct rg_function *function, const struct end *end, const char *wanted)
{
    return rg_runtime_fail(ACL_ERROR_RT_PARAM_INVALID, function, "the %zu byte%s at %s = %p must be within %s",
                           end->size, rg_plural(end->size), end->argument, end->address, wanted);
}

static struct rg_memory_use use_of(const struct rg_function *function, const struct end *end)
{
    return (struct rg_memory_use){function, end->argument, "address", {end->address, 0, (int64_t)end->size}};
}

static aclError check_memory(const struct rg_function *function, const struct end *end, const char *wanted)
{
    const struct rg_memory_use use = use_of(function, end);
    return rg_memory_tell_use(&use) ? fail(function, end, wanted) : ACL_SUCCESS;
}

/* What an allocation has been rounded up by is there, but was not asked for. */
static aclError check_room(const struct rg_function *function, const struct end *end)
{
    const size_t before = end->is_live ? (size_t)((uintptr_t)end->address - (uintptr_t)end->block.base) : 0;
    const struct rg_memory_use use = use_of(function, end);
    if (!end->is_live && rg_addresses_hold(end->address)) /* nobody can touch it */
        return check_memory(function, end, "live device memory");
    if (!end->is_live || (end->size <= end->block.size && before <= end->block.size - end->size))
        return ACL_SUCCESS;
    if (end->size <= end->block.booked - before) {
        rg_memory_tell_rounded(&use, &end->block);
        return ACL_SUCCESS;
    }
    rg_memory_tell_use(&use);
    return fail(function, end, "the memory that is allocated there");
}

static const char *side(bool is_device)
{
    return is_device ? "device" : "host";
}

static void note_direction(const struct rg_function *function, const struct end *to, const struct end *from)
{
    struct rg_finding finding = {.kind = "copy-direction", .is_note = true, .function = function, .argument = "kind"};
    snprintf(finding.what, sizeof(finding.what),
             "the kind says from %s to %s, but %s = %p is %s memory and %s = %p is %s memory", side(from->wants_device),
             side(to->wants_device), from->argument, from->address, side(is_on_device(from)), to->argument, to->address,
             side(is_on_device(to)));
    snprintf(finding.instead, sizeof(finding.instead),
             "exchange the pointers, or pass the kind that describes the copy");
    rg_check_tell(&finding);
}

/* The host reads what an operator was not to write, and nobody else has written. */
static void note_left(const struct rg_function *function, const struct end *to, const struct end *from)
{
    const struct rg_memory_block *block = &from->block;
    if (!is_on_device(from) || is_on_device(to) || block->was_used || block->left == NULL)
        return;
    struct rg_finding finding = {
        .kind = "output-kept", .is_note = true, .function = function, .argument = from->argument};
    snprintf(finding.what, sizeof(finding.what),
             "%p is in the memory for %s, which the outputMask of %s did not ask for; nobody has written there",
             from->address, block->left, block->left_by.function->name);
    snprintf(finding.instead, sizeof(finding.instead),
             "ask for the result in outputMask, fill it before the call, or do not read it");
    rg_memory_add_block(&finding, block, false);
    rg_check_add(&finding, &block->left_by.place, "the same, left as it was by %s", block->left_by.function->name);
    rg_check_tell(&finding);
}

static aclError check_ends(const struct rg_function *function, const struct end *to, const struct end *from)
{
    aclError status = check_room(function, to);
    if (status == ACL_SUCCESS)
        status = check_room(function, from);
    if (status != ACL_SUCCESS)
        return status;
    if (is_on_device(to) == to->wants_device && is_on_device(from) == from->wants_device)
        return ACL_SUCCESS;
    const bool is_exchanged = is_on_device(to) || is_on_device(from);
    if (to->wants_device && !is_on_device(to) && (from->wants_device || !is_exchanged))
        return check_memory(function, to, "live device memory");
    if (from->wants_device && !is_on_device(from) && (to->wants_device || !is_exchanged))
        return check_memory(function, from, "live device memory");
    note_direction(function, to, from);
    return ACL_SUCCESS;
}

aclError rg_memory_check_copy(const struct rg_function *function, int kind, const void *dst, size_t dst_size,
                              const void *src, size_t src_size)
{
    if (rg_check_level() == RG_CHECK_OFF)
        return ACL_SUCCESS;
    const bool to_device = kind == ACL_MEMCPY_HOST_TO_DEVICE || kind == ACL_MEMCPY_DEVICE_TO_DEVICE ||
                           kind == ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE;
    const bool from_device = kind == ACL_MEMCPY_DEVICE_TO_HOST || kind == ACL_MEMCPY_DEVICE_TO_DEVICE;
    struct end target = look("dst", dst, dst_size, to_device);
    struct end source = look("src", src, src_size, from_device);
    if (kind == ACL_MEMCPY_DEFAULT) {
        target.wants_device = is_on_device(&target);
        source.wants_device = is_on_device(&source);
    }
    const aclError status = check_ends(function, &target, &source);
    if (status == ACL_SUCCESS) {
        note_left(function, &target, &source);
        if (is_on_device(&source))
            rg_ignored_read(function, source.argument, src);
        rg_memory_note_write(dst);
    }
    return status;
}

aclError rg_memory_check_fill(const struct rg_function *function, const char *argument, const void *address,
                              size_t size)
{
    if (rg_check_level() == RG_CHECK_OFF)
        return ACL_SUCCESS;
    const struct end end = look(argument, address, size, false);
    const aclError refused = end.is_live
                                 ? check_room(function, &end)
                                 : check_memory(function, &end, "live memory of aclrtMalloc or aclrtMallocHost");
    if (refused == ACL_SUCCESS)
        rg_memory_note_write(address);
    return refused;
}
