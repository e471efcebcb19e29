/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nearest-exact forwards of bytes. What is expected is where docs/operators.md says that an output is from, byte by
 * byte; an output that the gather law gives no owner is 0.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "regrad.h"
#include "run.h"
#include "view.h"

enum { N_TRIES = 400, MOST = 1 << 20 };

struct axis {
    int64_t in, out;
    double scale;
};

struct call {
    regrad_nearest_law law;
    int n_axes;
    int64_t n, c;
    struct axis axis[2];
};

/* ---- The laws --------------------------------------------------------------------------------- */

static int64_t forward_source(const struct axis *axis, int64_t o)
{
    const float r = axis->scale > 0 ? (float)(1.0 / axis->scale) : (float)axis->in / (float)axis->out;
    const float source = floorf((float)(((double)o + 0.5) * (double)r));
    return source < (float)axis->in ? (int64_t)source : axis->in - 1;
}

static int64_t gather_begin(const struct axis *axis, int64_t i)
{
    const float m = axis->scale > 0 ? (float)axis->scale : (float)axis->out / (float)axis->in;
    const volatile float product = (float)i * m; /* rounded, whatever the compiler would do */
    const float begin = ceilf(product - 0.5f);
    return begin <= 0 ? 0 : begin >= (float)axis->out ? axis->out : (int64_t)begin;
}

/* -1: from nowhere. */
static int64_t source_of(const struct call *call, int k, int64_t o)
{
    const struct axis *axis = &call->axis[k];
    if (call->law == REGRAD_NEAREST_FORWARD_LAW)
        return forward_source(axis, o);
    for (int64_t i = 0; i < axis->in; i++)
        if (gather_begin(axis, i) <= o && o < gather_begin(axis, i + 1))
            return i;
    return -1;
}

/* ---- Calls ------------------------------------------------------------------------------------ */

static int64_t count(const struct call *call, bool is_output)
{
    int64_t n = call->n * call->c;
    for (int k = 0; k < call->n_axes; k++)
        n *= is_output ? call->axis[k].out : call->axis[k].in;
    return n;
}

static void shape_of(const struct call *call, bool is_output, int64_t shape[4])
{
    shape[0] = call->n;
    shape[1] = call->c;
    for (int k = 0; k < call->n_axes; k++)
        shape[2 + k] = is_output ? call->axis[k].out : call->axis[k].in;
}

static unsigned char *room(int64_t n)
{
    unsigned char *bytes = malloc((size_t)n + 1);
    assert_non_null(bytes);
    return bytes;
}

/* Dense, as are the bytes of the input. */
static unsigned char *expected_of(const struct call *call, const unsigned char *in)
{
    unsigned char *wanted = room(count(call, true)), *at = wanted;
    const struct axis one = {1, 1, 0}, *height = call->n_axes == 2 ? &call->axis[0] : &one;
    const struct axis *width = &call->axis[call->n_axes - 1];
    int64_t *from = malloc((size_t)width->out * sizeof *from);
    assert_non_null(from);
    for (int64_t o = 0; o < width->out; o++)
        from[o] = source_of(call, call->n_axes - 1, o);
    for (int64_t plane = 0; plane < call->n * call->c; plane++)
        for (int64_t y = 0; y < height->out; y++) {
            const int64_t row = call->n_axes == 2 ? source_of(call, 0, y) : 0;
            for (int64_t x = 0; x < width->out; x++)
                *at++ = row < 0 || from[x] < 0 ? 0 : in[(plane * height->in + row) * width->in + from[x]];
        }
    free(from);
    return wanted;
}

static regrad_status run(const struct call *call, const regrad_tensor *in, const regrad_tensor *out)
{
    if (call->n_axes == 1)
        return regrad_upsample_nearest_exact1d(in, out, call->law, call->axis[0].scale);
    return regrad_upsample_nearest_exact2d(in, out, call->law, call->axis[0].scale, call->axis[1].scale);
}

static void choose_axis(struct rng *rng, struct axis *axis)
{
    const int64_t longest = rng_chance(rng, 8) ? 700 : 40;
    axis->in = rng_between(rng, 1, longest);
    axis->out = rng_chance(rng, 6) ? axis->in : rng_between(rng, 1, longest);
    const double quotient = (double)axis->out / (double)axis->in;
    axis->scale = rng_chance(rng, 2) ? 0 : rng_chance(rng, 2) ? quotient : quotient * rng_real(rng, 0.4, 2.2);
}

