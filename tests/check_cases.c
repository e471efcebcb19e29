/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of data/cases.json and data/family.json, shapes on which other libraries have been reported wrong, with
 * results that were worked out beforehand: in every type that holds their values, in every layout.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "number.h"
#include "run.h"

static cJSON *read_json(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    fseek(file, 0, SEEK_END);
    long size = ftell(file);
    rewind(file);
    char *text = calloc((size_t)size + 1, 1);
    cJSON *json = text && fread(text, 1, (size_t)size, file) == (size_t)size ? cJSON_Parse(text) : NULL;
    free(text);
    fclose(file);
    return json;
}

static const cJSON *field(const cJSON *call, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(call, name);
    if (!item)
        fail_msg("%s has no %s", cJSON_GetObjectItem(call, "id")->valuestring, name);
    return item;
}

/* A number, or the words that stand for those that JSON has not. */
static double number_of(const cJSON *item)
{
    if (cJSON_IsNumber(item))
        return item->valuedouble;
    assert_true(cJSON_IsString(item));
    return strtod(item->valuestring, NULL);
}

static double number_at(const cJSON *array, int k)
{
    const cJSON *item = cJSON_GetArrayItem(array, k);
    assert_non_null(item);
    return number_of(item);
}

static double *numbers(const cJSON *array)
{
    double *values = calloc((size_t)cJSON_GetArraySize(array) + 1, sizeof *values);
    const cJSON *item;
    int n = 0;
    assert_non_null(values);
    cJSON_ArrayForEach(item, array) values[n++] = number_of(item);
    return values;
}

static bool flag(const cJSON *call, const char *name)
{
    return cJSON_IsTrue(field(call, name));
}

/* ---- A call as a problem ---- */

/* Sets the kind, and whether it is a gradient. */
static void find_operator(const char *name, struct problem *problem)
{
    for (int k = 0; k < 2 * N_PROBLEM_KINDS; k++) {
        problem->kind = (enum problem_kind)(k / 2);
        problem->backward = k % 2;
        if (strcmp(problem_operator(problem), name) == 0)
            return;
    }
    fail_msg("no operator is called %s", name);
}

static void read_grid(const cJSON *call, struct problem *problem)
{
    const cJSON *in = field(call, "input_size"), *grid = field(call, "grid_size");
    problem->in_h = (int64_t)number_at(in, 2);
    problem->in_w = (int64_t)number_at(in, 3);
    problem->out_h = (int64_t)number_at(grid, 1);
    problem->out_w = (int64_t)number_at(grid, 2);
    problem->interpolation = (regrad_interpolation)number_of(field(call, "interpolation_mode"));
    problem->padding = (regrad_padding)number_of(field(call, "padding_mode"));
    problem->align_corners = flag(call, "align_corners");
    problem->wanted[0] = problem->wanted[1] = true;
}

/* Without align_corners it is half-pixel, unless that is said to be false. */
static regrad_coordinates read_coordinates(const cJSON *call)
{
    const cJSON *half_pixel = cJSON_GetObjectItemCaseSensitive(call, "half_pixel_centers");
    if (flag(call, "align_corners"))
        return REGRAD_ALIGN_CORNERS;
    return cJSON_IsFalse(half_pixel) ? REGRAD_ASYMMETRIC : REGRAD_HALF_PIXEL;
}

static void read_resize(const cJSON *call, struct problem *problem)
{
    const cJSON *in = field(call, "input_size"), *out = field(call, "output_size"), *scales = field(call, "scales");
    const int n_axes = problem_n_axes(problem);
    assert_true(cJSON_GetArraySize(out) == n_axes && cJSON_GetArraySize(scales) == n_axes);
    for (int k = 0; k < n_axes; k++)
        problem_set_axis(problem, k, (int64_t)number_at(in, 2 + k), (int64_t)number_at(out, k), number_at(scales, k));
    if (!problem_is_nearest(problem))
        problem->coordinates = read_coordinates(call);
    else if (strcmp(field(call, "law")->valuestring, "gather") == 0)
        problem->law = REGRAD_NEAREST_GATHER_LAW;
}

static struct problem read_problem(const cJSON *call)
{
    struct problem problem = {0};
    const cJSON *in = field(call, "input_size");
    find_operator(field(call, "op")->valuestring, &problem);
    assert_int_equal(cJSON_GetArraySize(in), 2 + problem_n_axes(&problem));
    problem.n = (int64_t)number_at(in, 0);
    problem.c = (int64_t)number_at(in, 1);
    if (problem.kind == PROBLEM_GRID)
        read_grid(call, &problem);
    else
        read_resize(call, &problem);
    return problem;
}

static struct problem_data read_data(const cJSON *call, const struct signature *signature)
{
    struct problem_data data = {0};
    for (int k = 0; k < signature->n_in; k++) {
        const cJSON *values = field(call, signature->in[k].name);
        assert_int_equal(cJSON_GetArraySize(values), operand_size(&signature->in[k]));
        data.in[k] = numbers(values);
    }
    return data;
}

