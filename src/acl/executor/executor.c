/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/executor/executor.h"

#include <stdlib.h>
#include <string.h>

#include "acl/context/ignored.h"
#include "acl/executor/executor_access.h"
#include "acl/executor/executor_tensors.h"
#include "acl/executor/executor_workspace.h"
#include "acl/handle/handle_check.h"
#include "acl/memory/mapping_access.h"
#include "acl/store/block.h"
#include "acl/stream/order.h"
#include "acl/stream/race.h"
#include "acl/stream/stream.h"
#include "acl/stream/submit.h"
#include "acl/sys/after.h"
#include "acl/sys/trace.h"
#include "acl/tell/message.h"
#include "acl/tell/setting.h"
#include "aclnn/opdev/op_errno.h"

/* ---- Life --------------------------------------------------------------------------------- */

static void destroy_executor(void *object)
{
    struct rg_executor *executor = object;
    rg_program_release(executor->program);
    pthread_mutex_destroy(&executor->lock.mutex);
    free(executor);
}

static struct rg_executor *allocate_executor(struct rg_program *program)
{
    struct rg_executor *executor = calloc(1, sizeof(*executor));
    if (executor == NULL)
        return NULL;
    executor->program = program;
    pthread_mutex_init(&executor->lock.mutex, NULL);
    executor->lock.rank = RG_RANK_EXECUTOR;
    for (int i = 0; i < program->n_operands; i++)
        executor->addresses[i] = program->operands[i].view.data;
    executor->is_replaced = !rg_program_has_addresses(program, executor->addresses);
    return executor;
}

aclnnStatus rg_executor_create(struct rg_program *program, const struct rg_origin *origin, aclOpExecutor **executor)
{
    struct rg_executor *object = allocate_executor(program);
    aclOpExecutor *handle =
        object != NULL ? rg_handle_create(RG_HANDLE_EXECUTOR, object, destroy_executor, origin) : NULL;
    if (handle == NULL) {
        const aclnnStatus status =
            rg_acl_fail(ACLNN_ERR_INNER_CREATE_EXECUTOR, program->function, "there is no memory for an executor");
        if (object != NULL)
            destroy_executor(object);
        else
            rg_program_release(program);
        return status;
    }
    *executor = handle;
    return ACLNN_SUCCESS;
}

struct rg_executor *rg_executor_acquire(const struct rg_function *function, const aclOpExecutor *handle)
{
    struct rg_executor *executor = rg_handle_acquire(RG_HANDLE_EXECUTOR, handle);
    if (executor != NULL)
        return executor;
    rg_acl_fail(ACLNN_ERR_INNER_NULLPTR, function, "executor is %p, must be one that is alive", (const void *)handle);
    if (!rg_ignored_miss(RG_HANDLE_EXECUTOR, handle))
        rg_handle_tell_dead(function, "executor", RG_HANDLE_EXECUTOR, handle);
    return NULL;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor)
{
    static const struct rg_function function = {.name = __func__};
    const struct rg_origin origin = rg_origin_here(&function);
    if (rg_handle_destroy(RG_HANDLE_EXECUTOR, executor, &origin))
        return ACLNN_SUCCESS;
    rg_handle_tell_ended(&function, "executor", RG_HANDLE_EXECUTOR, executor);
    return rg_acl_fail(ACLNN_ERR_INNER_NULLPTR, &function, "executor is %p, must be one that is alive",
                       (void *)executor);
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)
{
    static const struct rg_function function = {.name = __func__};
    struct rg_executor *object = rg_executor_acquire(&function, executor);
    if (object == NULL)
        return ACLNN_ERR_INNER_NULLPTR;
    rg_lock(&object->lock);
    object->is_repeatable = true;
    rg_unlock(&object->lock);
    rg_handle_release(RG_HANDLE_EXECUTOR, executor);
    return ACLNN_SUCCESS;
}

/* ---- Phase 2 ------------------------------------------------------------------------------ */

/* What is on a stream: addresses as they were when phase 2 was called. */
struct run {
    struct rg_program *program;
    void *addresses[RG_MAX_OPERANDS];
    void *workspace;
};

static aclError do_run(void *argument)
{
    const struct run *run = argument;
    const regrad_status status = rg_program_run(run->program, run->addresses, run->workspace);
    return status == REGRAD_OK ? ACL_SUCCESS : ACL_ERROR_RT_AICORE_EXCEPTION;
}

static void destroy_run(void *argument)
{
    struct run *run = argument;
    rg_program_release(run->program);
    free(run);
}

/* Checks all that can go wrong, in the order of the documentation. */
static aclnnStatus check_launch(const struct rg_function *function, const struct rg_executor *executor,
                                const void *workspace, uint64_t size, aclrtStream stream)
{
    const struct rg_program *program = executor->program;
    rg_lock_assert(&executor->lock);
    if (program->function->phase_2 != function->phase_2)
        return rg_acl_fail(ACLNN_ERR_INNER_NULLPTR, function,
                           "executor comes from %s, must come from %sGetWorkspaceSize", program->function->name,
                           function->name);
    aclnnStatus status = rg_program_check_workspace(function, program, executor->addresses, workspace, size);
    if (status == ACLNN_SUCCESS && executor->is_replaced)
        status = rg_program_check(function, program, executor->addresses);
    else if (status == ACLNN_SUCCESS && rg_check_level() != RG_CHECK_OFF)
        status = rg_program_check_memory(function, program, executor->addresses);
    if (status == ACLNN_SUCCESS)
        status = rg_program_check_tensors(function, program);
    return status != ACLNN_SUCCESS ? status : rg_stream_check(stream, function);
}

