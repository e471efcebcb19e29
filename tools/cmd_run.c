/* SPDX-License-Identifier: Apache-2.0 */
/* regrad run */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "command.h"
#include "complain.h"
#include "mapped_file.h"
#include "output.h"
#include "problem.h"
#include "progress.h"
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

/* Is a result none of the files that are read? Whoever gives one name twice by mistake would lose his data; and
 * standard output, which is written while the work goes on, what is still to be read. */
static int check_inputs(const struct settings *settings)
{
    const struct op *op = operator_find(settings->words[0]);
    for (int k = 0; op && k < op->n_tensors; k++) {
        const enum option_id option = op->tensor[k].option;
        const char *file = op->tensor[k].access == ACCESS_WRITE ? file_for(settings, option) : NULL;
        const bool may_replace = file && strcmp(file, "-") != 0;
        if (!file || (may_replace && is_given(settings, OPT_OVERWRITE)))
            continue;
        for (int word = 1; word < settings->n_words; word++)
            if (output_replaces(file, settings->words[word]))
                return complain(
                    STATUS_REFUSED, "%s: --%s is '%s', the same file as '%s', which is read; wanted another one%s",
                    op->name, option_name(option), file, settings->words[word], may_replace ? ", or --overwrite" : "");
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

/* Opened before the work, so that a directory that cannot be written is known at once. */
static int open_results(struct results *results)
{
    int status = STATUS_OK;
    output_catch_signals();
    for (int r = 0; r < results->n && status == STATUS_OK; r++)
        status = output_open(&results->of[r].output, results->of[r].file);
    return status == STATUS_OK ? check_apart(results) : status;
}

/* ---- Slices ---- */

static double seconds_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

struct run_times {
    double read, plan, run, write; /* seconds */
    int64_t n_slices;
};

static int write_heads(const struct problem *problem, const struct results *results)
{
    int status = STATUS_OK;
    for (int r = 0; r < results->n && status == STATUS_OK; r++)
        status = tensor_file_write_head(&results->of[r].output, &problem->array[results->of[r].tensor].header);
    return status;
}

static int write_slice(const struct results *results, const struct slice *slice, uint64_t *written)
{
    int status = STATUS_OK;
    for (int r = 0; r < results->n && status == STATUS_OK; r++) {
        const regrad_tensor *tensor = slice->call.tensor[results->of[r].tensor];
        status = tensor_file_write(&results->of[r].output, tensor->data, tensor_nbytes(tensor), written);
    }
    return status;
}

/* What a slice has read is not read again. In Fortran order the slices lie mixed, and each reads all pages. */
static void forget_slice(const struct problem *problem, const struct slice *slice)
{
    for (int k = 0; k < problem->n_files; k++)
        if (!problem->array[k].header.fortran_order)
            mapped_file_forget(slice->call.tensor[k]->data, tensor_nbytes(slice->call.tensor[k]));
}

static int run_slices(const struct problem *problem, const struct results *results, const struct sliced_call *sliced,
                      struct run_times *times)
{
    int status = STATUS_OK;
    uint64_t total = 0, written = 0;
    for (int r = 0; r < results->n; r++)
        total += tensor_nbytes(sliced->whole->tensor[results->of[r].tensor]);
    progress_begin("running", total);
    for (int64_t k = 0; k < sliced->n_slices && status == STATUS_OK; k++) {
        struct slice slice;
        const double begun = seconds_now();
        status = sliced_call_run(sliced, k, &slice);
        const double run = seconds_now();
        if (status == STATUS_OK)
            status = write_slice(results, &slice, &written);
        forget_slice(problem, &slice);
        times->run += run - begun;
        times->write += seconds_now() - run;
    }
    progress_end();
    return status;
}

static int make_slices(const struct problem *problem, const struct call *call, struct sliced_call *sliced,
                       struct run_times *times)
{
    const struct settings *settings = problem->settings;
    const double begun = seconds_now();
    int status = sliced_call_make(sliced, call, problem_channels_last(problem, PLACE_IN), settings->memory);
    times->plan = seconds_now() - begun;
    times->n_slices = sliced->n_slices;
    if (status == STATUS_OK && is_given(settings, OPT_MEMORY) && sliced->nbytes > (double)settings->memory)
        warn("%s: --memory is %" PRId64 " bytes; the smallest part that can be computed alone takes %.0f",
             problem->op->name, settings->memory, sliced->nbytes);
    return status;
}

static int compute(const struct problem *problem, struct results *results, const struct call *call,
                   struct run_times *times)
{
    struct sliced_call sliced;
    int status = make_slices(problem, call, &sliced, times);
    if (status == STATUS_OK)
        status = write_heads(problem, results);
    if (status == STATUS_OK)
        status = run_slices(problem, results, &sliced, times);
    sliced_call_free(&sliced);
    if (status == STATUS_OK)
        status = mapped_files_check();
    const double begun = seconds_now();
    for (int r = 0; r < results->n && status == STATUS_OK; r++)
        status = output_commit(&results->of[r].output);
    times->write += seconds_now() - begun;
    return status;
}

/* ---- The whole ---- */

static void print_times(const struct run_times *times)
{
    fprintf(stderr, "read %.6f s, plan %.6f s, run %.6f s, write %.6f s", times->read, times->plan, times->run,
            times->write);
    if (times->n_slices > 1)
        fprintf(stderr, ", in %" PRId64 " slices", times->n_slices);
    fprintf(stderr, "\n");
}

static int run_problem(struct problem *problem, struct results *results, struct run_times *times)
{
    struct call call = problem_call(problem);
    for (int k = 0; k < problem->op->n_tensors; k++) {
        bool wanted = problem->op->tensor[k].access != ACCESS_WRITE;
        for (int r = 0; r < results->n; r++)
            wanted |= results->of[r].tensor == k;
        call.tensor[k] = wanted ? call.tensor[k] : NULL;
    }
    int status = open_results(results);
    if (status == STATUS_OK)
        status = compute(problem, results, &call, times);
    for (int r = 0; r < results->n; r++)
        output_discard(&results->of[r].output);
    if (status == STATUS_OK && is_given(problem->settings, OPT_TIME))
        print_times(times);
    return status;
}

static int run_run(const struct settings *settings)
{
    struct problem problem;
    struct results results = {0};
    struct run_times times = {0};
    const double begun = seconds_now();
    int status = check_inputs(settings);
    if (status != STATUS_OK)
        return status;
    status = problem_init(&problem, settings, FILES_NEEDED);
    times.read = seconds_now() - begun;
    if (status == STATUS_OK)
        status = find_results(&problem, &results);
    if (status == STATUS_OK)
        status = run_problem(&problem, &results, &times);
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
        "is read, unless --overwrite is given. Files may be larger than memory: they are read, computed and written "
        "in\n"
        "parts, of which each takes at most --memory, along N and C.\n\n"
        "A forward needs --output-size, or scales, from which the size is floor(size * scale); a gradient needs\n"
        "--input-size. Sizes are given in the order N,C,H,W (N,C,L; N,C,D,H,W), whatever the layout of the files.\n",
    .takes_op = true,
    .writes = true,
    .options = OPTION_BIT(OPT_INPUT_SIZE) | OPTION_BIT(OPT_OUTPUT_SIZE) | OPTION_BIT(OPT_LAYOUT) |
               OPTION_BIT(OPT_DTYPE) | OPTION_BIT(OPT_THREADS) | OPTION_BIT(OPT_MEMORY) | OPTION_BIT(OPT_TIME) |
               OPTION_BIT(OPT_OVERWRITE),
    .run = run_run,
};
