/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resizes of axes that are longer than 2^22, by the operators. What is expected are exact rationals, in integers: which
 * input an output reads, with which weight. The pairs of sizes are such that double, unlike float, finds the same.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "random.h"
#include "regrad.h"

/* A product of an index and a scale's digits may need more than 64 bits. */
__extension__ typedef __int128 wide;

enum { LIMIT = 1 << 22 };

/* ---- Calls on one axis ---- */

enum axis { ONE_DIMENSION, WIDTH, HEIGHT };

/* One axis of a resize, with one sample of one channel. */
struct resize {
    int64_t in, out;
    double scale;
    enum axis axis;
    enum { NEAREST_EXACT, NEAREST, BILINEAR } sort;
    regrad_nearest_law law;
    regrad_coordinates coordinates;
};

static regrad_tensor line(const struct resize *resize, int64_t length, void *data)
{
    const bool upright = resize->axis == HEIGHT;
    if (resize->axis == ONE_DIMENSION)
        return regrad_tensor_contiguous(data, REGRAD_FLOAT32, 3, (int64_t[]){1, 1, length});
    return regrad_tensor_contiguous(data, REGRAD_FLOAT32, 4,
                                    (int64_t[]){1, 1, upright ? length : 1, upright ? 1 : length});
}

static regrad_status call(const struct resize *resize, bool backward, const regrad_tensor *from,
                          const regrad_tensor *to)
{
    const double h = resize->axis == HEIGHT ? resize->scale : 0, w = resize->axis == WIDTH ? resize->scale : 0;
    if (resize->sort == BILINEAR)
        return (backward ? regrad_upsample_bilinear2d_backward : regrad_upsample_bilinear2d)(from, to,
                                                                                             resize->coordinates, h, w);
    if (resize->sort == NEAREST && resize->axis == ONE_DIMENSION)
        return (backward ? regrad_upsample_nearest1d_backward : regrad_upsample_nearest1d)(from, to, resize->law,
                                                                                           resize->scale);
    if (resize->sort == NEAREST)
        return (backward ? regrad_upsample_nearest2d_backward : regrad_upsample_nearest2d)(from, to, resize->law, h, w);
    if (resize->axis == ONE_DIMENSION)
        return (backward ? regrad_upsample_nearest_exact1d_backward
                         : regrad_upsample_nearest_exact1d)(from, to, resize->law, resize->scale);
    return (backward ? regrad_upsample_nearest_exact2d_backward : regrad_upsample_nearest_exact2d)(from, to,
                                                                                                   resize->law, h, w);
}

static void *room(int64_t n, size_t size)
{
    void *values = calloc((size_t)n, size);
    assert_non_null(values);
    return values;
}

/* Whole numbers of up to 8 bits, so that sums of some of them, and of quarters of them, are exact. */
static float *random_values(int64_t n)
{
    struct rng rng = rng_make(test_seed());
    float *values = room(n, sizeof *values);
    for (int64_t k = 0; k < n; k++)
        values[k] = (float)(rng_next(&rng) >> 56) - 128;
    return values;
}

/* The operator, from random numbers; the caller frees both arrays. */
static void run(const struct resize *resize, bool backward, float **from, float **to)
{
    const int64_t n_from = backward ? resize->out : resize->in, n_to = backward ? resize->in : resize->out;
    *from = random_values(n_from);
    *to = room(n_to, sizeof **to);
    const regrad_tensor source = line(resize, n_from, *from), result = line(resize, n_to, *to);
    if (call(resize, backward, &source, &result) != REGRAD_OK)
        fail_msg("%s", regrad_last_message());
}

static void expect(const struct resize *resize, bool backward, int64_t at, double value, double wanted)
{
    if (value != wanted)
        fail_msg("%lld -> %lld scale %g axis %d sort %d law %d, %s: [%lld] is %g, not %g", (long long)resize->in,
                 (long long)resize->out, resize->scale, resize->axis, resize->sort, resize->law,
                 backward ? "gradient" : "forward", (long long)at, value, wanted);
}

/* ---- Exact rationals ---- */

/* The scale out / in, or the user's, as the fraction top / bottom: numbers of type double are fractions. */
struct fraction {
    int64_t top, bottom;
};

static struct fraction scale_of(const struct resize *resize)
{
    struct fraction scale = {resize->out, resize->in};
    if (resize->scale == 0)
        return scale;
    scale.bottom = 1;
    double top = resize->scale;
    for (; top != (double)(int64_t)top; top *= 2)
        scale.bottom *= 2;
    scale.top = (int64_t)top;
    return scale;
}

/* The largest integer that is not more than a / b, with b > 0. */
static int64_t floor_of(wide a, wide b)
{
    return (int64_t)(a >= 0 ? a / b : -((-a + b - 1) / b));
}

