/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Grid samples in three dimensions: random calls against a reference that scatters in long double, values that were
 * worked out beforehand, what must be the same in bits, what the gradients are to the forward, and refusals.
 *     check_grid_3d             all
 *     check_grid_3d --isas      the comparison of instruction sets alone
 *     check_grid_3d --one-isa   all but that
 *     check_grid_3d --results   writes the results of random calls, for that comparison
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "allocation.h"
#include "number.h"
#include "op/way.h"
#include "reference.h"
#include "run.h"

/* ---- Calls ---- */

enum { INPUT, GRID, SAMPLED, INPUT_GRAD, GRID_GRAD, N_TENSORS, RANK = 5 };

static const char *const tensor_names[] = {"input", "grid", "grad_output or output", "input_grad", "grid_grad"};

/* Sizes are in the order D, H, W. */
struct call {
    regrad_dtype dtype;
    int64_t n, c, in[3], out[3];
    regrad_interpolation interpolation;
    regrad_padding padding;
    bool align_corners, backward;
    bool wanted[2]; /* the gradients */
};

struct settings {
    enum view_layout given, made;
    int n_threads;
    bool by_plan;
};

/* Dense values; and results as they are stored. NULL where there are none. */
struct values {
    double *at[N_TENSORS];
};
struct results {
    unsigned char *bytes[N_TENSORS];
    size_t nbytes[N_TENSORS];
};

static int64_t count(const int64_t *size)
{
    return size[0] * size[1] * size[2];
}

static bool is_of_points(int which)
{
    return which == GRID || which == GRID_GRAD;
}

static int64_t shape_of(const struct call *call, int which, int64_t shape[RANK])
{
    const int64_t *size = which == INPUT || which == INPUT_GRAD ? call->in : call->out;
    const int first = is_of_points(which) ? 1 : 2;
    shape[0] = call->n;
    shape[1] = call->c;
    memcpy(&shape[first], size, 3 * sizeof *size);
    if (is_of_points(which))
        shape[RANK - 1] = 3;
    return call->n * count(size) * (is_of_points(which) ? 3 : call->c);
}

static bool is_result(const struct call *call, int which)
{
    if (which == SAMPLED)
        return !call->backward;
    return which >= INPUT_GRAD && call->backward && call->wanted[which - INPUT_GRAD];
}

static bool is_given(const struct call *call, int which)
{
    return which <= GRID || (which == SAMPLED && call->backward);
}

static const char *call_text(const struct call *call)
{
    static char text[300];
    snprintf(text, sizeof text,
             "%s, %s, n %d, c %d, in %dx%dx%d, out %dx%dx%d, interpolation %d padding %d align %d wanted %d %d",
             call->backward ? "backward" : "forward", regrad_dtype_name(call->dtype), (int)call->n, (int)call->c,
             (int)call->in[0], (int)call->in[1], (int)call->in[2], (int)call->out[0], (int)call->out[1],
             (int)call->out[2], (int)call->interpolation, (int)call->padding, call->align_corners, call->wanted[0],
             call->wanted[1]);
    return text;
}

static struct call random_call(struct rng *rng)
{
    struct call call = {
        .dtype = (regrad_dtype)rng_below(rng, N_DTYPES),
        .n = rng_between(rng, 1, 3),
        .c = rng_chance(rng, 3) ? rng_between(rng, 1, 40) : rng_between(rng, 1, 4),
        .interpolation = rng_chance(rng, 4) ? REGRAD_NEAREST : REGRAD_BILINEAR,
        .padding = (regrad_padding)rng_below(rng, 3),
        .align_corners = rng_chance(rng, 2),
        .backward = !rng_chance(rng, 3),
    };
    for (int d = 0; d < 3; d++) {
        call.in[d] = rng_between(rng, 1, rng_chance(rng, 3) ? 12 : 5);
        call.out[d] = rng_between(rng, 1, 7);
    }
    call.wanted[0] = !rng_chance(rng, 4);
    call.wanted[1] = !call.wanted[0] || !rng_chance(rng, 4);
    return call;
}

static double random_coordinate_of(struct rng *rng, int64_t size)
{
    static const double special[] = {0, -1, 1, (double)NAN, (double)INFINITY, -(double)INFINITY, 1e30, -1e30, 3e9};
    switch (rng_below(rng, 20)) {
    case 0:
        return special[rng_below(rng, 9)];
    case 1:
        return rng_real(rng, -4, 4);
    case 2:
    case 3:
        return (double)rng_between(rng, -2, 2 * size + 2) / (double)size - 1;
    default:
        return rng_real(rng, -1.2, 1.2);
    }
}

static struct values random_values(struct rng *rng, const struct call *call)
{
    struct values values = {0};
    int64_t shape[RANK];
    for (int which = 0; which < N_TENSORS; which++) {
        if (!is_given(call, which))
            continue;
        const int64_t n = shape_of(call, which, shape);
        values.at[which] = calloc((size_t)n + 1, sizeof(double));
        assert_non_null(values.at[which]);
        for (int64_t k = 0; k < n; k++) {
            const double value = which == GRID ? random_coordinate_of(rng, call->in[2 - k % 3]) : rng_real(rng, -2, 2);
            values.at[which][k] = number_round(call->dtype, value);
        }
    }
    return values;
}

/* Some values are not finite: gradients of points that may touch nothing, voxels that may lie beside points. */
static void spoil(struct rng *rng, const struct call *call, const struct values *values)
{
    int64_t shape[RANK];
    for (int64_t k = rng_chance(rng, 4) ? 3 : 0; k > 0 && call->backward; k--)
        values->at[SAMPLED][rng_below(rng, shape_of(call, SAMPLED, shape))] = (double)NAN;
    for (int64_t k = rng_chance(rng, 6) ? 2 : 0; k > 0; k--)
        values->at[INPUT][rng_below(rng, shape_of(call, INPUT, shape))] = (double)INFINITY;
}