static struct run *create_run(const struct rg_executor *executor, void *workspace)
{
    struct run *run = malloc(sizeof(*run));
    if (run == NULL)
        return NULL;
    run->program = executor->program;
    atomic_fetch_add(&run->program->n_owners, 1);
    memcpy(run->addresses, executor->addresses, sizeof(run->addresses));
    run->workspace = workspace;
    return run;
}

/* Ends a normal executor, so that only one phase 2 can have it. */
static aclnnStatus consume(const struct rg_origin *origin, const struct rg_executor *executor, aclOpExecutor *handle)
{
    rg_lock_assert(&executor->lock);
    if (executor->is_repeatable || rg_handle_destroy(RG_HANDLE_EXECUTOR, handle, origin))
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_INNER_NULLPTR, origin->function,
                       "executor is %p, which another thread has just run or ended", (void *)handle);
}

/* For the check mode: what the run does not write, although it might. */
static void note_unwanted(const struct rg_origin *origin, const struct run *run)
{
    for (int i = 0; i < run->program->n_operands; i++)
        if (run->program->operands[i].is_unwanted)
            rg_memory_leave(run->addresses[i], run->program->operands[i].name, origin);
}

/* Takes the run over. */
static aclnnStatus submit(const struct rg_origin *origin, aclrtStream stream, struct run *run, struct rg_use *use)
{
    aclError status = ACL_SUCCESS;
    struct rg_stream *object = rg_stream_acquire(stream, origin->function, &status);
    if (object == NULL) {
        destroy_run(run);
        return status;
    }
    struct rg_access accesses[RG_MOST_ACCESSES];
    struct rg_work work = {
        .run = do_run, .destroy = destroy_run, .argument = run, .origin = *origin, .accesses = accesses, .use = use};
    if (rg_check_level() != RG_CHECK_OFF)
        work.n_accesses = rg_executor_accesses(run->program, run->addresses, run->workspace, accesses);
    if (rg_check_level() != RG_CHECK_OFF)
        note_unwanted(origin, run);
    rg_ignored_tell_expected(run->program->function, origin->function);
    if (rg_trace_is_on()) {
        work.bytes_read = rg_program_bytes(run->program, false);
        work.bytes_written = rg_program_bytes(run->program, true);
    }
    if (rg_mapping_tell_access(origin->function, accesses, work.n_accesses)) {
        destroy_run(run);
        status = rg_acl_fail(ACLNN_ERR_PARAM_INVALID, origin->function,
                             "the operands must be memory that the device may use");
    } else if (rg_order_check_device(origin->function, object, accesses, work.n_accesses)) {
        destroy_run(run);
        status = rg_acl_fail(ACLNN_ERR_PARAM_INVALID, origin->function,
                             "stream is %p, must be of the device that has the operands", (void *)stream);
    } else {
        status = rg_stream_push(object, origin->function, &work);
    }
    rg_stream_release(object);
    return status == ACL_ERROR_RT_STREAM_NOT_COMPLETE ? ACLNN_ERR_RUNTIME_ERROR : status;
}

bool rg_executor_has_run(const struct rg_executor *executor)
{
    return atomic_load(&executor->has_run);
}

aclnnStatus rg_executor_launch(struct rg_origin origin, void *workspace, uint64_t workspaceSize,
                               aclOpExecutor *executor, aclrtStream stream)
{
    const struct rg_function *const function = origin.function;
    aclnnStatus status = rg_object_check_pointer(function, "executor", executor);
    if (status != ACLNN_SUCCESS) {
        rg_ignored_miss(RG_HANDLE_EXECUTOR, executor);
        return status;
    }
    struct rg_executor *object = rg_executor_acquire(function, executor);
    if (object == NULL)
        return ACLNN_ERR_INNER_NULLPTR;

    struct run *run = NULL;
    struct rg_use use;
    rg_use_begin(&use);
    rg_lock(&object->lock);
    status = consume(&origin, object, executor);
    if (status == ACLNN_SUCCESS)
        status = check_launch(function, object, workspace, workspaceSize, stream);
    if (status == ACLNN_SUCCESS) {
        object->is_replaced = false;
        atomic_store(&object->has_run, true);
        run = create_run(object, workspace);
        if (run == NULL)
            status = rg_acl_fail(ACLNN_ERR_INNER, function, "there is no memory to queue the work");
    }
    rg_unlock(&object->lock);
    rg_handle_release(RG_HANDLE_EXECUTOR, executor);
    return rg_use_end(&use, run == NULL ? status : submit(&origin, stream, run, &use));
}
