/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan - one plan, run by two threads: the gradient of bilinear resize of float16 images stored
 * channels-last (NHWC).
 *
 *     cc plan.c -lregrad -pthread && ./a.out
 *
 * One pixel of three channels was stretched to 128 x 128, so its gradient is the sum of 16384. The
 * sum is kept in float32 and rounded once; in float16 it would not get beyond 2048 times a term.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "regrad.h"

enum { SIZE = 128, CHANNELS = 3 };

/* What one thread works on: memory of its own, and the plan of all. float16 by its bits. */
struct job {
    const regrad_plan *plan;
    uint16_t grad_output[SIZE][SIZE][CHANNELS], grad_input[CHANNELS];
};

static void must(regrad_status status)
{
    if (status != REGRAD_OK) {
        fprintf(stderr, "%s: %s\n", regrad_status_name(status), regrad_last_message());
        exit(EXIT_FAILURE);
    }
}

static void *run(void *argument)
{
    struct job *job = argument;
    const size_t size = regrad_plan_workspace_size(job->plan);
    void *workspace = aligned_alloc(64, (size + 63) / 64 * 64);
    const void *inputs[] = {job->grad_output};
    void *outputs[] = {job->grad_input};
    must(regrad_plan_run(job->plan, inputs, outputs, workspace, size));
    free(workspace);
    return NULL;
}

static void fill(struct job *job, const regrad_plan *plan, uint16_t value)
{
    job->plan = plan;
    for (int k = 0; k < SIZE * SIZE * CHANNELS; k++)
        (&job->grad_output[0][0][0])[k] = value;
}

static int differs(const char *what, const struct job *job, unsigned wanted, int value)
{
    const uint16_t *got = job->grad_input;
    printf("%s %04x %04x %04x, wanted %04x (%d)\n", what, got[0], got[1], got[2], wanted, value);
    return got[0] != wanted || got[1] != wanted || got[2] != wanted;
}

int main(void)
{
    static struct job ones, halves;
    /* Plans do not look at data: each run brings its own. */
    const regrad_tensor given = regrad_tensor_channels_last(NULL, REGRAD_FLOAT16, 1, CHANNELS, SIZE, SIZE);
    const regrad_tensor wanted = regrad_tensor_channels_last(NULL, REGRAD_FLOAT16, 1, CHANNELS, 1, 1);
    regrad_plan *plan;
    must(regrad_upsample_bilinear2d_backward_plan(&given, &wanted, REGRAD_HALF_PIXEL, 0, 0, &plan));
    fill(&ones, plan, 0x3C00);
    fill(&halves, plan, 0x3800);

    pthread_t other;
    if (pthread_create(&other, NULL, run, &ones) != 0)
        return EXIT_FAILURE;
    run(&halves);
    pthread_join(other, NULL);
    regrad_plan_destroy(plan);

    const int n_wrong =
        differs("gradients of 1:  ", &ones, 0x7400, 16384) + differs("gradients of 0.5:", &halves, 0x7000, 8192);
    return n_wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
