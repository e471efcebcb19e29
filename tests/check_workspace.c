/* SPDX-License-Identifier: Apache-2.0 */
/* The workspace of grid samples is no larger than the input and the results, for all shapes, types, layouts and numbers
 * of threads, but for what each thread needs to work at all. That of resizes is a MiB a thread. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "random.h"
#include "regrad.h"

/* What a thread may need in any case, and for a resize. */
enum { THREAD_NBYTES = 128 << 10, RESIZE_NBYTES = 1 << 20 };

struct shape {
    regrad_dtype dtype;
    int64_t n, c, in_h, in_w, out_h, out_w;
    bool channels_last, forward, input_grad, grid_grad;
    regrad_interpolation interpolation;
    int n_threads;
};

/* Small sizes are as likely as large ones. */
static int64_t size_below(struct rng *rng, int bits)
{
    return rng_between(rng, 1, INT64_C(1) << rng_between(rng, 0, bits));
}

static struct shape make_shape(struct rng *rng)
{
    struct shape shape = {
        .dtype = (regrad_dtype)rng_below(rng, 4),
        .n = rng_chance(rng, 2) ? 1 : size_below(rng, 6),
        .c = rng_chance(rng, 2) ? rng_between(rng, 1, 8) : size_below(rng, 8),
        .in_h = size_below(rng, 11),
        .in_w = size_below(rng, 11),
        .channels_last = rng_chance(rng, 3),
        .forward = rng_chance(rng, 5),
        .interpolation = (regrad_interpolation)rng_below(rng, 3),
        .n_threads = (int)size_below(rng, 5),
    };
    const bool same = rng_chance(rng, 3);
    shape.out_h = same ? shape.in_h : size_below(rng, 11);
    shape.out_w = same ? shape.in_w : size_below(rng, 11);
    shape.input_grad = !shape.forward && !rng_chance(rng, 3);
    shape.grid_grad = !shape.forward && (!shape.input_grad || !rng_chance(rng, 3));
    return shape;
}

static regrad_tensor image(const struct shape *it, int64_t h, int64_t w)
{
    if (it->channels_last)
        return regrad_tensor_channels_last(NULL, it->dtype, it->n, it->c, h, w);
    return regrad_tensor_contiguous(NULL, it->dtype, 4, (const int64_t[]){it->n, it->c, h, w});
}

static regrad_plan *plan_of(const struct shape *it)
{
    const regrad_tensor input = image(it, it->in_h, it->in_w), sampled = image(it, it->out_h, it->out_w);
    const regrad_tensor grid =
        regrad_tensor_contiguous(NULL, it->dtype, 4, (const int64_t[]){it->n, it->out_h, it->out_w, 2});
    regrad_plan *plan = NULL;
    regrad_set_num_threads(it->n_threads);
    if (it->forward)
        assert_int_equal(
            regrad_grid_sampler_2d_plan(&input, &grid, it->interpolation, REGRAD_BORDER, false, &sampled, &plan),
            REGRAD_OK);
    else
        assert_int_equal(regrad_grid_sampler_2d_backward_plan(&sampled, &input, &grid, it->interpolation, REGRAD_BORDER,
                                                              false, it->input_grad ? &input : NULL,
                                                              it->grid_grad ? &grid : NULL, &plan),
                         REGRAD_OK);
    return plan;
}

static void expect_within(const regrad_plan *plan, double bound)
{
    const double nbytes = (double)regrad_plan_workspace_size(plan);
    char text[256];
    regrad_plan_describe(plan, text, sizeof text);
    if (nbytes > bound)
        fail_msg("%.0f bytes, at most %.0f: %s", nbytes, bound, text);
}

static double bound_of(const struct shape *it)
{
    const double pixels = (double)it->in_h * (double)it->in_w * (double)it->c;
    const double points = (double)it->out_h * (double)it->out_w;
    const double grads = (it->input_grad ? pixels : 0) + (it->grid_grad ? 2 * points : 0);
    const double sampled = it->forward ? points * (double)it->c : 0;
    const double value = it->dtype == REGRAD_FLOAT64 ? sizeof(double) : sizeof(float);
    return (double)it->n * (pixels + grads + sampled) * value + THREAD_NBYTES * (double)it->n_threads;
}

