/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grid samples of images that are longer than 2^22 on one axis, and one pixel wide on the other. The coordinates of
 * points at the ends are written down by hand; others are fractions, whose pixels are found in integers; all are
 * compared with the reference.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "number.h"
#include "problem.h"
#include "run.h"

enum { LIMIT = 1 << 22, LONG = 16777220, N_POINTS = 130 };

/* ---- Calls ---- */

struct sampler {
    int64_t size;
    bool upright; /* the long axis is H, else W */
    regrad_dtype dtype;
    regrad_interpolation interpolation;
    regrad_padding padding;
    bool align_corners;
    int64_t channels, n_points;
};

/* The image, of which all channels are the same memory; a gradient for each point; coordinates; results. */
struct arrays {
    void *input, *grad_output, *grid, *output, *input_grad, *grid_grad;
};

static void *room(const struct sampler *sampler, int64_t n)
{
    void *values = calloc((size_t)n, regrad_dtype_size(sampler->dtype));
    assert_non_null(values);
    return values;
}

static double get(const struct sampler *sampler, const void *values, int64_t k)
{
    return number_decode(sampler->dtype, (const char *)values + (size_t)k * regrad_dtype_size(sampler->dtype));
}

static void set(const struct sampler *sampler, void *values, int64_t k, double value)
{
    number_encode(sampler->dtype, value, (char *)values + (size_t)k * regrad_dtype_size(sampler->dtype));
}

static regrad_tensor image(const struct sampler *sampler, void *data)
{
    return regrad_tensor_contiguous(
        data, sampler->dtype, 4,
        (int64_t[]){1, sampler->channels, sampler->upright ? sampler->size : 1, sampler->upright ? 1 : sampler->size});
}

/* Values of all channels at the points. */
static regrad_tensor sampled(const struct sampler *sampler, void *data)
{
    return regrad_tensor_contiguous(data, sampler->dtype, 4, (int64_t[]){1, sampler->channels, 1, sampler->n_points});
}

static regrad_tensor coordinates(const struct sampler *sampler, void *data)
{
    return regrad_tensor_contiguous(data, sampler->dtype, 4, (int64_t[]){1, 1, sampler->n_points, 2});
}

static void arrays_init(struct arrays *arrays, const struct sampler *sampler)
{
    const int64_t n = sampler->n_points;
    arrays->input = room(sampler, sampler->size);
    arrays->grad_output = room(sampler, n * sampler->channels);
    arrays->grid = room(sampler, 2 * n);
    arrays->output = room(sampler, n * sampler->channels);
    arrays->input_grad = room(sampler, sampler->size * sampler->channels);
    arrays->grid_grad = room(sampler, 2 * n);
}

static void arrays_fini(struct arrays *arrays)
{
    free(arrays->input);
    free(arrays->grad_output);
    free(arrays->grid);
    free(arrays->output);
    free(arrays->input_grad);
    free(arrays->grid_grad);
}

/* Forward, and backward, from what the arrays hold. */
static void run_both(const struct sampler *sampler, const struct arrays *arrays)
{
    regrad_tensor input = image(sampler, arrays->input);
    input.stride[1] = 0;
    const regrad_tensor grid = coordinates(sampler, arrays->grid), output = sampled(sampler, arrays->output);
    const regrad_tensor grad_output = sampled(sampler, arrays->grad_output);
    const regrad_tensor input_grad = image(sampler, arrays->input_grad);
    const regrad_tensor grid_grad = coordinates(sampler, arrays->grid_grad);
    if (regrad_grid_sampler_2d(&input, &grid, sampler->interpolation, sampler->padding, sampler->align_corners,
                               &output) != REGRAD_OK ||
        regrad_grid_sampler_2d_backward(&grad_output, &input, &grid, sampler->interpolation, sampler->padding,
                                        sampler->align_corners, &input_grad, &grid_grad) != REGRAD_OK)
        fail_msg("%s", regrad_last_message());
}

