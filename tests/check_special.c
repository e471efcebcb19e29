/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is special: NaN and infinity go only where neighbours send them, impulses, mirrored problems, empty
 * tensors, results that are not wanted, operands that are not looked at, the graph operators' names,
 * descriptions.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "number.h"
#include "resize_calls.h"
#include "run.h"

static const struct run_options plain = {VIEW_CONTIGUOUS, VIEW_CONTIGUOUS, 0, false};

static double element(const struct problem *problem, const struct run_result *result, int output, size_t i)
{
    return number_decode(problem->dtype, result->bytes[output] + i * regrad_dtype_size(problem->dtype));
}

static size_t n_elements(const struct problem *problem, const struct run_result *result, int output)
{
    return result->nbytes[output] / regrad_dtype_size(problem->dtype);
}

/* ---- NaN and infinity ---- */

/*
 * In the reference an operand that is no number, or infinite, shows in the value of each sum whose neighbours
 * include it, and in the magnitude where its weight is not 0: there the result must show it, elsewhere among the
 * neighbours it may, and all other results are within their bounds.
 */
static void check_locality(struct rng *rng, const struct problem *problem)
{
    struct problem_data data = problem_fill(rng, problem, DATA_REAL);
    struct signature signature;
    problem_signature(problem, &signature);
    double bad = rng_chance(rng, 2) ? (double)NAN : rng_chance(rng, 2) ? (double)INFINITY : -(double)INFINITY;
    data.in[0][rng_below(rng, operand_size(&signature.in[0]))] = bad;
    struct run_result result = run_problem(rng, problem, &data, &plain);
    struct problem_solution solution = problem_solve(problem, &data);
    for (int k = 0; k < MAX_OUTPUTS; k++)
        for (size_t i = 0; i < n_elements(problem, &result, k); i++) {
            const struct sum *sum = &solution.out[k][i];
            double got = element(problem, &result, k, i);
            bool neighbour = !isfinite((double)sum->value), required = !isfinite(sum->magnitude);
            bool right = required ? !isfinite(got) : neighbour || sum_accepts(sum, problem->dtype, got);
            if (!right || (isnan(bad) && required && !isnan(got)))
                fail_msg("%s: %g in grad_output, %.9g at output %d[%zu], neighbour %d weight not 0 %d",
                         problem_text(problem), bad, got, k, i, neighbour, required);
        }
    problem_solution_fini(&solution);
    run_result_fini(&result);
    problem_data_fini(&data);
}

static void nan_and_infinity(void **state)
{
    (void)state;
    for_random_problems(test_count(2000), check_locality);
}

/* ---- Impulses ---- */

/* An impulse gives the weights: within a rounding where it is a neighbour, and exactly 0 elsewhere. */
static void check_impulse(struct rng *rng, const struct problem *problem)
{
    struct problem_data data = problem_fill(rng, problem, DATA_IMPULSE);
    struct run_result result = run_problem(rng, problem, &data, &plain);
    struct problem_solution solution = problem_solve(problem, &data);
    expect_solution(problem, &solution, &result);
    for (int k = 0; k < MAX_OUTPUTS; k++)
        for (size_t i = 0; i < n_elements(problem, &result, k); i++)
            if (solution.out[k][i].magnitude == 0 && element(problem, &result, k, i) != 0)
                fail_msg("%s: an impulse reaches output %d[%zu]", problem_text(problem), k, i);
    problem_solution_fini(&solution);
    run_result_fini(&result);
    problem_data_fini(&data);
}

static void impulses(void **state)
{
    (void)state;
    for_random_problems(test_count(1000), check_impulse);
}

/* ---- Mirrors ---- */

static void mirror(double *values, int64_t n_planes, int64_t h, int64_t w)
{
    for (int64_t k = 0; k < n_planes; k++)
        for (int64_t i = 0; i < h * w / 2; i++) {
            double *plane = values + k * h * w, kept = plane[i];
            plane[i] = plane[h * w - 1 - i];
            plane[h * w - 1 - i] = kept;
        }
}

/* Turned by 180 degrees, in and out: laws that are symmetric give the same, turned; values are exact in all types, so
 * that the order of sums does not matter. */
static void expect_mirrored(struct rng *rng, const struct problem *problem)
{
    struct problem_data data = problem_fill(rng, problem, DATA_SMALL_INTEGERS);
    int64_t n_planes = problem->n * problem->c, h = problem->backward ? problem->out_h : problem->in_h;
    int64_t w = problem->backward ? problem->out_w : problem->in_w;
    struct run_result straight = run_problem(rng, problem, &data, &plain);
    mirror(data.in[0], n_planes, h, w);
    struct run_result turned = run_problem(rng, problem, &data, &plain);
    int64_t n = (int64_t)n_elements(problem, &straight, 0), area = n / n_planes;
    for (int64_t i = 0; i < n; i++) {
        int64_t other = i / area * area + area - 1 - i % area;
        double a = element(problem, &straight, 0, (size_t)i), b = element(problem, &turned, 0, (size_t)other);
        if (a != b)
            fail_msg("%s: [%lld] is %.17g and, mirrored, %.17g", problem_text(problem), (long long)i, a, b);
    }
    run_result_fini(&straight);
    run_result_fini(&turned);
    problem_data_fini(&data);
}

/* Ratios that make every coordinate and weight of the half-pixel law a small binary fraction; for the nearest law, odd
 * ratios, of which no output lies between two inputs. */
