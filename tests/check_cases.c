/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls of data/cases.json, shapes on which other libraries have been reported wrong, with results
 * that were worked out beforehand: in every type that holds their values, in every layout.
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

static cJSON *cases;

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

static enum problem_kind kind_of(const char *operator_name)
{
    struct problem problem = {.backward = true};
    for (int kind = 0; kind < N_PROBLEM_KINDS; kind++) {
        problem.kind = (enum problem_kind)kind;
        if (strcmp(problem_operator(&problem), operator_name) == 0)
            return problem.kind;
    }
    fail_msg("no operator is called %s", operator_name);
    return PROBLEM_GRID;
}

static void read_grid(const cJSON *call, struct problem *problem)
{
    const cJSON *grid = field(call, "grid_size");
    problem->out_h = (int64_t)number_at(grid, 1);
    problem->out_w = (int64_t)number_at(grid, 2);
    problem->interpolation = (regrad_interpolation)number_of(field(call, "interpolation_mode"));
    problem->padding = (regrad_padding)number_of(field(call, "padding_mode"));
    problem->align_corners = flag(call, "align_corners");
    problem->wanted[0] = problem->wanted[1] = true;
}

static void read_resize(const cJSON *call, struct problem *problem)
{
    const cJSON *out = field(call, "output_size"), *scales = field(call, "scales");
    int last = cJSON_GetArraySize(out) - 1;
    problem->out_w = (int64_t)number_at(out, last);
    problem->out_h = last ? (int64_t)number_at(out, 0) : 1;
    problem->scale_w = number_at(scales, last);
    problem->scale_h = last ? number_at(scales, 0) : 0;
    if (problem->kind == PROBLEM_BILINEAR)
        problem->coordinates = flag(call, "align_corners")        ? REGRAD_ALIGN_CORNERS
                               : flag(call, "half_pixel_centers") ? REGRAD_HALF_PIXEL
                                                                  : REGRAD_ASYMMETRIC;
    else
        problem->law = strcmp(field(call, "law")->valuestring, "gather") == 0 ? REGRAD_NEAREST_GATHER_LAW
                                                                              : REGRAD_NEAREST_FORWARD_LAW;
}

static struct problem read_problem(const cJSON *call)
{
    struct problem problem = {.kind = kind_of(field(call, "op")->valuestring), .backward = true};
    const cJSON *in = field(call, "input_size");
    int last = cJSON_GetArraySize(in) - 1;
    problem.n = (int64_t)number_at(in, 0);
    problem.c = (int64_t)number_at(in, 1);
    problem.in_w = (int64_t)number_at(in, last);
    problem.in_h = last > 2 ? (int64_t)number_at(in, 2) : 1;
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
 * it is the value: no rounding happened. Elsewhere the bound holds. The values are those of float32 tables; those of
 * float64 may be others, so that there the sum's own value takes their place where they differ.
 */
static bool stands_for(const struct problem *problem, const struct sum *sum, double worked_out, double got)
{
    struct sum wanted = *sum;
    if (is_simple(worked_out) && sum->value == worked_out)
        return got == number_round(problem->dtype, worked_out);
    if (problem->dtype != REGRAD_FLOAT64)
        wanted.value = worked_out;
    return sum_accepts(&wanted, problem->dtype, got);
}

static void compare(const char *id, const struct problem *problem, const struct problem_solution *solution,
                    const struct run_result *result, int output, const double *worked_out)
{
    size_t size = regrad_dtype_size(problem->dtype);
    for (size_t i = 0; i < result->nbytes[output] / size; i++) {
        double got = number_decode(problem->dtype, result->bytes[output] + i * size);
        if (!stands_for(problem, &solution->out[output][i], worked_out[i], got))
            fail_msg("%s, %s: output %d[%zu] is %.17g, not %.17g", id, problem_text(problem), output, i, got,
                     worked_out[i]);
    }
}

static void try_call(const cJSON *call, const struct problem *problem, const struct signature *signature,
                     const struct problem_data *data)
{
    const char *id = field(call, "id")->valuestring;
    struct rng rng = rng_make(test_seed());
    struct problem_solution solution = problem_solve(problem, data);
    for (int layout = 0; layout < 6; layout++) {
        struct run_options options = {(enum view_layout)(layout / 2), (enum view_layout)(layout / 2), 0, layout % 2};
        struct run_result result = run_problem(&rng, problem, data, &options);
        for (int k = 0; k < signature->n_out; k++) {
            double *worked_out = numbers(field(call, signature->out[k].name));
            assert_int_equal(cJSON_GetArraySize(field(call, signature->out[k].name)), operand_size(&signature->out[k]));
            compare(id, problem, &solution, &result, k, worked_out);
            free(worked_out);
        }
        run_result_fini(&result);
    }
    problem_solution_fini(&solution);
}

static void all_cases(void **state)
{
    (void)state;
    int n_calls = 0, n_tried = 0;
    const cJSON *call;
    cJSON_ArrayForEach(call, cases)
    {
        struct problem problem = read_problem(call);
        struct signature signature;
        problem_signature(&problem, &signature);
        struct problem_data data = read_data(call, &signature);
        for (int type = 0; type < N_DTYPES; type++) {
            problem.dtype = (regrad_dtype)type;
            if (!holds(problem.dtype, &signature, &data))
                continue;
            try_call(call, &problem, &signature, &data);
            n_tried++;
        }
        problem_data_fini(&data);
        n_calls++;
    }
    print_message("%d calls, %d with their types\n", n_calls, n_tried);
    assert_int_equal(n_calls, 56);
    assert_true(n_tried >= 2 * n_calls); /* each is held by its own type and by float64 */
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_cases)};
    if (skip_without_isa())
        return 77;
    cases = read_json(argc > 1 ? argv[1] : CASES_PATH);
    if (!cases) {
        fprintf(stderr, "cannot read the cases\n");
        return 1;
    }
    int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
    cJSON_Delete(cases);
    return n_failed;
}
