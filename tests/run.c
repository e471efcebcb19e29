/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "number.h"

/* The tensors of one call. */
struct bench {
    struct signature signature;
    struct view in[MAX_INPUTS], out[MAX_OUTPUTS];
};

static void bench_init(struct bench *bench, struct rng *rng, const struct problem *problem,
                       const struct problem_data *data, const struct run_options *options)
{
    problem_signature(problem, &bench->signature);
    for (int k = 0; k < bench->signature.n_in; k++) {
        const struct operand *in = &bench->signature.in[k];
        view_init(&bench->in[k], rng, options->in_layout, problem->dtype, in->rank, in->shape);
        view_write(&bench->in[k], data->in[k]);
        if (options->in_layout == VIEW_REPEATED)
            view_read(&bench->in[k], data->in[k]);
    }
    for (int k = 0; k < bench->signature.n_out; k++) {
        const struct operand *out = &bench->signature.out[k];
        view_init(&bench->out[k], rng, options->out_layout, problem->dtype, out->rank, out->shape);
        view_write_nans(&bench->out[k]);
    }
}

static void bench_fini(struct bench *bench)
{
    for (int k = 0; k < bench->signature.n_in; k++)
        view_fini(&bench->in[k]);
    for (int k = 0; k < bench->signature.n_out; k++)
        view_fini(&bench->out[k]);
}

/* Nothing but the elements of wanted outputs may change. */
static void check_surroundings(const struct bench *bench, const struct problem *problem)
{
    for (int k = 0; k < bench->signature.n_in; k++)
        if (!view_unchanged(&bench->in[k]))
            fail_msg("%s: changed its input %s", problem_text(problem), bench->signature.in[k].name);
    for (int k = 0; k < bench->signature.n_out; k++) {
        const struct view *out = &bench->out[k];
        if (problem_wants(problem, k) ? !view_gaps_unchanged(out) : !view_unchanged(out))
            fail_msg("%s: changed bytes that are not elements of %s", problem_text(problem),
                     bench->signature.out[k].name);
    }
}

void workspace_init(struct guard *workspace, struct rng *rng, size_t nbytes)
{
    guard_init(workspace, nbytes, nbytes % 64 == 0 ? GUARD_AT_END : GUARD_AT_START);
    rng_bytes(rng, workspace->data, (int64_t)nbytes);
}

static void must(const struct problem *problem, regrad_status status)
{
    if (status != REGRAD_OK)
        fail_msg("%s: %s, %s", problem_text(problem), regrad_status_name(status), regrad_last_message());
}

static void run_once(struct rng *rng, const struct problem *problem, const regrad_plan *plan, const void *const *inputs,
                     void *const *outputs)
{
    struct guard workspace;
    workspace_init(&workspace, rng, regrad_plan_workspace_size(plan));
    must(problem, regrad_plan_check(plan, inputs, outputs));
    must(problem, regrad_plan_run(plan, inputs, outputs, workspace.data, workspace.nbytes));
    assert_true(guard_intact(&workspace));
    guard_fini(&workspace);
}

/* Plans without data, then runs twice: the second time on outputs that hold results. */
static void run_plan(struct rng *rng, const struct problem *problem, const regrad_tensor *in, const regrad_tensor *out,
                     const regrad_plan_options *options, char text[PLAN_TEXT_SIZE])
{
    regrad_tensor blind_in[MAX_INPUTS] = {0}, blind_out[MAX_OUTPUTS] = {0};
    const void *inputs[MAX_INPUTS];
    void *outputs[MAX_OUTPUTS];
    struct signature signature;
    regrad_plan *plan;
    problem_signature(problem, &signature);
    for (int k = 0; k < signature.n_in; k++) {
        inputs[k] = in[k].data;
        blind_in[k] = in[k];
        blind_in[k].data = NULL;
    }
    for (int k = 0; k < signature.n_out; k++) {
        outputs[k] = problem_wants(problem, k) ? out[k].data : NULL;
        blind_out[k] = out[k];
        blind_out[k].data = NULL;
    }
    must(problem, options ? problem_plan_with(problem, blind_in, blind_out, options, &plan)
                          : problem_plan(problem, blind_in, blind_out, &plan));
    assert_true(regrad_plan_describe(plan, text, PLAN_TEXT_SIZE) < PLAN_TEXT_SIZE);
    run_once(rng, problem, plan, inputs, outputs);
    run_once(rng, problem, plan, inputs, outputs);
    regrad_plan_destroy(plan);
}