static void mirrored_resize(void **state)
{
    (void)state;
    static const int64_t halves[] = {1, 2, 4, 8}, odd[] = {1, 3, 5, 7};
    struct rng rng = rng_make(test_seed());
    for (int k = 0; k < 400; k++) {
        struct problem problem = {.kind = rng_chance(&rng, 2) ? PROBLEM_BILINEAR : PROBLEM_NEAREST_EXACT_2D};
        const int64_t *factors = problem.kind == PROBLEM_BILINEAR ? halves : odd;
        problem.dtype = rng_chance(&rng, 2) ? REGRAD_FLOAT32 : REGRAD_FLOAT64;
        problem.backward = rng_chance(&rng, 2);
        problem.n = problem.c = 2;
        problem.in_h = rng_between(&rng, 1, 9);
        problem.in_w = rng_between(&rng, 1, 9);
        problem.out_h = problem.in_h * factors[rng_below(&rng, 4)];
        problem.out_w = problem.in_w * factors[rng_below(&rng, 4)];
        expect_mirrored(&rng, &problem);
    }
}

/* Smooth laws with steps that are powers of two: coordinates are exact, so that results lie within their bounds. */
static void expect_mirrored_within(struct rng *rng, const struct problem *problem)
{
    struct problem_data data = problem_fill(rng, problem, DATA_REAL);
    const int64_t n_planes = problem->n * problem->c, area = problem_area(problem, problem->backward);
    struct problem_solution solution = problem_solve(problem, &data);
    mirror(data.in[0], n_planes, 1, area);
    struct run_result turned = run_problem(rng, problem, &data, &plain);
    const int64_t n = (int64_t)n_elements(problem, &turned, 0), result_area = n / n_planes;
    for (int64_t i = 0; i < n; i++) {
        const int64_t other = i / result_area * result_area + result_area - 1 - i % result_area;
        const double got = element(problem, &turned, 0, (size_t)other);
        if (!sum_accepts(&solution.out[0][i], problem->dtype, got))
            fail_msg("%s: [%lld] is, mirrored, %.17g, not %.17Lg", problem_text(problem), (long long)i, got,
                     solution.out[0][i].value);
    }
    problem_solution_fini(&solution);
    run_result_fini(&turned);
    problem_data_fini(&data);
}

static void mirrored_smooth(void **state)
{
    (void)state;
    struct rng rng = rng_make(test_seed());
    for (int k = 0; k < 400; k++) {
        struct problem problem = {.kind = (enum problem_kind)rng_between(&rng, PROBLEM_LINEAR, PROBLEM_LANCZOS_AA),
                                  .dtype = (regrad_dtype)rng_below(&rng, N_DTYPES),
                                  .backward = rng_chance(&rng, 2),
                                  .n = 1,
                                  .c = 2};
        for (int axis = 0; axis < problem_n_axes(&problem); axis++) {
            const int64_t length = rng_between(&rng, 1, 6), longer = length << rng_below(&rng, 4);
            const bool grows = rng_chance(&rng, 2);
            problem_set_axis(&problem, axis, grows ? length : longer, grows ? longer : length, 0);
        }
        expect_mirrored_within(&rng, &problem);
    }
}

/* ---- Axes that change their places ---- */

/* A dense tensor of n planes of three axes, the lengths of which are given; axis k of the copy is axis from[k].
 * Elements have so many bytes. */
static void move_axes(const void *data, void *copy, size_t size, int64_t n, const int64_t *length, const int *from)
{
    const int64_t stride[] = {length[1] * length[2], length[2], 1};
    const int64_t area = length[0] * length[1] * length[2];
    unsigned char *to = copy;
    for (int64_t plane = 0; plane < n; plane++)
        for (int64_t a = 0; a < length[from[0]]; a++)
            for (int64_t b = 0; b < length[from[1]]; b++)
                for (int64_t c = 0; c < length[from[2]]; c++, to += size) {
                    const int64_t at = plane * area + a * stride[from[0]] + b * stride[from[1]] + c * stride[from[2]];
                    memcpy(to, (const unsigned char *)data + (size_t)at * size, size);
                }
}

/* The lengths and scales of the axes of a resize; missing ones come first, and have the length 1. */
struct axes {
    int64_t in[3], out[3];
    double scale[3];
};

static struct axes axes_of(const struct problem *problem)
{
    struct axes axes = {{problem->in_d, problem->in_h, problem->in_w},
                        {problem->out_d, problem->out_h, problem->out_w},
                        {problem->scale_d, problem->scale_h, problem->scale_w}};
    for (int k = 0; k < 3 - problem_n_axes(problem); k++)
        axes.in[k] = axes.out[k] = 1;
    return axes;
}

/* The result of a problem the axes of which have other places, put back; in: the data, which is put there. */
static struct run_result run_moved(struct rng *rng, const struct problem *problem, const struct problem *moved,
                                   const struct problem_data *data, const int *from)
{
    const struct axes axes = axes_of(problem);
    const int64_t n = problem->n * problem->c, n_in = n * problem_area(problem, problem->backward);
    const int64_t *given = problem->backward ? axes.out : axes.in, *made = problem->backward ? axes.in : axes.out;
    int back[3];
    int64_t made_there[3];
    struct problem_data there = {{calloc((size_t)n_in, sizeof(double))}};
    assert_non_null(there.in[0]);
    move_axes(data->in[0], there.in[0], sizeof(double), n, given, from);
    struct run_result result = run_problem(rng, moved, &there, &plain);
    for (int k = 0; k < 3; k++) {
        back[from[k]] = k;
        made_there[k] = made[from[k]];
    }
    unsigned char *bytes = malloc(result.nbytes[0] + 1);
    assert_non_null(bytes);
    move_axes(result.bytes[0], bytes, regrad_dtype_size(problem->dtype), n, made_there, back);
    free(result.bytes[0]);
    result.bytes[0] = bytes;
    problem_data_fini(&there);
    return result;
}

