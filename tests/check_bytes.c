/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nearest forwards, which move elements bit by bit: bytes, and the bits of all other types, among which are zeros of
 * both signs and NaNs, quiet and signalling. What is expected is where docs/operators.md says that an output is from;
 * an output that the gather law gives no owner is 0.
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
#include "resize_calls.h"
#include "run.h"
#include "view.h"

enum { N_TRIES = 400, MOST = 1 << 20 };

struct axis {
    int64_t in, out;
    double scale;
};

struct call {
    bool exact; /* nearest-exact */
    regrad_nearest_law law;
    int n_axes;
    int64_t n, c;
    struct axis axis[3];
    regrad_dtype dtype;
};

/* ---- The laws --------------------------------------------------------------------------------- */

static int64_t forward_source(bool exact, const struct axis *axis, int64_t o)
{
    const float r = axis->scale > 0 ? (float)(1.0 / axis->scale) : (float)axis->in / (float)axis->out;
    const float source = exact ? floorf((float)(((double)o + 0.5) * (double)r)) : floorf((float)o * r);
    return source < (float)axis->in ? (int64_t)source : axis->in - 1;
}

static int64_t gather_begin(bool exact, const struct axis *axis, int64_t i)
{
    const float m = axis->scale > 0 ? (float)axis->scale : (float)axis->out / (float)axis->in;
    const volatile float product = (float)i * m; /* rounded, whatever the compiler would do */
    const float begin = ceilf(exact ? product - 0.5f : product);
    return begin <= 0 ? 0 : begin >= (float)axis->out ? axis->out : (int64_t)begin;
}