/* Halves: 1/2 for nearest-exact. */
static int64_t half_of(const struct resize *resize)
{
    return resize->sort == NEAREST_EXACT;
}

/* floor((o + half) / scale), but an input. */
static int64_t nearest_source(const struct resize *resize, int64_t o)
{
    const struct fraction scale = scale_of(resize);
    const int64_t source = floor_of((wide)(2 * o + half_of(resize)) * scale.bottom, (wide)2 * scale.top);
    return source < resize->in ? source : resize->in - 1;
}

/* ceil(i * scale - half), but an output, or one past the last. */
static int64_t nearest_begin(const struct resize *resize, int64_t i)
{
    const struct fraction scale = scale_of(resize);
    const int64_t begin = -floor_of(half_of(resize) * scale.bottom - (wide)2 * i * scale.top, (wide)2 * scale.bottom);
    return begin < 0 ? 0 : begin < resize->out ? begin : resize->out;
}

/* Which input each output reads; -1 for none. The caller frees it. */
static int32_t *nearest_sources(const struct resize *resize)
{
    int32_t *source = room(resize->out, sizeof *source);
    if (resize->law == REGRAD_NEAREST_FORWARD_LAW) {
        for (int64_t o = 0; o < resize->out; o++)
            source[o] = (int32_t)nearest_source(resize, o);
        return source;
    }
    memset(source, 0xFF, (size_t)resize->out * sizeof *source);
    for (int64_t i = 0; i < resize->in; i++)
        for (int64_t o = nearest_begin(resize, i); o < nearest_begin(resize, i + 1); o++)
            source[o] = (int32_t)i;
    return source;
}

/* ---- Nearest-exact and nearest ---- */

static void check_nearest_forward(const struct resize *resize, const int32_t *source)
{
    float *input, *output;
    run(resize, false, &input, &output);
    for (int64_t o = 0; o < resize->out; o++)
        expect(resize, false, o, (double)output[o], source[o] < 0 ? 0 : (double)input[source[o]]);
    free(input);
    free(output);
}

static void check_nearest_backward(const struct resize *resize, const int32_t *source)
{
    float *grad_output, *grad_input, *wanted = room(resize->in, sizeof *wanted);
    run(resize, true, &grad_output, &grad_input);
    for (int64_t o = 0; o < resize->out; o++)
        if (source[o] >= 0)
            wanted[source[o]] += grad_output[o];
    for (int64_t i = 0; i < resize->in; i++)
        expect(resize, true, i, (double)grad_input[i], (double)wanted[i]);
    free(grad_output);
    free(grad_input);
    free(wanted);
}

static void check_nearest(int64_t in, int64_t out, double scale, enum axis axis)
{
    static const regrad_nearest_law laws[] = {REGRAD_NEAREST_FORWARD_LAW, REGRAD_NEAREST_GATHER_LAW};
    for (int k = 0; k < 4; k++) {
        const struct resize resize = {.in = in,
                                      .out = out,
                                      .scale = scale,
                                      .axis = axis,
                                      .sort = k / 2 ? NEAREST : NEAREST_EXACT,
                                      .law = laws[k % 2]};
        int32_t *source = nearest_sources(&resize);
        check_nearest_forward(&resize, source);
        check_nearest_backward(&resize, source);
        free(source);
    }
}

/* All outputs belong to an input of their own, and float32 has no quarter of a pixel for most of them. */
static void nearest_same_length(void **state)
{
    (void)state;
    check_nearest(8388611, 8388611, 0, ONE_DIMENSION);
}

static void nearest_doubled(void **state)
{
    (void)state;
    check_nearest(4194306, 8388612, 0, WIDTH);
    check_nearest(5000000, 10000000, 0, ONE_DIMENSION);
}

/* With an odd length no output lies on the border of two inputs, so that rounding to double decides nothing. */
static void nearest_any_lengths(void **state)
{
    (void)state;
    check_nearest(4194305, 5767168, 0, HEIGHT);
    check_nearest(5767169, 1000003, 0, WIDTH);
    check_nearest(1000003, 5767169, 0, ONE_DIMENSION);
}

/* Scales of which no small multiple is near a half. */
static void nearest_by_scale(void **state)
{
    (void)state;
    check_nearest(4194306, 8388612, 2, ONE_DIMENSION);
    check_nearest(4194305, 4613735, 1.0986122886681098, WIDTH);
    check_nearest(4194305, 3000000, 0.6931471805599453, HEIGHT);
}

/* ---- Which lengths are long ---- */

/* The forward law as it is written for short axes. */
static int64_t source_in_float(const struct resize *resize, int64_t o)
{
    const float r = (float)resize->in / (float)resize->out;
    const int64_t source = (int64_t)floorf((float)(((double)o + 0.5) * (double)r));
    return source < resize->in ? source : resize->in - 1;
}

