/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <errno.h>
#include <getopt.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "suggest.h"

struct choice {
    const char *name;
    int value;
};

struct option_def {
    const char *name, *argument, *help;
    char letter;                                                               /* 0: none */
    int (*parse)(const struct option_def *def, const char *text, void *field); /* NULL: being given says all */
    size_t field;                                                              /* its place in struct settings */
    const struct choice *choices;                                              /* ended by a NULL name */
};

static int bad_value(const struct option_def *def, const char *text)
{
    return complain(STATUS_REFUSED, "--%s is '%s'; wanted %s", def->name, text, def->argument);
}

static int parse_text(const struct option_def *def, const char *text, void *field)
{
    if (text[0] == '\0')
        return bad_value(def, text);
    *(const char **)field = text;
    return STATUS_OK;
}

static int parse_real(const struct option_def *def, const char *text, void *field)
{
    char *end;
    *(double *)field = strtod(text, &end);
    return end != text && *end == '\0' ? STATUS_OK : bad_value(def, text);
}

/* A limit is a number of which NaN and less than 0 make no sense. */
static int parse_limit(const struct option_def *def, const char *text, void *field)
{
    int status = parse_real(def, text, field);
    return status == STATUS_OK && !(*(double *)field >= 0) ? bad_value(def, text) : status;
}

/* A whole number of at least 0, which ends at one of the characters in `ends` or at the end. Moves *text behind it. */
static bool take_count(const char **text, int64_t *value)
{
    if (**text < '0' || **text > '9')
        return false;
    char *end;
    errno = 0;
    long long number = strtoll(*text, &end, 10);
    *text = end;
    *value = number;
    return errno == 0;
}

static int parse_count(const struct option_def *def, const char *text, void *field)
{
    const char *rest = text;
    return take_count(&rest, field) && *rest == '\0' ? STATUS_OK : bad_value(def, text);
}

/* Bytes: a number, and perhaps the letter of a power of 1024. */
static int parse_bytes(const struct option_def *def, const char *text, void *field)
{
    static const char units[] = "KMGT";
    const char *rest = text;
    int64_t *value = field;
    if (!take_count(&rest, value))
        return bad_value(def, text);
    const char *unit = *rest ? strchr(units, *rest) : NULL;
    const int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    rest += unit != NULL;
    if (*rest || *value > INT64_MAX >> shift)
        return bad_value(def, text);
    *value <<= shift;
    return STATUS_OK;
}

static int parse_sizes(const struct option_def *def, const char *text, void *field)
{
    struct sizes *sizes = field;
    const char *rest = text;
    sizes->n = 0;
    do {
        if (sizes->n == REGRAD_MAX_RANK || !take_count(&rest, &sizes->value[sizes->n]))
            return bad_value(def, text);
        sizes->n++;
    } while (*rest == ',' && *++rest);
    return *rest == '\0' && rest[-1] != ',' ? STATUS_OK : bad_value(def, text);
}

static int parse_choice(const struct option_def *def, const char *text, void *field)
{
    struct suggestion suggestion = {0};
    for (const struct choice *choice = def->choices; choice->name; choice++) {
        if (strcmp(choice->name, text) == 0) {
            *(int *)field = choice->value;
            return STATUS_OK;
        }
        suggest_consider(&suggestion, text, choice->name);
    }
    char buffer[SUGGEST_ROOM];
    return complain(STATUS_REFUSED, "--%s is '%s'; wanted %s%s", def->name, text, def->argument,
                    suggest_text(&suggestion, buffer));
}

static const struct choice coordinates[] = {{"half_pixel", REGRAD_HALF_PIXEL},
                                            {"align_corners", REGRAD_ALIGN_CORNERS},
                                            {"asymmetric", REGRAD_ASYMMETRIC},
                                            {NULL, 0}};
static const struct choice laws[] = {
    {"forward", REGRAD_NEAREST_FORWARD_LAW}, {"gather", REGRAD_NEAREST_GATHER_LAW}, {NULL, 0}};
static const struct choice interpolations[] = {
    {"bilinear", REGRAD_BILINEAR}, {"nearest", REGRAD_NEAREST}, {"bicubic", REGRAD_BICUBIC}, {NULL, 0}};
static const struct choice paddings[] = {
    {"zeros", REGRAD_ZEROS}, {"border", REGRAD_BORDER}, {"reflection", REGRAD_REFLECTION}, {NULL, 0}};
static const struct choice layouts[] = {{"nchw", 0}, {"nhwc", 1}, {NULL, 0}};
static const struct choice masks[] = {{"both", MASK_INPUT_GRAD | MASK_GRID_GRAD},
                                      {"input_grad", MASK_INPUT_GRAD},
                                      {"grid_grad", MASK_GRID_GRAD},
                                      {NULL, 0}};
