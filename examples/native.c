/* SPDX-License-Identifier: Apache-2.0 */
/*
 * native - the four gradients through regrad.h, on values small enough to check by hand.
 *
 *     cc native.c -lregrad && ./a.out
 *
 * Prints what came out beside what must; ends with status 1 when the two differ.
 */
#include <stdio.h>
#include <stdlib.h>

#include "regrad.h"

static int n_wrong;

static void must(regrad_status status)
{
    if (status != REGRAD_OK) {
        fprintf(stderr, "%s: %s\n", regrad_status_name(status), regrad_last_message());
        exit(EXIT_FAILURE);
    }
}

static void print_row(const char *word, const float *values, int n)
{
    printf("  %-8s", word);
    for (int k = 0; k < n; k++)
        printf(" %g", (double)values[k] + 0.0); /* -0 as 0 */
    printf("\n");
}

/* All values here are sums of a few eighths, so they come out exactly. */
static void compare(const char *what, const float *result, const float *expected, int n)
{
    int same = 1;
    for (int k = 0; k < n; k++)
        same &= result[k] == expected[k];
    printf("%s\n", what);
    print_row("result", result, n);
    print_row("expected", expected, n);
    n_wrong += !same;
    if (!same)
        printf("  DIFFERENT\n");
}

/* 4 values stretched to 6: outputs 0..5 read inputs 0 1 1 2 3 3, so each input collects as many
 * gradients as it was read. */
static void nearest_exact_1d(void)
{
    float grad_output[6] = {1, 1, 1, 1, 1, 1}, grad_input[4];
    const regrad_tensor given = regrad_tensor_contiguous(grad_output, REGRAD_FLOAT32, 3, (int64_t[]){1, 1, 6});
    const regrad_tensor wanted = regrad_tensor_contiguous(grad_input, REGRAD_FLOAT32, 3, (int64_t[]){1, 1, 4});
    must(regrad_upsample_nearest_exact1d_backward(&given, &wanted, REGRAD_NEAREST_FORWARD_LAW, 0));
    compare("nearest-exact 1-D, 4 -> 6", grad_input, (const float[]){1, 2, 1, 2}, 4);
}

/* With a scale of 2 each input owns a square of 2 x 2 outputs; a gradient of 4 x 2 reaches the
 * first two rows of the first column. */
static void nearest_exact_2d(void)
{
    float grad_output[4][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}}, grad_input[8][4];
    const float expected[8][4] = {{6}, {22}};
    const regrad_tensor given = regrad_tensor_contiguous(grad_output, REGRAD_FLOAT32, 4, (int64_t[]){1, 1, 4, 2});
    const regrad_tensor wanted = regrad_tensor_contiguous(grad_input, REGRAD_FLOAT32, 4, (int64_t[]){1, 1, 8, 4});
    must(regrad_upsample_nearest_exact2d_backward(&given, &wanted, REGRAD_NEAREST_FORWARD_LAW, 2, 2));
    compare("nearest-exact 2-D, scale 2, an input of 8 x 4", &grad_input[0][0], &expected[0][0], 32);
}

/* Twice the size, between pixel centres: an input collects 1/4 3/4 3/4 1/4 of four outputs along
 * each axis; at the ends the missing quarter comes back. Here by a plan, which could be run again. */
static void bilinear_2d(void)
{
    float grad_output[18][10], grad_input[9][5];
    for (int y = 0; y < 18; y++)
        for (int x = 0; x < 10; x++)
            grad_output[y][x] = (float)x;
    const regrad_tensor given = regrad_tensor_contiguous(grad_output, REGRAD_FLOAT32, 4, (int64_t[]){1, 1, 18, 10});
    const regrad_tensor wanted = regrad_tensor_contiguous(grad_input, REGRAD_FLOAT32, 4, (int64_t[]){1, 1, 9, 5});

    regrad_plan *plan;
    must(regrad_upsample_bilinear2d_backward_plan(&given, &wanted, REGRAD_HALF_PIXEL, 0, 0, &plan));
    char line[256];
    regrad_plan_describe(plan, line, sizeof(line));
    printf("plan: %s\n", line);

    /* aligned_alloc wants a multiple of the alignment */
    const size_t nbytes = (regrad_plan_workspace_size(plan) / 64 + 1) * 64;
    void *workspace = aligned_alloc(64, nbytes);
    const void *inputs[] = {grad_output};
    void *outputs[] = {grad_input};
    must(regrad_plan_run(plan, inputs, outputs, workspace, nbytes));
    free(workspace);
    regrad_plan_destroy(plan);

    const float expected[5] = {2.5f, 10, 18, 26, 33.5f};
    compare("bilinear 2-D, 9 x 5 -> 18 x 10, first row", grad_input[0], expected, 5);
    compare("bilinear 2-D, 9 x 5 -> 18 x 10, last row", grad_input[8], expected, 5);
}

/* An image whose value is x, sampled where its pixels are: the value grows by 1 a pixel, a pixel is
 * half a unit of the grid, so the gradient along x is 2; border padding makes it 0 at the edges. */
static void grid_sampler_2d(void)
{
    float grad_output[5][5], image[5][5], grid[5][5][2], input_grad[5][5], grid_grad[5][5][2];
    float ones[5][5], slopes[5][5][2];
    for (int y = 0; y < 5; y++) {
        for (int x = 0; x < 5; x++) {
            grad_output[y][x] = ones[y][x] = 1;
            image[y][x] = (float)x;
            grid[y][x][0] = (float)(x - 2) / 2;
            grid[y][x][1] = (float)(y - 2) / 2;
            slopes[y][x][0] = x > 0 && x < 4 ? 2 : 0;
            slopes[y][x][1] = 0;
        }
    }
    const int64_t plane[] = {1, 1, 5, 5}, points[] = {1, 5, 5, 2};
    const regrad_tensor given = regrad_tensor_contiguous(grad_output, REGRAD_FLOAT32, 4, plane);
    const regrad_tensor input = regrad_tensor_contiguous(image, REGRAD_FLOAT32, 4, plane);
    const regrad_tensor where = regrad_tensor_contiguous(grid, REGRAD_FLOAT32, 4, points);
    const regrad_tensor to_input = regrad_tensor_contiguous(input_grad, REGRAD_FLOAT32, 4, plane);
    const regrad_tensor to_grid = regrad_tensor_contiguous(grid_grad, REGRAD_FLOAT32, 4, points);
    must(regrad_grid_sampler_2d_backward(&given, &input, &where, REGRAD_BILINEAR, REGRAD_BORDER, true, &to_input,
                                         &to_grid));
    compare("grid sample 2-D, gradient of the image", &input_grad[0][0], &ones[0][0], 25);
    compare("grid sample 2-D, gradient of the grid (x, y pairs), 5 x 5", &grid_grad[0][0][0], &slopes[0][0][0], 50);
}

int main(void)
{
    printf("regrad %s, %s, %d threads\n", regrad_version(), regrad_isa(), regrad_num_threads());
    nearest_exact_1d();
    nearest_exact_2d();
    bilinear_2d();
    grid_sampler_2d();
    printf("%s\n", n_wrong == 0 ? "all as expected" : "NOT as expected");
    return n_wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