static void values_fini(struct values *values)
{
    for (int which = 0; which < N_TENSORS; which++)
        free(values->at[which]);
}

static void results_fini(struct results *results)
{
    for (int which = 0; which < N_TENSORS; which++)
        free(results->bytes[which]);
}

/* ---- Running ---- */

static regrad_status plan_call(const struct call *call, const regrad_tensor *const tensor[N_TENSORS],
                               regrad_plan **plan)
{
    if (!call->backward)
        return regrad_grid_sampler_3d_plan(tensor[INPUT], tensor[GRID], call->interpolation, call->padding,
                                           call->align_corners, tensor[SAMPLED], plan);
    return regrad_grid_sampler_3d_backward_plan(tensor[SAMPLED], tensor[INPUT], tensor[GRID], call->interpolation,
                                                call->padding, call->align_corners, tensor[INPUT_GRAD],
                                                tensor[GRID_GRAD], plan);
}

static regrad_status do_call(const struct call *call, const regrad_tensor *const tensor[N_TENSORS])
{
    if (!call->backward)
        return regrad_grid_sampler_3d(tensor[INPUT], tensor[GRID], call->interpolation, call->padding,
                                      call->align_corners, tensor[SAMPLED]);
    return regrad_grid_sampler_3d_backward(tensor[SAMPLED], tensor[INPUT], tensor[GRID], call->interpolation,
                                           call->padding, call->align_corners, tensor[INPUT_GRAD], tensor[GRID_GRAD]);
}

/* Any ways that a plan can take give the same bits. */
static struct rg_seam seam = {.values_per_slot = 1};

static void *data_of(const regrad_tensor *tensor)
{
    return tensor == NULL ? NULL : tensor->data;
}

/* A plan's workspace is no larger than the input and the results, and 128 KiB a thread. */
static void check_workspace(const struct call *call, const regrad_plan *plan)
{
    int64_t shape[RANK], n = shape_of(call, INPUT, shape);
    for (int which = SAMPLED; which < N_TENSORS; which++)
        n += is_result(call, which) ? shape_of(call, which, shape) : 0;
    const int64_t size = call->dtype == REGRAD_FLOAT64 ? sizeof(double) : sizeof(float);
    const int64_t bound = n * size + regrad_num_threads() * (INT64_C(128) << 10);
    if ((int64_t)regrad_plan_workspace_size(plan) > bound)
        fail_msg("%s: %zu bytes of workspace, must be %lld at most", call_text(call), regrad_plan_workspace_size(plan),
                 (long long)bound);
}

/* The workspace is full of garbage, and the run allocates nothing. */
static regrad_status run_plan(struct rng *rng, const struct call *call, const regrad_tensor *const tensor[N_TENSORS])
{
    regrad_plan *plan = NULL;
    struct guard workspace;
    const regrad_status status = plan_call(call, tensor, &plan);
    if (status != REGRAD_OK)
        return status;
    if (seam.forced == 0 && seam.forbidden == 0)
        check_workspace(call, plan);
    const size_t nbytes = regrad_plan_workspace_size(plan);
    workspace_init(&workspace, rng, nbytes);
    const void *forward[] = {data_of(tensor[INPUT]), data_of(tensor[GRID])};
    const void *backward[] = {data_of(tensor[SAMPLED]), data_of(tensor[INPUT]), data_of(tensor[GRID])};
    void *outputs[] = {data_of(tensor[call->backward ? INPUT_GRAD : SAMPLED]), data_of(tensor[GRID_GRAD])};
    const int64_t n_allocations = allocation_count();
    const regrad_status run =
        regrad_plan_run(plan, call->backward ? backward : forward, outputs, workspace.data, nbytes);
    if (regrad_num_threads() == 1)
        assert_int_equal(allocation_count(), n_allocations);
    assert_true(guard_intact(&workspace));
    guard_fini(&workspace);
    regrad_plan_destroy(plan);
    return run;
}

static struct results run(struct rng *rng, const struct call *call, const struct values *values,
                          const struct settings *settings)
{
    struct view view[N_TENSORS];
    const regrad_tensor *tensor[N_TENSORS] = {0};
    struct results results = {0};
    int64_t shape[RANK];
    for (int which = 0; which < N_TENSORS; which++) {
        if (!is_given(call, which) && !is_result(call, which))
            continue;
        shape_of(call, which, shape);
        view_init(&view[which], rng, is_given(call, which) ? settings->given : settings->made, call->dtype, RANK,
                  shape);
        if (is_given(call, which))
            view_write(&view[which], values->at[which]);
        else
            view_write_nans(&view[which]);
        tensor[which] = &view[which].tensor;
    }
    regrad_set_num_threads(settings->n_threads);
    const regrad_status status = settings->by_plan ? run_plan(rng, call, tensor) : do_call(call, tensor);
    if (status != REGRAD_OK)
        fail_msg("%s: %s", call_text(call), regrad_last_message());
    for (int which = 0; which < N_TENSORS; which++) {
        if (tensor[which] == NULL)
            continue;
        assert_true(is_given(call, which) ? view_unchanged(&view[which]) : view_gaps_unchanged(&view[which]));
        results.nbytes[which] = (size_t)view[which].n * regrad_dtype_size(call->dtype);
        results.bytes[which] = malloc(results.nbytes[which] + 1);
        assert_non_null(results.bytes[which]);
        view_bytes(&view[which], results.bytes[which]);
        view_fini(&view[which]);
    }
    return results;
}

static struct settings random_settings(struct rng *rng)
{
    return (struct settings){.given = (enum view_layout)rng_below(rng, 3),
                             .made = (enum view_layout)rng_below(rng, 3),
                             .n_threads = (int)rng_between(rng, 1, 5),
                             .by_plan = rng_chance(rng, 2)};
}

static double result_at(const struct call *call, const struct results *results, int which, int64_t k)
{
    return number_decode(call->dtype, results->bytes[which] + (size_t)k * regrad_dtype_size(call->dtype));
}