/* The long axis' coordinate; the other one is 0, which is pixel 0. */
static void set_coordinate(const struct sampler *sampler, const struct arrays *arrays, int64_t p, double coordinate)
{
    set(sampler, arrays->grid, 2 * p + sampler->upright, coordinate);
    set(sampler, arrays->grid, 2 * p + !sampler->upright, 0);
}

/* A whole number of up to 7 bits, which all types have. */
enum { PERIOD = 127 };
static double pixel_value(int64_t i)
{
    return (double)(i % PERIOD);
}

static void fill_image(const struct sampler *sampler, const struct arrays *arrays)
{
    const size_t element = regrad_dtype_size(sampler->dtype);
    for (int64_t i = 0; i < PERIOD; i++)
        set(sampler, arrays->input, i, pixel_value(i));
    for (int64_t i = PERIOD; i < sampler->size; i += PERIOD)
        memcpy((char *)arrays->input + (size_t)i * element, arrays->input,
               (size_t)(sampler->size - i < PERIOD ? sampler->size - i : PERIOD) * element);
}

static void expect(const struct sampler *sampler, const char *what, int64_t at, double value, double wanted)
{
    if (value != wanted)
        fail_msg("size %lld upright %d %s interpolation %d padding %d align %d: %s[%lld] is %.9g, not %.9g",
                 (long long)sampler->size, sampler->upright, regrad_dtype_name(sampler->dtype), sampler->interpolation,
                 sampler->padding, sampler->align_corners, what, (long long)at, value, wanted);
}

/* ---- The ends, by hand ---- */

enum place { FIRST, LAST, ELSEWHERE };

/* What a point of an image of ones is, and which pixel, if it is one, gets its gradient. */
struct end {
    double coordinate, value;
    enum place place;
};
enum { N_ENDS = 7 };

static void find_ends(const struct sampler *sampler, struct end ends[N_ENDS])
{
    const bool nearest = sampler->interpolation == REGRAD_NEAREST, zeros = sampler->padding == REGRAD_ZEROS;
    const bool border = sampler->padding == REGRAD_BORDER;
    const double beside = zeros ? 0 : 1;
    /* Without align_corners 1 is half a pixel beyond the last one, which is odd, and -1 before the first one. Nearest
     * takes both to the even one. */
    const double at_last = !zeros || sampler->align_corners ? 1 : nearest ? 0 : 0.5;
    const double at_first = !zeros || sampler->align_corners || nearest ? 1 : 0.5;
    const struct end all[N_ENDS] = {
        {1, at_last, LAST},
        {1.5, beside, border ? LAST : ELSEWHERE},
        {(double)INFINITY, beside, border ? LAST : FIRST},
        {-1, at_first, FIRST},
        {-1.5, beside, border ? FIRST : ELSEWHERE},
        {-(double)INFINITY, beside, FIRST},
        {(double)NAN, beside, FIRST},
    };
    memcpy(ends, all, sizeof all);
}

/* Point p has the gradient 2^p, so that a sum tells which points are in it. */
static void check_ends(const struct sampler *sampler, const struct arrays *arrays)
{
    struct end ends[N_ENDS];
    double wanted[3] = {0}, total = 0;
    find_ends(sampler, ends);
    for (int64_t i = 0; i < sampler->size; i++)
        ((float *)arrays->input)[i] = 1;
    for (int p = 0; p < N_ENDS; p++) {
        set_coordinate(sampler, arrays, p, ends[p].coordinate);
        set(sampler, arrays->grad_output, p, 1 << p);
        wanted[ends[p].place] += (1 << p) * ends[p].value;
    }
    run_both(sampler, arrays);
    for (int p = 0; p < N_ENDS; p++)
        expect(sampler, "output", p, get(sampler, arrays->output, p), ends[p].value);
    for (int64_t i = 0; i < sampler->size; i++)
        total += (double)((const float *)arrays->input_grad)[i];
    expect(sampler, "input_grad", 0, get(sampler, arrays->input_grad, 0), wanted[FIRST]);
    expect(sampler, "input_grad", sampler->size - 1, get(sampler, arrays->input_grad, sampler->size - 1), wanted[LAST]);
    expect(sampler, "sum of input_grad", 0, total, wanted[FIRST] + wanted[LAST] + wanted[ELSEWHERE]);
}

