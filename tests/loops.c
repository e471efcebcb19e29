/* SPDX-License-Identifier: Apache-2.0 */
#include "loops.h"

#include <pthread.h>
#include <stdlib.h>

#include "random.h"

struct work {
    void (*task)(void *argument, int index);
    void *argument;
    int begin, end;
};

static void *run_work(void *argument)
{
    const struct work *work = argument;
    for (int k = work->begin; k < work->end; k++)
        work->task(work->argument, k);
    return NULL;
}

/* Shares the tasks out to so many threads. */
static void on_threads(const struct work *all, int n_threads)
{
    pthread_t *threads = malloc((size_t)n_threads * sizeof *threads);
    struct work *works = malloc((size_t)n_threads * sizeof *works);
    if (!threads || !works)
        abort();
    for (int k = 0; k < n_threads; k++) {
        works[k] = *all;
        works[k].begin = all->end * k / n_threads;
        works[k].end = all->end * (k + 1) / n_threads;
        if (pthread_create(&threads[k], NULL, run_work, &works[k]) != 0)
            abort();
    }
    for (int k = 0; k < n_threads; k++)
        pthread_join(threads[k], NULL);
    free(works);
    free(threads);
}

static void shuffled(const struct work *all, uint64_t seed)
{
    struct rng rng = rng_make(seed);
    int order[256];
    for (int k = 0; k < all->end; k++) {
        int other = (int)rng_below(&rng, k + 1);
        order[k] = order[other];
        order[other] = k;
    }
    for (int k = 0; k < all->end; k++)
        all->task(all->argument, order[k]);
}

static void twice(struct work *all)
{
    all->task(all->argument, -1);
    run_work(all);
    run_work(all);
    all->task(all->argument, all->end);
    all->task(all->argument, 1 << 30);
}

void run_loop(void *context, int n, void (*task)(void *argument, int index), void *argument)
{
    struct loop *loop = context;
    struct work all = {task, argument, 0, n};
    loop->n_calls++;
    loop->n_most = n > loop->n_most ? n : loop->n_most;
    if (loop->order == ON_THREADS || loop->order == NESTED)
        on_threads(&all, loop->order == NESTED ? 2 : n);
    else if (loop->order == SHUFFLED)
        shuffled(&all, loop->seed);
    else if (loop->order == TWICE)
        twice(&all);
    else
        for (int k = 0; k < n; k++)
            if (loop->order != LEFT_OUT || loop->n_calls != loop->left_out_of || k != loop->left_out)
                task(argument, loop->order == REVERSED ? n - 1 - k : k);
}