static const struct choice dtypes[] = {{"f16", REGRAD_FLOAT16},
                                       {"float16", REGRAD_FLOAT16},
                                       {"bf16", REGRAD_BFLOAT16},
                                       {"bfloat16", REGRAD_BFLOAT16},
                                       {"f32", REGRAD_FLOAT32},
                                       {"float32", REGRAD_FLOAT32},
                                       {"f64", REGRAD_FLOAT64},
                                       {"float64", REGRAD_FLOAT64},
                                       {"u8", REGRAD_UINT8},
                                       {"uint8", REGRAD_UINT8},
                                       {NULL, 0}};

static const struct choice formats[] = {{"text", FORMAT_TEXT},   {"json", FORMAT_JSON},   {"github", FORMAT_GITHUB},
                                        {"sarif", FORMAT_SARIF}, {"junit", FORMAT_JUNIT}, {NULL, 0}};

#define FIELD(name) offsetof(struct settings, name)
#define SCALE(option) (FIELD(scale) + (option - OPT_SCALE_L) * sizeof(double))

static const struct option_def defs[N_OPTIONS] = {
    [OPT_COORDINATES] = {"coordinates", "half_pixel, align_corners or asymmetric",
                         "where outputs read (default: half_pixel, at pixel centres)", 0, parse_choice,
                         FIELD(coordinates), coordinates},
    [OPT_ALIGN_CORNERS] = {"align-corners", NULL, "the centres of the corner pixels of input and output meet", 0, NULL,
                           0, NULL},
    [OPT_ASYMMETRIC] = {"asymmetric", NULL, "output o reads at o * step instead of at pixel centres", 0, NULL, 0, NULL},
    [OPT_HALF_PIXEL_CENTERS] = {"half-pixel-centers", NULL,
                                "outputs read at pixel centres (without this and --align-corners: asymmetric)", 0, NULL,
                                0, NULL},
    [OPT_LAW] = {"law", "forward or gather", "which output belongs to which input (default: forward)", 0, parse_choice,
                 FIELD(law), laws},
    [OPT_SCALE_L] = {"scale-l", "a number", "scale of the forward, output over input (default: from the sizes)", 0,
                     parse_real, SCALE(OPT_SCALE_L), NULL},
    [OPT_SCALE_D] = {"scale-d", "a number", "scale of the forward on D, output over input (default: from the sizes)", 0,
                     parse_real, SCALE(OPT_SCALE_D), NULL},
    [OPT_SCALE_H] = {"scale-h", "a number", "scale of the forward on H, output over input (default: from the sizes)", 0,
                     parse_real, SCALE(OPT_SCALE_H), NULL},
    [OPT_SCALE_W] = {"scale-w", "a number", "the same on W", 0, parse_real, SCALE(OPT_SCALE_W), NULL},
    [OPT_INTERPOLATION] = {"interpolation", "bilinear, nearest or bicubic", "(default: bilinear)", 0, parse_choice,
                           FIELD(interpolation), interpolations},
    [OPT_PADDING] = {"padding", "zeros, border or reflection", "what lies outside of the image (default: zeros)", 0,
                     parse_choice, FIELD(padding), paddings},
    [OPT_INPUT_SIZE] = {"input-size", "sizes separated by commas",
                        "of the forward's input: N,C,H,W or H,W (1-D: N,C,L or L; 3-D: N,C,D,H,W or D,H,W)", 0,
                        parse_sizes, FIELD(input_size), NULL},
    [OPT_OUTPUT_SIZE] = {"output-size", "sizes separated by commas",
                         "of the forward's output: N,C,H,W or H,W (1-D: N,C,L or L; 3-D: N,C,D,H,W or D,H,W)", 0,
                         parse_sizes, FIELD(output_size), NULL},
    [OPT_LAYOUT] = {"layout", "nchw or nhwc",
                    "order of dimensions in files, the grid aside (default: nchw; nhwc means N,L,C in 1-D and\n"
                    "          N,D,H,W,C in 3-D)",
                    0, parse_choice, FIELD(channels_last), layouts},
    [OPT_DTYPE] = {"dtype", "f16, bf16, f32, f64 or u8",
                   "type of the tensors (default: that of the files; bf16 reads uint16 files as bfloat16)", 0,
                   parse_choice, FIELD(dtype), dtypes},
    [OPT_OUTPUT] = {"output", "a file", "where the result goes; - is standard output", 'o', parse_text, FIELD(output),
                    NULL},
    [OPT_INPUT_GRAD] = {"input-grad", "a file", "where the gradient of the input goes; not computed without this", 0,
                        parse_text, FIELD(input_grad), NULL},
    [OPT_GRID_GRAD] = {"grid-grad", "a file", "where the gradient of the grid goes; not computed without this", 0,
                       parse_text, FIELD(grid_grad), NULL},
    [OPT_OUTPUT_MASK] = {"output-mask", "both, input_grad or grid_grad", "which gradients are wanted (default: both)",
                         0, parse_choice, FIELD(output_mask), masks},
    [OPT_THREADS] = {"threads", "a whole number",
                     "how many threads to use; 0: as many as there are (default). Changes no result", 0, parse_count,
                     FIELD(threads), NULL},
    [OPT_MEMORY] = {"memory", "bytes, or a number and K, M, G or T",
                    "how much of the files and results may be in memory (default: 256M). Changes no result", 0,
                    parse_bytes, FIELD(memory), NULL},
    [OPT_TIME] = {"time", NULL, "print on standard error how long the parts took", 0, NULL, 0, NULL},
    [OPT_OVERWRITE] = {"overwrite", NULL, "a result may replace a file that is read", 0, NULL, 0, NULL},
    [OPT_SEED] = {"seed", "a whole number", "of the random data where no files are given (default: 1)", 0, parse_count,
                  FIELD(seed), NULL},
    [OPT_ATOL] = {"atol", "a number from 0 on", "allow |a - b| <= atol + rtol * |b| (default: 0)", 0, parse_limit,
                  FIELD(atol), NULL},
    [OPT_RTOL] = {"rtol", "a number from 0 on", "see --atol (default: 0)", 0, parse_limit, FIELD(rtol), NULL},
    [OPT_ULP] = {"ulp", "a number from 0 on", "allow |a - b| <= this many ulp of A's type at b (default: 0)", 0,
                 parse_limit, FIELD(ulp), NULL},
    [OPT_POSITIONS] = {"positions", "a whole number", "how many positions to print of each kind (default: 5)", 0,
                       parse_count, FIELD(positions), NULL},
    [OPT_INSTALL] = {"install", "a directory", "make a tree of links there, and print nothing", 0, parse_text,
                     FIELD(install), NULL},
    [OPT_CHECK] = {"check", "off, warn, all, error or isolate",
                   "the level of the check mode, as REGRAD_CHECK (default: its value, or all); isolate,warn too", 0,
                   parse_text, FIELD(check), NULL},
    [OPT_LOG] = {"log", "a file", "where findings are appended as lines of JSON, as REGRAD_CHECK_LOG", 0, parse_text,
                 FIELD(log), NULL},
    [OPT_REPORT] = {"report", "a file", "write a page of HTML about the run; html means regrad-report.html", 0,
                    parse_text, FIELD(report), NULL},
    [OPT_TRACE] = {"trace", "a file", "write a trace of the run for Perfetto or chrome://tracing", 0, parse_text,
                   FIELD(trace), NULL},
    [OPT_FORMAT] = {"format", "text, json, github, sarif or junit",
                    "how findings are written to the log; to standard error without --log", 0, parse_choice,
                    FIELD(format), formats},
    [OPT_SUPPRESS] = {"suppress", "a file", "known findings: lines of kind, function and place", 0, parse_text,
                      FIELD(suppress), NULL},
    [OPT_HELP] = {"help", NULL, "print this help, and exit", 'h', NULL, 0, NULL},
    [OPT_VERSION] = {"version", NULL, "print the version, and exit", 'V', NULL, 0, NULL},
};

