/* SPDX-License-Identifier: Apache-2.0 */
/* The options of all commands: one table, from which they are parsed, checked and explained. */
#ifndef OPTIONS_H
#define OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "regrad.h"

enum option_id {
    OPT_COORDINATES,
    OPT_ALIGN_CORNERS,
    OPT_ASYMMETRIC,
    OPT_HALF_PIXEL_CENTERS,
    OPT_LAW,
    OPT_SCALE_L, /* the scales follow one another, those of the axes L, D, H, W */
    OPT_SCALE_D,
    OPT_SCALE_H,
    OPT_SCALE_W,
    OPT_INTERPOLATION,
    OPT_PADDING,
    OPT_INPUT_SIZE,
    OPT_OUTPUT_SIZE,
    OPT_LAYOUT,
    OPT_DTYPE,
    OPT_OUTPUT,
    OPT_INPUT_GRAD,
    OPT_GRID_GRAD,
    OPT_OUTPUT_MASK,
    OPT_THREADS,
    OPT_MEMORY,
    OPT_TIME,
    OPT_OVERWRITE,
    OPT_SEED,
    OPT_ATOL,
    OPT_RTOL,
    OPT_ULP,
    OPT_POSITIONS,
    OPT_INSTALL,
    OPT_CHECK,
    OPT_LOG,
    OPT_REPORT,
    OPT_TRACE,
    OPT_FORMAT,
    OPT_SUPPRESS,
    OPT_HELP,
    OPT_VERSION,
    N_OPTIONS
};

/* How findings are written. */
enum format { FORMAT_NONE, FORMAT_TEXT, FORMAT_JSON, FORMAT_GITHUB, FORMAT_SARIF, FORMAT_JUNIT };

/* A set of options. */
typedef uint64_t option_set;

#define OPTION_BIT(id) ((option_set)1 << (id))

enum { N_SCALES = OPT_SCALE_W - OPT_SCALE_L + 1 };

/* N, C, H, W (or as many as there are) or a part of it: as many numbers as were given. */
struct sizes {
    int n;
    int64_t value[REGRAD_MAX_RANK];
};

struct settings {
    option_set given;
    /* values of enums; dtype may be DTYPE_OF_FILE */
    int coordinates, law, interpolation, padding, channels_last, dtype;
    double scale[N_SCALES]; /* number 0 is that of OPT_SCALE_L */
    struct sizes input_size, output_size;
    const char *output, *input_grad, *grid_grad;
    int output_mask;
    int64_t threads, memory, seed, positions;
    double atol, rtol, ulp;
    const char *install, *check, *log, *report, *trace, *suppress;
    int format;  /* an enum format */
    int n_words; /* the words that are no options: the operator and the files */
    char **words;
};

enum { DTYPE_OF_FILE = -1 };

/* Bits of settings.output_mask. */
enum { MASK_INPUT_GRAD = 1, MASK_GRID_GRAD = 2 };

static inline bool is_given(const struct settings *settings, enum option_id id)
{
    return settings->given & OPTION_BIT(id);
}

/* Parses what follows a command's name; argv[0] is that name. The first word may end the options: those behind it are
 * not ours. Complains and returns an exit status. */
int options_parse(int argc, char **argv, bool ends_at_word, struct settings *settings);

/* The name without its hyphens. */
const char *option_name(enum option_id id);

/* Refuses options that are given but not in the set. `user` is the command or operator that does not take them. */
int options_check(const struct settings *settings, option_set allowed, const char *user);

/* Prints a line or two for each option in the set, to standard output. */
void options_help(option_set set);

#endif