static void any_ways(struct rng *rng)
{
    static const enum rg_way ways[] = {RG_PACKED, RG_GATHERED, RG_IN_PLACE, RG_ABREAST};
    seam.forced = seam.forbidden = 0;
    for (int k = 0; k < 4; k++) {
        seam.forced |= rng_chance(rng, 3) ? rg_way_bit(ways[k]) : 0;
        seam.forbidden |= rng_chance(rng, 3) ? rg_way_bit(ways[k]) : 0;
    }
    seam.forced &= ~seam.forbidden;
}

/* ---- The reference ---- */

struct voxel {
    int64_t at;
    long double weight, by[3]; /* and its derivatives by x, y and z */
};

/* The neighbours of a point; returns how many they are. Slopes are those of x, y and z. */
static int find_voxels(const struct call *call, const double *xyz, struct voxel voxels[8], double slope[3])
{
    const struct reference_grid grid = {.interpolation = call->interpolation,
                                        .padding = call->padding,
                                        .align_corners = call->align_corners,
                                        .dtype = call->dtype};
    struct grid_axis axis[3];
    int n = 0;
    for (int d = 0; d < 3; d++) {
        reference_grid_axis(&grid, xyz[d], call->in[2 - d], &axis[d]);
        slope[d] = axis[d].slope;
        if (!axis[d].active)
            return 0;
    }
    for (int k = 0; k < axis[0].n * axis[1].n * axis[2].n; k++) {
        const int x = k % axis[0].n, y = k / axis[0].n % axis[1].n, z = k / axis[0].n / axis[1].n;
        const long double wx = axis[0].weight[x], wy = axis[1].weight[y], wz = axis[2].weight[z];
        if (axis[0].index[x] < 0 || axis[1].index[y] < 0 || axis[2].index[z] < 0)
            continue;
        voxels[n++] = (struct voxel){
            .at = (axis[2].index[z] * call->in[1] + axis[1].index[y]) * call->in[2] + axis[0].index[x],
            .weight = wx * wy * wz,
            .by = {axis[0].derivative[x] * wy * wz, axis[1].derivative[y] * wx * wz, axis[2].derivative[z] * wx * wy},
        };
    }
    return n;
}

struct solution {
    struct sum *at[N_TENSORS];
};

static void solve_point(const struct call *call, const struct values *values, int64_t n, int64_t p,
                        const struct solution *solution)
{
    const int64_t n_points = count(call->out), n_voxels = count(call->in), at = n * n_points + p;
    struct voxel voxels[8];
    double slope[3];
    const int n_found = find_voxels(call, &values->at[GRID][3 * at], voxels, slope);
    for (int64_t plane = n * call->c; plane < (n + 1) * call->c; plane++)
        for (int k = 0; k < n_found; k++) {
            const double value = values->at[INPUT][plane * n_voxels + voxels[k].at];
            const double grad = call->backward ? values->at[SAMPLED][plane * n_points + p] : 0;
            if (!call->backward)
                sum_add(&solution->at[SAMPLED][plane * n_points + p], voxels[k].weight, 0, value);
            if (solution->at[INPUT_GRAD] != NULL)
                sum_add(&solution->at[INPUT_GRAD][plane * n_voxels + voxels[k].at], voxels[k].weight, 0, grad);
            for (int d = 0; d < 3 && solution->at[GRID_GRAD] != NULL && call->interpolation != REGRAD_NEAREST; d++)
                sum_add(&solution->at[GRID_GRAD][3 * at + d], slope[d] * (long double)grad * voxels[k].by[d], 0, value);
        }
}

static struct solution solve(const struct call *call, const struct values *values)
{
    struct solution solution = {0};
    int64_t shape[RANK];
    for (int which = SAMPLED; which < N_TENSORS; which++)
        if (is_result(call, which)) {
            solution.at[which] = calloc((size_t)shape_of(call, which, shape) + 1, sizeof(struct sum));
            assert_non_null(solution.at[which]);
        }
    for (int64_t n = 0; n < call->n; n++)
        for (int64_t p = 0; p < count(call->out); p++)
            solve_point(call, values, n, p, &solution);
    return solution;
}

static void solution_fini(struct solution *solution)
{
    for (int which = 0; which < N_TENSORS; which++)
        free(solution->at[which]);
}

static void expect_solved(const struct call *call, const struct solution *solution, const struct results *results)
{
    int64_t shape[RANK];
    for (int which = SAMPLED; which < N_TENSORS; which++)
        for (int64_t k = 0; is_result(call, which) && k < shape_of(call, which, shape); k++) {
            const double got = result_at(call, results, which, k);
            if (!sum_accepts(&solution->at[which][k], call->dtype, got))
                fail_msg("%s: %s[%lld] is %.17g, not %.17Lg", call_text(call), tensor_names[which], (long long)k, got,
                         solution->at[which][k].value);
        }
}

static void random_calls(void **state)
{
    (void)state;
    for (int64_t k = 0; k < test_count(1500); k++) {
        struct rng rng = rng_make(test_seed() + (uint64_t)k);
        const struct call call = random_call(&rng);
        const struct settings settings = random_settings(&rng);
        struct values values = random_values(&rng, &call);
        spoil(&rng, &call, &values);
        any_ways(&rng);
        struct results results = run(&rng, &call, &values, &settings);
        struct solution solution = solve(&call, &values);
        expect_solved(&call, &solution, &results);
        solution_fini(&solution);
        results_fini(&results);
        values_fini(&values);
    }
}

/* ---- What must be the same ---- */

static void expect_same_bytes(const struct call *call, const char *what, const struct results *a,
                              const struct results *b)
{
    for (int which = SAMPLED; which < N_TENSORS; which++)
        if (is_result(call, which) && memcmp(a->bytes[which], b->bytes[which], a->nbytes[which]) != 0)
            fail_msg("%s: %s: %s differs", call_text(call), what, tensor_names[which]);
}