/* The operator of one axis less; PROBLEM_GRID if there is none. */
static enum problem_kind with_one_less(enum problem_kind kind)
{
    switch (kind) {
    case PROBLEM_NEAREST_2D:
        return PROBLEM_NEAREST_1D;
    case PROBLEM_NEAREST_3D:
        return PROBLEM_NEAREST_2D;
    case PROBLEM_NEAREST_EXACT_2D:
        return PROBLEM_NEAREST_EXACT_1D;
    case PROBLEM_NEAREST_EXACT_3D:
        return PROBLEM_NEAREST_EXACT_2D;
    case PROBLEM_BILINEAR:
        return PROBLEM_LINEAR;
    case PROBLEM_TRILINEAR:
        return PROBLEM_BILINEAR;
    default:
        return PROBLEM_GRID;
    }
}

/* A resize that keeps the length of an axis has the bits of one that lacks it, of as many more channels. */
static void check_kept(struct rng *rng, const struct problem *problem)
{
    if (with_one_less(problem->kind) == PROBLEM_GRID)
        return;
    struct problem whole = *problem, part = *problem;
    const int n_axes = problem_n_axes(problem), k = (int)rng_below(rng, n_axes), kept = 3 - n_axes + k;
    const double scale = problem_is_nearest(problem) ? 0 : random_scale(rng, 3, 4); /* linear axes are copied */
    const struct axes axes = axes_of(problem);
    int from[3] = {kept}, n_others = 3 - n_axes;
    problem_set_axis(&whole, k, axes.in[kept], axes.in[kept], scale);
    part.kind = with_one_less(problem->kind);
    part.c = problem->c * axes.in[kept];
    for (int axis = 0, place = 1; axis < 3; axis++)
        if (axis != kept)
            from[place++] = axis;
    for (int place = 1 + n_others; place < 3; place++)
        problem_set_axis(&part, place - 1 - n_others, axes.in[from[place]], axes.out[from[place]],
                         axes.scale[from[place]]);
    struct problem_data data = problem_fill(rng, &whole, DATA_REAL);
    struct run_result straight = run_problem(rng, &whole, &data, &plain);
    struct run_result moved = run_moved(rng, &whole, &part, &data, from);
    expect_same(&whole, "an axis that keeps its length, as channels,", &straight, &moved);
    run_result_fini(&straight);
    run_result_fini(&moved);
    problem_data_fini(&data);
}

static void kept_axes(void **state)
{
    (void)state;
    for_random_problems(test_count(3000), check_kept);
}

