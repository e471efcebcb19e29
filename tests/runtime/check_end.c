/* SPDX-License-Identifier: Apache-2.0 */
/* How processes end, and what they leave to their children: each case is a process of its own. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "acl/acl.h"
#include "rt/parallel.h"

/* Sanitizers do not let processes with threads fork: the thread sanitizer does not know the child's, and the locks of
 * the address sanitizer's memory may be held for ever there. The thread sanitizer has a thread that never ends. */
#if defined(__has_feature)
#define HAS_SANITIZER (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define HAS_SANITIZER 0
#endif
#if HAS_SANITIZER || defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define FORKS_WITH_THREADS 0
#else
#define FORKS_WITH_THREADS 1
#endif

/* The limit tells an end from waiting for ever, also on a machine that is busy. */
enum { N_STREAMS = 3, SIZE = 4096, SLEEP_MS = 300, LIMIT_MS = 20000, N_THREADS = 3 };

#define MUST(call) must((call) == ACL_SUCCESS, #call, __LINE__)

static void must(bool holds, const char *what, int line)
{
    if (holds)
        return;
    const char *message = aclGetRecentErrMsg();
    fprintf(stderr, "line %d: %s: %s\n", line, what, message != NULL ? message : "");
    _exit(1);
}

static void sleep_ms(int milliseconds)
{
    nanosleep(&(struct timespec){milliseconds / 1000, milliseconds % 1000 * 1000000L}, NULL);
}

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static aclrtStream streams[N_STREAMS];
static unsigned char *memory;