/* Sample n of a batch alone. */
static void check_alone(struct rng *rng, const struct call *call, const struct values *values,
                        const struct results *all, int64_t n)
{
    struct call alone = *call;
    struct values own = {0};
    int64_t shape[RANK];
    alone.n = 1;
    for (int which = 0; which < N_TENSORS; which++)
        own.at[which] = values->at[which] == NULL ? NULL : values->at[which] + n * shape_of(&alone, which, shape);
    const struct settings settings = random_settings(rng);
    struct results results = run(rng, &alone, &own, &settings);
    for (int which = SAMPLED; which < N_TENSORS; which++)
        if (is_result(call, which))
            assert_memory_equal(results.bytes[which], all->bytes[which] + (size_t)n * results.nbytes[which],
                                results.nbytes[which]);
    results_fini(&results);
}

static void same_bits(void **state)
{
    (void)state;
    for (int64_t k = 0; k < test_count(400); k++) {
        struct rng rng = rng_make(test_seed() + (uint64_t)k);
        const struct call call = random_call(&rng);
        struct values values = random_values(&rng, &call);
        spoil(&rng, &call, &values);
        struct results first = run(&rng, &call, &values, &(struct settings){.n_threads = 1});
        for (int i = 0; i < 4; i++) {
            const struct settings settings = random_settings(&rng);
            any_ways(&rng);
            struct results other = run(&rng, &call, &values, &settings);
            expect_same_bytes(&call, "threads, layout or ways", &first, &other);
            results_fini(&other);
        }
        check_alone(&rng, &call, &values, &first, rng_below(&rng, call.n));
        results_fini(&first);
        values_fini(&values);
    }
}

/* Volumes go the way that pays: packed, where there are points enough, and channels. */
static void ways_that_pay(void **state)
{
    (void)state;
    static const struct {
        int64_t c, n_points;
        regrad_interpolation interpolation;
        const char *words;
    } rows[] = {{40, 64, REGRAD_BILINEAR, "; packed, abreast;"},
                {40, 500, REGRAD_NEAREST, "; packed, abreast;"},
                {3, 500, REGRAD_BILINEAR, "; packed;"},
                {2, 500, REGRAD_BILINEAR, "; planes, in place;"},
                {40, 8, REGRAD_BILINEAR, "; planes, in place, abreast, gathered;"}};
    seam.forced = seam.forbidden = 0;
    regrad_set_num_threads(1);
    for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
        const int64_t image[] = {8, rows[k].c, 8, 8, 8}, sampled[] = {8, rows[k].c, 1, 1, rows[k].n_points};
        const int64_t points[] = {8, 1, 1, rows[k].n_points, 3};
        const regrad_tensor of_image = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 5, image);
        const regrad_tensor of_sampled = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 5, sampled);
        const regrad_tensor of_points = regrad_tensor_contiguous(NULL, REGRAD_FLOAT32, 5, points);
        regrad_plan *plan;
        char text[1000];
        assert_int_equal(regrad_grid_sampler_3d_backward_plan(&of_sampled, &of_image, &of_points, rows[k].interpolation,
                                                              REGRAD_ZEROS, false, &of_image, &of_points, &plan),
                         REGRAD_OK);
        regrad_plan_describe(plan, text, sizeof text);
        if (strstr(text, rows[k].words) == NULL)
            fail_msg("%s, not %s", text, rows[k].words);
        regrad_plan_destroy(plan);
    }
}

/* The same call in two dimensions, with dense tensors; the points lose their z. */
static struct results run_flat(const struct call *call, const struct values *values)
{
    struct results results = {0};
    regrad_tensor tensor[N_TENSORS];
    int64_t shape[RANK];
    for (int which = 0; which < N_TENSORS; which++) {
        const int64_t size = (int64_t)regrad_dtype_size(call->dtype), n_axes = is_of_points(which) ? 3 : 1;
        const int64_t n = shape_of(call, which, shape) / n_axes, kept = is_of_points(which) ? 2 : 1;
        const int64_t image[] = {call->n, call->c, shape[3], shape[4]}, points[] = {call->n, shape[2], shape[3], 2};
        results.nbytes[which] = (size_t)(n * kept * size);
        results.bytes[which] = malloc(results.nbytes[which] + 1);
        assert_non_null(results.bytes[which]);
        for (int64_t k = 0; k < n * kept && is_given(call, which); k++)
            number_encode(call->dtype, values->at[which][k / kept * n_axes + k % kept],
                          results.bytes[which] + k * size);
        tensor[which] =
            regrad_tensor_contiguous(results.bytes[which], call->dtype, 4, is_of_points(which) ? points : image);
    }
    const regrad_status status =
        call->backward ? regrad_grid_sampler_2d_backward(&tensor[SAMPLED], &tensor[INPUT], &tensor[GRID],
                                                         call->interpolation, call->padding, call->align_corners,
                                                         call->wanted[0] ? &tensor[INPUT_GRAD] : NULL,
                                                         call->wanted[1] ? &tensor[GRID_GRAD] : NULL)
                       : regrad_grid_sampler_2d(&tensor[INPUT], &tensor[GRID], call->interpolation, call->padding,
                                                call->align_corners, &tensor[SAMPLED]);
    assert_int_equal(status, REGRAD_OK);
    return results;
}

static void expect_flat(const struct call *call, const struct results *deep, const struct results *flat)
{
    for (int which = SAMPLED; which < N_TENSORS; which++) {
        const int64_t n = (int64_t)(flat->nbytes[which] / regrad_dtype_size(call->dtype));
        for (int64_t k = 0; k < n && is_result(call, which); k++) {
            const int64_t at = is_of_points(which) ? k / 2 * 3 + k % 2 : k;
            const double got = result_at(call, deep, which, at), wanted = result_at(call, flat, which, k);
            if (got != wanted)
                fail_msg("%s: %s[%lld] is %.17g, in two dimensions %.17g", call_text(call), tensor_names[which],
                         (long long)at, got, wanted);
        }
    }
}