static void grid_samples(void **state)
{
    (void)state;
    struct rng rng = rng_make(test_seed());
    for (int64_t k = test_count(20000); k > 0; k--) {
        const struct shape it = make_shape(&rng);
        regrad_plan *plan = plan_of(&it);
        expect_within(plan, bound_of(&it));
        regrad_plan_destroy(plan);
    }
}

/* The second group of sixteen channels has one. A thread for each would take more than the tensors have, and what a
 * thread has for itself is nearly THREAD_NBYTES. */
static void mostly_empty_group(void **state)
{
    (void)state;
    const struct shape it = {.dtype = REGRAD_FLOAT16,
                             .n = 1,
                             .c = 17,
                             .in_h = 1385,
                             .in_w = 4,
                             .out_h = 1385,
                             .out_w = 4,
                             .input_grad = true,
                             .grid_grad = true,
                             .n_threads = 2};
    regrad_plan *plan = plan_of(&it);
    expect_within(plan, bound_of(&it));
    regrad_plan_destroy(plan);
}

/* A tensor of so many axes, of which the first is a depth of three: dense, channels last, or with gaps. */
static regrad_tensor resized(struct rng *rng, const struct shape *it, int n_axes, int64_t d, int64_t h, int64_t w)
{
    const int64_t axes[] = {d, h, w}, gap = rng_chance(rng, 2) ? 1 : rng_between(rng, 1, 3);
    int64_t shape[REGRAD_MAX_RANK] = {it->n, it->c};
    for (int k = 0; k < n_axes; k++)
        shape[2 + k] = axes[3 - n_axes + k];
    regrad_tensor tensor = regrad_tensor_contiguous(NULL, it->dtype, 2 + n_axes, shape);
    int64_t stride = it->c;
    for (int k = 1 + n_axes; k >= 2 && it->channels_last; stride *= shape[k--])
        tensor.stride[k] = stride;
    if (it->channels_last) {
        tensor.stride[0] = stride;
        tensor.stride[1] = 1;
    }
    for (int k = 0; k < tensor.rank; k++)
        tensor.stride[k] *= it->channels_last && k == 1 ? 1 : gap;
    return tensor;
}

/* Long rows, many channels; scales that leave most results without a source, or all sources to one result. The tables
 * of antialiased operators would then be as large as images. */
static void check_resize(struct rng *rng)
{
    static const int long_bits = 18, channel_bits = 17;
    struct shape it = make_shape(rng);
    regrad_resize_operator info;
    regrad_plan *plan = NULL;
    if (rng_chance(rng, 2))
        it.in_w = size_below(rng, long_bits);
    if (rng_chance(rng, 2))
        it.out_w = size_below(rng, long_bits);
    if (rng_chance(rng, 3))
        it.c = size_below(rng, channel_bits);
    assert_true(regrad_resize_operator_at((int)rng_below(rng, 26), &info));
    const bool filters = !info.takes_law && !info.takes_asymmetric;
    const int64_t in_d = size_below(rng, 6), out_d = size_below(rng, 6);
    double scale[3] = {0};
    scale[info.n_axes - 1] = rng_chance(rng, 2) || filters ? 0 : exp(rng_real(rng, -12, 12));
    const regrad_tensor input = resized(rng, &it, info.n_axes, in_d, it.in_h, it.in_w);
    const regrad_tensor output = resized(rng, &it, info.n_axes, out_d, it.out_h, it.out_w);
    const regrad_tensor *source = info.is_backward ? &output : &input, *result = info.is_backward ? &input : &output;
    regrad_set_num_threads(it.n_threads);
    assert_int_equal(regrad_resize_plan_with(info.name, source, result, REGRAD_HALF_PIXEL, REGRAD_NEAREST_FORWARD_LAW,
                                             scale, NULL, &plan),
                     REGRAD_OK);
    expect_within(plan, (double)RESIZE_NBYTES * it.n_threads);
    regrad_plan_destroy(plan);
}

static void resizes(void **state)
{
    (void)state;
    struct rng rng = rng_make(test_seed());
    for (int64_t k = 1 + test_count(20000) / 20; k > 0; k--)
        check_resize(&rng);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(grid_samples), cmocka_unit_test(mostly_empty_group),
                                       cmocka_unit_test(resizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
