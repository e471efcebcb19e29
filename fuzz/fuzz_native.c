/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The native interface: bytes become a call with small shapes, any options, any views in memory that is exactly as
 * large as the call may use, between pages that nobody may touch. What is accepted must be right, within the
 * reference's bound; what is refused must be without effect; what nothing speaks against must be accepted.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger.h"
#include "loops.h"
#include "number.h"
#include "problem.h"
#include "view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
    const uint8_t *at;
    size_t left;
};

/* Zeros follow the last byte. */
static unsigned take(struct bytes *bytes)
{
    if (bytes->left == 0)
        return 0;
    bytes->left--;
    return *bytes->at++;
}

static int take_signed(struct bytes *bytes)
{
    return (int)take(bytes) - 128;
}

static double take_double(struct bytes *bytes)
{
    unsigned char raw[8];
    double value;
    for (int k = 0; k < 8; k++)
        raw[k] = (unsigned char)take(bytes);
    memcpy(&value, raw, sizeof value);
    return value;
}

static int64_t take_int64(struct bytes *bytes)
{
    double raw = take_double(bytes);
    int64_t value;
    memcpy(&value, &raw, sizeof value);
    return value;
}

struct attempt {
    struct problem problem;
    struct signature signature;
    struct rng rng;
    bool doubtful; /* something was chosen that may be refused */
    struct view in[MAX_INPUTS], out[MAX_OUTPUTS];
    struct problem_data data;
};

static void require(bool condition, const struct attempt *attempt, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n%s\nlast message: %s\n", what, problem_text(&attempt->problem), regrad_last_message());
    abort();
}

/* ---- From bytes to a problem ---- */

/* A choice of n, or one that does not exist. */
static int take_option(struct bytes *bytes, struct attempt *attempt, int n)
{
    int option = (int)(take(bytes) % 16);
    if (option < 15)
        return option % n;
    attempt->doubtful = true;
    return take_signed(bytes);
}

static int64_t take_size(struct bytes *bytes, struct attempt *attempt)
{
    int64_t size = take(bytes) % 14;
    attempt->doubtful |= size == 0;
    return size;
}

static double take_scale(struct bytes *bytes, struct attempt *attempt)
{
    unsigned choice = take(bytes) % 4;
    if (choice == 0)
        return 0;
    if (choice < 3)
        return (1 + take(bytes) % 40) / (1.0 + take(bytes) % 40);
    attempt->doubtful = true;
    return take_double(bytes);
}

static void take_problem(struct bytes *bytes, struct attempt *attempt)
{
    struct problem *problem = &attempt->problem;
    unsigned flags = take(bytes);
    problem->kind = (enum problem_kind)(take(bytes) % N_PROBLEM_KINDS);
    problem->by_name = flags & 1;
    problem->backward = flags & 4;
    problem->align_corners = flags & 8;
    problem->wanted[0] = !(flags & 16);
    problem->wanted[1] = !(flags & 32);
    problem->dtype = (regrad_dtype)take_option(bytes, attempt, N_DTYPES + 1); /* bytes too, which most refuse */
    problem->coordinates = (regrad_coordinates)take_option(bytes, attempt, 3);
    problem->law = (regrad_nearest_law)take_option(bytes, attempt, 2);
    problem->interpolation = (regrad_interpolation)take_option(bytes, attempt, 3);
    problem->padding = (regrad_padding)take_option(bytes, attempt, 3);
    problem->n = take(bytes) % 4;
    problem->c = take(bytes) % 5;
    for (int k = 0; k < problem_n_axes(problem); k++) {
        const int64_t in = take_size(bytes, attempt), out = take_size(bytes, attempt);
        problem_set_axis(problem, k, in, out, take_scale(bytes, attempt));
    }
    problem_signature(problem, &attempt->signature);
}

/* ---- Views ---- */

/* Strides and offset from bytes, mostly small. */
static void take_strides(struct bytes *bytes, regrad_tensor *tensor)
{
    for (int d = 0; d < REGRAD_MAX_RANK; d++)
        tensor->stride[d] = take_signed(bytes);
    tensor->offset = take(bytes) * 4;
    unsigned choice = take(bytes);
    if (choice < 16)
        tensor->stride[choice % REGRAD_MAX_RANK] = take_int64(bytes);
    else if (choice < 32)
        tensor->offset = take_int64(bytes);
}