/* One plane, and points in it: what two dimensions give. */
static void one_plane(void **state)
{
    (void)state;
    for (int64_t k = 0; k < test_count(400); k++) {
        struct rng rng = rng_make(test_seed() + (uint64_t)k);
        struct call call = random_call(&rng);
        call.in[0] = call.out[0] = 1;
        call.align_corners = false;
        const struct settings settings = random_settings(&rng);
        struct values values = random_values(&rng, &call);
        for (int64_t p = 0; p < call.n * count(call.out); p++)
            values.at[GRID][3 * p + 2] = 0;
        struct results deep = run(&rng, &call, &values, &settings), flat = run_flat(&call, &values);
        expect_flat(&call, &deep, &flat);
        results_fini(&deep);
        results_fini(&flat);
        values_fini(&values);
    }
}

/* ---- Instruction sets ---- */

enum { N_RESULTS = 300 }; /* calls whose results are written, each of some bytes */

static int write_results(void)
{
    static const struct settings settings = {.n_threads = 2};
    if (skip_without_isa())
        return 77;
    for (int64_t k = 0; k < test_count(N_RESULTS); k++) {
        struct rng rng = rng_make(test_seed() + (uint64_t)k);
        const struct call call = random_call(&rng);
        struct values values = random_values(&rng, &call);
        spoil(&rng, &call, &values);
        struct results results = run(&rng, &call, &values, &settings);
        for (int which = SAMPLED; which < N_TENSORS; which++)
            if (is_result(&call, which))
                fwrite(results.bytes[which], 1, results.nbytes[which], stdout);
        results_fini(&results);
        values_fini(&values);
    }
    return fflush(stdout) != 0;
}

/* The sum of what this program writes with an instruction set; 0 where the machine has it not. */
static uint64_t results_of(const char *isa)
{
    uint64_t hash = 1, n = 0;
    FILE *pipe = open_results(isa, EMULATOR);
    for (int byte; (byte = fgetc(pipe)) != EOF; n++)
        hash = (hash ^ (uint64_t)byte) * UINT64_C(0x100000001b3);
    const int status = pclose(pipe);
    assert_true(status == 0 || status == 77 << 8);
    assert_true(status != 0 || n > (uint64_t)test_count(N_RESULTS));
    return status == 0 ? hash : 0;
}

static void instruction_sets(void **state)
{
    (void)state;
    static const char *const isas[] = {"avx2", "avx512", "neon"};
    const uint64_t scalar = results_of("scalar");
    for (int k = 0; k < 3; k++) {
        const uint64_t other = results_of(isas[k]);
        if (other != 0 && other != scalar)
            fail_msg("%s gives other bits than scalar", isas[k]);
    }
}

/* ---- Edges ---- */

static void try_solved(struct rng *rng, const struct call *call)
{
    const struct settings settings = random_settings(rng);
    struct values values = random_values(rng, call);
    struct results results = run(rng, call, &values, &settings);
    struct solution solution = solve(call, &values);
    expect_solved(call, &solution, &results);
    solution_fini(&solution);
    results_fini(&results);
    values_fini(&values);
}

/* No samples, channels or points: the gradients are zeros, where there are any. */
static void nothing_there(void **state)
{
    (void)state;
    for (int64_t k = 0; k < test_count(100); k++) {
        struct rng rng = rng_make(test_seed() + (uint64_t)k);
        struct call call = random_call(&rng);
        int64_t *const sizes[] = {&call.n, &call.c, &call.out[0], &call.out[1], &call.out[2]};
        *sizes[k % 5] = 0;
        try_solved(&rng, &call);
    }
}

/* Axes on which pixels are found in double, whatever the type. */
static void long_axes(void **state)
{
    (void)state;
    enum { N = 6 }; /* axes and types */
    struct rng rng = rng_make(test_seed());
    const int n = test_count(1000) < 100 ? 1 : N; /* in a short run the seed chooses one */
    for (int k = 0; k < n; k++) {
        const int which = n == N ? k : (int)rng_below(&rng, N);
        struct call call = random_call(&rng);
        call.n = call.c = 1;
        call.dtype = which % 2 == 0 ? REGRAD_FLOAT32 : REGRAD_FLOAT16;
        for (int d = 0; d < 3; d++)
            call.in[d] = d == which / 2 ? (1 << 22) + 5 : 1;
        try_solved(&rng, &call);
    }
}

/* Small sizes are as likely as large ones. */
static int64_t any_size(struct rng *rng, int bits)
{
    return rng_between(rng, 1, INT64_C(1) << rng_between(rng, 0, bits));
}

static void workspaces(void **state)
{
    (void)state;
    struct rng rng = rng_make(test_seed());
    seam.forced = seam.forbidden = 0;
    for (int64_t k = 0; k < test_count(20000); k++) {
        struct call call = random_call(&rng);
        const regrad_tensor *tensor[N_TENSORS] = {0};
        regrad_tensor made[N_TENSORS];
        regrad_plan *plan = NULL;
        const bool last = rng_chance(&rng, 2);
        call.n = rng_chance(&rng, 2) ? 1 : any_size(&rng, 6);
        call.c = rng_chance(&rng, 2) ? call.c : any_size(&rng, 8);
        for (int d = 0; d < 3; d++) {
            call.in[d] = any_size(&rng, 8);
            call.out[d] = rng_chance(&rng, 3) ? call.in[d] : any_size(&rng, 8);
        }
        for (int which = 0; which < N_TENSORS; which++) {
            int64_t s[RANK];
            shape_of(&call, which, s);
            made[which] = last && !is_of_points(which)
                              ? regrad_tensor_channels_last_3d(NULL, call.dtype, s[0], s[1], s[2], s[3], s[4])
                              : regrad_tensor_contiguous(NULL, call.dtype, RANK, s);
            tensor[which] = is_given(&call, which) || is_result(&call, which) ? &made[which] : NULL;
        }
        regrad_set_num_threads((int)any_size(&rng, 5));
        assert_int_equal(plan_call(&call, tensor, &plan), REGRAD_OK);
        check_workspace(&call, plan);
        regrad_plan_destroy(plan);
    }
}