/* The axes in another order: the same within the bound. */
static void check_order(struct rng *rng, const struct problem *problem)
{
    static const int orders[][3] = {{0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    const int n_axes = problem->kind == PROBLEM_GRID ? 1 : problem_n_axes(problem);
    if (n_axes == 1)
        return;
    const int *from = orders[n_axes == 2 ? 0 : rng_below(rng, 5)];
    const struct axes axes = axes_of(problem);
    struct problem turned = *problem;
    for (int k = 0; k < n_axes; k++) {
        const int axis = from[3 - n_axes + k];
        problem_set_axis(&turned, k, axes.in[axis], axes.out[axis], axes.scale[axis]);
    }
    struct problem_data data = problem_fill(rng, problem, DATA_REAL);
    struct problem_solution solution = problem_solve(problem, &data);
    struct run_result moved = run_moved(rng, problem, &turned, &data, from);
    expect_solution(problem, &solution, &moved);
    problem_solution_fini(&solution);
    run_result_fini(&moved);
    problem_data_fini(&data);
}

static void orders_of_axes(void **state)
{
    (void)state;
    for_random_problems(test_count(1000), check_order);
}

/* ---- Empty tensors ---- */

static struct problem empty_problem(struct rng *rng, enum problem_kind kind, int which)
{
    struct problem problem;
    do
        problem_random(rng, &problem);
    while (problem.kind != kind || problem_area(&problem, false) > 1000);
    if (which == 0)
        problem.n = 0;
    if (which == 1)
        problem.c = 0;
    if (which == 2 && kind == PROBLEM_GRID)
        problem.out_h = 0;
    if (which == 3 && kind == PROBLEM_GRID)
        problem.out_w = 0;
    return problem;
}

/* Channels that are stored last, and something else between the pixels. */
static void pixels_apart(void **state)
{
    (void)state;
    enum { C = 3, PIXEL = 5, H = 7, W = 9, N_IN = 4 * 5 * C };
    static float in[N_IN], dense[H * W * C], apart[H * W * PIXEL];
    const regrad_tensor input = regrad_tensor_channels_last(in, REGRAD_FLOAT32, 1, C, 4, 5);
    regrad_tensor output = regrad_tensor_channels_last(dense, REGRAD_FLOAT32, 1, C, H, W);
    for (int k = 0; k < N_IN; k++)
        in[k] = (float)(k * 37 % 61) / 8 - 3;
    for (int k = 0; k < H * W * PIXEL; k++)
        apart[k] = 77;
    assert_int_equal(regrad_upsample_bilinear2d(&input, &output, REGRAD_HALF_PIXEL, 0, 0), REGRAD_OK);
    output.data = apart;
    output.stride[3] = PIXEL;
    output.stride[2] = W * PIXEL;
    assert_int_equal(regrad_upsample_bilinear2d(&input, &output, REGRAD_HALF_PIXEL, 0, 0), REGRAD_OK);
    for (int pixel = 0; pixel < H * W; pixel++) {
        assert_memory_equal(apart + pixel * PIXEL, dense + pixel * C, C * sizeof(float));
        assert_true(apart[pixel * PIXEL + C] == 77 && apart[pixel * PIXEL + C + 1] == 77);
    }
}

/* What is wanted and not empty is filled with zeros. */
static void empty_tensors(void **state)
{
    (void)state;
    struct rng rng = rng_make(test_seed());
    for (int k = 0; k < 400; k++) {
        struct problem problem = empty_problem(&rng, (enum problem_kind)(k % N_PROBLEM_KINDS), k / N_PROBLEM_KINDS % 4);
        if (problem.kind != PROBLEM_GRID && k / N_PROBLEM_KINDS % 4 > 1)
            continue;
        struct problem_data data = problem_fill(&rng, &problem, DATA_REAL);
        struct run_options options = {VIEW_STRIDED, VIEW_STRIDED, 0, rng_chance(&rng, 2)};
        struct run_result result = run_problem(&rng, &problem, &data, &options);
        for (int o = 0; o < MAX_OUTPUTS; o++)
            for (size_t i = 0; i < n_elements(&problem, &result, o); i++)
                if (element(&problem, &result, o, i) != 0)
                    fail_msg("%s: output %d[%zu] is %g", problem_text(&problem), o, i,
                             element(&problem, &result, o, i));
        run_result_fini(&result);
        problem_data_fini(&data);
    }
}

/* Without elements an offset leads nowhere, however large it is: no address may be made of it. The sanitizer for
 * undefined behaviour looks at that. */
static void empty_far_away(void **state)
{
    (void)state;
    struct rng rng = rng_make(test_seed());
    for (int k = 0; k < 400; k++) {
        struct problem problem = empty_problem(&rng, (enum problem_kind)(k % N_PROBLEM_KINDS), k / N_PROBLEM_KINDS % 4);
        if (problem.kind != PROBLEM_GRID && k / N_PROBLEM_KINDS % 4 > 1)
            continue;
        struct signature signature;
        regrad_tensor tensor[MAX_INPUTS + MAX_OUTPUTS];
        double *memory[MAX_INPUTS + MAX_OUTPUTS];
        problem_signature(&problem, &signature);
        for (int t = 0; t < signature.n_in + signature.n_out; t++) {
            const struct operand *operand = t < signature.n_in ? &signature.in[t] : &signature.out[t - signature.n_in];
            memory[t] = calloc((size_t)operand_size(operand) + 1, sizeof *memory[t]);
            assert_non_null(memory[t]);
            tensor[t] = regrad_tensor_contiguous(memory[t], problem.dtype, operand->rank, operand->shape);
            if (operand_size(operand) == 0)
                tensor[t].offset = rng_chance(&rng, 2) ? -(INT64_C(1) << 47) : INT64_C(1) << 57;
        }
        if (problem_call(&problem, tensor, tensor + signature.n_in) != REGRAD_OK)
            fail_msg("%s: %s", problem_text(&problem), regrad_last_message());
        for (int t = 0; t < signature.n_in + signature.n_out; t++)
            free(memory[t]);
    }
}

/* Tensors without elements need no memory. */
static void empty_without_memory(void **state)
{
    (void)state;
    regrad_tensor empty = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 4, (const int64_t[]){0, 3, 4, 5});
    regrad_tensor small = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 4, (const int64_t[]){0, 3, 2, 2});
    assert_int_equal(regrad_upsample_bilinear2d_backward(&empty, &small, REGRAD_HALF_PIXEL, 0, 0), REGRAD_OK);
    assert_int_equal(regrad_upsample_nearest_exact2d_backward(&empty, &small, REGRAD_NEAREST_GATHER_LAW, 0, 0),
                     REGRAD_OK);
    regrad_tensor grid = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 4, (const int64_t[]){0, 2, 2, 2});
    assert_int_equal(
        regrad_grid_sampler_2d_backward(&small, &empty, &grid, REGRAD_BILINEAR, REGRAD_ZEROS, false, &empty, &grid),
        REGRAD_OK);
}

/* Nor do their heights and widths need tables: there may be no memory for those. */
static void empty_and_huge(void **state)
{
    (void)state;
    static const int64_t huge[] = {3, 0, 1, INT64_C(1) << 50}, tall[] = {3, 0, INT64_C(1) << 50, 1};
    static const int64_t small[] = {3, 0, 2, 3}, longest[] = {0, 5, INT64_C(1) << 50}, brief[] = {0, 5, 7};
    const regrad_tensor wide = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 4, huge);
    const regrad_tensor high = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 4, tall);
    const regrad_tensor few = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 4, small);
    const regrad_tensor line = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 3, longest);
    const regrad_tensor dash = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 3, brief);
    assert_int_equal(regrad_upsample_bilinear2d(&few, &wide, REGRAD_HALF_PIXEL, 0, 0), REGRAD_OK);
    assert_int_equal(regrad_upsample_bilinear2d_backward(&high, &few, REGRAD_ALIGN_CORNERS, 0, 0), REGRAD_OK);
    assert_int_equal(regrad_upsample_nearest_exact1d(&dash, &line, REGRAD_NEAREST_FORWARD_LAW, 0), REGRAD_OK);
    assert_int_equal(regrad_upsample_nearest_exact1d_backward(&dash, &line, REGRAD_NEAREST_GATHER_LAW, 0), REGRAD_OK);
    assert_int_equal(regrad_upsample_nearest_exact2d(&high, &few, REGRAD_NEAREST_GATHER_LAW, 0, 0), REGRAD_OK);
    assert_int_equal(regrad_upsample_nearest_exact2d_backward(&wide, &few, REGRAD_NEAREST_FORWARD_LAW, 0, 0),
                     REGRAD_OK);
}

