/* SPDX-License-Identifier: Apache-2.0 */
#include "problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "resize_calls.h"

static void *allocate(int64_t n, size_t size)
{
    void *memory = calloc((size_t)n + 1, size);
    if (!memory)
        abort();
    return memory;
}

/* ---- Shapes ---- */

int64_t operand_size(const struct operand *operand)
{
    int64_t n = 1;
    for (int d = 0; d < operand->rank; d++)
        n *= operand->shape[d];
    return n;
}

/* What the library says of a resize. */
static regrad_resize_operator info_of(const struct problem *problem)
{
    regrad_resize_operator info;
    if (!regrad_resize_operator_at(2 * (int)problem->kind + problem->backward, &info))
        abort();
    return info;
}

int problem_n_axes(const struct problem *problem)
{
    return problem->kind == PROBLEM_GRID ? 2 : info_of(problem).n_axes;
}

bool problem_is_nearest(const struct problem *problem)
{
    return problem->kind <= PROBLEM_NEAREST_EXACT_3D;
}

bool problem_only_moves(const struct problem *problem)
{
    return problem_is_nearest(problem) && !problem->backward;
}

bool problem_is_antialiased(const struct problem *problem)
{
    return problem->kind >= PROBLEM_BILINEAR_AA && problem->kind <= PROBLEM_LANCZOS_AA;
}

int64_t problem_area(const struct problem *problem, bool output)
{
    const int n_axes = problem_n_axes(problem);
    const int64_t d = n_axes < 3 ? 1 : output ? problem->out_d : problem->in_d;
    const int64_t h = n_axes < 2 ? 1 : output ? problem->out_h : problem->in_h;
    return d * h * (output ? problem->out_w : problem->in_w);
}

void problem_set_axis(struct problem *problem, int k, int64_t in, int64_t out, double scale)
{
    const int from_last = problem_n_axes(problem) - 1 - k;
    *(from_last == 0 ? &problem->in_w : from_last == 1 ? &problem->in_h : &problem->in_d) = in;
    *(from_last == 0 ? &problem->out_w : from_last == 1 ? &problem->out_h : &problem->out_d) = out;
    *(from_last == 0 ? &problem->scale_w : from_last == 1 ? &problem->scale_h : &problem->scale_d) = scale;
}

/* An image of forward input or output. */
static struct operand image(const struct problem *problem, const char *name, bool output)
{
    const int n_axes = problem_n_axes(problem);
    const int64_t axes[] = {output ? problem->out_d : problem->in_d, output ? problem->out_h : problem->in_h,
                            output ? problem->out_w : problem->in_w};
    struct operand operand = {name, 2 + n_axes, {problem->n, problem->c}};
    for (int k = 0; k < n_axes; k++)
        operand.shape[2 + k] = axes[3 - n_axes + k];
    return operand;
}

static void resize_signature(const struct problem *problem, struct signature *signature)
{
    struct operand in = image(problem, problem->backward ? "grad_input" : "input", false);
    struct operand out = image(problem, problem->backward ? "grad_output" : "output", true);
    signature->n_in = signature->n_out = 1;
    signature->in[0] = problem->backward ? out : in;
    signature->out[0] = problem->backward ? in : out;
}

static void grid_signature(const struct problem *problem, struct signature *signature)
{
    struct operand input = image(problem, "input", false);
    struct operand output = image(problem, "output", true);
    struct operand grid = {"grid", 4, {problem->n, problem->out_h, problem->out_w, 2}};
    if (!problem->backward) {
        *signature = (struct signature){2, 1, {input, grid}, {output}};
        return;
    }
    *signature = (struct signature){3, 2, {output, input, grid}, {input, grid}};
    signature->in[0].name = "grad_output";
    signature->out[0].name = "input_grad";
    signature->out[1].name = "grid_grad";
}

void problem_signature(const struct problem *problem, struct signature *signature)
{
    if (problem->kind == PROBLEM_GRID)
        grid_signature(problem, signature);
    else
        resize_signature(problem, signature);
}

bool problem_wants(const struct problem *problem, int output)
{
    return problem->kind != PROBLEM_GRID || !problem->backward || problem->wanted[output];
}

const char *problem_operator(const struct problem *problem)
{
    if (problem->kind == PROBLEM_GRID)
        return problem->backward ? "grid_sampler_2d_backward" : "grid_sampler_2d";
    return info_of(problem).name + strlen("regrad_");
}