/* What getopt_long gets of the table. Its `val` is the option's id plus first_value, clear of all letters. */
enum { FIRST_VALUE = 256, LETTERS_ROOM = 4 + 2 * N_OPTIONS };

static void make_getopt_tables(struct option *table, char *letters, bool ends_at_word)
{
    if (ends_at_word)
        *letters++ = '+';
    *letters++ = ':';
    for (int id = 0; id < N_OPTIONS; id++) {
        table[id] =
            (struct option){defs[id].name, defs[id].argument ? required_argument : no_argument, NULL, FIRST_VALUE + id};
        if (defs[id].letter)
            *letters++ = defs[id].letter;
        if (defs[id].letter && defs[id].argument)
            *letters++ = ':';
    }
    *letters = '\0';
}

static int id_of(int value)
{
    if (value >= FIRST_VALUE)
        return value - FIRST_VALUE;
    int id = 0;
    while (id < N_OPTIONS && defs[id].letter != value)
        id++;
    return id;
}

/* The options that a word with two hyphens is short for, as text: "--input-size, --input-grad". How many? */
static int find_meant(const char *word, char *text, size_t room)
{
    size_t length = 0;
    int n = 0;
    text[0] = '\0';
    for (int id = 0; id < N_OPTIONS && strncmp(word, "--", 2) == 0 && word[2] != '\0'; id++) {
        if (strncmp(defs[id].name, word + 2, strlen(word + 2)) != 0)
            continue;
        length += (size_t)snprintf(text + length, room - length, "%s--%s", n > 0 ? ", " : "", defs[id].name);
        n++;
    }
    return n;
}