/* The input that each output reads: values are indices. */
static void check_side(int64_t in, int64_t out, bool is_long)
{
    const struct resize resize = {.in = in, .out = out, .law = REGRAD_NEAREST_FORWARD_LAW};
    float *input = room(in, sizeof *input), *output = room(out, sizeof *output);
    int64_t n_apart = 0;
    for (int64_t i = 0; i < in; i++)
        input[i] = (float)i;
    const regrad_tensor source = line(&resize, in, input), result = line(&resize, out, output);
    assert_int_equal(call(&resize, false, &source, &result), REGRAD_OK);
    for (int64_t o = 0; o < out; o++) {
        const int64_t exact = nearest_source(&resize, o), rounded = source_in_float(&resize, o);
        expect(&resize, false, o, (double)output[o], (double)(is_long ? exact : rounded));
        n_apart += exact != rounded;
    }
    assert_true(n_apart > 0); /* else the pair of sizes shows nothing */
    free(input);
    free(output);
}

static void first_long_length(void **state)
{
    (void)state;
    check_side(LIMIT, 3000001, false);
    check_side(LIMIT + 1, 3000001, true);
    check_side(3000001, LIMIT, false);
    check_side(3000001, LIMIT + 1, true);
}

/* ---- Bilinear ---- */

/* What an output reads: index with weight 1 - rest, and the next one, if there is one, with rest. */
struct taps {
    int64_t index;
    double rest;
};

static struct taps linear_taps(const struct resize *resize, int64_t o)
{
    const struct fraction scale = scale_of(resize);
    wide top = (wide)o * scale.bottom, bottom = scale.top;
    if (resize->coordinates == REGRAD_ALIGN_CORNERS) {
        top = (wide)o * (resize->in - 1);
        bottom = resize->out - 1;
    } else if (resize->coordinates == REGRAD_HALF_PIXEL) {
        top = (wide)(2 * o + 1) * scale.bottom - scale.top;
        bottom = (wide)2 * scale.top;
    }
    if (top < 0)
        return (struct taps){0, 0};
    if (top / bottom >= resize->in - 1)
        return (struct taps){resize->in - 1, 0};
    return (struct taps){(int64_t)(top / bottom), (double)(top % bottom) / (double)bottom};
}

static void check_linear_forward(const struct resize *resize)
{
    float *input, *output;
    run(resize, false, &input, &output);
    for (int64_t o = 0; o < resize->out; o++) {
        const struct taps taps = linear_taps(resize, o);
        const float *at = input + taps.index;
        expect(resize, false, o, (double)output[o],
               (1 - taps.rest) * (double)at[0] + (taps.rest > 0 ? taps.rest * (double)at[1] : 0));
    }
    free(input);
    free(output);
}

static void check_linear_backward(const struct resize *resize)
{
    float *grad_output, *grad_input, *wanted = room(resize->in + 1, sizeof *wanted);
    run(resize, true, &grad_output, &grad_input);
    for (int64_t o = 0; o < resize->out; o++) {
        const struct taps taps = linear_taps(resize, o);
        wanted[taps.index] += (float)(1 - taps.rest) * grad_output[o];
        wanted[taps.index + 1] += (float)taps.rest * grad_output[o];
    }
    for (int64_t i = 0; i < resize->in; i++)
        expect(resize, true, i, (double)grad_input[i], (double)wanted[i]);
    free(grad_output);
    free(grad_input);
    free(wanted);
}

/* Ratios with which all weights are quarters. */
static void bilinear(void **state)
{
    (void)state;
    static const struct resize resizes[] = {
        {4194306, 8388612, 0, WIDTH, BILINEAR, 0, REGRAD_HALF_PIXEL},
        {6291456, 8388608, 0, HEIGHT, BILINEAR, 0, REGRAD_ASYMMETRIC},
        {6291457, 8388609, 0, WIDTH, BILINEAR, 0, REGRAD_ALIGN_CORNERS},
        {6291457, 4194305, 4, HEIGHT, BILINEAR, 0, REGRAD_HALF_PIXEL},
        {8388613, 2097152, 0.25, WIDTH, BILINEAR, 0, REGRAD_ASYMMETRIC},
    };
    for (size_t k = 0; k < sizeof resizes / sizeof resizes[0]; k++) {
        check_linear_forward(&resizes[k]);
        check_linear_backward(&resizes[k]);
    }
}

int main(void)
{
    if (test_count(1000) < 100) /* a short run */
        cmocka_set_skip_filter("*");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nearest_same_length), cmocka_unit_test(nearest_doubled),
        cmocka_unit_test(nearest_any_lengths), cmocka_unit_test(nearest_by_scale),
        cmocka_unit_test(first_long_length),   cmocka_unit_test(bilinear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