/* So many samples, and no point in them. */
static void empty_and_many(void **state)
{
    (void)state;
    static const int64_t many = INT64_C(1) << 48;
    const int64_t images[] = {many, 2, 1, 2}, points[] = {many, 0, 0, 2}, sampled[] = {many, 2, 0, 0};
    const int64_t no_images[] = {many, 0, 4, 4};
    const regrad_tensor input = regrad_tensor_contiguous(NULL, REGRAD_BFLOAT16, 4, images);
    const regrad_tensor grid = regrad_tensor_contiguous(NULL, REGRAD_BFLOAT16, 4, points);
    const regrad_tensor output = regrad_tensor_contiguous(NULL, REGRAD_BFLOAT16, 4, sampled);
    const regrad_tensor nothing = regrad_tensor_contiguous(NULL, REGRAD_BFLOAT16, 4, no_images);
    uint16_t memory = 0; /* of the input, which repeats it, and is not read */
    regrad_tensor there = input;
    there.data = &memory;
    memset(there.stride, 0, sizeof there.stride);
    assert_int_equal(regrad_grid_sampler_2d(&there, &grid, REGRAD_BILINEAR, REGRAD_ZEROS, false, &output), REGRAD_OK);
    const int64_t nowhere[] = {many, 0, 0, 0};
    const regrad_tensor grad_output = regrad_tensor_contiguous(NULL, REGRAD_BFLOAT16, 4, nowhere);
    assert_int_equal(regrad_grid_sampler_2d_backward(&grad_output, &nothing, &grid, REGRAD_BICUBIC, REGRAD_BORDER, true,
                                                     &nothing, &grid),
                     REGRAD_OK);
}

/* ---- What is not looked at ---- */

/* With only the input's gradient wanted, the input's data is not touched, and may be missing. */
static void input_is_not_read(void **state)
{
    (void)state;
    struct rng rng = rng_make(test_seed());
    float grad[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, xy[18], wanted[20], got[20];
    for (int k = 0; k < 18; k++)
        xy[k] = (float)rng_real(&rng, -1, 1);
    const int64_t in_shape[] = {1, 1, 4, 5}, out_shape[] = {1, 1, 3, 3}, grid_shape[] = {1, 3, 3, 2};
    regrad_tensor output = regrad_tensor_contiguous(grad, REGRAD_FLOAT32, 4, out_shape);
    regrad_tensor grid = regrad_tensor_contiguous(xy, REGRAD_FLOAT32, 4, grid_shape);
    regrad_tensor result = regrad_tensor_contiguous(wanted, REGRAD_FLOAT32, 4, in_shape);
    struct view input;
    view_init(&input, &rng, VIEW_CONTIGUOUS, REGRAD_FLOAT32, 4, in_shape);
    for (int padding = 0; padding < 3; padding++) {
        guard_forbid(&input.memory, false);
        result.data = wanted;
        assert_int_equal(regrad_grid_sampler_2d_backward(&output, &input.tensor, &grid, REGRAD_BICUBIC,
                                                         (regrad_padding)padding, true, &result, NULL),
                         REGRAD_OK);
        guard_forbid(&input.memory, true);
        result.data = got;
        assert_int_equal(regrad_grid_sampler_2d_backward(&output, &input.tensor, &grid, REGRAD_BICUBIC,
                                                         (regrad_padding)padding, true, &result, NULL),
                         REGRAD_OK);
        assert_memory_equal(got, wanted, sizeof got);
    }
    view_fini(&input);
}

/* With neither gradient wanted there is nothing to do. */
static void nothing_is_wanted(void **state)
{
    (void)state;
    const int64_t in_shape[] = {1, 3, 5, 4}, out_shape[] = {1, 3, 11, 12}, grid_shape[] = {1, 11, 12, 2};
    regrad_tensor input = regrad_tensor_contiguous(NULL, REGRAD_FLOAT16, 4, in_shape);
    regrad_tensor output = regrad_tensor_contiguous(NULL, REGRAD_FLOAT16, 4, out_shape);
    regrad_tensor grid = regrad_tensor_contiguous(NULL, REGRAD_FLOAT16, 4, grid_shape);
    for (int interpolation = 0; interpolation < 3; interpolation++)
        assert_int_equal(regrad_grid_sampler_2d_backward(&output, &input, &grid, (regrad_interpolation)interpolation,
                                                         REGRAD_BORDER, false, NULL, NULL),
                         REGRAD_OK);
}

/* ---- Graph operators ---- */

static void resize_bilinear_v2_grad(void **state)
{
    (void)state;
    float grad[48], wanted[20], got[20];
    struct rng rng = rng_make(test_seed());
    for (int k = 0; k < 48; k++)
        grad[k] = (float)rng_real(&rng, -1, 1);
    regrad_tensor output = regrad_tensor_contiguous(grad, REGRAD_FLOAT32, 4, (const int64_t[]){1, 1, 6, 8});
    regrad_tensor original = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 4, (const int64_t[]){1, 1, 4, 5});
    regrad_tensor result = original;
    static const regrad_coordinates modes[2][2] = {{REGRAD_ASYMMETRIC, REGRAD_HALF_PIXEL},
                                                   {REGRAD_ALIGN_CORNERS, REGRAD_ALIGN_CORNERS}};
    const float scales[] = {1.5f, 1.75f};
    for (int k = 0; k < 8; k++) {
        bool align = k & 1, half = k & 2, scaled = k & 4;
        result.data = wanted;
        assert_int_equal(regrad_upsample_bilinear2d_backward(&output, &result, modes[align][half], scaled ? 1.5 : 0,
                                                             scaled ? 1.75 : 0),
                         REGRAD_OK);
        result.data = got;
        memset(got, 0xFF, sizeof got);
        assert_int_equal(
            regrad_resize_bilinear_v2_grad(&output, &original, align, half, scaled ? scales : NULL, &result),
            REGRAD_OK);
        assert_memory_equal(got, wanted, sizeof got);
    }
}

