/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/life/leak.h"

#include <stdio.h>
#include <string.h>

#include "acl/context/current.h"
#include "acl/executor/executor.h"
#include "acl/handle/handle_check.h"
#include "acl/store/addresses.h"
#include "acl/store/block.h"
#include "acl/stream/stream_queue.h"
#include "acl/sys/fork.h"
#include "acl/tell/finding.h"
#include "acl/tell/message.h"
#include "acl/tell/setting.h"
#include "base/plural.h"

/* As many as findings are told of. */
enum { MOST_GROUPS = RG_CHECK_MOST_TOLD };

/* A sort of thing that may be left. */
struct sort {
    const char *finding; /* its kind */
    const char *noun;
    const char *end; /* what ends one */
    bool is_of_host; /* costs a device nothing */
};

static const struct sort sorts[] = {
    [RG_HANDLE_TENSOR] = {"leak-tensor", "tensor", "aclDestroyTensor", true},
    [RG_HANDLE_TENSOR_LIST] = {"leak-list", "list of tensors",
                               "aclDestroyTensorList, and leave its tensors to it, each to one list", true},
    [RG_HANDLE_SCALAR] = {"leak-scalar", "scalar", "aclDestroyScalar", true},
    [RG_HANDLE_SCALAR_LIST] = {"leak-list", "list of scalars",
                               "aclDestroyScalarList, and leave its scalars to it, each to one list", true},
    [RG_HANDLE_INT_ARRAY] = {"leak-array", "array of integers", "aclDestroyIntArray", true},
    [RG_HANDLE_FLOAT_ARRAY] = {"leak-array", "array of floats", "aclDestroyFloatArray", true},
    [RG_HANDLE_BOOL_ARRAY] = {"leak-array", "array of booleans", "aclDestroyBoolArray", true},
    [RG_HANDLE_EXECUTOR] = {"leak-executor", "repeatable executor", "aclDestroyAclOpExecutor", false},
    [RG_HANDLE_DATA_BUFFER] = {"leak-data-buffer", "data buffer", "aclDestroyDataBuffer", true},
    [RG_HANDLE_STREAM] = {"leak-stream", "stream", "aclrtDestroyStream", false},
    [RG_HANDLE_EVENT] = {"leak-event", "event", "aclrtDestroyEvent", false},
    [RG_HANDLE_CONTEXT] = {"leak-context", "context", "aclrtDestroyContext, which ends its streams too", false},
    [RG_HANDLE_PHYSICAL] = {"leak-physical-memory", "block of physical memory",
                            "aclrtFreePhysical, once it is mapped nowhere", false},
};
static const struct sort unused_executor = {"executor-unused", "executor that has never run",
                                            "phase 2, or with aclDestroyAclOpExecutor", false};
static const struct sort memory_sorts[] = {
    [RG_MEMORY_DEVICE] = {"leak-device-memory", "block of device memory", "aclrtFree", false},
    [RG_MEMORY_HOST] = {"leak-host-memory", "block of host memory", "aclrtFreeHost", false},
    [RG_MEMORY_MAPPED] = {"leak-physical-memory", "mapping of physical memory", "aclrtUnmapMem", false},
};
static const struct sort reserved = {"leak-physical-memory", "range of reserved addresses",
                                     "aclrtReleaseMemAddress, once nothing is mapped there", false};

/* ---- Finding them ----------------------------------------------------------------------------- */

/* Things of a sort that were created at one place. */
struct group {
    const struct sort *sort;
    struct rg_origin created;
    const void *first;
    size_t n;
    size_t n_bytes; /* of memory */
};

struct groups {
    bool with_host;
    int n;
    struct group list[MOST_GROUPS];
};

static bool is_same(const struct rg_origin *a, const struct rg_origin *b)
{
    return a->function == b->function && memcmp(&a->place, &b->place, sizeof(a->place)) == 0;
}

static void add(struct groups *groups, const struct sort *sort, const struct rg_origin *created, const void *one,
                size_t n_bytes)
{
    int k = 0;
    while (k < groups->n && (groups->list[k].sort != sort || !is_same(&groups->list[k].created, created)))
        k++;
    if (k == MOST_GROUPS)
        return;
    struct group *group = &groups->list[k];
    if (k == groups->n) {
        groups->n++;
        *group = (struct group){.sort = sort, .created = *created, .first = one};
    }
    group->n++;
    group->n_bytes += n_bytes;
}

