/* SPDX-License-Identifier: Apache-2.0 */
#include "problem.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "plural.h"
#include "tensor_file.h"

bool problem_channels_last(const struct problem *problem, enum place place)
{
    return problem->settings->channels_last && place != PLACE_GRID;
}

/* ---- Files ---- */

static int count_tensors(const struct op *op, enum access access)
{
    int n = 0;
    for (int k = 0; k < op->n_tensors; k++)
        n += op->tensor[k].access == access;
    return n;
}

static int check_file_count(const struct problem *problem, enum files_needed needed)
{
    int least = count_tensors(problem->op, ACCESS_READ);
    int most = least + count_tensors(problem->op, ACCESS_SHAPE);
    if ((problem->n_files >= least && problem->n_files <= most) || (problem->n_files == 0 && needed == FILES_OPTIONAL))
        return STATUS_OK;
    char wanted[200] = "";
    for (int k = 0; k < most; k++) {
        size_t n = strlen(wanted);
        snprintf(wanted + n, sizeof wanted - n, k < least ? " %s" : " [%s]", problem->op->tensor[k].name);
    }
    return complain(STATUS_REFUSED, "%s: %d %s given; wanted%s%s", problem->op->name, problem->n_files,
                    problem->n_files == 1 ? "file is" : "files are", wanted,
                    needed == FILES_OPTIONAL ? ", or none and sizes" : "");
}

static int check_rank(const struct problem *problem, int k, const char *file)
{
    const struct npy_header *header = &problem->array[k].header;
    int rank = problem->op->rank;
    if (header->rank == rank)
        return STATUS_OK;
    const struct dimension_names *names = dimension_names(problem->op);
    enum place place = problem->op->tensor[k].place;
    const char *wanted = place == PLACE_GRID                     ? names->grid
                         : problem_channels_last(problem, place) ? names->last
                                                                 : names->first;
    return complain(STATUS_REFUSED, "%s: has %d dimension%s; %s of %s wants %d: %s", file, header->rank,
                    plural(header->rank), problem->op->tensor[k].name, problem->op->name, rank, wanted);
}

/* The type of the first file is that of the problem; whether the others agree is the library's to say. */
static int take_file(struct problem *problem, int k, const char *file)
{
    enum place place = problem->op->tensor[k].place;
    int status = tensor_file_read(file, &problem->array[k]);
    if (status == STATUS_OK)
        status = check_rank(problem, k, file);
    regrad_dtype dtype;
    if (status == STATUS_OK)
        status = tensor_file_dtype(file, &problem->array[k].header, problem->settings->dtype, &dtype);
    if (status != STATUS_OK)
        return status;
    problem->tensor[k] = tensor_file_view(&problem->array[k], dtype,
                                          dimension_order(problem->op->rank, problem_channels_last(problem, place)));
    memcpy(problem->shape[place], problem->tensor[k].shape, sizeof problem->shape[place]);
    problem->known[place] = true;
    if (k == 0)
        problem->dtype = dtype;
    return STATUS_OK;
}