static int write_shape(const struct problem *problem, char *to, size_t size)
{
    return snprintf(to, size, "%s %s n %lld c %lld in %lld x %lld x %lld out %lld x %lld x %lld seed %llu ",
                    problem_operator(problem), regrad_dtype_name(problem->dtype), (long long)problem->n,
                    (long long)problem->c, (long long)problem->in_d, (long long)problem->in_h, (long long)problem->in_w,
                    (long long)problem->out_d, (long long)problem->out_h, (long long)problem->out_w,
                    (unsigned long long)problem->seed);
}

const char *problem_text(const struct problem *problem)
{
    static _Thread_local char text[500];
    int n = write_shape(problem, text, sizeof text);
    if (problem->kind == PROBLEM_GRID)
        snprintf(text + n, sizeof text - (size_t)n, "interpolation %d padding %d align %d wanted %d %d",
                 problem->interpolation, problem->padding, problem->align_corners, problem->wanted[0],
                 problem->wanted[1]);
    else
        snprintf(text + n, sizeof text - (size_t)n, "coordinates %d law %d scales %.17g %.17g %.17g",
                 problem->coordinates, problem->law, problem->scale_d, problem->scale_h, problem->scale_w);
    return text;
}

/* ---- Random problems ---- */

static int64_t random_size(struct rng *rng, int64_t limit)
{
    static const int64_t primes[] = {5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67};
    int64_t size = 1;
    switch (rng_below(rng, 4)) {
    case 0:
        size = rng_between(rng, 1, 3);
        break;
    case 1:
        size = primes[rng_below(rng, 17)];
        break;
    case 2:
        size = ((int64_t)1 << rng_between(rng, 1, 6)) + rng_between(rng, -1, 1);
        break;
    default:
        size = rng_between(rng, 1, 50);
    }
    return size < limit ? size : limit;
}

static double ratio_scale(struct rng *rng)
{
    return (double)rng_between(rng, 1, 40) / (double)rng_between(rng, 1, 40);
}

double random_scale(struct rng *rng, int64_t in, int64_t out)
{
    double ratio = (double)out / (double)in;
    switch (rng_below(rng, 5)) {
    case 0:
        return ratio;
    case 1:
        return ratio * rng_real(rng, 0.9, 1.1);
    case 2:
        return ((double)out + rng_unit(rng)) / (double)in;
    case 3:
        return ratio_scale(rng);
    default:
        return exp(rng_real(rng, -80, 80));
    }
}

/* Half of the axes take their step from the sizes; where that is allowed some by a negative scale. */
static double maybe_scale(struct rng *rng, const struct problem *problem, int64_t in, int64_t out)
{
    if (rng_chance(rng, 2))
        return !problem_is_nearest(problem) && rng_chance(rng, 8) ? -1.5 : 0;
    if (problem_is_antialiased(problem) && in * out > 100000) /* else tables may have in * out weights */
        return (double)out / (double)in * rng_real(rng, 0.5, 2);
    return random_scale(rng, in, out);
}

/* The lengths of one axis: near one another, or far apart in either direction. */
static void random_axis(struct rng *rng, int64_t limit, int64_t *in, int64_t *out, bool may_be_long)
{
    *in = random_size(rng, limit);
    *out = rng_chance(rng, 6) ? *in : random_size(rng, limit);
    if (!may_be_long)
        return;
    int64_t length = (int64_t)exp(rng_real(rng, log(100), log(20001)));
    *(rng_chance(rng, 2) ? in : out) = length;
    if (rng_chance(rng, 3))
        *(rng_chance(rng, 2) ? in : out) = length + rng_between(rng, -3, 3);
}

/* Now and then one axis is long, and the others then short. */
static void random_resize(struct rng *rng, struct problem *problem)
{
    const int n_axes = problem_n_axes(problem);
    const int long_axis = rng_chance(rng, 5) ? (int)rng_below(rng, n_axes) : -1;
    const int64_t limit = n_axes == 3 ? 12 : 70;
    problem->coordinates = (regrad_coordinates)rng_below(rng, problem_is_antialiased(problem) ? 2 : 3);
    problem->law = (regrad_nearest_law)rng_below(rng, 2);
    problem->by_name = rng_chance(rng, 2);
    for (int k = 0; k < n_axes; k++) {
        int64_t in, out;
        random_axis(rng, long_axis >= 0 ? 2 : limit, &in, &out, k == long_axis);
        problem_set_axis(problem, k, in, out, maybe_scale(rng, problem, in, out));
    }
}