static void choose(struct rng *rng, struct call *call)
{
    do {
        call->law = rng_chance(rng, 2) ? REGRAD_NEAREST_GATHER_LAW : REGRAD_NEAREST_FORWARD_LAW;
        call->n_axes = rng_chance(rng, 2) ? 1 : 2;
        call->n = rng_below(rng, 4);
        call->c = rng_chance(rng, 4) ? rng_between(rng, 10, 70) : rng_below(rng, 6);
        for (int k = 0; k < call->n_axes; k++)
            choose_axis(rng, &call->axis[k]);
    } while (count(call, true) > MOST || count(call, false) > MOST);
}

static void check(const struct call *call, struct rng *rng, uint64_t seed)
{
    int64_t in_shape[4], out_shape[4];
    struct view in, out;
    shape_of(call, false, in_shape);
    shape_of(call, true, out_shape);
    view_init(&in, rng, (enum view_layout)rng_below(rng, 4), REGRAD_UINT8, 2 + call->n_axes, in_shape);
    view_init(&out, rng, (enum view_layout)rng_below(rng, 3), REGRAD_UINT8, 2 + call->n_axes, out_shape);
    unsigned char *given = room(in.n), *made = room(out.n);
    view_bytes(&in, given);
    unsigned char *wanted = expected_of(call, given);
    if (run(call, &in.tensor, &out.tensor) != REGRAD_OK)
        fail_msg("seed %llu: %s", (unsigned long long)seed, regrad_last_message());
    view_bytes(&out, made);
    for (int64_t k = 0; k < out.n; k++)
        if (made[k] != wanted[k])
            fail_msg("seed %llu: law %d, %d axes, %lld x %lld of %lld x %lld: byte %lld is %d, must be %d",
                     (unsigned long long)seed, (int)call->law, call->n_axes, (long long)out_shape[2],
                     (long long)out_shape[call->n_axes + 1], (long long)in_shape[2],
                     (long long)in_shape[call->n_axes + 1], (long long)k, made[k], wanted[k]);
    assert_true(view_unchanged(&in) && view_gaps_unchanged(&out));
    free(given);
    free(made);
    free(wanted);
    view_fini(&in);
    view_fini(&out);
}

static void test_random(void **state)
{
    (void)state;
    const int64_t n_tries = test_count(N_TRIES);
    for (int64_t k = 0; k < n_tries; k++) {
        const uint64_t seed = test_seed() + (uint64_t)k;
        struct rng rng = rng_make(seed);
        struct call call = {0};
        choose(&rng, &call);
        check(&call, &rng, seed);
    }
}

/* Images, and signals of one long row, which threads share. */
static void test_large(void **state)
{
    (void)state;
    const struct call calls[] = {{REGRAD_NEAREST_FORWARD_LAW, 2, 2, 3, {{120, 301, 0}, {160, 333, 0}}},
                                 {REGRAD_NEAREST_GATHER_LAW, 2, 2, 3, {{300, 120, 0}, {333, 500, 1.4}}},
                                 {REGRAD_NEAREST_FORWARD_LAW, 1, 1, 1, {{30000, 65000, 0}}},
                                 {REGRAD_NEAREST_FORWARD_LAW, 1, 1, 1, {{65000, 30000, 0}}}};
    for (size_t k = 0; k < sizeof calls / sizeof calls[0]; k++)
        for (uint64_t seed = 1; seed < 9; seed++) {
            struct rng rng = rng_make(seed);
            regrad_set_num_threads((int)(seed % 4) + 1);
            check(&calls[k], &rng, seed);
        }
    regrad_set_num_threads(0);
}

/* ---- Plans ------------------------------------------------------------------------------------ */

/* A plan at other addresses, odd ones too. */
static void test_plan(void **state)
{
    (void)state;
    const struct call call = {REGRAD_NEAREST_FORWARD_LAW, 2, 1, 3, {{5, 9, 0}, {7, 4, 0}}};
    int64_t in_shape[4], out_shape[4];
    unsigned char given[5 * 7 * 3 + 1], made[9 * 4 * 3 + 1];
    char text[200];
    shape_of(&call, false, in_shape);
    shape_of(&call, true, out_shape);
    const regrad_tensor in = regrad_tensor_contiguous(NULL, REGRAD_UINT8, 4, in_shape);
    const regrad_tensor out = regrad_tensor_contiguous(NULL, REGRAD_UINT8, 4, out_shape);
    regrad_plan *plan = NULL;
    assert_int_equal(regrad_upsample_nearest_exact2d_plan(&in, &out, call.law, 0, 0, &plan), REGRAD_OK);
    assert_int_equal(regrad_plan_workspace_size(plan), 0);
    regrad_plan_describe(plan, text, sizeof text);
    assert_non_null(strstr(text, "uint8"));
    for (int offset = 0; offset < 2; offset++) {
        for (size_t k = 0; k < sizeof given; k++)
            given[k] = (unsigned char)(251 * k + 17);
        const void *inputs[] = {given + offset};
        void *outputs[] = {made + offset};
        unsigned char *wanted = expected_of(&call, given + offset);
        assert_int_equal(regrad_plan_run(plan, inputs, outputs, NULL, 0), REGRAD_OK);
        assert_memory_equal(made + offset, wanted, sizeof made - 1);
        free(wanted);
    }
    const void *inputs[] = {given};
    void *outputs[] = {given + 50};
    assert_int_equal(regrad_plan_run(plan, inputs, outputs, NULL, 0), REGRAD_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(regrad_last_message(), "overlaps"));
    regrad_plan_destroy(plan);
}