/* <grad_output, forward(input)> = <input_grad, input>, as the gradient is the transpose. */
static void adjoint(void **state)
{
    (void)state;
    for (int64_t k = 0; k < test_count(200); k++) {
        struct rng rng = rng_make(test_seed() + (uint64_t)k);
        struct call call = random_call(&rng), forward;
        call.dtype = REGRAD_FLOAT64;
        call.backward = call.wanted[0] = true;
        forward = call;
        forward.backward = false;
        struct values values = random_values(&rng, &call);
        const struct settings settings = random_settings(&rng);
        struct results grads = run(&rng, &call, &values, &settings), out = run(&rng, &forward, &values, &settings);
        int64_t shape[RANK];
        double left = 0, right = 0, magnitude = 0;
        for (int64_t i = 0; i < shape_of(&call, SAMPLED, shape); i++) {
            left += values.at[SAMPLED][i] * result_at(&call, &out, SAMPLED, i);
            magnitude += fabs(values.at[SAMPLED][i] * result_at(&call, &out, SAMPLED, i));
        }
        for (int64_t i = 0; i < shape_of(&call, INPUT, shape); i++) {
            right += values.at[INPUT][i] * result_at(&call, &grads, INPUT_GRAD, i);
            magnitude += fabs(values.at[INPUT][i] * result_at(&call, &grads, INPUT_GRAD, i));
        }
        if (fabs(left - right) > 1e-12 * (magnitude + 1))
            fail_msg("%s: %.17g and %.17g", call_text(&call), left, right);
        results_fini(&grads);
        results_fini(&out);
        values_fini(&values);
    }
}

/* ---- Values that were worked out beforehand ---- */

static cJSON *cases;

static cJSON *read_json(const char *path)
{
    static char text[1 << 20];
    FILE *file = fopen(path, "rb");
    const size_t size = file == NULL ? 0 : fread(text, 1, sizeof text - 1, file);
    text[size] = 0;
    if (file != NULL)
        fclose(file);
    return cJSON_Parse(text);
}

static const cJSON *field(const cJSON *call, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(call, name);
    if (item == NULL)
        fail_msg("%s has no %s", cJSON_GetObjectItem(call, "id")->valuestring, name);
    return item;
}

/* A number, or the words that stand for those that JSON has not. */
static double number_at(const cJSON *array, int64_t k)
{
    const cJSON *item = cJSON_GetArrayItem(array, (int)k);
    assert_non_null(item);
    return cJSON_IsNumber(item) ? item->valuedouble : strtod(item->valuestring, NULL);
}

static struct call read_call(const cJSON *json)
{
    const cJSON *in = field(json, "input_size"), *grid = field(json, "grid_size");
    const cJSON *wanted = cJSON_GetObjectItemCaseSensitive(json, "output_mask");
    struct call call = {
        .n = (int64_t)number_at(in, 0),
        .c = (int64_t)number_at(in, 1),
        .interpolation = (regrad_interpolation)field(json, "interpolation_mode")->valueint,
        .padding = (regrad_padding)field(json, "padding_mode")->valueint,
        .align_corners = cJSON_IsTrue(field(json, "align_corners")),
        .backward = strcmp(field(json, "op")->valuestring, "grid_sampler_3d_backward") == 0,
    };
    for (int d = 0; d < 3; d++) {
        call.in[d] = (int64_t)number_at(in, 2 + d);
        call.out[d] = (int64_t)number_at(grid, 1 + d);
    }
    for (int k = 0; k < 2; k++)
        call.wanted[k] = wanted == NULL || cJSON_IsTrue(cJSON_GetArrayItem(wanted, k));
    return call;
}

static const char *name_of(const struct call *call, int which)
{
    static const char *const names[] = {"input", "grid", "grad_output", "input_grad", "grid_grad"};
    return which == SAMPLED && !call->backward ? "output" : names[which];
}

/* False where the type does not hold all of them. */
static bool read_values(const cJSON *json, const struct call *call, struct values *values)
{
    int64_t shape[RANK];
    bool holds = true;
    for (int which = 0; which < N_TENSORS; which++) {
        if (!is_given(call, which))
            continue;
        const cJSON *array = field(json, name_of(call, which));
        const int64_t n = shape_of(call, which, shape);
        assert_int_equal(cJSON_GetArraySize(array), n);
        values->at[which] = calloc((size_t)n + 1, sizeof(double));
        assert_non_null(values->at[which]);
        for (int64_t k = 0; k < n; k++) {
            const double value = values->at[which][k] = number_at(array, k);
            holds &= isnan(value) || number_round(call->dtype, value) == value;
        }
    }
    return holds;
}

/* What is worked out has no roundings; small multiples of 1/8 have none in any type. */
static void expect_worked_out(const cJSON *json, const struct call *call, const struct solution *solution,
                              const struct results *results)
{
    int64_t shape[RANK];
    for (int which = SAMPLED; which < N_TENSORS; which++) {
        if (!is_result(call, which))
            continue;
        const cJSON *array = field(json, name_of(call, which));
        assert_int_equal(cJSON_GetArraySize(array), shape_of(call, which, shape));
        for (int64_t k = 0; k < shape_of(call, which, shape); k++) {
            const double wanted = number_at(array, k), got = result_at(call, results, which, k);
            struct sum sum = solution->at[which][k];
            const bool simple = wanted * 8 == floor(wanted * 8) && sum.value == wanted;
            if (call->dtype != REGRAD_FLOAT64) /* else weights may be others */
                sum.value = wanted;
            if (simple ? got != number_round(call->dtype, wanted) : !sum_accepts(&sum, call->dtype, got))
                fail_msg("%s, %s: %s[%lld] is %.17g, not %.17g", field(json, "id")->valuestring, call_text(call),
                         name_of(call, which), (long long)k, got, wanted);
        }
    }
}

