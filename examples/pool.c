/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pool - a plan on the threads and in the memory of a program: the gradients of grid sampling.
 *
 *     cc pool.c -lregrad -pthread && ./a.out
 *
 * The program has a pool of threads, which the plan's tasks run on, and counts the memory that the plan takes. The
 * results have the same bits as those of the one-call function, which has threads and memory of its own.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regrad.h"

/* ---- A pool ---- */

enum { N_WORKERS = 3 };

struct pool {
    pthread_t worker[N_WORKERS];
    pthread_mutex_t turn;  /* one loop at a time; others wait */
    pthread_mutex_t mutex; /* of what follows */
    pthread_cond_t begun, done;
    void (*task)(void *argument, int index);
    void *argument;
    int next, n, n_unfinished; /* index that nobody has, and how many there are; those that are not done */
    bool closed;
};

/* Runs tasks until none is left. The mutex is held, but not while a task runs. */
static void run_tasks(struct pool *pool)
{
    while (pool->next < pool->n) {
        const int index = pool->next++;
        pthread_mutex_unlock(&pool->mutex);
        pool->task(pool->argument, index);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->n_unfinished == 0)
            pthread_cond_signal(&pool->done);
    }
}

static void *work(void *argument)
{
    struct pool *pool = argument;
    pthread_mutex_lock(&pool->mutex);
    while (!pool->closed) {
        run_tasks(pool);
        if (!pool->closed)
            pthread_cond_wait(&pool->begun, &pool->mutex);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

/* What regrad calls. The calling thread takes part. */
static void parallel_for(void *context, int n, void (*task)(void *argument, int index), void *argument)
{
    struct pool *pool = context;
    pthread_mutex_lock(&pool->turn);
    pthread_mutex_lock(&pool->mutex);
    pool->task = task;
    pool->argument = argument;
    pool->next = 0;
    pool->n = pool->n_unfinished = n;
    pthread_cond_broadcast(&pool->begun);
    run_tasks(pool);
    while (pool->n_unfinished > 0)
        pthread_cond_wait(&pool->done, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
    pthread_mutex_unlock(&pool->turn);
}

static void pool_init(struct pool *pool)
{
    memset(pool, 0, sizeof *pool);
    pthread_mutex_init(&pool->turn, NULL);
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->begun, NULL);
    pthread_cond_init(&pool->done, NULL);
    for (int k = 0; k < N_WORKERS; k++)
        if (pthread_create(&pool->worker[k], NULL, work, pool) != 0)
            exit(EXIT_FAILURE);
}

static void pool_fini(struct pool *pool)
{
    pthread_mutex_lock(&pool->mutex);
    pool->closed = true;
    pthread_cond_broadcast(&pool->begun);
    pthread_mutex_unlock(&pool->mutex);
    for (int k = 0; k < N_WORKERS; k++)
        pthread_join(pool->worker[k], NULL);
}

/* ---- Memory ---- */

struct account {
    size_t n_bytes, n_most; /* now, and at most until now */
};

static void *allocate(void *context, size_t size, size_t alignment)
{
    struct account *account = context;
    void *memory = aligned_alloc(alignment, size);
    if (memory != NULL)
        account->n_bytes += size;
    if (account->n_bytes > account->n_most)
        account->n_most = account->n_bytes;
    return memory;
}

static void give_back(void *context, void *memory, size_t size, size_t alignment)
{
    struct account *account = context;
    (void)alignment;
    account->n_bytes -= size;
    free(memory);
}

/* ---- The gradients ---- */

enum { N = 2, CHANNELS = 5, HEIGHT = 40, WIDTH = 60, OUT_HEIGHT = 50, OUT_WIDTH = 70 };

static float grad_output[N][CHANNELS][OUT_HEIGHT][OUT_WIDTH], input[N][CHANNELS][HEIGHT][WIDTH];
static float grid[N][OUT_HEIGHT][OUT_WIDTH][2];
static float input_grad[2][N][CHANNELS][HEIGHT][WIDTH], grid_grad[2][N][OUT_HEIGHT][OUT_WIDTH][2];

static void must(regrad_status status)
{
    if (status != REGRAD_OK) {
        fprintf(stderr, "%s: %s\n", regrad_status_name(status), regrad_last_message());
        exit(EXIT_FAILURE);
    }
}

/* Numbers from -1 to 1. */
static void fill(void *values, size_t nbytes)
{
    float *at = values;
    unsigned state = 1;
    for (size_t k = 0; k < nbytes / sizeof *at; k++) {
        state = state * 1664525 + 1013904223;
        at[k] = (float)(state >> 8) / (1 << 23) - 1;
    }
}

static regrad_tensor tensor(void *data, int64_t n, int64_t c, int64_t h, int64_t w)
{
    const int64_t shape[] = {n, c, h, w};
    return regrad_tensor_contiguous(data, REGRAD_FLOAT32, 4, shape);
}

static void run(const regrad_plan *plan)
{
    const size_t size = regrad_plan_workspace_size(plan);
    void *workspace = aligned_alloc(64, (size + 63) / 64 * 64);
    const void *inputs[] = {grad_output, input, grid};
    void *outputs[] = {input_grad[1], grid_grad[1]};
    must(regrad_plan_run(plan, inputs, outputs, workspace, size));
    free(workspace);
}

int main(void)
{
    const regrad_tensor given = tensor(grad_output, N, CHANNELS, OUT_HEIGHT, OUT_WIDTH);
    const regrad_tensor image = tensor(input, N, CHANNELS, HEIGHT, WIDTH);
    const regrad_tensor points = tensor(grid, N, OUT_HEIGHT, OUT_WIDTH, 2);
    const regrad_tensor of_image = tensor(input_grad[0], N, CHANNELS, HEIGHT, WIDTH);
    const regrad_tensor of_points = tensor(grid_grad[0], N, OUT_HEIGHT, OUT_WIDTH, 2);
    fill(grad_output, sizeof grad_output);
    fill(input, sizeof input);
    fill(grid, sizeof grid);
    must(regrad_grid_sampler_2d_backward(&given, &image, &points, REGRAD_BILINEAR, REGRAD_ZEROS, false, &of_image,
                                         &of_points));

    struct pool pool;
    struct account account = {0, 0};
    regrad_plan *plan;
    const regrad_plan_options options = {
        .size = sizeof options,
        .threads = N_WORKERS + 1,
        .parallel_for = parallel_for,
        .parallel_context = &pool,
        .allocate = allocate,
        .free = give_back,
        .memory_context = &account,
    };
    pool_init(&pool);
    must(regrad_grid_sampler_2d_backward_plan_with(&given, &image, &points, REGRAD_BILINEAR, REGRAD_ZEROS, false,
                                                   &of_image, &of_points, &options, &plan));
    run(plan);
    regrad_plan_destroy(plan);
    pool_fini(&pool);

    const bool same = memcmp(input_grad[0], input_grad[1], sizeof input_grad[0]) == 0 &&
                      memcmp(grid_grad[0], grid_grad[1], sizeof grid_grad[0]) == 0;
    const bool all_back = account.n_most > 0 && account.n_bytes == 0;
    printf("the bits are %s, and the plan has given %s of its memory back\n", same ? "the same" : "different",
           all_back ? "all" : "not all");
    return same && all_back ? EXIT_SUCCESS : EXIT_FAILURE;
}
