/* SPDX-License-Identifier: Apache-2.0 */
#include "floor.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "fail.h"
#include "timer.h"

/* A cache line, as one vector: the compiler splits it where the processor's vectors are shorter. */
typedef uint64_t line __attribute__((vector_size(64), may_alias));
enum { LINE = sizeof(line) };

static inline void store_plain(char *to, const line *value)
{
    *(line *)to = *value;
}

#if defined(__AVX512F__)
static inline void store_streaming(char *to, const line *value)
{
    _mm512_stream_si512((void *)to, (__m512i)*value);
}
#elif defined(__x86_64__)
static inline void store_streaming(char *to, const line *value)
{
    const __m128i *parts = (const __m128i *)value;
    for (int i = 0; i < 4; i++)
        _mm_stream_si128((__m128i *)(void *)to + i, parts[i]);
}
#endif

static inline void finish_streaming(void)
{
#if defined(__x86_64__)
    _mm_sfence();
#endif
}

/* Combines what it reads with what was seen before; somebody looks at it, so that nothing is left out. By address:
   passing a vector longer than the processor's has no settled convention. */
static inline void read_lines(const char *from, size_t n, line *seen)
{
    line a = {0}, b = {0}, c = {0}, d = {0};
    size_t i = 0;
    for (; i + 4 * LINE <= n; i += 4 * LINE) {
        a |= *(const line *)(from + i);
        b |= *(const line *)(from + i + LINE);
        c |= *(const line *)(from + i + 2 * LINE);
        d |= *(const line *)(from + i + 3 * LINE);
    }
    for (; i + LINE <= n; i += LINE)
        a |= *(const line *)(from + i);
    *seen |= a | b | c | d;
}

/* How far a thread is on its way through n bytes after each block: in whole lines, evenly. */
struct walk {
    uint64_t at, step, n; /* at and step in 1/65536 bytes */
};

static inline struct walk walk_begin(size_t n, size_t n_blocks)
{
    return (struct walk){.step = ((uint64_t)n << 16) / n_blocks + 1, .n = n};
}

static inline size_t walk_next(struct walk *walk)
{
    walk->at += walk->step;
    const uint64_t next = walk->at >> 16;
    return next < walk->n ? next / LINE * LINE : walk->n;
}

/* One run of one thread over whole lines: in turns, a part of what is read and a part of what is written. */
__attribute__((always_inline)) static inline void run_loop(const struct floor_work *work, size_t block,
                                                           void (*store)(char *, const line *))
{
    const size_t most = work->n_read > work->n_written ? work->n_read : work->n_written;
    const size_t n_blocks = most / block + 1;
    struct walk reading = walk_begin(work->n_read, n_blocks), writing = walk_begin(work->n_written, n_blocks);
    size_t n_read = 0, n_written = 0;
    line seen = {0};
    const line value = {1, 2, 3, 4, 5, 6, 7, 8};
    for (size_t i = 0; i < n_blocks; i++) {
        const size_t read_end = walk_next(&reading), write_end = walk_next(&writing);
        read_lines(work->read + n_read, read_end - n_read, &seen);
        for (; n_written < write_end; n_written += LINE)
            store(work->written + n_written, &value);
        n_read = read_end;
    }
    __asm__ volatile("" : : "m"(seen) : "memory");
}

enum { SMALL_BLOCK = 256, LARGE_BLOCK = 4096 };

static void plain_small(const struct floor_work *work)
{
    run_loop(work, SMALL_BLOCK, store_plain);
}

static void plain_large(const struct floor_work *work)
{
    run_loop(work, LARGE_BLOCK, store_plain);
}

#if defined(__x86_64__)
static void streaming_small(const struct floor_work *work)
{
    run_loop(work, SMALL_BLOCK, store_streaming);
}

static void streaming_large(const struct floor_work *work)
{
    run_loop(work, LARGE_BLOCK, store_streaming);
}
#endif

static const struct {
    const char *name;
    void (*run)(const struct floor_work *work);
} loops[] = {
    {"plain stores, blocks of 256 bytes", plain_small},
    {"plain stores, blocks of 4096 bytes", plain_large},
#if defined(__x86_64__)
    {"streaming stores, blocks of 256 bytes", streaming_small},
    {"streaming stores, blocks of 4096 bytes", streaming_large},
#endif
};