/* What getopt_long does not take: unknown, short for several, or with an argument where none is taken. */
static int refuse_option(const char *word)
{
    char name[64], meant[N_OPTIONS * 32];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    const int n_meant = find_meant(name, meant, sizeof meant);
    if (n_meant == 1)
        return complain(STATUS_REFUSED, "option %s takes no argument", meant);
    if (n_meant > 1)
        return complain(STATUS_REFUSED, "option '%s' is ambiguous; it may be %s", name, meant);
    struct suggestion suggestion = {0};
    for (int id = 0; id < N_OPTIONS; id++)
        suggest_consider(&suggestion, name + strspn(name, "-"), defs[id].name);
    char buffer[SUGGEST_ROOM], text[SUGGEST_ROOM] = "";
    if (suggestion.name) {
        snprintf(buffer, sizeof buffer, "--%s", suggestion.name);
        suggest_text(&(struct suggestion){buffer, 0}, text);
    }
    return complain(STATUS_REFUSED, "unknown option '%s'%s", name, text);
}

/* One answer of getopt_long. */
static int take_option(int value, char **argv, struct settings *settings)
{
    if (value == '?')
        return refuse_option(optopt > 0 && optopt < FIRST_VALUE ? (char[]){'-', (char)optopt, 0} : argv[optind - 1]);
    int id = id_of(value == ':' ? optopt : value);
    const struct option_def *def = &defs[id];
    if (value == ':')
        return complain(STATUS_REFUSED, "option --%s needs an argument: %s", def->name, def->argument);
    settings->given |= OPTION_BIT(id);
    return def->parse ? def->parse(def, optarg, (char *)settings + def->field) : STATUS_OK;
}

int options_parse(int argc, char **argv, bool ends_at_word, struct settings *settings)
{
    struct option table[N_OPTIONS + 1] = {0};
    char letters[LETTERS_ROOM];
    make_getopt_tables(table, letters, ends_at_word);
    *settings = (struct settings){.dtype = DTYPE_OF_FILE,
                                  .output_mask = MASK_INPUT_GRAD | MASK_GRID_GRAD,
                                  .memory = (int64_t)256 << 20,
                                  .seed = 1,
                                  .positions = 5};
    opterr = 0;
    optind = 1;
    int value;
    while ((value = getopt_long(argc, argv, letters, table, NULL)) != -1) {
        int status = take_option(value, argv, settings);
        if (status != STATUS_OK)
            return status;
    }
    settings->n_words = argc - optind;
    settings->words = argv + optind;
    return STATUS_OK;
}

const char *option_name(enum option_id id)
{
    return defs[id].name;
}

/* Options of which one may be meant for another: where results go, and scales. */
static const option_set alike[] = {
    OPTION_BIT(OPT_OUTPUT) | OPTION_BIT(OPT_INPUT_GRAD) | OPTION_BIT(OPT_GRID_GRAD),
    OPTION_BIT(OPT_SCALE_L) | OPTION_BIT(OPT_SCALE_D) | OPTION_BIT(OPT_SCALE_H) | OPTION_BIT(OPT_SCALE_W),
};

/* "; wanted --input-grad or --grid-grad": the options of a set that are like one that is not in it. */
static const char *instead_of(enum option_id given, option_set allowed, char *text, size_t room)
{
    size_t n = 0;
    text[0] = '\0';
    for (size_t k = 0; k < sizeof alike / sizeof alike[0]; k++)
        for (int id = 0; id < N_OPTIONS && (alike[k] & OPTION_BIT(given)); id++)
            if (alike[k] & allowed & OPTION_BIT(id))
                n += (size_t)snprintf(text + n, room - n, "%s --%s", n > 0 ? " or" : "; wanted", defs[id].name);
    return text;
}

int options_check(const struct settings *settings, option_set allowed, const char *user)
{
    char instead[64];
    for (int id = 0; id < N_OPTIONS; id++)
        if (is_given(settings, id) && !(allowed & OPTION_BIT(id)))
            return complain(STATUS_REFUSED, "%s takes no option --%s%s", user, defs[id].name,
                            instead_of(id, allowed, instead, sizeof instead));
    return STATUS_OK;
}

void options_help(option_set set)
{
    for (int id = 0; id < N_OPTIONS; id++) {
        const struct option_def *def = &defs[id];
        if (!(set & OPTION_BIT(id)))
            continue;
        if (def->letter)
            printf("  -%c, --%s", def->letter, def->name);
        else
            printf("      --%s", def->name);
        if (def->argument)
            printf(" <%s>", def->argument);
        printf("\n          %s\n", def->help);
    }
}