static int try_case(const cJSON *json)
{
    struct rng rng = rng_make(test_seed());
    struct call call = read_call(json);
    int n_tried = 0;
    for (int type = 0; type < N_DTYPES; type++) {
        struct values values = {0};
        call.dtype = (regrad_dtype)type;
        if (read_values(json, &call, &values)) {
            struct solution solution = solve(&call, &values);
            for (int layout = 0; layout < 6; layout++) {
                const struct settings settings = {(enum view_layout)(layout / 2), (enum view_layout)(layout / 2), 1,
                                                  layout % 2};
                struct results results = run(&rng, &call, &values, &settings);
                expect_worked_out(json, &call, &solution, &results);
                results_fini(&results);
            }
            solution_fini(&solution);
            n_tried++;
        }
        values_fini(&values);
    }
    return n_tried;
}

static void worked_out(void **state)
{
    (void)state;
    int n_calls = 0, n_tried = 0;
    const cJSON *call;
    cJSON_ArrayForEach(call, cases)
    {
        if (strncmp(field(call, "op")->valuestring, "grid_sampler_3d", 15) != 0)
            continue;
        n_tried += try_case(call);
        n_calls++;
    }
    assert_int_equal(n_calls, 13);
    assert_true(n_tried >= 2 * n_calls); /* each is held by its own type and by float64 */
}

/* The middle of eight voxels; and beside an infinite one. */
static void weights(void **state)
{
    (void)state;
    float input[8] = {1, 2, 3, 4, 5, 6, 7, 8}, grid[3] = {0}, grad = 8, output = 0, input_grad[8], grid_grad[3];
    const regrad_tensor image = regrad_tensor_contiguous(input, REGRAD_FLOAT32, 5, (int64_t[]){1, 1, 2, 2, 2});
    const regrad_tensor points = regrad_tensor_contiguous(grid, REGRAD_FLOAT32, 5, (int64_t[]){1, 1, 1, 1, 3});
    const regrad_tensor of_grad = regrad_tensor_contiguous(&grad, REGRAD_FLOAT32, 5, (int64_t[]){1, 1, 1, 1, 1});
    regrad_tensor out = of_grad, to_image = image, to_points = points;
    out.data = &output, to_image.data = input_grad, to_points.data = grid_grad;
    assert_int_equal(regrad_grid_sampler_3d(&image, &points, REGRAD_BILINEAR, REGRAD_ZEROS, false, &out), REGRAD_OK);
    assert_true(output == 4.5F);
    assert_int_equal(regrad_grid_sampler_3d_backward(&of_grad, &image, &points, REGRAD_BILINEAR, REGRAD_ZEROS, false,
                                                     &to_image, &to_points),
                     REGRAD_OK);
    for (int k = 0; k < 8; k++)
        assert_true(input_grad[k] == 1);
    assert_true(grid_grad[0] == 8 && grid_grad[1] == 16 && grid_grad[2] == 32);
    for (int k = 1; k < 8; k += 2)
        input[k] = INFINITY;
    grid[0] = -1.25F; /* pixel -0.75: a quarter of the left voxels */
    assert_int_equal(regrad_grid_sampler_3d(&image, &points, REGRAD_BILINEAR, REGRAD_ZEROS, false, &out), REGRAD_OK);
    assert_true(output == 1);
}

/* ---- Refusals ---- */

enum { MEMORY = 4096 };

/* A call that is right, until one thing is changed. */
struct refused {
    struct call call;
    regrad_tensor tensor[N_TENSORS];
    const regrad_tensor *given[N_TENSORS];
};

static struct refused right_call(bool backward)
{
    static _Alignas(64) unsigned char memory[N_TENSORS][MEMORY];
    struct refused it = {.call = {.n = 2, .c = 2, .in = {2, 3, 4}, .out = {3, 2, 2}, .backward = backward}};
    int64_t shape[RANK];
    it.call.wanted[0] = it.call.wanted[1] = true;
    for (int which = 0; which < N_TENSORS; which++) {
        shape_of(&it.call, which, shape);
        it.tensor[which] = regrad_tensor_contiguous(memory[which], REGRAD_FLOAT32, RANK, shape);
    }
    return it;
}

/* Refused with a sentence that has the operator's name and these words, with and without a plan. */
static void expect_refused(struct refused *it, regrad_status status, const char *words)
{
    const char *op = it->call.backward ? "regrad_grid_sampler_3d_backward: " : "regrad_grid_sampler_3d: ";
    regrad_plan *plan = NULL;
    for (int which = 0; which < N_TENSORS; which++)
        if (it->given[which] == NULL)
            it->given[which] = &it->tensor[which];
    for (int k = 0; k < 2; k++) {
        assert_int_equal(k == 0 ? do_call(&it->call, it->given) : plan_call(&it->call, it->given, &plan), status);
        assert_null(plan);
        if (strncmp(regrad_last_message(), op, strlen(op)) != 0 || strstr(regrad_last_message(), words) == NULL)
            fail_msg("\"%s\" should say \"%s\"", regrad_last_message(), words);
    }
}