/* Does the type hold all values of the inputs? */
static bool holds(regrad_dtype dtype, const struct signature *signature, const struct problem_data *data)
{
    for (int k = 0; k < signature->n_in; k++)
        for (int64_t i = 0; i < operand_size(&signature->in[k]); i++)
            if (!isnan(data->in[k][i]) && number_round(dtype, data->in[k][i]) != data->in[k][i])
                return false;
    return true;
}

/* ---- Comparison ---- */

/* A small multiple of 1/8. */
static bool is_simple(double value)
{
    return value * 8 == floor(value * 8) && fabs(value) < 1 << 20;
}

/*
 * May `got` stand for the value that was worked out? It must be equal where that is simple, and so is the sum of which
 * it is the value: no rounding happened. Elsewhere the bound holds. The values are those of float32 tables, or of those
 * of float64 in calls of that type (of_double); in the other types the sum's own value takes their place.
 */
static bool stands_for(const struct problem *problem, bool of_double, const struct sum *sum, double worked_out,
                       double got)
{
    struct sum wanted = *sum;
    if (is_simple(worked_out) && sum->value == worked_out)
        return got == number_round(problem->dtype, worked_out);
    if ((problem->dtype == REGRAD_FLOAT64) == of_double)
        wanted.value = worked_out;
    return sum_accepts(&wanted, problem->dtype, got);
}

static void compare(const cJSON *call, const struct problem *problem, const struct problem_solution *solution,
                    const struct run_result *result, int output, const double *worked_out)
{
    const bool of_double = strcmp(field(call, "dtype")->valuestring, "float64") == 0;
    size_t size = regrad_dtype_size(problem->dtype);
    for (size_t i = 0; i < result->nbytes[output] / size; i++) {
        double got = number_decode(problem->dtype, result->bytes[output] + i * size);
        if (!stands_for(problem, of_double, &solution->out[output][i], worked_out[i], got))
            fail_msg("%s, %s: output %d[%zu] is %.17g, not %.17g", field(call, "id")->valuestring,
                     problem_text(problem), output, i, got, worked_out[i]);
    }
}

static void try_call(const cJSON *call, const struct problem *problem, const struct signature *signature,
                     const struct problem_data *data)
{
    struct rng rng = rng_make(test_seed());
    struct problem_solution solution = problem_solve(problem, data);
    for (int layout = 0; layout < 6; layout++) {
        struct run_options options = {(enum view_layout)(layout / 2), (enum view_layout)(layout / 2), 0, layout % 2};
        struct run_result result = run_problem(&rng, problem, data, &options);
        for (int k = 0; k < signature->n_out; k++) {
            double *worked_out = numbers(field(call, signature->out[k].name));
            assert_int_equal(cJSON_GetArraySize(field(call, signature->out[k].name)), operand_size(&signature->out[k]));
            compare(call, problem, &solution, &result, k, worked_out);
            free(worked_out);
        }
        run_result_fini(&result);
    }
    problem_solution_fini(&solution);
}

/* Grids in three dimensions are no problems: check_grid_3d has these calls. */
static bool is_elsewhere(const cJSON *call)
{
    return strncmp(field(call, "op")->valuestring, "grid_sampler_3d", strlen("grid_sampler_3d")) == 0;
}

/* Tries a call in all types that hold its values; returns how many these are. */
static int try_types(const cJSON *call)
{
    struct problem problem = read_problem(call);
    struct signature signature;
    problem_signature(&problem, &signature);
    struct problem_data data = read_data(call, &signature);
    int n_tried = 0;
    for (int type = 0; type < N_DTYPES; type++) {
        problem.dtype = (regrad_dtype)type;
        if (!holds(problem.dtype, &signature, &data))
            continue;
        try_call(call, &problem, &signature, &data);
        n_tried++;
    }
    problem_data_fini(&data);
    return n_tried;
}

static void all_cases(const char *file, int n_wanted)
{
    char path[1000];
    int n_calls = 0, n_tried = 0;
    const cJSON *call;
    snprintf(path, sizeof path, "%s/%s", DATA_PATH, file);
    cJSON *cases = read_json(path);
    if (!cases)
        fail_msg("cannot read %s", path);
    cJSON_ArrayForEach(call, cases)
    {
        if (is_elsewhere(call))
            continue;
        n_tried += try_types(call);
        n_calls++;
    }
    print_message("%d calls, %d with their types\n", n_calls, n_tried);
    assert_int_equal(n_calls, n_wanted);
    assert_true(n_tried >= 2 * n_calls); /* each is held by its own type and by float64 */
    cJSON_Delete(cases);
}

static void bilinear_nearest_exact_and_grids(void **state)
{
    (void)state;
    all_cases("cases.json", 56);
}

static void the_family(void **state)
{
    (void)state;
    all_cases("family.json", 62);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bilinear_nearest_exact_and_grids),
                                       cmocka_unit_test(the_family)};
    if (skip_without_isa())
        return 77;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