int floor_n_loops(void)
{
    return sizeof loops / sizeof loops[0];
}

const char *floor_loop_name(int loop)
{
    return loops[loop].name;
}

struct member {
    struct floor_team *team;
    pthread_t thread;
    int index;
    double start, finish;
};

struct floor_team {
    pthread_barrier_t begin, end;
    atomic_int n_arrived;
    int n_threads;
    const struct floor_work *work; /* NULL: the threads end */
    int loop;
    int64_t batch;
    bool warm_up;
    struct member members[];
};

/* The part of n bytes where share i of n_shares begins: a whole line; the last share ends with a whole line. */
static size_t share_begin(size_t n, int i, int n_shares)
{
    const size_t lines = (n + LINE - 1) / LINE;
    return lines * (size_t)i / (size_t)n_shares * LINE;
}

static struct floor_work share(const struct floor_team *team, int index)
{
    const struct floor_work *work = team->work;
    const size_t read = share_begin(work->n_read, index, team->n_threads);
    const size_t written = share_begin(work->n_written, index, team->n_threads);
    return (struct floor_work){
        .read = work->read + read,
        .n_read = share_begin(work->n_read, index + 1, team->n_threads) - read,
        .written = work->written + written,
        .n_written = share_begin(work->n_written, index + 1, team->n_threads) - written,
    };
}

/* All threads are awake before the first of them starts its clock. */
static void start_together(struct floor_team *team)
{
    atomic_fetch_add(&team->n_arrived, 1);
    while (atomic_load(&team->n_arrived) < team->n_threads)
        sched_yield();
}

static void run_share(struct member *member)
{
    struct floor_team *team = member->team;
    const struct floor_work mine = share(team, member->index);
    void (*run)(const struct floor_work *) = loops[team->loop].run;
    if (team->warm_up)
        run(&mine);
    start_together(team);
    member->start = timer_now();
    for (int64_t i = 0; i < team->batch; i++)
        run(&mine);
    finish_streaming();
    member->finish = timer_now();
}

static void *member_main(void *argument)
{
    struct member *member = argument;
    struct floor_team *team = member->team;
    for (;;) {
        pthread_barrier_wait(&team->begin);
        if (team->work == NULL)
            return NULL;
        run_share(member);
        pthread_barrier_wait(&team->end);
    }
}

struct floor_team *floor_team_create(int n_threads)
{
    struct floor_team *team = take_memory(sizeof *team + (size_t)n_threads * sizeof team->members[0]);
    team->n_threads = n_threads;
    pthread_barrier_init(&team->begin, NULL, (unsigned)n_threads);
    pthread_barrier_init(&team->end, NULL, (unsigned)n_threads);
    for (int i = 0; i < n_threads; i++)
        team->members[i] = (struct member){.team = team, .index = i};
    for (int i = 1; i < n_threads; i++) {
        if (pthread_create(&team->members[i].thread, NULL, member_main, &team->members[i]) != 0)
            fail(STATUS_SYSTEM, "the system refuses a thread");
    }
    return team;
}

void floor_team_destroy(struct floor_team *team)
{
    team->work = NULL;
    pthread_barrier_wait(&team->begin);
    for (int i = 1; i < team->n_threads; i++)
        pthread_join(team->members[i].thread, NULL);
    pthread_barrier_destroy(&team->begin);
    pthread_barrier_destroy(&team->end);
    free(team);
}

double floor_sample(struct floor_team *team, const struct floor_work *work, int loop, int64_t batch, bool warm_up)
{
    team->work = work;
    team->loop = loop;
    team->batch = batch;
    team->warm_up = warm_up;
    atomic_store(&team->n_arrived, 0);
    pthread_barrier_wait(&team->begin);
    run_share(&team->members[0]);
    pthread_barrier_wait(&team->end);
    double start = team->members[0].start, finish = team->members[0].finish;
    for (int i = 1; i < team->n_threads; i++) {
        start = team->members[i].start < start ? team->members[i].start : start;
        finish = team->members[i].finish > finish ? team->members[i].finish : finish;
    }
    return (finish - start) / (double)batch;
}