static void ends(void **state)
{
    (void)state;
    for (int which = 0; which < 12; which++) {
        const struct sampler sampler = {.size = LONG,
                                        .upright = which % 4 == 1 || which % 4 == 2,
                                        .dtype = REGRAD_FLOAT32,
                                        .interpolation = which % 2 == 0 ? REGRAD_BILINEAR : REGRAD_NEAREST,
                                        .padding = (regrad_padding)(which / 4),
                                        .align_corners = which % 4 < 2,
                                        .channels = 1,
                                        .n_points = N_ENDS};
        struct arrays arrays;
        arrays_init(&arrays, &sampler);
        check_ends(&sampler, &arrays);
        arrays_fini(&arrays);
    }
}

/* ---- Fractions, in integers ---- */

/* A pixel: a whole one, and rest / 2^(digits + 1). */
struct pixel {
    int64_t whole, rest;
    bool clamped;
};

/* The coordinate a / 2^digits, with border padding. */
static struct pixel pixel_of(const struct sampler *sampler, int64_t a, int digits)
{
    const int64_t one = INT64_C(1) << digits, size = sampler->size;
    const int64_t top = sampler->align_corners ? (a + one) * (size - 1) : (a + one) * size - one;
    struct pixel pixel = {top < 0 ? 0 : top / (2 * one), top < 0 ? 0 : top % (2 * one), top <= 0};
    if (pixel.whole >= size - 1)
        pixel = (struct pixel){size - 1, 0, true};
    return pixel;
}

/* The pixel that nearest takes: of two, the even one. */
static int64_t nearest_to(struct pixel pixel, int digits)
{
    const int64_t half = INT64_C(1) << digits;
    return pixel.whole + (pixel.rest > half || (pixel.rest == half && pixel.whole % 2 == 1));
}

/* The blend of two pixels, in the arithmetic and the order of the law. */
static double blend(const struct sampler *sampler, struct pixel pixel, int digits)
{
    const double rest = ldexp((double)pixel.rest, -digits - 1);
    const double left = pixel_value(pixel.whole), right = rest > 0 ? pixel_value(pixel.whole + 1) : 0;
    if (sampler->dtype == REGRAD_FLOAT64)
        return fma(rest, right, (1 - rest) * left);
    const float weight = (float)rest;
    return number_round(sampler->dtype, (double)fmaf(weight, (float)right, (1 - weight) * (float)left));
}

static void check_fraction(const struct sampler *sampler, const struct arrays *arrays, int64_t p, int64_t a, int digits)
{
    const struct pixel pixel = pixel_of(sampler, a, digits);
    const double output = get(sampler, arrays->output, p);
    if (sampler->interpolation == REGRAD_NEAREST) {
        expect(sampler, "output", p, output, pixel_value(nearest_to(pixel, digits)));
        return;
    }
    expect(sampler, "output", p, output, blend(sampler, pixel, digits));
    const double slope = number_round(sampler->dtype == REGRAD_FLOAT64 ? REGRAD_FLOAT64 : REGRAD_FLOAT32,
                                      (double)(sampler->size - sampler->align_corners) / 2);
    const double rise = pixel.clamped ? 0 : pixel_value(pixel.whole + 1) - pixel_value(pixel.whole);
    const double wanted = sampler->dtype == REGRAD_FLOAT64 ? slope * rise : (double)((float)slope * (float)rise);
    expect(sampler, "grid_grad", p, get(sampler, arrays->grid_grad, 2 * p + sampler->upright),
           number_round(sampler->dtype, wanted));
}

static void check_fractions(const struct sampler *sampler)
{
    static const int type_digits[] = {
        [REGRAD_FLOAT32] = 23, [REGRAD_FLOAT16] = 10, [REGRAD_BFLOAT16] = 7, [REGRAD_FLOAT64] = 23};
    const int digits = type_digits[sampler->dtype];
    struct rng rng = rng_make(test_seed());
    int64_t a[N_POINTS];
    struct arrays arrays;
    arrays_init(&arrays, sampler);
    fill_image(sampler, &arrays);
    for (int64_t p = 0; p < N_POINTS; p++) {
        a[p] = rng_between(&rng, -(INT64_C(1) << digits), INT64_C(1) << digits);
        set_coordinate(sampler, &arrays, p, ldexp((double)a[p], -digits));
        set(sampler, arrays.grad_output, p, 1);
    }
    run_both(sampler, &arrays);
    for (int64_t p = 0; p < N_POINTS; p++)
        check_fraction(sampler, &arrays, p, a[p], digits);
    arrays_fini(&arrays);
}