static void upsample_nearest_exact2d_grad(void **state)
{
    (void)state;
    float grad[88], wanted[52], got[52];
    struct rng rng = rng_make(test_seed());
    for (int k = 0; k < 88; k++)
        grad[k] = (float)rng_real(&rng, -1, 1);
    const int64_t in_shape[] = {1, 1, 2, 26}, out_shape[] = {1, 1, 8, 11}, output_size[] = {8, 11};
    regrad_tensor output = regrad_tensor_contiguous(grad, REGRAD_FLOAT32, 4, out_shape);
    regrad_tensor result = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 4, in_shape);
    static const double scales[][2] = {{0, 0}, {3, 0}, {3, 0.5}};
    for (int k = 0; k < 3; k++) {
        result.data = wanted;
        assert_int_equal(regrad_upsample_nearest_exact2d_backward(&output, &result, REGRAD_NEAREST_GATHER_LAW,
                                                                  scales[k][0], scales[k][1]),
                         REGRAD_OK);
        result.data = got;
        memset(got, 0xFF, sizeof got);
        assert_int_equal(regrad_upsample_nearest_exact2d_grad(&output, output_size, in_shape, (float)scales[k][0],
                                                              (float)scales[k][1], &result),
                         REGRAD_OK);
        assert_memory_equal(got, wanted, sizeof got);
    }
}

/* ---- Operators by name ---- */

static const regrad_resize_operator all_resizes[] = {
    {"regrad_upsample_nearest1d", 1, false, true, false, true},
    {"regrad_upsample_nearest1d_backward", 1, true, true, false, false},
    {"regrad_upsample_nearest2d", 2, false, true, false, true},
    {"regrad_upsample_nearest2d_backward", 2, true, true, false, false},
    {"regrad_upsample_nearest3d", 3, false, true, false, true},
    {"regrad_upsample_nearest3d_backward", 3, true, true, false, false},
    {"regrad_upsample_nearest_exact1d", 1, false, true, false, true},
    {"regrad_upsample_nearest_exact1d_backward", 1, true, true, false, false},
    {"regrad_upsample_nearest_exact2d", 2, false, true, false, true},
    {"regrad_upsample_nearest_exact2d_backward", 2, true, true, false, false},
    {"regrad_upsample_nearest_exact3d", 3, false, true, false, true},
    {"regrad_upsample_nearest_exact3d_backward", 3, true, true, false, false},
    {"regrad_upsample_linear1d", 1, false, false, true, false},
    {"regrad_upsample_linear1d_backward", 1, true, false, true, false},
    {"regrad_upsample_bilinear2d", 2, false, false, true, false},
    {"regrad_upsample_bilinear2d_backward", 2, true, false, true, false},
    {"regrad_upsample_trilinear3d", 3, false, false, true, false},
    {"regrad_upsample_trilinear3d_backward", 3, true, false, true, false},
    {"regrad_upsample_bicubic2d", 2, false, false, true, false},
    {"regrad_upsample_bicubic2d_backward", 2, true, false, true, false},
    {"regrad_upsample_bilinear2d_aa", 2, false, false, false, false},
    {"regrad_upsample_bilinear2d_aa_backward", 2, true, false, false, false},
    {"regrad_upsample_bicubic2d_aa", 2, false, false, false, false},
    {"regrad_upsample_bicubic2d_aa_backward", 2, true, false, false, false},
    {"regrad_upsample_lanczos2d_aa", 2, false, false, false, false},
    {"regrad_upsample_lanczos2d_aa_backward", 2, true, false, false, false},
};
enum { N_RESIZES = sizeof all_resizes / sizeof all_resizes[0] };