/* Default contexts, and default streams of all, are not the client's. What ends with an owner is told with that. */
static bool is_of_client(enum rg_handle_kind kind, const void *object)
{
    if (kind == RG_HANDLE_STREAM)
        return !((const struct rg_stream *)object)->traits.is_default;
    return kind != RG_HANDLE_CONTEXT || !((const struct rg_context *)object)->traits.is_default;
}

static bool visit_handle(const struct rg_handle_life *life, const void *object, void *argument)
{
    struct groups *groups = argument;
    const struct sort *sort = &sorts[life->kind];
    if (life->kind == RG_HANDLE_EXECUTOR && !rg_executor_has_run(object))
        sort = &unused_executor;
    if (life->is_owned || !is_of_client(life->kind, object) || (sort->is_of_host && !groups->with_host))
        return false;
    add(groups, sort, &life->created, life->handle, 0);
    return true;
}

static bool visit_memory(const struct rg_memory_block *block, void *argument)
{
    add(argument, &memory_sorts[block->place], &block->allocated, block->base, block->size);
    return true;
}

static bool visit_addresses(const struct rg_origin *origin, const void *base, size_t size, void *argument)
{
    add(argument, &reserved, origin, base, size);
    return true;
}

/* ---- Telling ---------------------------------------------------------------------------------- */

static void tell(const struct group *group, const struct rg_function *function)
{
    static const struct rg_function exit = {.name = "exit"};
    const struct sort *sort = group->sort;
    const char *space = strchr(sort->noun, ' ');
    const int length = (int)(space != NULL ? (size_t)(space - sort->noun) : strlen(sort->noun));
    struct rg_finding finding = {.kind = sort->finding,
                                 .function = function != NULL ? function : &exit,
                                 .is_at_exit = function == NULL,
                                 .once_for = rg_place_mark(&group->created.place)};
    if (group->n == 1)
        snprintf(finding.what, sizeof(finding.what), "1 %s is left", sort->noun);
    else
        snprintf(finding.what, sizeof(finding.what), "%zu %.*ss%s are left", group->n, length, sort->noun,
                 sort->noun + length);
    const size_t end = strlen(finding.what);
    if (group->n_bytes > 0)
        snprintf(finding.what + end, sizeof(finding.what) - end, ", of %zu byte%s", group->n_bytes,
                 rg_plural(group->n_bytes));
    snprintf(finding.instead, sizeof(finding.instead), "end each with %s", sort->end);
    rg_check_add(&finding, &group->created.place, "%s %p, created by %s", group->n == 1 ? "it is" : "the first is",
                 group->first, group->created.function->name);
    rg_check_tell(&finding);
}

static struct rg_lock lock = {PTHREAD_MUTEX_INITIALIZER, RG_RANK_LEAK};

void rg_leak_tell(const struct rg_function *function)
{
    static struct groups groups; /* no allocation: there may be no memory left */
    if (rg_check_level() == RG_CHECK_OFF)
        return;
    rg_lock(&lock);
    groups.n = 0;
    groups.with_host = rg_check_level() >= RG_CHECK_ALL;
    rg_handle_visit(visit_handle, &groups);
    rg_memory_visit(visit_memory, &groups);
    rg_addresses_visit(visit_addresses, &groups);
    for (int k = 0; k < groups.n; k++)
        tell(&groups.list[k], function);
    rg_unlock(&lock);
}

static bool forget_handle(const struct rg_handle_life *life, const void *object, void *argument)
{
    (void)life, (void)object, (void)argument;
    return true;
}

static bool forget_memory(const struct rg_memory_block *block, void *argument)
{
    (void)block, (void)argument;
    return true;
}

/* A child has what its parent has made, and need not end it: none of that is told any more. */
static void forget(void)
{
    rg_handle_visit(forget_handle, NULL);
    rg_memory_visit(forget_memory, NULL);
}

/* Who tells asks the loader about frames, and waits for it while another thread loads a library, whose constructors may
 * fork. */
RG_EARLY static void watch_forks(void)
{
    static struct rg_fork forks = {.lock = &lock, .is_left = true, .in_child = forget};
    rg_fork_watch(&forks);
}

/* A program that was refused something may have left everything where it stood. */
static bool may_have_given_up(void)
{
    return rg_check_count_refused() > 0 || (rg_check_count() > 0 && rg_acl_has_failed());
}

/* Children have what their parents have. */
__attribute__((destructor)) static void tell_at_exit(void)
{
    if (rg_check_level() >= RG_CHECK_ALL && !may_have_given_up() && !rg_check_is_in_child())
        rg_leak_tell(NULL);
}