static void fractions(void **state)
{
    (void)state;
    static const int64_t sizes[] = {LIMIT + 1, 12582917, LONG};
    for (int which = 0; which < 24; which++)
        check_fractions(&(struct sampler){.size = sizes[which % 3],
                                          .upright = which / 3 % 2,
                                          .dtype = (regrad_dtype)(which % 4),
                                          .interpolation = which / 12 ? REGRAD_NEAREST : REGRAD_BILINEAR,
                                          .padding = REGRAD_BORDER,
                                          .align_corners = which / 6 % 2,
                                          .channels = 1,
                                          .n_points = N_POINTS});
}

/* ---- Everything, by the reference ---- */

/* What one point adds to one pixel. */
struct touch {
    int64_t at;
    long double weight;
    double error, grad;
};

static int compare_touches(const void *a, const void *b)
{
    const struct touch *first = a, *second = b;
    return (first->at > second->at) - (first->at < second->at);
}

static void expect_sum(const struct sampler *sampler, const char *what, int64_t at, const struct sum *sum, double value)
{
    if (!sum_accepts(sum, sampler->dtype, value))
        expect(sampler, what, at, value, (double)sum->value);
}

/* All channels have the same input and the same gradients, and so the same results. */
static void expect_channels_alike(const struct sampler *sampler, const char *what, const void *values, int64_t n)
{
    const size_t nbytes = (size_t)n * regrad_dtype_size(sampler->dtype);
    for (int64_t c = 1; c < sampler->channels; c++)
        if (memcmp(values, (const char *)values + (size_t)c * nbytes, nbytes) != 0)
            expect(sampler, what, c, NAN, 0);
}

/* Pixels that nothing touches. */
static void expect_zeros(const struct sampler *sampler, const struct arrays *arrays, int64_t from, int64_t to)
{
    const size_t element = regrad_dtype_size(sampler->dtype);
    const char *values = (const char *)arrays->input_grad + (size_t)from * element;
    const size_t nbytes = (size_t)(to - from) * element;
    if (nbytes > 0 && (values[0] != 0 || memcmp(values, values + 1, nbytes - 1) != 0))
        expect(sampler, "input_grad from", from, NAN, 0);
}

/* Adds up what is sorted, and looks at all pixels. */
static void check_input_grad(const struct sampler *sampler, const struct arrays *arrays, struct touch *touches,
                             int64_t n)
{
    int64_t next = 0;
    qsort(touches, (size_t)n, sizeof *touches, compare_touches);
    for (int64_t k = 0; k < n;) {
        const int64_t at = touches[k].at;
        struct sum sum = {0};
        for (; k < n && touches[k].at == at; k++)
            sum_add(&sum, touches[k].weight, touches[k].error, touches[k].grad);
        expect_zeros(sampler, arrays, next, at);
        expect_sum(sampler, "input_grad", at, &sum, get(sampler, arrays->input_grad, at));
        next = at + 1;
    }
    expect_zeros(sampler, arrays, next, sampler->size);
    expect_channels_alike(sampler, "input_grad", arrays->input_grad, sampler->size);
}