static void list_of_resizes(void **state)
{
    (void)state;
    regrad_resize_operator info = {.n_axes = 77};
    assert_int_equal(N_RESIZES, 2 * N_RESIZE_KINDS);
    assert_false(regrad_resize_operator_at(-1, &info));
    assert_false(regrad_resize_operator_at(N_RESIZES, &info));
    assert_false(regrad_resize_operator_at(INT32_MAX, &info));
    assert_int_equal(info.n_axes, 77);
    for (int k = 0; k < N_RESIZES; k++) {
        const regrad_resize_operator *wanted = &all_resizes[k];
        assert_true(regrad_resize_operator_at(k, &info));
        assert_string_equal(info.name, wanted->name);
        assert_int_equal(info.n_axes, wanted->n_axes);
        assert_int_equal(info.is_backward, wanted->is_backward);
        assert_int_equal(info.takes_law, wanted->takes_law);
        assert_int_equal(info.takes_asymmetric, wanted->takes_asymmetric);
        assert_int_equal(info.takes_bytes, wanted->takes_bytes);
    }
}

/* A plan by name is the plan of the function: it says the same of itself. The option that the operator does not take is
 * not looked at, and scales may be missing. */
static void plans_by_name(void **state)
{
    (void)state;
    static const int64_t shape[] = {2, 3, 4, 5, 6}, other[] = {2, 3, 7, 3, 8};
    char by_name[PLAN_TEXT_SIZE], by_function[PLAN_TEXT_SIZE];
    for (int k = 0; k < N_RESIZES; k++) {
        const regrad_resize_operator *info = &all_resizes[k];
        const regrad_tensor in = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 2 + info->n_axes, shape);
        const regrad_tensor out = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 2 + info->n_axes, other);
        regrad_plan *plan = NULL;
        const struct resize_call call = {.in = &in, .out = &out, .plan = &plan};
        assert_int_equal(resize_call(info->name, RESIZE_PLAN, &call), REGRAD_OK);
        regrad_plan_describe(plan, by_function, sizeof by_function);
        regrad_plan_destroy(plan);
        const regrad_coordinates coordinates = info->takes_law ? (regrad_coordinates)99 : REGRAD_HALF_PIXEL;
        const regrad_nearest_law law = info->takes_law ? REGRAD_NEAREST_FORWARD_LAW : (regrad_nearest_law)99;
        assert_int_equal(regrad_resize_plan_with(info->name, &in, &out, coordinates, law, NULL, NULL, &plan),
                         REGRAD_OK);
        regrad_plan_describe(plan, by_name, sizeof by_name);
        regrad_plan_destroy(plan);
        assert_string_equal(by_name, by_function);
        assert_memory_equal(by_name, info->name, strlen(info->name));
    }
}

static void no_such_name(void **state)
{
    (void)state;
    static const char *const names[] = {"", "upsample_bilinear2d", "regrad_upsample_bilinear2",
                                        "regrad_grid_sampler_2d", "regrad_upsample_bilinear2d_backward_plan"};
    const regrad_tensor image = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 4, (const int64_t[]){1, 2, 3, 4});
    regrad_plan *none = (regrad_plan *)names, *plan = none;
    char quoted[100];
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        assert_int_equal(regrad_resize_plan_with(names[k], &image, &image, 0, 0, NULL, NULL, &plan),
                         REGRAD_ERROR_INVALID_ARGUMENT);
        snprintf(quoted, sizeof quoted, "regrad_resize_plan_with: name is \"%s\"", names[k]);
        assert_non_null(strstr(regrad_last_message(), quoted));
        assert_ptr_equal(plan, none);
    }
    assert_int_equal(regrad_resize_plan_with(NULL, &image, &image, 0, 0, NULL, NULL, &plan), REGRAD_ERROR_NULL_POINTER);
    assert_non_null(strstr(regrad_last_message(), "regrad_resize_plan_with: name is NULL"));
    assert_int_equal(regrad_resize_plan_with("regrad_upsample_bicubic2d", &image, &image, 0, 0, NULL, NULL, NULL),
                     REGRAD_ERROR_NULL_POINTER);
    assert_non_null(strstr(regrad_last_message(), "regrad_upsample_bicubic2d: plan is NULL"));
    assert_ptr_equal(plan, none);
}

/* ---- Describe ---- */

static regrad_plan *some_plan(void)
{
    regrad_plan *plan;
    regrad_tensor output = regrad_tensor_contiguous(NULL, REGRAD_FLOAT16, 4, (const int64_t[]){2, 3, 61, 83});
    regrad_tensor input = regrad_tensor_contiguous(NULL, REGRAD_FLOAT16, 4, (const int64_t[]){2, 3, 37, 41});
    assert_int_equal(regrad_upsample_bilinear2d_backward_plan(&output, &input, REGRAD_HALF_PIXEL, 0, 0, &plan),
                     REGRAD_OK);
    return plan;
}

/* One line that names what the plan is about; cut off at any size as snprintf cuts. */
static void describe(void **state)
{
    (void)state;
    regrad_plan *plan = some_plan();
    char whole[1000], cut[1000], workspace[40];
    size_t length = regrad_plan_describe(plan, whole, sizeof whole);
    assert_true(length > 0 && length < sizeof whole && strlen(whole) == length && !strchr(whole, '\n'));
    snprintf(workspace, sizeof workspace, "%zu", regrad_plan_workspace_size(plan));
    const char *const words[] = {"bilinear", "float16", "61", "83", "37", "41", regrad_isa(), workspace};
    for (size_t k = 0; k < sizeof words / sizeof words[0]; k++)
        if (!strstr(whole, words[k]))
            fail_msg("\"%s\" is not in \"%s\"", words[k], whole);
    for (size_t size = 0; size <= length + 2; size++) {
        memset(cut, 'x', sizeof cut);
        assert_true(regrad_plan_describe(plan, cut, size) == length);
        size_t kept = size == 0 ? 0 : size - 1 < length ? size - 1 : length;
        assert_memory_equal(cut, whole, kept);
        assert_true(size == 0 || cut[kept] == 0);
        assert_true(cut[size == 0 ? 0 : kept + 1] == 'x');
    }
    assert_true(regrad_plan_describe(plan, NULL, 0) == length);
    assert_true(regrad_plan_describe(NULL, cut, sizeof cut) == 0);
    regrad_plan_destroy(plan);
}

