/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Results whose sources lie far apart: lines and rings stay small, and the right sources are found. What is expected is
 * the index that the law names, in integers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "regrad.h"

enum { MOST_WORKSPACE = 1 << 20 };

static regrad_tensor signals(void *data, regrad_dtype dtype, int64_t c, int64_t length, bool channels_last)
{
    return (regrad_tensor){.data = data,
                           .dtype = dtype,
                           .rank = 3,
                           .shape = {1, c, length},
                           .stride = {c * length, channels_last ? 1 : length, channels_last ? c : 1}};
}

/* Value i of channel k is i % 8191 + k. */
static float *make_signals(int64_t c, int64_t length, bool channels_last)
{
    float *values = malloc((size_t)(c * length) * sizeof *values);
    assert_non_null(values);
    for (int64_t k = 0; k < c; k++)
        for (int64_t i = 0; i < length; i++)
            values[channels_last ? i * c + k : k * length + i] = (float)(i % 8191 + k);
    return values;
}

/* Powers of two: result i takes source (i + 1/2) * length / n exactly. */
static void shrink(int64_t c, int64_t length, int64_t n, bool channels_last)
{
    float *from = make_signals(c, length, channels_last), *to = calloc((size_t)(c * n), sizeof *to);
    assert_non_null(to);
    const regrad_tensor input = signals(from, REGRAD_FLOAT32, c, length, channels_last);
    const regrad_tensor output = signals(to, REGRAD_FLOAT32, c, n, channels_last);
    regrad_plan *plan = NULL;
    assert_int_equal(regrad_upsample_nearest_exact1d_plan(&input, &output, REGRAD_NEAREST_FORWARD_LAW, 0, &plan),
                     REGRAD_OK);
    const size_t size = regrad_plan_workspace_size(plan);
    assert_true(size <= MOST_WORKSPACE);
    void *workspace = aligned_alloc(64, (size + 64) / 64 * 64);
    assert_non_null(workspace);
    assert_int_equal(regrad_plan_run(plan, (const void *[]){from}, (void *[]){to}, workspace, size), REGRAD_OK);
    for (int64_t k = 0; k < c; k++)
        for (int64_t i = 0; i < n; i++)
            assert_true(to[channels_last ? i * c + k : k * n + i] ==
                        (float)((i * (length / n) + length / n / 2) % 8191 + k));
    regrad_plan_destroy(plan);
    free(workspace);
    free(to);
    free(from);
}

static void sources_far_apart(void **state)
{
    (void)state;
    for (int64_t length = 1 << 12; length <= 1 << 22; length *= 4) {
        shrink(1, length, 16, false);
        shrink(3, length / 4, 64, true);
        shrink(15, length / 16, 16, true);
    }
}

static regrad_tensor plane(regrad_dtype dtype, const int64_t size[2])
{
    static char nowhere[64];
    return (regrad_tensor){.data = nowhere,
                           .dtype = dtype,
                           .rank = 4,
                           .shape = {1, 1, size[0], size[1]},
                           .stride = {size[0] * size[1], size[0] * size[1], size[1], 1}};
}

/* Plans are made, not run: their tensors would be large. */
static size_t workspace_of(regrad_dtype dtype, const int64_t in[2], const int64_t out[2])
{
    const regrad_tensor input = plane(dtype, in), output = plane(dtype, out);
    regrad_plan *plan = NULL;
    assert_int_equal(regrad_upsample_bilinear2d_plan(&input, &output, REGRAD_HALF_PIXEL, 0, 0, &plan), REGRAD_OK);
    const size_t size = regrad_plan_workspace_size(plan);
    regrad_plan_destroy(plan);
    return size;
}

static void workspace(void **state)
{
    (void)state;
    static const int64_t sizes[][2][2] = {{{16, 512}, {8192, 65536}},
                                          {{8192, 65536}, {16, 512}},
                                          {{100, 100000}, {700, 50}},
                                          {{100000, 100}, {50, 70000}}};
    for (size_t k = 0; k < sizeof sizes / sizeof sizes[0]; k++) {
        assert_true(workspace_of(REGRAD_FLOAT32, sizes[k][0], sizes[k][1]) <= MOST_WORKSPACE);
        assert_true(workspace_of(REGRAD_FLOAT64, sizes[k][0], sizes[k][1]) <= MOST_WORKSPACE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(sources_far_apart), cmocka_unit_test(workspace)};
    regrad_set_num_threads(1);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
