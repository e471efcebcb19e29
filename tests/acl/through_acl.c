/*
 * Linked into a test of the native interface, with --wrap=problem_call, this leads its one-call runs through the
 * two phases of the vendor's interface, as NCHW and as NHWC by turns. What that interface has not goes the native
 * way. A program in which nothing went through it has failed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "acl/acl.h"
#include "problem_acl.h"

regrad_status __real_problem_call(const struct problem *problem, const regrad_tensor *in, const regrad_tensor *out);
regrad_status __wrap_problem_call(const struct problem *problem, const regrad_tensor *in, const regrad_tensor *out);

static unsigned n_calls;

static void finish(void)
{
    printf("%u calls went through the vendor's interface\n", n_calls);
    fflush(stdout);
    if (n_calls == 0)
        _exit(1);
}

static void start(void)
{
    if (atexit(finish) != 0 || aclInit(NULL) != ACL_SUCCESS || aclrtSetDevice(0) != ACL_SUCCESS)
        exit(1);
}

static aclnnStatus run(const struct problem *problem, const regrad_tensor *in, const regrad_tensor *out)
{
    aclOpExecutor *executor;
    uint64_t workspace_size;
    const bool is_channels_last = n_calls++ % 2 == 1;
    aclnnStatus status = problem_acl_phase_1(problem, in, out, is_channels_last, &workspace_size, &executor);
    if (status != 0)
        return status;
    void *workspace = NULL;
    if (workspace_size > 0)
        status = aclrtMalloc(&workspace, workspace_size, ACL_MEM_MALLOC_NORMAL_ONLY);
    if (status == 0)
        status = problem_acl_phase_2(problem, workspace, workspace_size, executor);
    if (workspace != NULL)
        aclrtFree(workspace);
    return status;
}

regrad_status __wrap_problem_call(const struct problem *problem, const regrad_tensor *in, const regrad_tensor *out)
{
    static bool is_started;
    if (!is_started)
        start();
    is_started = true;
    if (!problem_acl_has(problem))
        return __real_problem_call(problem, in, out);
    const aclnnStatus status = run(problem, in, out);
    if (status == 0)
        return REGRAD_OK;
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "%s: %d: %s\n", problem_text(problem), status, message != NULL ? message : "");
    return REGRAD_ERROR_INVALID_ARGUMENT;
}
