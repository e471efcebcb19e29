/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random valid programs, one after the other and in several threads, for REGRAD_TEST_SECONDS seconds (3): streams,
 * events between them, copies, gradients, host functions, memory that is freed while it is used. Each result is
 * compared. At the end no object may be left, and the process must have no more memory than after the first programs.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl.h"
#include "acl/handle/handle.h"
#include "aclnnop/aclnn_upsample_nearest_exact2d_backward.h"

enum { N_THREADS = 3, N_DEVICES = 2, MAX_STREAMS = 4, MAX_CHANNELS = 40, SIDE = 8, SLACK_KB = 16 << 10 };

#define MUST(call) must((call) == 0, #call, __LINE__)

static void must(bool holds, const char *what, int line)
{
    if (holds)
        return;
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "line %d: %s: %s\n", line, what, message != NULL ? message : "");
    exit(EXIT_FAILURE);
}

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

/* ---- Numbers ---------------------------------------------------------------------------------- */

struct random {
    uint64_t state;
};

static int below(struct random *random, int n)
{
    random->state = random->state * 6364136223846793005U + 1442695040888963407U;
    return (int)((random->state >> 33) % (uint64_t)n);
}

/* ---- A program -------------------------------------------------------------------------------- */

/* One gradient, on one stream: channels of 4 x 4 from channels of 8 x 8. */
struct task {
    int n_channels;
    float *given, *wanted;         /* of the device */
    float *given_host, *copy_host; /* of the runtime's host memory */
    void *workspace;
    uint64_t workspace_size;
    aclTensor *grad, *out;
    aclOpExecutor *executor;
    atomic_int n_notes;
};

static void note(void *argument)
{
    atomic_fetch_add(&((struct task *)argument)->n_notes, 1);
}

static size_t nbytes_given(const struct task *task)
{
    return (size_t)task->n_channels * SIDE * SIDE * sizeof(float);
}

static size_t nbytes_wanted(const struct task *task)
{
    return nbytes_given(task) / 4;
}

static void *allocate(size_t nbytes)
{
    void *memory = NULL;
    MUST(aclrtMalloc(&memory, nbytes, ACL_MEM_MALLOC_HUGE_FIRST));
    return memory;
}

static void begin(struct task *task, struct random *random)
{
    *task = (struct task){.n_channels = 1 + below(random, MAX_CHANNELS)};
    const int64_t grad[] = {1, task->n_channels, SIDE, SIDE}, out[] = {1, task->n_channels, SIDE / 2, SIDE / 2};
    task->given = allocate(nbytes_given(task));
    task->wanted = allocate(nbytes_wanted(task));
    MUST(aclrtMallocHost((void **)&task->given_host, nbytes_given(task)));
    MUST(aclrtMallocHost((void **)&task->copy_host, nbytes_wanted(task)));
    for (int i = 0; i < task->n_channels * SIDE * SIDE; i++)
        task->given_host[i] = (float)below(random, 1000);
    task->grad = aclCreateTensor(grad, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, grad, 4, task->given);
    task->out = aclCreateTensor(out, 4, ACL_FLOAT, NULL, 0, ACL_FORMAT_NCHW, out, 4, task->wanted);
    aclIntArray *output_size = aclCreateIntArray(grad + 2, 2), *input_size = aclCreateIntArray(out, 4);
    MUST(aclnnUpsampleNearestExact2dBackwardGetWorkspaceSize(task->grad, output_size, input_size, 0, 0, task->out,
                                                             &task->workspace_size, &task->executor));
    MUST(aclDestroyIntArray(output_size));
    MUST(aclDestroyIntArray(input_size));
    if (task->workspace_size > 0)
        task->workspace = allocate(task->workspace_size);
}

/* Copies, the gradient, and a note, perhaps more than once. */
static void submit(struct task *task, struct random *random, aclrtStream stream)
{
    const int n_runs = 1 + below(random, 3);
    if (n_runs > 1)
        MUST(aclSetAclOpExecutorRepeatable(task->executor));
    MUST(aclrtMemcpyAsync(task->given, nbytes_given(task), task->given_host, nbytes_given(task),
                          ACL_MEMCPY_HOST_TO_DEVICE, stream));
    for (int run = 0; run < n_runs; run++)
        MUST(aclnnUpsampleNearestExact2dBackward(task->workspace, task->workspace_size, task->executor, stream));
    if (n_runs > 1)
        MUST(aclDestroyAclOpExecutor(task->executor));
    MUST(aclDestroyTensor(task->grad));
    MUST(aclDestroyTensor(task->out));
    MUST(aclrtLaunchHostFunc(stream, note, task));
}