/* A tensor that is not what the signature says, or is it in a way of its own. */
static void take_odd_view(struct bytes *bytes, struct attempt *attempt, const struct operand *operand,
                          struct view *view)
{
    regrad_tensor tensor = regrad_tensor_contiguous(NULL, attempt->problem.dtype, operand->rank, operand->shape);
    unsigned choice = take(bytes);
    if (choice & 1)
        take_strides(bytes, &tensor);
    if (choice % 16 == 2)
        tensor.rank = take_signed(bytes);
    if (choice % 16 == 4)
        tensor.shape[choice / 16 % REGRAD_MAX_RANK] += take_signed(bytes);
    if (choice % 16 == 6) /* of samples or channels only: the lengths of axes may be anything, and take time */
        tensor.shape[choice / 16 % 2] = take_int64(bytes);
    if (choice % 16 == 8)
        tensor.dtype = (regrad_dtype)take_signed(bytes);
    int64_t n_stored = 1 + take(bytes) * (int64_t)take(bytes) / 8;
    tensor.storage = n_stored; /* without it the view would be trusted */
    view_init_tensor(view, &attempt->rng, &tensor, n_stored, GUARD_AT_END);
    attempt->doubtful = true;
}

static void take_view(struct bytes *bytes, struct attempt *attempt, const struct operand *operand, int n_layouts,
                      struct view *view)
{
    unsigned choice = take(bytes) % 8;
    if (choice == 7 || regrad_dtype_size(attempt->problem.dtype) == 0)
        take_odd_view(bytes, attempt, operand, view);
    else
        view_init(view, &attempt->rng, (enum view_layout)((int)choice % n_layouts), attempt->problem.dtype,
                  operand->rank, operand->shape);
}

/* The call is about what its tensors say, if that fits together: one may be odd, or all in the same way. */
static void adopt_tensors(struct attempt *attempt)
{
    struct problem *problem = &attempt->problem;
    bool grid_gradient = problem->kind == PROBLEM_GRID && problem->backward;
    const struct view *output = problem->backward ? attempt->in : attempt->out;
    const struct view *input = grid_gradient ? &attempt->in[1] : problem->backward ? attempt->out : attempt->in;
    const regrad_tensor *in = &input->tensor, *out = &output->tensor;
    const int n_axes = problem_n_axes(problem);
    const double scales[] = {problem->scale_d, problem->scale_h, problem->scale_w};
    problem->dtype = in->dtype;
    if (in->rank != 2 + n_axes || out->rank != 2 + n_axes)
        return;
    problem->n = in->shape[0];
    problem->c = in->shape[1];
    for (int k = 0; k < n_axes; k++)
        problem_set_axis(problem, k, in->shape[2 + k], out->shape[2 + k], scales[3 - n_axes + k]);
    problem_signature(problem, &attempt->signature);
}

/* Can it be computed here? Calls in which nothing is wanted may have any size. */
static bool is_small(const struct problem *problem)
{
    const int64_t sizes[] = {problem->n,    problem->c,     problem->in_d,  problem->in_h,
                             problem->in_w, problem->out_d, problem->out_h, problem->out_w};
    for (int k = 0; k < 8; k++)
        if (sizes[k] < 0 || sizes[k] > 300)
            return false;
    double area = (double)(problem_area(problem, false) + problem_area(problem, true));
    return regrad_dtype_size(problem->dtype) > 0 && (double)(problem->n * problem->c) * area < 1e6;
}

/* ---- Values ---- */

static bool is_regular(const struct view *view, const struct operand *operand, regrad_dtype dtype)
{
    const regrad_tensor *tensor = &view->tensor;
    return tensor->dtype == dtype && regrad_dtype_size(dtype) > 0 && tensor->rank == operand->rank &&
           memcmp(tensor->shape, operand->shape, (size_t)operand->rank * sizeof(int64_t)) == 0 && view_fits(view);
}

/* Grids hold any numbers; other inputs finite ones, so that results can be compared. */
static void write_values(struct bytes *bytes, struct attempt *attempt)
{
    struct problem *problem = &attempt->problem;
    unsigned choice = take(bytes);
    attempt->data = problem_fill(&attempt->rng, problem, (enum data_style)(choice % N_DATA_STYLES));
    for (int k = 0; k < attempt->signature.n_in; k++) {
        struct view *view = &attempt->in[k];
        bool is_grid = strcmp(attempt->signature.in[k].name, "grid") == 0;
        for (int64_t i = 0; is_grid && i < operand_size(&attempt->signature.in[k]) && bytes->left >= 8; i++)
            attempt->data.in[k][i] = number_round(problem->dtype, take_double(bytes));
        if (!is_regular(view, &attempt->signature.in[k], problem->dtype))
            continue;
        view_write(view, attempt->data.in[k]);
        view_read(view, attempt->data.in[k]); /* repeated elements hold the last that was written */
    }
}

/* ---- What must hold ---- */

static void check_result(const struct attempt *attempt)
{
    struct problem_solution solution = problem_solve(&attempt->problem, &attempt->data);
    for (int k = 0; k < attempt->signature.n_out; k++) {
        const struct view *view = &attempt->out[k];
        if (!solution.out[k])
            continue;
        require(view_gaps_unchanged(view), attempt, "bytes between the elements of an output changed");
        double *values = calloc((size_t)view->n + 1, sizeof *values);
        if (!values)
            abort();
        view_read(view, values);
        for (int64_t i = 0; i < view->n; i++)
            require(sum_accepts(&solution.out[k][i], attempt->problem.dtype, values[i]), attempt, "a wrong result");
        free(values);
    }
    problem_solution_fini(&solution);
}