static void random_grid(struct rng *rng, struct problem *problem)
{
    problem->in_h = random_size(rng, 20);
    problem->in_w = random_size(rng, 20);
    problem->out_h = random_size(rng, 13);
    problem->out_w = random_size(rng, 30);
    problem->interpolation = (regrad_interpolation)rng_below(rng, 3);
    problem->padding = (regrad_padding)rng_below(rng, 3);
    problem->align_corners = rng_chance(rng, 2);
    problem->wanted[0] = !rng_chance(rng, 5);
    problem->wanted[1] = !problem->wanted[0] || !rng_chance(rng, 5);
}

void problem_random(struct rng *rng, struct problem *problem)
{
    *problem = (struct problem){.kind = (enum problem_kind)rng_below(rng, N_PROBLEM_KINDS)};
    problem->backward = !rng_chance(rng, 4);
    problem->dtype = (regrad_dtype)rng_below(rng, N_DTYPES);
    problem->n = rng_between(rng, 1, 3);
    problem->c = rng_chance(rng, 4) ? rng_between(rng, 1, 20) : rng_between(rng, 1, 3);
    if (problem->kind == PROBLEM_GRID)
        random_grid(rng, problem);
    else
        random_resize(rng, problem);
    int64_t area = problem_area(problem, false) + problem_area(problem, true);
    if (area > 2000)
        problem->c = 1 + (area < 4000);
    if (area > 4000)
        problem->n = 1;
}

/* ---- Data ---- */

static double random_value(struct rng *rng, enum data_style style)
{
    switch (style) {
    case DATA_SMALL_INTEGERS:
        return (double)rng_between(rng, -8, 8) / 4;
    case DATA_ONES:
        return 1;
    case DATA_WIDE:
        return rng_real(rng, -1, 1) * ldexp(1, (int)rng_between(rng, -12, 8));
    case DATA_IMPULSE:
        return 0;
    default:
        return rng_real(rng, -2, 2);
    }
}

/* Coordinates of all sorts: inside, near, far, on pixels and edges, no numbers at all. */
double random_coordinate(struct rng *rng, int64_t size)
{
    static const double special[] = {0,      -1,    1,     (double)NAN, (double)INFINITY, -(double)INFINITY,
                                     1e30,   -1e30, 1e-40, 9.3e18,      -9.3e18,          2.2e9,
                                     -2.2e9, 3e38,  -3e38, 1e300};
    switch (rng_below(rng, 6)) {
    case 0:
        return rng_chance(rng, 3) ? special[rng_below(rng, 16)] : rng_real(rng, -1, 1) * exp(rng_real(rng, -3, 45));
    case 1:
        return (double)rng_between(rng, -2, 2 * size + 2) / (double)size - 1;
    case 2:
        return rng_real(rng, -4, 4);
    default:
        return rng_real(rng, -1.2, 1.2);
    }
}

/* Number k of a grid the points of which go through the image row by row, each near its place. */
static double ordered_coordinate(struct rng *rng, const struct problem *problem, int64_t k)
{
    int64_t row = k / 2 / problem->out_w % problem->out_h, column = k / 2 % problem->out_w;
    double place =
        k % 2 ? ((double)row + 0.5) / (double)problem->out_h : ((double)column + 0.5) / (double)problem->out_w;
    return 2 * place - 1 + rng_real(rng, -3, 3) / (double)(k % 2 ? problem->in_h : problem->in_w);
}

static double tiny_value(struct rng *rng, regrad_dtype dtype)
{
    static const int exponents[] = {
        [REGRAD_FLOAT32] = -149, [REGRAD_FLOAT16] = -24, [REGRAD_BFLOAT16] = -133, [REGRAD_FLOAT64] = -1074};
    const double sign = rng_chance(rng, 2) ? 1 : -1;
    return copysign(rng_chance(rng, 2) ? 0 : ldexp(1, exponents[dtype]), sign);
}