/* Output and grid_grad of one point; what it touches goes to `touches`. Returns how many these are. */
static int check_point(const struct sampler *sampler, const struct arrays *arrays, int64_t p, struct touch *touches)
{
    const struct reference_grid grid = {1,
                                        sampler->channels,
                                        sampler->upright ? sampler->size : 1,
                                        sampler->upright ? 1 : sampler->size,
                                        1,
                                        sampler->n_points,
                                        sampler->interpolation,
                                        sampler->padding,
                                        sampler->align_corners,
                                        sampler->dtype};
    const double xy[2] = {get(sampler, arrays->grid, 2 * p), get(sampler, arrays->grid, 2 * p + 1)};
    const double grad = get(sampler, arrays->grad_output, p);
    struct grid_tap taps[REFERENCE_GRID_TAPS];
    struct sum output = {0}, grid_grad[2] = {{0}};
    double slopes[2];
    const int n = reference_grid_taps(&grid, xy, taps, slopes);
    for (int k = 0; k < n; k++) {
        const double value = pixel_value(taps[k].at);
        sum_add(&output, taps[k].weight, taps[k].weight_error, value);
        touches[k] = (struct touch){taps[k].at, taps[k].weight, taps[k].weight_error, grad};
        for (int64_t c = 0; c < sampler->channels && sampler->interpolation != REGRAD_NEAREST; c++) {
            sum_add(&grid_grad[0], slopes[0] * grad * taps[k].dx, fabs(slopes[0] * grad) * taps[k].dx_error, value);
            sum_add(&grid_grad[1], slopes[1] * grad * taps[k].dy, fabs(slopes[1] * grad) * taps[k].dy_error, value);
        }
    }
    expect_sum(sampler, "output", p, &output, get(sampler, arrays->output, p));
    for (int d = 0; d < 2; d++)
        expect_sum(sampler, "grid_grad", 2 * p + d, &grid_grad[d], get(sampler, arrays->grid_grad, 2 * p + d));
    return n;
}

static void fill_random(const struct sampler *sampler, const struct arrays *arrays)
{
    struct rng rng = rng_make(test_seed());
    fill_image(sampler, arrays);
    for (int64_t p = 0; p < sampler->n_points; p++) {
        const double grad = (double)rng_between(&rng, -8, 8);
        set_coordinate(sampler, arrays, p, random_coordinate(&rng, sampler->size));
        for (int64_t c = 0; c < sampler->channels; c++)
            set(sampler, arrays->grad_output, c * sampler->n_points + p, grad);
    }
}

static void check_random(const struct sampler *sampler)
{
    struct arrays arrays;
    struct touch *touches = calloc((size_t)(REFERENCE_GRID_TAPS * sampler->n_points), sizeof *touches);
    int64_t n = 0;
    assert_non_null(touches);
    arrays_init(&arrays, sampler);
    fill_random(sampler, &arrays);
    run_both(sampler, &arrays);
    for (int64_t p = 0; p < sampler->n_points; p++)
        n += check_point(sampler, &arrays, p, touches + n);
    expect_channels_alike(sampler, "output", arrays.output, sampler->n_points);
    check_input_grad(sampler, &arrays, touches, n);
    arrays_fini(&arrays);
    free(touches);
}

/* All options, types, and both axes, on both sides of the first length that is long. */
static void by_reference(void **state)
{
    (void)state;
    for (int which = 0; which < 36; which++) {
        const int option = which % 18;
        regrad_set_num_threads(1 + which % 3);
        check_random(&(struct sampler){.size = LIMIT + which / 18,
                                       .upright = which % 2,
                                       .dtype = (regrad_dtype)(which % 4),
                                       .interpolation = (regrad_interpolation)(option / 6),
                                       .padding = (regrad_padding)(option / 2 % 3),
                                       .align_corners = (which + which / 18) % 2,
                                       .channels = 1 + which % 2,
                                       .n_points = N_POINTS});
    }
    regrad_set_num_threads(0);
}

/* So many channels and points that a shorter image would be brought into tiles. */
static void many_channels(void **state)
{
    (void)state;
    check_random(&(struct sampler){.size = LIMIT + 2,
                                   .dtype = REGRAD_FLOAT16,
                                   .padding = REGRAD_BORDER,
                                   .channels = 9,
                                   .n_points = (LIMIT + 2) / 60});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ends),
        cmocka_unit_test(fractions),
        cmocka_unit_test(by_reference),
        cmocka_unit_test(many_channels),
    };
    if (skip_without_isa())
        return 77;
    if (test_count(1000) < 100) /* a short run */
        cmocka_set_skip_filter("*");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