/* -1: from nowhere. */
static int64_t source_of(const struct call *call, int k, int64_t o)
{
    const struct axis *axis = &call->axis[k];
    if (call->law == REGRAD_NEAREST_FORWARD_LAW)
        return forward_source(call->exact, axis, o);
    for (int64_t i = 0; i < axis->in; i++)
        if (gather_begin(call->exact, axis, i) <= o && o < gather_begin(call->exact, axis, i + 1))
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

static void shape_of(const struct call *call, bool is_output, int64_t shape[REGRAD_MAX_RANK])
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

/* The sources of all outputs of axis k of three; axes that the call has not come first, and have one. */
static int64_t *sources_of(const struct call *call, int k, struct axis *axis)
{
    const struct axis one = {1, 1, 0};
    const int own = k - 3 + call->n_axes;
    *axis = own < 0 ? one : call->axis[own];
    int64_t *from = malloc((size_t)axis->out * sizeof *from);
    assert_non_null(from);
    for (int64_t o = 0; o < axis->out; o++)
        from[o] = own < 0 ? 0 : source_of(call, own, o);
    return from;
}

/* Dense, as are the bytes of the input. */
static unsigned char *expected_of(const struct call *call, const unsigned char *in)
{
    const int64_t size = (int64_t)regrad_dtype_size(call->dtype);
    unsigned char *wanted = room(count(call, true) * size), *at = wanted;
    struct axis d, h, w;
    int64_t *depth = sources_of(call, 0, &d), *row = sources_of(call, 1, &h), *column = sources_of(call, 2, &w);
    for (int64_t plane = 0; plane < call->n * call->c; plane++)
        for (int64_t z = 0; z < d.out; z++)
            for (int64_t y = 0; y < h.out; y++)
                for (int64_t x = 0; x < w.out; x++, at += size) {
                    const int64_t from = ((plane * d.in + depth[z]) * h.in + row[y]) * w.in + column[x];
                    if (depth[z] < 0 || row[y] < 0 || column[x] < 0)
                        memset(at, 0, (size_t)size);
                    else
                        memcpy(at, in + from * size, (size_t)size);
                }
    free(depth);
    free(row);
    free(column);
    return wanted;
}

static regrad_status run(const struct call *call, const regrad_tensor *in, const regrad_tensor *out)
{
    char name[60];
    struct resize_call resize = {.in = in, .out = out, .law = call->law};
    for (int k = 0; k < call->n_axes; k++)
        resize.scale[k] = call->axis[k].scale;
    snprintf(name, sizeof name, "regrad_upsample_nearest%s%dd", call->exact ? "_exact" : "", call->n_axes);
    return resize_call(name, RESIZE_RUN, &resize);
}

static void choose_axis(struct rng *rng, int n_axes, struct axis *axis)
{
    const int64_t longest = rng_chance(rng, 8) ? 700 : n_axes == 3 ? 12 : 40;
    axis->in = rng_between(rng, 1, longest);
    axis->out = rng_chance(rng, 6) ? axis->in : rng_between(rng, 1, longest);
    const double quotient = (double)axis->out / (double)axis->in;
    axis->scale = rng_chance(rng, 2) ? 0 : rng_chance(rng, 2) ? quotient : quotient * rng_real(rng, 0.4, 2.2);
}

static void choose(struct rng *rng, struct call *call)
{
    do {
        call->law = rng_chance(rng, 2) ? REGRAD_NEAREST_GATHER_LAW : REGRAD_NEAREST_FORWARD_LAW;
        call->exact = rng_chance(rng, 2);
        call->n_axes = (int)rng_between(rng, 1, 3);
        call->dtype = rng_chance(rng, 3) ? REGRAD_UINT8 : (regrad_dtype)rng_below(rng, 4);
        call->n = rng_below(rng, 4);
        call->c = rng_chance(rng, 4) ? rng_between(rng, 10, 70) : rng_below(rng, 6);
        for (int k = 0; k < call->n_axes; k++)
            choose_axis(rng, call->n_axes, &call->axis[k]);
    } while (count(call, true) > MOST || count(call, false) > MOST);
}

/* Some values of the type that arithmetic would change, or may, put among random bits; dense. */
static void add_special(struct rng *rng, regrad_dtype dtype, unsigned char *bytes, int64_t n)
{
    static const uint16_t halves[] = {0x8000, 0x7D01, 0xFE02, 0x7C00, 0x0001}; /* -0, NaNs, infinity, the smallest */
    static const uint16_t brains[] = {0x8000, 0x7F81, 0xFFC2, 0x7F80, 0x0001};
    static const uint32_t floats[] = {0x80000000, 0x7F800001, 0xFFC00002, 0x7F800000, 1};
    static const uint64_t doubles[] = {UINT64_C(1) << 63, 0x7FF0000000000001, 0xFFF8000000000002, 0x7FF0000000000000,
                                       1};
    static const uint8_t ones[] = {0, 1, 2, 254, 255};
    static const void *const special[] = {[REGRAD_FLOAT32] = floats,
                                          [REGRAD_FLOAT16] = halves,
                                          [REGRAD_BFLOAT16] = brains,
                                          [REGRAD_FLOAT64] = doubles,
                                          [REGRAD_UINT8] = ones};
    const size_t size = regrad_dtype_size(dtype);
    for (int64_t k = 0; k < n; k++)
        if (rng_chance(rng, 3))
            memcpy(bytes + (size_t)k * size, (const char *)special[dtype] + (size_t)rng_below(rng, 5) * size, size);
}

static void check(const struct call *call, struct rng *rng, uint64_t seed)
{
    int64_t in_shape[REGRAD_MAX_RANK], out_shape[REGRAD_MAX_RANK];
    struct view in, out;
    shape_of(call, false, in_shape);
    shape_of(call, true, out_shape);
    view_init(&in, rng, (enum view_layout)rng_below(rng, 4), call->dtype, 2 + call->n_axes, in_shape);
    view_init(&out, rng, (enum view_layout)rng_below(rng, 3), call->dtype, 2 + call->n_axes, out_shape);
    const int64_t size = (int64_t)regrad_dtype_size(call->dtype);
    unsigned char *given = room(in.n * size), *made = room(out.n * size);
    rng_bytes(rng, given, in.n * size);
    add_special(rng, call->dtype, given, in.n);
    view_write_bytes(&in, given);
    view_bytes(&in, given); /* repeated elements hold the last that was written */
    unsigned char *wanted = expected_of(call, given);
    if (run(call, &in.tensor, &out.tensor) != REGRAD_OK)
        fail_msg("seed %llu: %s", (unsigned long long)seed, regrad_last_message());
    view_bytes(&out, made);
    for (int64_t k = 0; k < out.n * size; k++)
        if (made[k] != wanted[k])
            fail_msg("seed %llu: exact %d, law %d, %d axes, %s: byte %lld is %d, must be %d", (unsigned long long)seed,
                     call->exact, (int)call->law, call->n_axes, regrad_dtype_name(call->dtype), (long long)k, made[k],
                     wanted[k]);
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
    const struct call calls[] = {
        {true, REGRAD_NEAREST_FORWARD_LAW, 2, 2, 3, {{120, 301, 0}, {160, 333, 0}}, REGRAD_UINT8},
        {true, REGRAD_NEAREST_GATHER_LAW, 2, 2, 3, {{300, 120, 0}, {333, 500, 1.4}}, REGRAD_UINT8},
        {false, REGRAD_NEAREST_FORWARD_LAW, 2, 2, 3, {{120, 301, 0}, {160, 333, 0}}, REGRAD_FLOAT32},
        {false, REGRAD_NEAREST_GATHER_LAW, 3, 1, 3, {{20, 33, 0}, {30, 51, 1.4}, {40, 60, 0}}, REGRAD_FLOAT16},
        {true, REGRAD_NEAREST_FORWARD_LAW, 3, 1, 3, {{40, 33, 0}, {30, 51, 0}, {40, 37, 0}}, REGRAD_FLOAT64},
        {true, REGRAD_NEAREST_FORWARD_LAW, 1, 1, 1, {{30000, 65000, 0}}, REGRAD_UINT8},
        {false, REGRAD_NEAREST_FORWARD_LAW, 1, 1, 1, {{65000, 30000, 0}}, REGRAD_BFLOAT16}};
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
    const struct call call = {true, REGRAD_NEAREST_FORWARD_LAW, 2, 1, 3, {{5, 9, 0}, {7, 4, 0}}, REGRAD_UINT8};
    int64_t in_shape[REGRAD_MAX_RANK], out_shape[REGRAD_MAX_RANK];
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

static const char only_numbers[] = ".dtype is REGRAD_UINT8 (4), must be REGRAD_FLOAT32 (0), REGRAD_FLOAT16 (1), "
                                   "REGRAD_BFLOAT16 (2) or REGRAD_FLOAT64 (3)";

/* A resize of bytes is refused unless it is a nearest forward. */
static void test_resizes(void **state)
{
    (void)state;
    static unsigned char bytes[2][64];
    static const int64_t shape[] = {1, 2, 2, 2, 3};
    regrad_resize_operator info;
    for (int k = 0; regrad_resize_operator_at(k, &info); k++) {
        const regrad_tensor in = regrad_tensor_contiguous(bytes[0], REGRAD_UINT8, 2 + info.n_axes, shape);
        const regrad_tensor out = regrad_tensor_contiguous(bytes[1], REGRAD_UINT8, 2 + info.n_axes, shape);
        const struct resize_call call = {.in = &in, .out = &out};
        const bool moves = strncmp(info.name, "regrad_upsample_nearest", 23) == 0 && !strstr(info.name, "_backward");
        if (moves)
            assert_int_equal(resize_call(info.name, RESIZE_RUN, &call), REGRAD_OK);
        else
            expect_refusal(resize_call(info.name, RESIZE_RUN, &call), only_numbers);
        assert_int_equal(info.takes_bytes, moves);
    }
}

/* Everything else computes, and takes no bytes. */
static void test_refusals(void **state)
{
    (void)state;
    static unsigned char bytes[3][64];
    const int64_t image[] = {1, 2, 2, 3}, points[] = {1, 2, 3, 2}, sizes[] = {1, 2, 2, 3};
    const regrad_tensor in = regrad_tensor_contiguous(bytes[0], REGRAD_UINT8, 4, image);
    const regrad_tensor out = regrad_tensor_contiguous(bytes[1], REGRAD_UINT8, 4, image);
    const regrad_tensor grid = regrad_tensor_contiguous(bytes[2], REGRAD_UINT8, 4, points);
    const regrad_nearest_law law = REGRAD_NEAREST_FORWARD_LAW;
    expect_refusal(regrad_resize_bilinear_v2_grad(&in, &in, false, true, NULL, &out), only_numbers);
    expect_refusal(regrad_upsample_nearest_exact2d_grad(&in, sizes + 2, sizes, 0, 0, &out), only_numbers);
    expect_refusal(regrad_grid_sampler_2d(&in, &grid, REGRAD_BILINEAR, REGRAD_ZEROS, true, &out), only_numbers);
    expect_refusal(regrad_grid_sampler_2d_backward(&in, &in, &grid, REGRAD_BILINEAR, REGRAD_ZEROS, true, &out, NULL),
                   only_numbers);
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
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random),   cmocka_unit_test(test_large),
                                       cmocka_unit_test(test_plan),     cmocka_unit_test(test_resizes),
                                       cmocka_unit_test(test_refusals), cmocka_unit_test(test_type)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
