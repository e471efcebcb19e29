/* SPDX-License-Identifier: Apache-2.0 */
/* regrad run */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "complain.h"
#include "output.h"
#include "problem.h"
#include "run_call.h"
#include "tensor_file.h"

/* A result on its way to its file. */
struct result {
    int tensor; /* which of the operator's */
    const char *file;
    struct output output;
};

struct results {
    int n;
    struct result of[OUTPUT_MAX];
};

static const char *file_for(const struct settings *settings, enum option_id option)
{
    return option == OPT_OUTPUT       ? settings->output
           : option == OPT_INPUT_GRAD ? settings->input_grad
                                      : settings->grid_grad;
}

/* Is a result none of the files that are read? Whoever gives one name twice by mistake would lose his data. */
static int check_inputs(const struct settings *settings)
{
    const struct op *op = operator_find(settings->words[0]);
    for (int k = 0; op && k < op->n_tensors && !is_given(settings, OPT_OVERWRITE); k++) {
        const enum option_id option = op->tensor[k].option;
        const char *file = op->tensor[k].access == ACCESS_WRITE ? file_for(settings, option) : NULL;
        for (int word = 1; file && word < settings->n_words; word++)
            if (output_replaces(file, settings->words[word]))
                return complain(STATUS_REFUSED,
                                "%s: --%s is '%s', the same file as '%s', which is read; wanted another one, or "
                                "--overwrite",
                                op->name, option_name(option), file, settings->words[word]);
    }
    return STATUS_OK;
}

/* Which results are wanted: those whose option is given. */
static int find_results(const struct problem *problem, struct results *results)
{
    const struct op *op = problem->op;
    results->n = 0;
    for (int k = 0; k < op->n_tensors; k++) {
        const char *file = file_for(problem->settings, op->tensor[k].option);
        if (op->tensor[k].access == ACCESS_WRITE && file)
            results->of[results->n++] = (struct result){k, file, OUTPUT_NONE};
    }
    if (results->n == 0)
        return complain(STATUS_REFUSED, "%s: no file for a result is given; wanted %s", op->name,
                        op->tensor[op->n_tensors - 1].option == OPT_OUTPUT
                            ? "-o FILE"
                            : "--input-grad FILE, --grid-grad FILE or both");
    return STATUS_OK;
}

/* Whatever their names: do both results go to one file, of which one would be lost? */
static int check_apart(const struct results *results)
{
    if (results->n < 2 || !output_same(&results->of[0].output, &results->of[1].output))
        return STATUS_OK;
    return complain(STATUS_REFUSED, "both results would go to '%s'", results->of[1].file);
}

static int allocate_results(struct problem *problem, const struct results *results)
{
    for (int r = 0; r < results->n; r++) {
        int k = results->of[r].tensor;
        struct npy_array *array = &problem->array[k];
        array->header.n_elements = 1;
        for (int d = 0; d < array->header.rank; d++) /* the plan has refused what overflows */
            array->header.n_elements *= array->header.shape[d];
        size_t nbytes = (size_t)array->header.n_elements * npy_type_size(array->header.type);
        array->data = malloc(nbytes > 0 ? nbytes : 1);
        if (!array->data)
            return complain(STATUS_SYSTEM, "no memory for the %zu bytes of %s", nbytes, problem->op->tensor[k].name);
        problem->tensor[k].data = array->data;
    }
    return STATUS_OK;
}

static int write_results(const struct problem *problem, struct results *results)
{
    int status = STATUS_OK;
    for (int r = 0; r < results->n && status == STATUS_OK; r++)
        status = tensor_file_write(&results->of[r].output, &problem->array[results->of[r].tensor]);
    for (int r = 0; r < results->n && status == STATUS_OK; r++)
        status = output_commit(&results->of[r].output);
    return status;
}

/* Opened before the work, so that a directory that cannot be written is known at once. */
static int open_results(struct results *results)
{
    int status = STATUS_OK;
    output_catch_signals();
    for (int r = 0; r < results->n && status == STATUS_OK; r++)
        status = output_open(&results->of[r].output, results->of[r].file);
    return status == STATUS_OK ? check_apart(results) : status;
}

static int compute(struct problem *problem, const struct results *results, const struct call *call,
                   struct run_times *times)
{
    regrad_plan *plan;
    double begun = seconds_now();
    int status = call_plan(call, &plan);
    times->plan = seconds_now() - begun;
    if (status != STATUS_OK)
        return status;
    status = allocate_results(problem, results);
    if (status == STATUS_OK)
        status = call_run(call, plan, times);
    regrad_plan_destroy(plan);
    return status;
}

static void print_times(const struct run_times *times, double read, double write)
{
    fprintf(stderr, "read %.6f s, plan %.6f s, run %.6f s", read, times->plan, times->run);
    if (times->n_pieces > 1)
        fprintf(stderr, " (in %d pieces, for the bar)", times->n_pieces);
    fprintf(stderr, ", write %.6f s\n", write);
}

static int run_problem(struct problem *problem, struct results *results, double read)
{
    struct run_times times = {0};
    struct call call = problem_call(problem);
    for (int k = 0; k < problem->op->n_tensors; k++) {
        bool wanted = problem->op->tensor[k].access != ACCESS_WRITE;
        for (int r = 0; r < results->n; r++)
            wanted |= results->of[r].tensor == k;
        call.tensor[k] = wanted ? call.tensor[k] : NULL;
    }
    int status = open_results(results);
    if (status == STATUS_OK)
        status = compute(problem, results, &call, &times);
    double begun = seconds_now();
    if (status == STATUS_OK)
        status = write_results(problem, results);
    for (int r = 0; r < results->n; r++)
        output_discard(&results->of[r].output);
    if (status == STATUS_OK && is_given(problem->settings, OPT_TIME))
        print_times(&times, read, seconds_now() - begun);
    return status;
}

static int run_run(const struct settings *settings)
{
    struct problem problem;
    struct results results = {0};
    double begun = seconds_now();
    int status = check_inputs(settings);
    if (status != STATUS_OK)
        return status;
    status = problem_init(&problem, settings, FILES_NEEDED);
    if (status == STATUS_OK)
        status = find_results(&problem, &results);
    if (status == STATUS_OK)
        status = run_problem(&problem, &results, seconds_now() - begun);
    problem_fini(&problem);
    return status;
}

const struct command command_run = {
    .name = "run",
    .summary = "computes an operator from files to files",
    .words = " OPERATOR FILE...",
    .details =
        "Reads .npy files of float16, float32, float64, bfloat16 (V2, or uint16 with --dtype bf16) or uint8, in C or\n"
        "Fortran order and either byte order; '-' is standard input. Writes .npy files of version 1.0 in C order,\n"
        "bfloat16 as V2. A result appears under its name only when it is complete, and does not replace a file that\n"
        "is read, unless --overwrite is given.\n\n"
        "A forward needs --output-size, or scales, from which the size is floor(size * scale); a gradient needs\n"
        "--input-size. Sizes are given in the order N,C,H,W (N,C,L; N,C,D,H,W), whatever the layout of the files.\n",
    .takes_op = true,
    .writes = true,
    .options = OPTION_BIT(OPT_INPUT_SIZE) | OPTION_BIT(OPT_OUTPUT_SIZE) | OPTION_BIT(OPT_LAYOUT) |
               OPTION_BIT(OPT_DTYPE) | OPTION_BIT(OPT_THREADS) | OPTION_BIT(OPT_TIME) | OPTION_BIT(OPT_OVERWRITE),
    .run = run_run,
};