static int take_files(struct problem *problem)
{
    char **files = problem->settings->words + 1;
    int n_stdin = 0;
    for (int k = 0; k < problem->n_files; k++)
        n_stdin += strcmp(files[k], "-") == 0;
    if (n_stdin > 1)
        return complain(STATUS_REFUSED, "standard input, '-', can be only one of the files");
    for (int k = 0; k < problem->n_files; k++) {
        int status = take_file(problem, k, files[k]);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

/* ---- Sizes ---- */

static const char *const size_option[] = {[PLACE_IN] = "input-size", [PLACE_OUT] = "output-size"};

static const struct sizes *sizes_for(const struct problem *problem, enum place place)
{
    return place == PLACE_IN ? &problem->settings->input_size : &problem->settings->output_size;
}

static int check_size_count(const struct problem *problem, enum place place)
{
    int n = sizes_for(problem, place)->n;
    int rank = problem->op->rank;
    if (n == 0 || n == rank || n == rank - 2)
        return STATUS_OK;
    const struct dimension_names *names = dimension_names(problem->op);
    return complain(STATUS_REFUSED, "--%s has %d number%s; %s wants %s or %s", size_option[place], n, plural(n),
                    problem->op->name, names->sizes, names->axes);
}

/* Said where sizes may have been given in the order of the files. */
#define ORDER_NOTE "; sizes are in the order %s, whatever the layout of the files"

/* Sizes that a file gives too must be the same. UpsampleNearestExact2dGrad has an output_size beside the tensor. */
static int check_against_file(const struct problem *problem, enum place place)
{
    const struct sizes *sizes = sizes_for(problem, place);
    int skipped = problem->op->rank - sizes->n;
    if (!problem->known[place] || (problem->op->graph && place == PLACE_OUT))
        return STATUS_OK;
    for (int d = 0; d < sizes->n; d++) {
        const int64_t given = sizes->value[d], there = problem->shape[place][skipped + d];
        if (given != there && skipped == 0)
            return complain(STATUS_REFUSED, "--%s has %" PRId64 " where the file has %" PRId64 ORDER_NOTE,
                            size_option[place], given, there, dimension_names(problem->op)->sizes);
        if (given != there)
            return complain(STATUS_REFUSED, "--%s has %" PRId64 " where the file has %" PRId64, size_option[place],
                            given, there);
    }
    return STATUS_OK;
}

/* Sizes in the order of a file whose channels are last, or a file whose order is not the one that it is read in. What
 * differs in another way is the library's to refuse. */
static int check_order(const struct problem *problem, enum place place)
{
    const struct sizes *sizes = sizes_for(problem, place);
    const int64_t *given = sizes->value, *there = problem->shape[place == PLACE_IN ? PLACE_OUT : PLACE_IN];
    const int rank = problem->op->rank;
    const bool is_last = problem->settings->channels_last;
    if (problem->n_files == 0 || sizes->n < rank || given[0] != there[0] || given[1] == there[1])
        return STATUS_OK;
    if (given[rank - 1] == there[1])
        return complain(STATUS_REFUSED, "%s: --%s has C = %" PRId64 " where %s has %" PRId64 ORDER_NOTE,
                        problem->op->name, size_option[place], given[1], problem->settings->words[1], there[1],
                        dimension_names(problem->op)->sizes);
    if (given[1] != there[is_last ? 2 : rank - 1]) /* which C would be */
        return STATUS_OK;
    return complain(STATUS_REFUSED,
                    "%s: --%s has C = %" PRId64 " where %s has %" PRId64 "; %s --layout nhwc it has %" PRId64 " too",
                    problem->op->name, size_option[place], given[1], problem->settings->words[1], there[1],
                    is_last ? "without" : "with", given[1]);
}

/* Takes a place's shape from its option. Sizes of the axes alone need N and C of the other place. */
static void take_sizes(struct problem *problem, enum place place)
{
    const struct sizes *sizes = sizes_for(problem, place);
    enum place other = place == PLACE_IN ? PLACE_OUT : PLACE_IN;
    if (problem->known[place] || sizes->n == 0 || (sizes->n < problem->op->rank && !problem->known[other]))
        return;
    memcpy(problem->shape[place], problem->shape[other], sizeof problem->shape[place]);
    memcpy(problem->shape[place] + problem->op->rank - sizes->n, sizes->value, (size_t)sizes->n * sizeof(int64_t));
    problem->known[place] = true;
}

/* The output of a forward whose user gave scales alone: floor(size * scale) on each axis. */
static int take_scaled(struct problem *problem)
{
    if (problem->op->gradient || problem->known[PLACE_OUT] || !problem->known[PLACE_IN])
        return STATUS_OK;
    memcpy(problem->shape[PLACE_OUT], problem->shape[PLACE_IN], sizeof problem->shape[PLACE_OUT]);
    for (int axis = 0; axis < axis_count(problem->op); axis++) {
        double factor = problem->params.scale[axis];
        double size = floor((double)problem->shape[PLACE_IN][2 + axis] * factor);
        if (factor == 0)
            return STATUS_OK;
        if (!(size >= 1 && size < 0x1p53))
            return complain(STATUS_REFUSED,
                            "a size of %" PRId64 " times a scale of %g is no size that an output can have",
                            problem->shape[PLACE_IN][2 + axis], factor);
        problem->shape[PLACE_OUT][2 + axis] = (int64_t)size;
    }
    problem->known[PLACE_OUT] = true;
    return STATUS_OK;
}

static bool has_place(const struct op *op, enum place place)
{
    bool found = false;
    for (int k = 0; k < op->n_tensors; k++)
        found |= op->tensor[k].place == place;
    return found;
}

/* Output and grid give each other's sizes but for those of the channels and of a point. */
static void take_from_grid(struct problem *problem)
{
    const int n_axes = axis_count(problem->op);
    int64_t *in = problem->shape[PLACE_IN], *out = problem->shape[PLACE_OUT], *grid = problem->shape[PLACE_GRID];
    if (!problem->known[PLACE_OUT] && problem->known[PLACE_GRID] && problem->known[PLACE_IN]) {
        memcpy(out, in, 2 * sizeof *out);
        memcpy(out + 2, grid + 1, (size_t)n_axes * sizeof *out);
        problem->known[PLACE_OUT] = true;
    }
    if (!problem->known[PLACE_GRID] && problem->known[PLACE_OUT]) {
        grid[0] = out[0];
        memcpy(grid + 1, out + 2, (size_t)n_axes * sizeof *grid);
        grid[1 + n_axes] = n_axes;
        problem->known[PLACE_GRID] = true;
    }
}

static int check_known(const struct problem *problem)
{
    for (enum place place = PLACE_IN; place <= PLACE_OUT; place++)
        if (!problem->known[place])
            return complain(STATUS_REFUSED, "%s: the size of the forward's %s is not known; give it with --%s%s",
                            problem->op->name, place == PLACE_IN ? "input" : "output", size_option[place],
                            sizes_for(problem, place)->n > 0 ? ", N and C included" : "");
    return STATUS_OK;
}

static int find_shapes(struct problem *problem)
{
    for (enum place place = PLACE_IN; place <= PLACE_OUT; place++) {
        int status = check_size_count(problem, place);
        if (status == STATUS_OK)
            status = check_against_file(problem, place);
        if (status != STATUS_OK)
            return status;
    }
    take_sizes(problem, PLACE_OUT);
    take_sizes(problem, PLACE_IN);
    take_sizes(problem, PLACE_OUT); /* H', W' alone, when N and C came with the input's sizes */
    if (has_place(problem->op, PLACE_GRID))
        take_from_grid(problem);
    else if (take_scaled(problem) != STATUS_OK)
        return STATUS_REFUSED;
    int status = check_known(problem);
    if (status == STATUS_OK)
        status = check_order(problem, PLACE_IN);
    return status == STATUS_OK ? check_order(problem, PLACE_OUT) : status;
}

/* ---- The whole ---- */

static int name_tensor(struct problem *problem, int k)
{
    const char *tensor = problem->op->tensor[k].name;
    const char *file = k < problem->n_files ? problem->settings->words[1 + k] : NULL;
    size_t room = strlen(tensor) + (file ? strlen(file) : 0) + sizeof " ()";
    problem->name[k] = malloc(room);
    if (!problem->name[k])
        return complain_memory("a tensor's name");
    snprintf(problem->name[k], room, file ? "%s (%s)" : "%s", tensor, file);
    problem->tensor[k].name = problem->name[k];
    return STATUS_OK;
}

/* The tensors that no file has given, without data. */
static int make_tensor(struct problem *problem, int k)
{
    enum place place = problem->op->tensor[k].place;
    struct dimension_order order = dimension_order(problem->op->rank, problem_channels_last(problem, place));
    if (k >= problem->n_files) {
        problem->array[k].header = tensor_file_header(problem->dtype, problem->op->rank, problem->shape[place], order);
        problem->tensor[k] = tensor_file_view(&problem->array[k], problem->dtype, order);
    }
    return name_tensor(problem, k);
}

static int take_params(struct problem *problem)
{
    static const enum option_id options[] = {OPT_COORDINATES, OPT_ALIGN_CORNERS, OPT_ASYMMETRIC};
    const struct settings *settings = problem->settings;
    const struct op *op = problem->op;
    for (int k = 0; k < 3; k++)
        for (int other = k + 1; other < 3; other++)
            if (is_given(settings, options[k]) && is_given(settings, options[other]))
                return complain(STATUS_REFUSED, "--%s and --%s exclude each other", option_name(options[k]),
                                option_name(options[other]));
    problem->params = operator_params(op, settings);
    if (problem->params.coordinates == REGRAD_ASYMMETRIC && op->options & OPTION_BIT(OPT_COORDINATES) &&
        !(op->options & OPTION_BIT(OPT_ASYMMETRIC)))
        return complain(STATUS_REFUSED, "%s: --coordinates is 'asymmetric'; wanted half_pixel or align_corners",
                        op->name);
    return STATUS_OK;
}

static void take_output_size(struct problem *problem)
{
    const struct sizes *given = &problem->settings->output_size;
    for (int d = 0; d < 2; d++)
        problem->params.output_size[d] =
            given->n >= 2 ? given->value[given->n - 2 + d] : problem->shape[PLACE_OUT][2 + d];
}

/* Is `out` what a forward with this scale makes of `in`? Scales may be floats, or quotients of sizes. */
static bool fits(double scale, int64_t in, int64_t out)
{
    const double product = scale * (double)in;
    return floor(product) == (double)out || fabs(product - (double)out) <= 1e-6 * (double)out;
}

/* The scale of a gradient is the forward's too: the reverse is a result of another forward, and seldom meant. */
static void warn_of_scale(const struct problem *problem, int axis)
{
    const int64_t in = problem->shape[PLACE_IN][2 + axis], out = problem->shape[PLACE_OUT][2 + axis];
    const double scale = problem->params.scale[axis];
    if (!(scale > 0) || !isfinite(scale) || in <= 0 || out <= 0 || fits(scale, in, out) || !fits(scale, out, in))
        return;
    warn("%s: --%s is %g, the forward's input over its output (%" PRId64 " / %" PRId64
         "); wanted its output over its input, about %.9g, or no scale, which means the sizes",
         problem->op->name, option_name(axis_scale(problem->op, axis)), scale, in, out, (double)out / (double)in);
}

static void warn_of_scales(const struct problem *problem)
{
    if (problem->params.coordinates == REGRAD_ALIGN_CORNERS)
        return; /* which uses no scale */
    for (int axis = 0; axis < axis_count(problem->op); axis++)
        warn_of_scale(problem, axis);
}

int problem_init(struct problem *problem, const struct settings *settings, enum files_needed needed)
{
    const struct op *op = operator_find(settings->words[0]);
    *problem = (struct problem){.op = op, .settings = settings, .n_files = settings->n_words - 1};
    if (!op)
        return STATUS_REFUSED;
    problem->dtype = settings->dtype == DTYPE_OF_FILE ? REGRAD_FLOAT32 : (regrad_dtype)settings->dtype;
    int status = check_file_count(problem, needed);
    if (status == STATUS_OK)
        status = take_params(problem);
    if (status == STATUS_OK)
        status = take_files(problem);
    if (status == STATUS_OK)
        status = find_shapes(problem);
    if (status == STATUS_OK)
        take_output_size(problem);
    for (int k = 0; k < op->n_tensors && status == STATUS_OK; k++)
        status = make_tensor(problem, k);
    if (status == STATUS_OK)
        warn_of_scales(problem);
    return status;
}

void problem_fini(struct problem *problem)
{
    for (int k = 0; k < OP_MAX_TENSORS; k++) {
        tensor_file_free(&problem->array[k]);
        free(problem->name[k]);
    }
}

struct call problem_call(const struct problem *problem)
{
    struct call call = {.op = problem->op, .params = problem->params};
    for (int k = 0; k < problem->op->n_tensors; k++) {
        enum option_id option = problem->op->tensor[k].option;
        int mask = problem->settings->output_mask;
        bool wanted =
            (option != OPT_INPUT_GRAD || mask & MASK_INPUT_GRAD) && (option != OPT_GRID_GRAD || mask & MASK_GRID_GRAD);
        call.tensor[k] = wanted ? &problem->tensor[k] : NULL;
    }
    return call;
}