/* A tensor of which one size, the rank, the type or a stride is another. */
static void refused_tensors(void **state)
{
    (void)state;
    static const struct {
        int which, d;
        int64_t size;
        const char *words;
    } sizes[] = {
        {GRID, 4, 4, "grid.shape[4] is 4, must be 3, for x, y and z; the order is N, D, H, W, 3"},
        {GRID, 0, 1, "grid.shape[0] is 1, must be 2, as input.shape[0]"},
        {SAMPLED, 1, 3, ".shape[1] is 3, must be 2, as input.shape[1]; the order is N, C, D, H, W"},
        {SAMPLED, 2, 1, ".shape[2] is 1, must be 3, as grid.shape[1]"},
        {SAMPLED, 4, 5, ".shape[4] is 5, must be 2, as grid.shape[3]"},
        {INPUT, 2, 0, "input.shape[2] is 0, must be 1 or more"},
        {INPUT, 3, 0, "input.shape[3] is 0, must be 1 or more"},
        {INPUT, 4, 0, "input.shape[4] is 0, must be 1 or more"},
        {INPUT, 4, INT64_C(1) << 62, "input: sizes, strides and offset reach"},
        {INPUT_GRAD, 2, 3, "input_grad.shape[2] is 3, must be 2, as input.shape[2]"},
        {GRID_GRAD, 4, 2, "grid_grad.shape[4] is 2, must be 3, as grid.shape[4]"},
    };
    for (size_t k = 0; k < 2 * sizeof sizes / sizeof sizes[0]; k++) {
        struct refused it = right_call(k % 2 == 1);
        if (sizes[k / 2].which >= INPUT_GRAD && !it.call.backward)
            continue;
        it.tensor[sizes[k / 2].which].shape[sizes[k / 2].d] = sizes[k / 2].size;
        expect_refused(&it, REGRAD_ERROR_INVALID_ARGUMENT, sizes[k / 2].words);
    }
    for (int which = 0; which < N_TENSORS; which++) {
        struct refused it = right_call(true);
        it.tensor[which].rank = 4;
        expect_refused(&it, REGRAD_ERROR_INVALID_ARGUMENT, ".rank is 4, must be 5");
        it = right_call(true);
        it.tensor[which].dtype = REGRAD_UINT8;
        expect_refused(&it, REGRAD_ERROR_INVALID_ARGUMENT, ".dtype is REGRAD_UINT8");
        it = right_call(true);
        it.tensor[which].dtype = REGRAD_FLOAT64;
        expect_refused(&it, REGRAD_ERROR_INVALID_ARGUMENT, "dtype is ");
        it = right_call(true);
        it.tensor[which].stride[2] = 0;
        if (which >= INPUT_GRAD)
            expect_refused(&it, REGRAD_ERROR_INVALID_ARGUMENT, "elements overlap");
    }
}

static void refused_parameters(void **state)
{
    (void)state;
    static const regrad_tensor *const none = NULL;
    for (int backward = 0; backward < 2; backward++) {
        struct refused it = right_call(backward != 0);
        it.call.interpolation = REGRAD_BICUBIC;
        expect_refused(&it, REGRAD_ERROR_INVALID_ARGUMENT,
                       "interpolation is REGRAD_BICUBIC (2), which only two dimensions have");
        it.call.interpolation = (regrad_interpolation)3;
        expect_refused(&it, REGRAD_ERROR_INVALID_ARGUMENT, "interpolation is 3, must be 0 to 1");
        it = right_call(backward != 0);
        it.call.padding = (regrad_padding)-1;
        expect_refused(&it, REGRAD_ERROR_INVALID_ARGUMENT, "padding is -1, must be 0 to 2");
    }
    struct refused it = right_call(false);
    regrad_plan *plan = NULL;
    const regrad_tensor *const input = &it.tensor[INPUT], *const grid = &it.tensor[GRID], *out = &it.tensor[SAMPLED];
    assert_int_equal(regrad_grid_sampler_3d(none, grid, 0, 0, false, out), REGRAD_ERROR_NULL_POINTER);
    assert_int_equal(regrad_grid_sampler_3d(input, none, 0, 0, false, out), REGRAD_ERROR_NULL_POINTER);
    assert_int_equal(regrad_grid_sampler_3d(input, grid, 0, 0, false, none), REGRAD_ERROR_NULL_POINTER);
    assert_int_equal(regrad_grid_sampler_3d_plan(input, grid, 0, 0, false, out, NULL), REGRAD_ERROR_NULL_POINTER);
    assert_int_equal(regrad_grid_sampler_3d_plan_with(input, grid, 0, 0, false, out, NULL, &plan), REGRAD_OK);
    regrad_plan_destroy(plan);
    assert_int_equal(regrad_grid_sampler_3d_backward_plan_with(out, input, grid, 0, 0, false, none, none, NULL, &plan),
                     REGRAD_OK);
    regrad_plan_destroy(plan);
    it.tensor[SAMPLED].data = it.tensor[INPUT].data;
    assert_int_equal(regrad_grid_sampler_3d(input, grid, 0, 0, false, out), REGRAD_ERROR_INVALID_ARGUMENT);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest isas[] = {cmocka_unit_test(instruction_sets)};
    const struct CMUnitTest one_isa[] = {
        cmocka_unit_test(ways_that_pay), cmocka_unit_test(random_calls),    cmocka_unit_test(same_bits),
        cmocka_unit_test(one_plane),     cmocka_unit_test(nothing_there),   cmocka_unit_test(long_axes),
        cmocka_unit_test(adjoint),       cmocka_unit_test(workspaces),      cmocka_unit_test(worked_out),
        cmocka_unit_test(weights),       cmocka_unit_test(refused_tensors), cmocka_unit_test(refused_parameters),
    };
    const char *part = argc == 2 ? argv[1] : "";
    int n_failed = 0;
    rg_seam = &seam;
    if (strcmp(part, "--results") == 0)
        return write_results();
    if (skip_without_isa())
        return 77;
    cases = read_json(CASES_PATH);
    if (cases == NULL) {
        fprintf(stderr, "cannot read the cases\n");
        return 1;
    }
    if (strcmp(part, "--one-isa") != 0) /* starts programs, so before there are threads */
        n_failed += cmocka_run_group_tests(isas, NULL, NULL);
    if (strcmp(part, "--isas") != 0)
        n_failed += cmocka_run_group_tests(one_isa, NULL, NULL);
    cJSON_Delete(cases);
    return n_failed;
}