static void fill_operand(struct rng *rng, const struct problem *problem, const struct operand *operand,
                         enum data_style style, double *values)
{
    int64_t n = operand_size(operand);
    bool is_grid = strcmp(operand->name, "grid") == 0, in_order = is_grid && rng_chance(rng, 3);
    for (int64_t k = 0; k < n; k++) {
        double value = in_order             ? ordered_coordinate(rng, problem, k)
                       : is_grid            ? random_coordinate(rng, k % 2 ? problem->in_h : problem->in_w)
                       : style == DATA_TINY ? tiny_value(rng, problem->dtype)
                                            : random_value(rng, style);
        values[k] = number_round(problem->dtype, value);
    }
    if (style == DATA_IMPULSE && !is_grid && n > 0)
        values[rng_below(rng, n)] = 1;
}

struct problem_data problem_fill(struct rng *rng, const struct problem *problem, enum data_style style)
{
    struct problem_data data = {0};
    struct signature signature;
    problem_signature(problem, &signature);
    for (int k = 0; k < signature.n_in; k++) {
        data.in[k] = allocate(operand_size(&signature.in[k]), sizeof(double));
        fill_operand(rng, problem, &signature.in[k], style, data.in[k]);
    }
    return data;
}

void problem_data_fini(struct problem_data *data)
{
    for (int k = 0; k < MAX_INPUTS; k++)
        free(data->in[k]);
}

/* ---- Calls ---- */

static const regrad_tensor *wanted(const struct problem *problem, const regrad_tensor *out, int k)
{
    return problem_wants(problem, k) ? &out[k] : NULL;
}

static struct resize_call resize_call_of(const struct problem *problem, const regrad_tensor *in,
                                         const regrad_tensor *out, const regrad_plan_options *options,
                                         regrad_plan **plan)
{
    const int n_axes = problem_n_axes(problem);
    const double scales[] = {problem->scale_d, problem->scale_h, problem->scale_w};
    struct resize_call call = {.in = in,
                               .out = out,
                               .coordinates = problem->coordinates,
                               .law = problem->law,
                               .options = options,
                               .plan = plan};
    for (int k = 0; k < n_axes; k++)
        call.scale[k] = scales[3 - n_axes + k];
    return call;
}

regrad_status problem_call(const struct problem *problem, const regrad_tensor *in, const regrad_tensor *out)
{
    const struct problem *p = problem;
    if (p->kind != PROBLEM_GRID) {
        const struct resize_call call = resize_call_of(p, in, out, NULL, NULL);
        return resize_call(info_of(p).name, RESIZE_RUN, &call);
    }
    return p->backward ? regrad_grid_sampler_2d_backward(&in[0], &in[1], &in[2], p->interpolation, p->padding,
                                                         p->align_corners, wanted(p, out, 0), wanted(p, out, 1))
                       : regrad_grid_sampler_2d(&in[0], &in[1], p->interpolation, p->padding, p->align_corners, out);
}

regrad_status problem_plan_with(const struct problem *problem, const regrad_tensor *in, const regrad_tensor *out,
                                const regrad_plan_options *options, regrad_plan **plan)
{
    const struct problem *p = problem;
    if (p->kind != PROBLEM_GRID) {
        const struct resize_call call = resize_call_of(p, in, out, options, plan);
        const char *name = info_of(p).name;
        return p->by_name ? regrad_resize_plan_with(name, in, out, p->coordinates, p->law, call.scale, options, plan)
                          : resize_call(name, RESIZE_PLAN_WITH, &call);
    }
    return p->backward ? regrad_grid_sampler_2d_backward_plan_with(&in[0], &in[1], &in[2], p->interpolation, p->padding,
                                                                   p->align_corners, wanted(p, out, 0),
                                                                   wanted(p, out, 1), options, plan)
                       : regrad_grid_sampler_2d_plan_with(&in[0], &in[1], p->interpolation, p->padding,
                                                          p->align_corners, out, options, plan);
}

regrad_status problem_plan(const struct problem *problem, const regrad_tensor *in, const regrad_tensor *out,
                           regrad_plan **plan)
{
    const struct problem *p = problem;
    if (p->kind != PROBLEM_GRID) {
        const struct resize_call call = resize_call_of(p, in, out, NULL, plan);
        return resize_call(info_of(p).name, RESIZE_PLAN, &call);
    }
    return p->backward
               ? regrad_grid_sampler_2d_backward_plan(&in[0], &in[1], &in[2], p->interpolation, p->padding,
                                                      p->align_corners, wanted(p, out, 0), wanted(p, out, 1), plan)
               : regrad_grid_sampler_2d_plan(&in[0], &in[1], p->interpolation, p->padding, p->align_corners, out, plan);
}

