/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openmp - a plan on the threads of OpenMP: bilinear resize.
 *
 *     cc -fopenmp openmp.c -lregrad && ./a.out
 *
 * The library's own threads are not used, so that a program with OpenMP has one pool and not two. The result has the
 * same bits as that of the one-call function.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regrad.h"

enum { CHANNELS = 16, SIZE = 60, OUT_SIZE = 90, N_THREADS = 4 };

static float input[CHANNELS][SIZE][SIZE], output[2][CHANNELS][OUT_SIZE][OUT_SIZE];

static void parallel_for(void *context, int n, void (*task)(void *argument, int index), void *argument)
{
    int *n_tasks = context;
    *n_tasks += n;
#pragma omp parallel for num_threads(N_THREADS) schedule(dynamic)
    for (int k = 0; k < n; k++)
        task(argument, k);
}

static void must(regrad_status status)
{
    if (status != REGRAD_OK) {
        fprintf(stderr, "%s: %s\n", regrad_status_name(status), regrad_last_message());
        exit(EXIT_FAILURE);
    }
}

static void run(const regrad_plan *plan)
{
    const size_t size = regrad_plan_workspace_size(plan);
    void *workspace = aligned_alloc(64, (size + 63) / 64 * 64);
    const void *inputs[] = {input};
    void *outputs[] = {output[1]};
    for (int k = 0; k < 3; k++)
        must(regrad_plan_run(plan, inputs, outputs, workspace, size));
    free(workspace);
}

int main(void)
{
    const int64_t from_shape[] = {1, CHANNELS, SIZE, SIZE}, to_shape[] = {1, CHANNELS, OUT_SIZE, OUT_SIZE};
    const regrad_tensor from = regrad_tensor_contiguous(input, REGRAD_FLOAT32, 4, from_shape);
    const regrad_tensor to = regrad_tensor_contiguous(output[0], REGRAD_FLOAT32, 4, to_shape);
    for (int k = 0; k < CHANNELS * SIZE * SIZE; k++)
        (&input[0][0][0])[k] = (float)(k % 1009) / 1009;
    must(regrad_upsample_bilinear2d(&from, &to, REGRAD_HALF_PIXEL, 0, 0));

    int n_tasks = 0;
    regrad_plan *plan;
    const regrad_plan_options options = {
        .size = sizeof options, .threads = N_THREADS, .parallel_for = parallel_for, .parallel_context = &n_tasks};
    must(regrad_upsample_bilinear2d_plan_with(&from, &to, REGRAD_HALF_PIXEL, 0, 0, &options, &plan));
    run(plan);
    regrad_plan_destroy(plan);

    const int same = memcmp(output[0], output[1], sizeof output[0]) == 0;
    printf("the bits are %s, by %d tasks\n", same ? "the same" : "different", n_tasks);
    return same && n_tasks == 3 * N_THREADS ? EXIT_SUCCESS : EXIT_FAILURE;
}