/* ---- Refusals --------------------------------------------------------------------------------- */

static void expect_refusal(regrad_status status, const char *words)
{
    assert_int_equal(status, REGRAD_ERROR_INVALID_ARGUMENT);
    if (strstr(regrad_last_message(), words) == NULL)
        fail_msg("'%s' is not in: %s", words, regrad_last_message());
}

/* Everything else computes, and takes no bytes. */
static void test_refusals(void **state)
{
    (void)state;
    static unsigned char bytes[3][64];
    const int64_t image[] = {1, 2, 2, 3}, points[] = {1, 2, 3, 2}, signal[] = {1, 2, 3}, sizes[] = {1, 2, 2, 3};
    const regrad_tensor in = regrad_tensor_contiguous(bytes[0], REGRAD_UINT8, 4, image);
    const regrad_tensor out = regrad_tensor_contiguous(bytes[1], REGRAD_UINT8, 4, image);
    const regrad_tensor grid = regrad_tensor_contiguous(bytes[2], REGRAD_UINT8, 4, points);
    const regrad_tensor from = regrad_tensor_contiguous(bytes[0], REGRAD_UINT8, 3, signal);
    const regrad_tensor to = regrad_tensor_contiguous(bytes[1], REGRAD_UINT8, 3, signal);
    static const char words[] = ".dtype is REGRAD_UINT8 (4), must be REGRAD_FLOAT32 (0), REGRAD_FLOAT16 (1), "
                                "REGRAD_BFLOAT16 (2) or REGRAD_FLOAT64 (3)";
    const regrad_nearest_law law = REGRAD_NEAREST_FORWARD_LAW;
    expect_refusal(regrad_upsample_bilinear2d(&in, &out, REGRAD_HALF_PIXEL, 0, 0), words);
    expect_refusal(regrad_upsample_bilinear2d_backward(&in, &out, REGRAD_HALF_PIXEL, 0, 0), words);
    expect_refusal(regrad_upsample_nearest_exact1d_backward(&from, &to, law, 0), words);
    expect_refusal(regrad_upsample_nearest_exact2d_backward(&in, &out, law, 0, 0), words);
    expect_refusal(regrad_resize_bilinear_v2_grad(&in, &in, false, true, NULL, &out), words);
    expect_refusal(regrad_upsample_nearest_exact2d_grad(&in, sizes + 2, sizes, 0, 0, &out), words);
    expect_refusal(regrad_grid_sampler_2d(&in, &grid, REGRAD_BILINEAR, REGRAD_ZEROS, true, &out), words);
    expect_refusal(regrad_grid_sampler_2d_backward(&in, &in, &grid, REGRAD_BILINEAR, REGRAD_ZEROS, true, &out, NULL),
                   words);
    regrad_tensor other = out;
    other.dtype = (regrad_dtype)5;
    expect_refusal(regrad_upsample_nearest_exact2d(&in, &other, law, 0, 0),
                   "output.dtype is 5, must be REGRAD_FLOAT32 (0), REGRAD_FLOAT16 (1), REGRAD_BFLOAT16 (2), "
                   "REGRAD_FLOAT64 (3) or REGRAD_UINT8 (4)");
    other.dtype = REGRAD_FLOAT16;
    expect_refusal(regrad_upsample_nearest_exact2d(&in, &other, law, 0, 0), "output.dtype is float16, must be uint8");
}

static void test_type(void **state)
{
    (void)state;
    assert_int_equal(REGRAD_UINT8, 4);
    assert_int_equal(regrad_dtype_size(REGRAD_UINT8), 1);
    assert_string_equal(regrad_dtype_name(REGRAD_UINT8), "uint8");
}

int main(void)
{
    if (skip_without_isa())
        return 77;
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_large),
                                       cmocka_unit_test(test_plan), cmocka_unit_test(test_refusals),
                                       cmocka_unit_test(test_type)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