/* ---- Reference ---- */

static const enum rg_axis_law laws[N_RESIZE_KINDS] = {
    [PROBLEM_NEAREST_1D] = RG_AXIS_NEAREST,
    [PROBLEM_NEAREST_2D] = RG_AXIS_NEAREST,
    [PROBLEM_NEAREST_3D] = RG_AXIS_NEAREST,
    [PROBLEM_NEAREST_EXACT_1D] = RG_AXIS_NEAREST_EXACT,
    [PROBLEM_NEAREST_EXACT_2D] = RG_AXIS_NEAREST_EXACT,
    [PROBLEM_NEAREST_EXACT_3D] = RG_AXIS_NEAREST_EXACT,
    [PROBLEM_LINEAR] = RG_AXIS_LINEAR,
    [PROBLEM_BILINEAR] = RG_AXIS_LINEAR,
    [PROBLEM_TRILINEAR] = RG_AXIS_LINEAR,
    [PROBLEM_BICUBIC] = RG_AXIS_CUBIC,
    [PROBLEM_BILINEAR_AA] = RG_AXIS_AA_LINEAR,
    [PROBLEM_BICUBIC_AA] = RG_AXIS_AA_CUBIC,
    [PROBLEM_LANCZOS_AA] = RG_AXIS_AA_LANCZOS,
};

static struct rg_axis_spec axis_of(const struct problem *problem, int64_t in, int64_t out, double scale)
{
    const bool nearest = problem_is_nearest(problem);
    return (struct rg_axis_spec){
        .law = laws[problem->kind],
        .in_size = in,
        .out_size = out,
        .scale = scale,
        .use_double = problem->dtype == REGRAD_FLOAT64,
        .gather = nearest && problem->law == REGRAD_NEAREST_GATHER_LAW,
        .coordinates = nearest ? REGRAD_HALF_PIXEL : problem->coordinates,
    };
}

static void solve_resize(const struct problem *problem, const struct problem_data *data, struct sum *out)
{
    const struct rg_axis_spec axes[] = {axis_of(problem, problem->in_d, problem->out_d, problem->scale_d),
                                        axis_of(problem, problem->in_h, problem->out_h, problem->scale_h),
                                        axis_of(problem, problem->in_w, problem->out_w, problem->scale_w)};
    struct reference_resize resize = {
        .n_axes = problem_n_axes(problem),
        .n_planes = problem->n * problem->c,
        .dtype = problem->dtype,
    };
    for (int k = 0; k < resize.n_axes; k++)
        resize.axis[k] = axes[3 - resize.n_axes + k];
    if (problem->backward)
        reference_resize_backward(&resize, data->in[0], out);
    else
        reference_resize_forward(&resize, data->in[0], out);
}

static void solve_grid(const struct problem *problem, const struct problem_data *data, struct sum *const *out)
{
    struct reference_grid grid = {problem->n,
                                  problem->c,
                                  problem->in_h,
                                  problem->in_w,
                                  problem->out_h,
                                  problem->out_w,
                                  problem->interpolation,
                                  problem->padding,
                                  problem->align_corners,
                                  problem->dtype};
    if (problem->backward)
        reference_grid_backward(&grid, data->in[0], data->in[1], data->in[2], out[0], out[1]);
    else
        reference_grid_forward(&grid, data->in[0], data->in[1], out[0]);
}

struct problem_solution problem_solve(const struct problem *problem, const struct problem_data *data)
{
    struct problem_solution solution = {0};
    struct signature signature;
    problem_signature(problem, &signature);
    for (int k = 0; k < signature.n_out; k++)
        if (problem_wants(problem, k))
            solution.out[k] = allocate(operand_size(&signature.out[k]), sizeof(struct sum));
    if (problem->kind == PROBLEM_GRID)
        solve_grid(problem, data, solution.out);
    else
        solve_resize(problem, data, solution.out[0]);
    return solution;
}

void problem_solution_fini(struct problem_solution *solution)
{
    for (int k = 0; k < MAX_OUTPUTS; k++)
        free(solution->out[k]);
}