static void check_accepted(const struct attempt *attempt)
{
    const struct problem *problem = &attempt->problem;
    for (int k = 0; k < attempt->signature.n_in; k++)
        require(is_regular(&attempt->in[k], &attempt->signature.in[k], problem->dtype), attempt,
                "an input was accepted that is wrong");
    for (int k = 0; k < attempt->signature.n_out; k++)
        if (problem_wants(problem, k))
            require(is_regular(&attempt->out[k], &attempt->signature.out[k], problem->dtype) &&
                        view_is_distinct(&attempt->out[k]),
                    attempt, "an output was accepted that is wrong");
    check_result(attempt);
}

static void check_status(const struct attempt *attempt, regrad_status status)
{
    for (int k = 0; k < attempt->signature.n_in; k++)
        require(view_unchanged(&attempt->in[k]), attempt, "an input changed");
    for (int k = 0; k < attempt->signature.n_out; k++)
        if (status != REGRAD_OK || !problem_wants(&attempt->problem, k))
            require(view_unchanged(&attempt->out[k]), attempt, "an output changed that should not");
    if (status == REGRAD_OK) {
        if (is_small(&attempt->problem))
            check_accepted(attempt);
        return;
    }
    require(attempt->doubtful, attempt, "a call was refused that nothing speaks against");
    require(status == REGRAD_ERROR_INVALID_ARGUMENT, attempt, "a wrong status");
    require(strstr(regrad_last_message(), problem_operator(&attempt->problem)) != NULL, attempt,
            "a message without the operator's name");
}

/* By a plan with a number of threads, a loop and memory of its own. */
static regrad_status call_with_options(struct attempt *attempt, const regrad_tensor *in, const regrad_tensor *out)
{
    struct ledger ledger;
    struct loop loop = {.order = SHUFFLED, .seed = (uint64_t)rng_below(&attempt->rng, 1 << 20)};
    regrad_plan_options options = ledger_options(&ledger);
    const void *inputs[MAX_INPUTS] = {in[0].data, in[1].data, in[2].data};
    void *outputs[MAX_OUTPUTS] = {out[0].data, out[1].data};
    regrad_plan *plan;
    options.threads = (int)rng_between(&attempt->rng, 0, 5);
    options.parallel_for = run_loop;
    options.parallel_context = &loop;
    regrad_status status = problem_plan_with(&attempt->problem, in, out, &options, &plan);
    if (status == REGRAD_OK) {
        const size_t size = regrad_plan_workspace_size(plan);
        void *workspace = aligned_alloc(64, (size + 63) / 64 * 64);
        status = regrad_plan_run(plan, inputs, outputs, workspace, size);
        free(workspace);
        regrad_plan_destroy(plan);
    }
    require(ledger.n_live == 0, attempt, "a plan has kept memory");
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    struct attempt attempt = {.rng = rng_make(take(&bytes))};
    regrad_tensor in[MAX_INPUTS] = {0}, out[MAX_OUTPUTS] = {0};
    take_problem(&bytes, &attempt);
    const struct signature *signature = &attempt.signature;
    for (int k = 0; k < signature->n_in; k++)
        take_view(&bytes, &attempt, &signature->in[k], 4, &attempt.in[k]);
    for (int k = 0; k < signature->n_out; k++)
        take_view(&bytes, &attempt, &signature->out[k], 3, &attempt.out[k]);
    adopt_tensors(&attempt);
    if (is_small(&attempt.problem))
        write_values(&bytes, &attempt);
    for (int k = 0; k < signature->n_in; k++)
        in[k] = attempt.in[k].tensor;
    for (int k = 0; k < signature->n_out; k++)
        out[k] = attempt.out[k].tensor;
    regrad_set_num_threads(1);
    attempt.doubtful |= attempt.problem.dtype == REGRAD_UINT8 && !problem_only_moves(&attempt.problem);
    attempt.doubtful |= problem_is_antialiased(&attempt.problem) && attempt.problem.coordinates == REGRAD_ASYMMETRIC;
    attempt.doubtful |= !problem_wants(&attempt.problem, 0) && !problem_wants(&attempt.problem, 1);
    check_status(&attempt, rng_chance(&attempt.rng, 2) ? problem_call(&attempt.problem, in, out)
                                                       : call_with_options(&attempt, in, out));
    for (int k = 0; k < signature->n_in; k++)
        view_fini(&attempt.in[k]);
    for (int k = 0; k < signature->n_out; k++)
        view_fini(&attempt.out[k]);
    problem_data_fini(&attempt.data);
    return 0;
}
