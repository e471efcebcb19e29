#include "acl/executor.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "acl/message.h"
#include "acl/runtime.h"
#include "aclnn/opdev/op_errno.h"

/* ---- Life --------------------------------------------------------------------------------- */

static void destroy_executor(void *object)
{
    struct rg_executor *executor = object;
    rg_program_release(executor->program);
    pthread_mutex_destroy(&executor->lock);
    free(executor);
}

static struct rg_executor *allocate_executor(struct rg_program *program)
{
    struct rg_executor *executor = calloc(1, sizeof(*executor));
    if (executor == NULL)
        return NULL;
    executor->program = program;
    pthread_mutex_init(&executor->lock, NULL);
    for (int i = 0; i < program->n_operands; i++)
        executor->addresses[i] = program->operands[i].view.data;
    executor->is_replaced = !rg_program_has_addresses(program, executor->addresses);
    return executor;
}

aclnnStatus rg_executor_create(struct rg_program *program, aclOpExecutor **executor)
{
    struct rg_executor *object = allocate_executor(program);
    aclOpExecutor *handle = object != NULL ? rg_handle_create(RG_HANDLE_EXECUTOR, object, destroy_executor) : NULL;
    if (handle == NULL) {
        const aclnnStatus status =
            rg_acl_fail(ACLNN_ERR_INNER_CREATE_EXECUTOR, "%s: there is no memory for an executor", program->function);
        if (object != NULL)
            destroy_executor(object);
        else
            rg_program_release(program);
        return status;
    }
    *executor = handle;
    return ACLNN_SUCCESS;
}

struct rg_executor *rg_executor_acquire(const char *function, const aclOpExecutor *handle)
{
    struct rg_executor *executor = rg_handle_acquire(RG_HANDLE_EXECUTOR, handle);
    if (executor == NULL)
        rg_acl_fail(ACLNN_ERR_INNER_NULLPTR, "%s: executor is %p, must be one that is alive", function,
                    (const void *)handle);
    return executor;
}

aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor *executor)
{
    if (rg_handle_destroy(RG_HANDLE_EXECUTOR, executor))
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_INNER_NULLPTR, "%s: executor is %p, must be one that is alive", __func__,
                       (void *)executor);
}

aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor *executor)
{
    struct rg_executor *object = rg_executor_acquire(__func__, executor);
    if (object == NULL)
        return ACLNN_ERR_INNER_NULLPTR;
    pthread_mutex_lock(&object->lock);
    object->is_repeatable = true;
    pthread_mutex_unlock(&object->lock);
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

/* Phase 1 of X is XGetWorkspaceSize. */
static bool is_phase_1_of(const char *phase_1, const char *function)
{
    const size_t length = strlen(function);
    return strncmp(phase_1, function, length) == 0 && strcmp(phase_1 + length, "GetWorkspaceSize") == 0;
}

static aclnnStatus check_workspace(const char *function, const struct rg_program *program, const void *workspace,
                                   uint64_t size)
{
    const uint64_t needed = rg_program_workspace_size(program);
    if (workspace == NULL && (size > 0 || needed > 0))
        return rg_acl_fail(ACLNN_ERR_PARAM_NULLPTR,
                           "%s: workspace is NULL, must hold workspaceSize = %" PRIu64 " bytes, of which %" PRIu64
                           " are needed",
                           function, size, needed);
    if (size < needed)
        return rg_acl_fail(ACLNN_ERR_PARAM_INVALID, "%s: workspaceSize is %" PRIu64 ", must be at least %" PRIu64,
                           function, size, needed);
    const void *base;
    size_t allocated;
    if (needed == 0 || !rg_memory_range(workspace, &base, &allocated))
        return ACLNN_SUCCESS;
    const uint64_t left = allocated - (uint64_t)((uintptr_t)workspace - (uintptr_t)base);
    if (left >= needed)
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_PARAM_INVALID,
                       "%s: workspace has %" PRIu64 " bytes left in its allocation, must have at least %" PRIu64,
                       function, left, needed);
}

/* Checks all that can go wrong, in the order of the documentation. Needs the executor's lock. */
static aclnnStatus check_launch(const char *function, const struct rg_executor *executor, const void *workspace,
                                uint64_t size, aclrtStream stream)
{
    const struct rg_program *program = executor->program;
    if (!is_phase_1_of(program->function, function))
        return rg_acl_fail(ACLNN_ERR_INNER_NULLPTR, "%s: executor comes from %s, must come from %sGetWorkspaceSize",
                           function, program->function, function);
    aclnnStatus status = check_workspace(function, program, workspace, size);
    if (status == ACLNN_SUCCESS && executor->is_replaced)
        status = rg_program_check(function, program, executor->addresses);
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

/* Ends a normal executor, so that only one phase 2 can have it. Needs its lock. */
static aclnnStatus consume(const char *function, const struct rg_executor *executor, aclOpExecutor *handle)
{
    if (executor->is_repeatable || rg_handle_destroy(RG_HANDLE_EXECUTOR, handle))
        return ACLNN_SUCCESS;
    return rg_acl_fail(ACLNN_ERR_INNER_NULLPTR, "%s: executor is %p, which another thread has just run or ended",
                       function, (void *)handle);
}

aclnnStatus rg_executor_launch(const char *function, void *workspace, uint64_t workspaceSize, aclOpExecutor *executor,
                               aclrtStream stream)
{
    aclnnStatus status = rg_object_check_pointer(function, "executor", executor);
    if (status != ACLNN_SUCCESS)
        return status;
    struct rg_executor *object = rg_executor_acquire(function, executor);
    if (object == NULL)
        return ACLNN_ERR_INNER_NULLPTR;

    struct run *run = NULL;
    pthread_mutex_lock(&object->lock);
    status = consume(function, object, executor);
    if (status == ACLNN_SUCCESS)
        status = check_launch(function, object, workspace, workspaceSize, stream);
    if (status == ACLNN_SUCCESS) {
        object->is_replaced = false;
        run = create_run(object, workspace);
        if (run == NULL)
            status = rg_acl_fail(ACLNN_ERR_INNER, "%s: there is no memory to queue the work", function);
    }
    pthread_mutex_unlock(&object->lock);
    rg_handle_release(RG_HANDLE_EXECUTOR, executor);
    return run == NULL ? status : rg_stream_submit(stream, do_run, run, destroy_run);
}