/* ---- The rest of the interface ---- */

static void tensors(void **state)
{
    (void)state;
    float memory[1];
    regrad_tensor tensor = regrad_tensor_contiguous(memory, REGRAD_BFLOAT16, 4, (const int64_t[]){2, 3, 4, 5});
    const int64_t strides[] = {60, 20, 5, 1}, last_strides[] = {60, 1, 15, 3};
    assert_memory_equal(tensor.stride, strides, sizeof strides);
    assert_true(tensor.data == memory && tensor.dtype == REGRAD_BFLOAT16 && tensor.rank == 4 && tensor.offset == 0);
    regrad_tensor last = regrad_tensor_channels_last(memory, REGRAD_FLOAT32, 2, 3, 4, 5);
    assert_memory_equal(last.stride, last_strides, sizeof last_strides);
    const int64_t last_3d_strides[] = {360, 1, 90, 18, 3}, six[] = {1, 1, 1, 1, 1, 1};
    last = regrad_tensor_channels_last_3d(memory, REGRAD_FLOAT32, 2, 3, 4, 5, 6);
    assert_memory_equal(last.stride, last_3d_strides, sizeof last_3d_strides);
    assert_int_equal(last.rank, 5);
    assert_int_equal(regrad_tensor_contiguous(memory, REGRAD_FLOAT32, 6, six).rank, 0);
    assert_int_equal(regrad_tensor_contiguous(memory, REGRAD_FLOAT32, 0, strides).rank, 0);
    assert_int_equal(regrad_tensor_contiguous(memory, REGRAD_FLOAT32, 2, NULL).rank, 0);
    const int64_t huge[] = {1, INT64_MAX / 2, 3, 1};
    assert_int_equal(regrad_tensor_contiguous(memory, REGRAD_FLOAT32, 4, huge).rank, 0);
}

static void names(void **state)
{
    (void)state;
    static const char *const types[] = {"float32", "float16", "bfloat16", "float64", "uint8"};
    static const size_t sizes[] = {4, 2, 2, 8, 1};
    for (int k = 0; k < 5; k++) {
        assert_string_equal(regrad_dtype_name((regrad_dtype)k), types[k]);
        assert_int_equal(regrad_dtype_size((regrad_dtype)k), sizes[k]);
    }
    assert_string_equal(regrad_dtype_name((regrad_dtype)99), "unknown");
    assert_int_equal(regrad_dtype_size((regrad_dtype)99), 0);
    assert_string_equal(regrad_status_name(REGRAD_OK), "REGRAD_OK");
    assert_string_equal(regrad_status_name(REGRAD_ERROR_NULL_POINTER), "REGRAD_ERROR_NULL_POINTER");
    assert_string_equal(regrad_status_name(REGRAD_ERROR_INVALID_ARGUMENT), "REGRAD_ERROR_INVALID_ARGUMENT");
    assert_string_equal(regrad_status_name(REGRAD_ERROR_OUT_OF_MEMORY), "REGRAD_ERROR_OUT_OF_MEMORY");
    assert_non_null(regrad_status_name((regrad_status)99));
    char version[40];
    snprintf(version, sizeof version, "%d.%d.%d", REGRAD_VERSION_MAJOR, REGRAD_VERSION_MINOR, REGRAD_VERSION_PATCH);
    assert_string_equal(regrad_version(), version);
}

static void number_of_threads(void **state)
{
    (void)state;
    int start = regrad_num_threads();
    assert_true(start >= 1 && start <= 256);
    regrad_set_num_threads(5);
    assert_int_equal(regrad_num_threads(), 5);
    regrad_set_num_threads(1000);
    assert_int_equal(regrad_num_threads(), 256);
    regrad_set_num_threads(-3);
    assert_int_equal(regrad_num_threads(), start);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nan_and_infinity),
        cmocka_unit_test(impulses),
        cmocka_unit_test(mirrored_resize),
        cmocka_unit_test(mirrored_smooth),
        cmocka_unit_test(kept_axes),
        cmocka_unit_test(orders_of_axes),
        cmocka_unit_test(pixels_apart),
        cmocka_unit_test(empty_tensors),
        cmocka_unit_test(empty_far_away),
        cmocka_unit_test(empty_without_memory),
        cmocka_unit_test(empty_and_huge),
        cmocka_unit_test(empty_and_many),
        cmocka_unit_test(input_is_not_read),
        cmocka_unit_test(nothing_is_wanted),
        cmocka_unit_test(resize_bilinear_v2_grad),
        cmocka_unit_test(upsample_nearest_exact2d_grad),
        cmocka_unit_test(list_of_resizes),
        cmocka_unit_test(plans_by_name),
        cmocka_unit_test(no_such_name),
        cmocka_unit_test(describe),
        cmocka_unit_test(tensors),
        cmocka_unit_test(names),
        cmocka_unit_test(number_of_threads),
    };
    if (skip_without_isa())
        return 77;
    test_seed();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