static void start(void)
{
    MUST(aclInit(NULL));
    MUST(aclrtSetDevice(0));
    for (int k = 0; k < N_STREAMS; k++)
        MUST(aclrtCreateStream(&streams[k]));
    MUST(aclrtMalloc((void **)&memory, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
}

static void sleep_a_while(void *argument)
{
    (void)argument;
    sleep_ms(SLEEP_MS);
}

static void never_return(void *argument)
{
    (void)argument;
    for (;;)
        pause();
}

static void fail(void *argument)
{
    fprintf(stderr, "%s was run\n", (const char *)argument);
    _exit(1);
}

static void do_nothing(void *argument)
{
    (void)argument;
}

static void *text(const char *literal)
{
    return (void *)(uintptr_t)literal;
}

/* ---- Exit ------------------------------------------------------------------------------------- */

static void exit_while_idle(void)
{
    start();
    MUST(aclrtMemsetAsync(memory, SIZE, 1, SIZE, streams[0]));
    MUST(aclrtSynchronizeStream(streams[0]));
}

static void exit_while_queued(void)
{
    start();
    for (int k = 0; k < N_STREAMS; k++) {
        MUST(aclrtLaunchHostFunc(streams[k], sleep_a_while, NULL));
        for (int round = 0; round < 100; round++)
            MUST(aclrtMemsetAsync(memory, SIZE, round, SIZE, streams[k]));
    }
}

static void exit_while_running(void)
{
    start();
    MUST(aclrtLaunchHostFunc(streams[0], sleep_a_while, NULL));
    sleep_ms(10);
    exit(0);
}

static void exit_while_never_returning(void)
{
    start();
    for (int k = 0; k < N_STREAMS; k++) {
        MUST(aclrtLaunchHostFunc(streams[k], never_return, NULL));
        MUST(aclrtMemsetAsync(memory, SIZE, 1, SIZE, streams[k]));
        MUST(aclrtLaunchHostFunc(streams[k], fail, text("work that had not begun")));
    }
    sleep_ms(10);
}

static void exit_in_host_function(void *argument)
{
    (void)argument;
    exit(0);
}

static void exit_inside(void)
{
    start();
    MUST(aclrtLaunchHostFunc(streams[0], exit_in_host_function, NULL));
    never_return(NULL);
}

/* A wait for an event of work that never comes. */
static void exit_while_waiting(void)
{
    aclrtEvent event = NULL;
    start();
    MUST(aclrtCreateEvent(&event));
    MUST(aclrtLaunchHostFunc(streams[0], never_return, NULL));
    MUST(aclrtRecordEvent(event, streams[0]));
    MUST(aclrtStreamWaitEvent(streams[1], event));
    MUST(aclrtMemsetAsync(memory, SIZE, 1, SIZE, streams[1]));
    sleep_ms(10);
}

/* ---- Idle threads ----------------------------------------------------------------------------- */

static atomic_int n_there;

/* Each thread has one slot, because it waits for the others. */
static void meet(void *context, int slot)
{
    (void)context;
    (void)slot;
    atomic_fetch_add(&n_there, 1);
    for (int k = 0; k < LIMIT_MS && atomic_load(&n_there) < N_THREADS; k++)
        sleep_ms(1);
}

static void use_all_threads(void)
{
    unsigned char host = 0;
    MUST(aclrtMemset(memory, SIZE, 4, SIZE));
    MUST(aclrtLaunchHostFunc(streams[0], do_nothing, NULL));
    MUST(aclrtMemsetAsync(memory, SIZE, 5, SIZE, streams[0]));
    MUST(aclrtSynchronizeStream(streams[0]));
    MUST(aclrtMemcpy(&host, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    must(host == 5, "what was set", __LINE__);
    atomic_store(&n_there, 0);
    rg_parallel(N_THREADS, meet, NULL);
    must(atomic_load(&n_there) == N_THREADS, "a thread for each slot", __LINE__);
}

/* A process ends with its last thread, unless one of the library is there for ever. */
__attribute__((unused)) static void end_main_thread(void)
{
    start();
    use_all_threads();
    pthread_exit(NULL);
}

static int n_threads(void)
{
    struct stat tasks;
    must(stat("/proc/self/task", &tasks) == 0, "/proc", __LINE__);
    return (int)tasks.st_nlink - 2;
}

/* Threads that have ended for want of work come again with it. */
static void rest_and_go_on(void)
{
    const int n_others = n_threads() + !FORKS_WITH_THREADS; /* a sanitizer may have one */
    start();
    use_all_threads();
    for (int k = 0; k < LIMIT_MS / 10 && n_threads() > n_others; k++)
        sleep_ms(10);
    must(n_threads() <= n_others, "threads without work end", __LINE__);
    use_all_threads();
}

/* ---- Children --------------------------------------------------------------------------------- */

__attribute__((unused)) static void use_new_stream(void)
{
    aclrtStream stream = NULL;
    aclrtEvent event = NULL;
    unsigned char host[SIZE] = {0};
    void *own = NULL;
    MUST(aclrtCreateStream(&stream));
    MUST(aclrtCreateEvent(&event));
    MUST(aclrtMalloc(&own, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    MUST(aclrtMemsetAsync(own, SIZE, 7, SIZE, stream));
    MUST(aclrtRecordEvent(event, stream));
    MUST(aclrtStreamWaitEvent(NULL, event));
    MUST(aclrtSynchronizeStream(stream));
    MUST(aclrtMemcpy(host, SIZE, own, SIZE, ACL_MEMCPY_DEVICE_TO_HOST));
    must(host[0] == 7 && host[SIZE - 1] == 7, "what was set", __LINE__);
    MUST(aclrtSynchronizeDevice());
    MUST(aclrtFree(own));
    MUST(aclrtDestroyEvent(event));
    MUST(aclrtDestroyStream(stream));
}

static int wait_for(pid_t child)
{
    int status = -1;
    pid_t ended;
    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        continue;
    return ended == child && WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}

/* The parent's streams are busy. The child does not do their work, and can use them, and new ones. */
__attribute__((unused)) static void fork_while_busy(void)
{
    start();
    for (int k = 0; k < N_STREAMS; k++)
        MUST(aclrtLaunchHostFunc(streams[k], sleep_a_while, NULL));
    const pid_t parent = getpid();
    for (int round = 0; round < 100; round++)
        MUST(aclrtMemsetAsync(memory, SIZE, 3, SIZE, streams[0]));
    const pid_t child = fork();
    if (child == 0) {
        must(getpid() != parent, "the child", __LINE__);
        use_new_stream();
        for (int k = 0; k < N_STREAMS; k++) {
            MUST(aclrtMemsetAsync(memory, SIZE, 4, SIZE, streams[k]));
            MUST(aclrtSynchronizeStream(streams[k]));
            MUST(aclrtDestroyStream(streams[k]));
        }
        must(memory[0] == 4, "the child's memory", __LINE__);
        exit(0);
    }
    MUST(aclrtSynchronizeDevice());
    must(memory[0] == 3, "the parent's memory", __LINE__);
    must(wait_for(child) == 0, "the child's end", __LINE__);
}

/* The parent itself never comes to the second work. */
__attribute__((unused)) static void fork_before_work(void)
{
    start();
    MUST(aclrtLaunchHostFunc(streams[0], never_return, NULL));
    MUST(aclrtLaunchHostFunc(streams[0], fail, text("work of the parent")));
    const pid_t child = fork();
    if (child == 0) {
        MUST(aclrtSynchronizeDevice());
        exit(0);
    }
    must(wait_for(child) == 0, "the child's end", __LINE__);
    _exit(0);
}

/* Work came before memory, and uses some that has been freed: the child drops the work, and with it the memory. */
__attribute__((unused)) static void fork_isolated(void)
{
    void *own = NULL;
    setenv("REGRAD_CHECK", "isolate,off", 1);
    MUST(aclInit(NULL));
    MUST(aclrtSetDevice(0));
    MUST(aclrtCreateStream(&streams[0]));
    MUST(aclrtLaunchHostFunc(streams[0], sleep_a_while, NULL));
    MUST(aclrtMalloc((void **)&memory, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    MUST(aclrtMalloc(&own, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
    MUST(aclrtMemsetAsync(own, SIZE, 5, SIZE, streams[0]));
    MUST(aclrtMemcpyAsync(memory, SIZE, own, SIZE, ACL_MEMCPY_DEVICE_TO_DEVICE, streams[0]));
    MUST(aclrtFree(own));
    const pid_t child = fork();
    if (child == 0) {
        alarm(20); /* rather than wait for ever */
        MUST(aclrtMemset(memory, SIZE, 6, SIZE));
        _exit(0);
    }
    must(wait_for(child) == 0, "the child's end", __LINE__);
    unsigned char copied = 0;
    MUST(aclrtSynchronizeStream(streams[0]));
    MUST(aclrtMemcpy(&copied, 1, memory, 1, ACL_MEMCPY_DEVICE_TO_HOST));
    must(copied == 5, "the parent's memory", __LINE__);
}

/* Threads are inside of the library whenever the process forks. */
static volatile bool stops;

static void *hurry(void *argument)
{
    aclrtStream stream = *(const aclrtStream *)argument;
    MUST(aclrtSetDevice(0));
    for (int round = 1; !__atomic_load_n(&stops, __ATOMIC_RELAXED); round++) {
        void *own = NULL;
        aclrtEvent event = NULL;
        MUST(aclrtMalloc(&own, SIZE, ACL_MEM_MALLOC_HUGE_FIRST));
        MUST(aclrtMemsetAsync(own, SIZE, 1, SIZE, stream));
        MUST(aclrtCreateEvent(&event));
        MUST(aclrtRecordEvent(event, stream));
        MUST(aclrtDestroyEvent(event));
        MUST(aclrtFree(own));
        if (round % 16 == 0)
            MUST(aclrtSynchronizeStream(stream)); /* lest the queue, which each child drops, grows for ever */
    }
    return NULL;
}

__attribute__((unused)) static void fork_often(void)
{
    enum { N_FORKS = 20 };
    pthread_t threads[N_STREAMS];
    start();
    for (int k = 0; k < N_STREAMS; k++)
        must(pthread_create(&threads[k], NULL, hurry, &streams[k]) == 0, "a thread", __LINE__);
    for (int round = 0; round < N_FORKS; round++) {
        const pid_t child = fork();
        if (child == 0) {
            alarm(20); /* rather than wait for ever */
            use_new_stream();
            _exit(0);
        }
        must(wait_for(child) == 0, "a child's end", __LINE__);
    }
    __atomic_store_n(&stops, true, __ATOMIC_RELAXED);
    for (int k = 0; k < N_STREAMS; k++)
        pthread_join(threads[k], NULL);
    MUST(aclrtSynchronizeDevice());
}

/* A thread loads a library that forks. Meanwhile another one tells what is left, and waits for the loader. */
__attribute__((unused)) static void *load_and_fork(void *library)
{
    *(void **)library = dlopen(FORKING_LIBRARY, RTLD_NOW);
    return NULL;
}

__attribute__((unused)) static void fork_while_loading(void)
{
    pthread_t thread;
    void *library = NULL;
    setenv("REGRAD_CHECK", "all", 1);
    must(freopen("/dev/null", "w", stderr) != NULL, "/dev/null", __LINE__); /* for what is told */
    start();
    alarm(LIMIT_MS / 1000); /* rather than wait for ever */
    must(pthread_create(&thread, NULL, load_and_fork, &library) == 0, "a thread", __LINE__);
    sleep_ms(FORKING_LIBRARY_MS / 2);
    MUST(aclFinalize());
    pthread_join(thread, NULL);
    must(library != NULL, "the library", __LINE__);
    _exit(0);
}

/* ---- The test --------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*run)(void);
    int limit_ms; /* 0: none */
} cases[] = {
    {"rest and go on", rest_and_go_on, LIMIT_MS},
#if FORKS_WITH_THREADS
    {"end of the main thread", end_main_thread, LIMIT_MS},
#endif
    {"exit while idle", exit_while_idle, LIMIT_MS},
    {"exit while work is queued", exit_while_queued, LIMIT_MS},
    {"exit while work is running", exit_while_running, LIMIT_MS},
    {"exit while host functions do not return", exit_while_never_returning, LIMIT_MS},
    {"exit in a host function", exit_inside, LIMIT_MS},
    {"exit while a stream waits", exit_while_waiting, LIMIT_MS},
#if FORKS_WITH_THREADS
    {"fork while streams are busy", fork_while_busy, 0},
    {"fork before work is done", fork_before_work, 0},
    {"fork with isolated memory", fork_isolated, 0},
    {"fork often", fork_often, 0},
    {"fork while a library is loaded", fork_while_loading, 0},
#endif
};

/* The first ones take their time, beside the others. */
enum { N_CASES = sizeof(cases) / sizeof(cases[0]), N_BESIDE = 1 + FORKS_WITH_THREADS };

static int64_t begun[N_CASES];
static pid_t children[N_CASES];

static void start_case(int k)
{
    begun[k] = now_ms();
    fflush(NULL);
    children[k] = fork();
    if (children[k] == 0) {
        cases[k].run();
        exit(0);
    }
}

/* Has it failed? */
static int end_case(int k)
{
    const int status = wait_for(children[k]);
    const int64_t took = now_ms() - begun[k];
    const bool passed = status == 0 && (cases[k].limit_ms == 0 || took <= cases[k].limit_ms);
    printf("%s: %s, status %d, %lld ms\n", cases[k].name, passed ? "passed" : "FAILED", status, (long long)took);
    return !passed;
}

int main(void)
{
    int n_failed = 0;
    setenv("REGRAD_CHECK", "off", 1); /* these programs leave things behind */
    for (int k = 0; k < N_BESIDE; k++)
        start_case(k);
    for (int k = N_BESIDE; k < N_CASES; k++) {
        start_case(k);
        n_failed += end_case(k);
    }
    for (int k = 0; k < N_BESIDE; k++)
        n_failed += end_case(k);
    return n_failed;
}