static void collect(const struct bench *bench, const struct problem *problem, struct run_result *result)
{
    for (int k = 0; k < bench->signature.n_out; k++) {
        if (!problem_wants(problem, k))
            continue;
        result->nbytes[k] = (size_t)bench->out[k].n * regrad_dtype_size(problem->dtype);
        result->bytes[k] = malloc(result->nbytes[k] + 1);
        assert_non_null(result->bytes[k]);
        view_bytes(&bench->out[k], result->bytes[k]);
    }
}

struct run_result run_problem_with(struct rng *rng, const struct problem *problem, const struct problem_data *data,
                                   const struct run_options *options, const regrad_plan_options *plan_options)
{
    struct bench bench;
    struct run_result result = {0};
    regrad_tensor in[MAX_INPUTS], out[MAX_OUTPUTS];
    bench_init(&bench, rng, problem, data, options);
    for (int k = 0; k < bench.signature.n_in; k++)
        in[k] = bench.in[k].tensor;
    for (int k = 0; k < bench.signature.n_out; k++)
        out[k] = bench.out[k].tensor;
    if (options->n_threads)
        regrad_set_num_threads(options->n_threads);
    if (options->by_plan || plan_options)
        run_plan(rng, problem, in, out, plan_options, result.plan);
    else
        must(problem, problem_call(problem, in, out));
    check_surroundings(&bench, problem);
    collect(&bench, problem, &result);
    bench_fini(&bench);
    return result;
}

struct run_result run_problem(struct rng *rng, const struct problem *problem, const struct problem_data *data,
                              const struct run_options *options)
{
    return run_problem_with(rng, problem, data, options, NULL);
}

void run_result_fini(struct run_result *result)
{
    for (int k = 0; k < MAX_OUTPUTS; k++)
        free(result->bytes[k]);
}

/* An emulated processor may convert to halves wrongly, which scripts/run-emulated.sh says. Then results differ by what
 * instructions converted, and what C code did. */
static bool has_bits(const struct problem *problem)
{
    return problem->dtype != REGRAD_FLOAT16 || getenv("REGRAD_TEST_WRONG_HALVES") == NULL;
}

void expect_same(const struct problem *problem, const char *what, const struct run_result *a,
                 const struct run_result *b)
{
    for (int k = 0; k < MAX_OUTPUTS; k++) {
        assert_int_equal(a->nbytes[k], b->nbytes[k]);
        if (a->nbytes[k] && has_bits(problem) && memcmp(a->bytes[k], b->bytes[k], a->nbytes[k]) != 0)
            fail_msg("%s: %s gives other bits in output %d", problem_text(problem), what, k);
    }
}

void expect_solution(const struct problem *problem, const struct problem_solution *solution,
                     const struct run_result *result)
{
    size_t size = regrad_dtype_size(problem->dtype);
    for (int k = 0; k < MAX_OUTPUTS; k++)
        for (size_t i = 0; i < result->nbytes[k] / size; i++) {
            const struct sum *sum = &solution->out[k][i];
            double got = number_decode(problem->dtype, result->bytes[k] + i * size);
            if (!sum_accepts(sum, problem->dtype, got))
                fail_msg("%s: output %d[%zu] is %.17g, not %.17Lg within %.3g, of %lld terms", problem_text(problem), k,
                         i, got, sum->value, sum_bound(sum, problem->dtype), (long long)sum->n_terms);
        }
}

void for_random_problems(int64_t n, void (*test)(struct rng *rng, const struct problem *problem))
{
    for (int64_t k = 0; k < n; k++) {
        struct problem problem;
        struct rng rng = rng_make(test_seed() + (uint64_t)k);
        problem_random(&rng, &problem);
        problem.seed = test_seed() + (uint64_t)k;
        test(&rng, &problem);
    }
}

int skip_without_isa(void)
{
    const char *wanted = getenv("REGRAD_ISA");
    if (!wanted || strcmp(wanted, regrad_isa()) == 0)
        return 0;
    printf("skipped: this machine has no %s\n", wanted);
    return 77;
}

FILE *open_results(const char *isa, const char *emulator)
{
    char self[1000], command[1500];
    const ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    assert_true(length > 0);
    self[length] = 0;
    snprintf(command, sizeof command, "REGRAD_ISA=%s REGRAD_TEST_SEED=%llu %s '%s' --results", isa,
             (unsigned long long)test_seed(), emulator, self);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    return pipe;
}