/* After the stream has been waited for. */
static void end(struct task *task)
{
    MUST(task->n_notes != 1);
    for (int i = 0; i < task->n_channels * SIDE * SIDE / 4; i++) {
        const int channel = i / (SIDE * SIDE / 4), y = i / (SIDE / 2) % (SIDE / 2), x = i % (SIDE / 2);
        const float *at = task->given_host + channel * SIDE * SIDE + 2 * y * SIDE + 2 * x;
        must(task->copy_host[i] == at[0] + at[1] + at[SIDE] + at[SIDE + 1], "the gradient", __LINE__);
    }
    MUST(aclrtFree(task->given));
    MUST(aclrtFree(task->wanted));
    if (task->workspace_size > 0)
        MUST(aclrtFree(task->workspace));
    MUST(aclrtFreeHost(task->given_host));
    MUST(aclrtFreeHost(task->copy_host));
}

/* Results are copied by the last stream, which waits for an event of each other. */
static void run_program(struct random *random)
{
    const int n = 1 + below(random, MAX_STREAMS);
    aclrtStream streams[MAX_STREAMS];
    aclrtEvent events[MAX_STREAMS];
    struct task tasks[MAX_STREAMS];
    const int32_t device = below(random, N_DEVICES);
    MUST(aclrtSetDevice(device));
    for (int k = 0; k < n; k++) {
        MUST(aclrtCreateStream(&streams[k]));
        MUST(aclrtCreateEvent(&events[k]));
        begin(&tasks[k], random);
    }
    for (int k = 0; k < n; k++) {
        submit(&tasks[k], random, streams[k]);
        MUST(aclrtRecordEvent(events[k], streams[k]));
    }
    for (int k = 0; k < n; k++) {
        MUST(aclrtStreamWaitEvent(streams[n - 1], events[k]));
        MUST(aclrtMemcpyAsync(tasks[k].copy_host, nbytes_wanted(&tasks[k]), tasks[k].wanted, nbytes_wanted(&tasks[k]),
                              ACL_MEMCPY_DEVICE_TO_HOST, streams[n - 1]));
    }
    MUST(aclrtSynchronizeStream(streams[n - 1]));
    for (int k = 0; k < n; k++) {
        end(&tasks[k]);
        MUST(aclrtDestroyEvent(events[k]));
        MUST(aclrtDestroyStream(streams[k]));
    }
    MUST(aclrtResetDevice(device));
}

/* ---- The soak --------------------------------------------------------------------------------- */

static double deadline;
static atomic_int n_programs;

static void *run_programs(void *argument)
{
    struct random random = {*(const uint64_t *)argument};
    do {
        run_program(&random);
        atomic_fetch_add(&n_programs, 1);
    } while (now() < deadline);
    return NULL;
}

static void soak(double seconds, uint64_t seed)
{
    pthread_t threads[N_THREADS];
    uint64_t seeds[N_THREADS];
    deadline = now() + seconds;
    for (uint64_t k = 0; k < N_THREADS; k++) {
        seeds[k] = seed * N_THREADS + k;
        must(pthread_create(&threads[k], NULL, run_programs, &seeds[k]) == 0, "a thread", __LINE__);
    }
    for (int k = 0; k < N_THREADS; k++)
        pthread_join(threads[k], NULL);
}

/* Resident memory in KB. */
static long resident(void)
{
    long pages = 0, all = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file == NULL || fscanf(file, "%ld %ld", &all, &pages) != 2)
        pages = 0;
    if (file != NULL)
        fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

int main(void)
{
    const char *text = getenv("REGRAD_TEST_SECONDS"), *seed_text = getenv("REGRAD_TEST_SEED");
    const double seconds = text != NULL ? strtod(text, NULL) : 3;
    const uint64_t seed = seed_text != NULL ? strtoull(seed_text, NULL, 10) : 1;
    setenv("REGRAD_DEVICES", "2", 1);
    MUST(aclInit(NULL));
    soak(seconds / 5, seed);
    const long before = resident();
    const size_t n_before = rg_handle_count();
    soak(seconds * 4 / 5, seed + 1);
    const long after = resident();
    MUST(aclFinalize());
    printf("seed %llu: %d programs in %g s, memory %ld KB, then %ld KB, %zu objects left\n", (unsigned long long)seed,
           n_programs, seconds, before, after, rg_handle_count());
    if (n_before != 0 || rg_handle_count() != 0 || after > before + SLACK_KB) {
        fprintf(stderr, "objects are left, or more than %d KB have been added\n", SLACK_KB);
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
