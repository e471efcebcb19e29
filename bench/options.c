/* SPDX-License-Identifier: Apache-2.0 */
#include "options.h"

#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"
#include "fail.h"
#include "machine.h"
#include "regrad.h"

static const char help[] =
    "Usage: regrad-bench [OPTION]... [WORKLOAD-FILE]...\n"
    "\n"
    "Times regrad's gradients beside what memory alone takes (the floor) and beside PyTorch and oneDNN, in turns, and\n"
    "prints tables. Without files the workloads of the project are run. docs/performance.md says how to read it.\n"
    "\n"
    "  --sweep=N        N random shapes instead of workloads, each timed as one call that plans and runs; prints\n"
    "                   quantiles and the worst of them\n"
    "  --seed=S         which random shapes; the same ones on every machine (default 1)\n"
    "  --threads=LIST   numbers of threads, for instance 1,2,4 (default: 1 and all cores)\n"
    "  --quick          only the lines that say quick, and shorter\n"
    "  --filter=TEXT    only the lines that hold TEXT\n"
    "  --operators=LIST only operators whose names match one of these patterns, as in regrad.h without regrad_, for\n"
    "                   instance upsample_*3d*,grid_sampler_3d_backward; random shapes are drawn of these\n"
    "  --peers=LIST     of PyTorch,oneDNN,off,warn,error,steps, or none (default: all that are installed)\n"
    "  --python=FILE    the Python that has PyTorch (default /usr/bin/python3)\n"
    "  --rounds=N       how often each is timed, at most 32 (default 11, quick 5)\n"
    "  --budget=S       seconds that each may use up for a shape; the first three rounds come first (default 0.4, "
    "quick\n"
    "                   0.1)\n"
    "  --json=FILE      write everything that was measured\n"
    "  --markdown=FILE  write the tables for docs/performance.md\n"
    "  --plot=FILE      draw an SVG or PNG, by the ending of FILE; needs python3-matplotlib\n"
    "  --once           run each shape once, with the first number of threads, and time nothing: for programs that\n"
    "                   count instructions\n"
    "  --list           print the shapes and the bytes that they move, and measure nothing\n"
    "  --help\n";

enum {
    SWEEP = 1,
    SEED,
    THREADS,
    QUICK,
    FILTER,
    OPERATORS,
    PEERS,
    PYTHON,
    ROUNDS,
    BUDGET,
    JSON,
    MARKDOWN,
    PLOT,
    ONCE,
    LIST,
    HELP
};

static const struct option known[] = {
    {"sweep", required_argument, NULL, SWEEP},
    {"seed", required_argument, NULL, SEED},
    {"threads", required_argument, NULL, THREADS},
    {"quick", no_argument, NULL, QUICK},
    {"filter", required_argument, NULL, FILTER},
    {"operators", required_argument, NULL, OPERATORS},
    {"peers", required_argument, NULL, PEERS},
    {"python", required_argument, NULL, PYTHON},
    {"rounds", required_argument, NULL, ROUNDS},
    {"budget", required_argument, NULL, BUDGET},
    {"json", required_argument, NULL, JSON},
    {"markdown", required_argument, NULL, MARKDOWN},
    {"plot", required_argument, NULL, PLOT},
    {"once", no_argument, NULL, ONCE},
    {"list", no_argument, NULL, LIST},
    {"help", no_argument, NULL, HELP},
    {0},
};

static double number(const char *option, const char *text, double least, double most)
{
    char *end;
    const double value = strtod(text, &end);
    if (end == text || *end != '\0' || !(value >= least && value <= most))
        fail(STATUS_REFUSED, "--%s=%s: a number from %g to %g is wanted", option, text, least, most);
    return value;
}

static int whole_number(const char *option, const char *text, int least, int most)
{
    const double value = number(option, text, least, most);
    if (value != (int)value)
        fail(STATUS_REFUSED, "--%s=%s: a whole number from %d to %d is wanted", option, text, least, most);
    return (int)value;
}

/* Takes the next word of a list with commas off it; false at its end. No word may be empty or too long. */
static bool next_word(const char *option, const char *list, const char **rest, char *word, size_t size)
{
    if (*rest == NULL)
        return false;
    const size_t length = strcspn(*rest, ",");
    if (length == 0)
        fail(STATUS_REFUSED, "--%s=%s: nothing stands %s", option, list,
             *list == '\0'       ? "there"
             : (*rest)[0] == ',' ? "before a comma"
                                 : "after the last comma");
    if (length >= size)
        fail(STATUS_REFUSED, "--%s=%s: a word of %zu characters; %zu are the most", option, list, length, size - 1);
    memcpy(word, *rest, length);
    word[length] = '\0';
    *rest = (*rest)[length] == ',' ? *rest + length + 1 : NULL;
    return true;
}

static void read_threads(struct bench *bench, const char *list)
{
    char word[32];
    bench->n_thread_counts = 0;
    for (const char *rest = list; next_word("threads", list, &rest, word, sizeof word);) {
        if (bench->n_thread_counts == MAX_THREAD_COUNTS)
            fail(STATUS_REFUSED, "--threads=%s: more than %d numbers", list, MAX_THREAD_COUNTS);
        bench->thread_counts[bench->n_thread_counts++] = whole_number("threads", word, 1, 256);
    }
}

static void read_peers(struct bench *bench, const char *list)
{
    char word[32];
    bool none = false, some = false;
    memset(bench->wanted_peers, 0, sizeof bench->wanted_peers);
    for (const char *rest = list; next_word("peers", list, &rest, word, sizeof word);) {
        bool found = strcmp(word, "none") == 0;
        none = none || found;
        for (int i = 0; i < N_PEERS; i++) {
            const bool same = strcmp(word, peer_name(i)) == 0;
            bench->wanted_peers[i] = bench->wanted_peers[i] || same;
            some = some || same;
            found = found || same;
        }
        if (!found)
            fail(STATUS_REFUSED, "--peers=%s: '%s' is none of PyTorch, oneDNN, off, warn, error, steps, none", list,
                 word);
    }
    if (none && some)
        fail(STATUS_REFUSED, "--peers=%s: none, or names; not both", list);
}

/* Asked before minutes of measuring rather than after. */
static void read_plot(struct options *options, const char *path)
{
    const char *const slash = strrchr(path, '/');
    const char *const name = slash != NULL ? slash + 1 : path;
    const char *const ending = strrchr(name, '.');
    if (ending == NULL || ending == name || (strcmp(ending, ".svg") != 0 && strcmp(ending, ".png") != 0))
        fail(STATUS_REFUSED, "--plot=%s: a name that ends in .svg or .png is wanted", path);
    options->plot = path;
}

/* 1 and all cores that the process may use. */
static void default_threads(struct bench *bench)
{
    const int all = regrad_num_threads();
    bench->thread_counts[0] = 1;
    bench->thread_counts[1] = all;
    bench->n_thread_counts = all > 1 ? 2 : 1;
}

static void be_quick(struct options *options, struct bench *bench)
{
    options->quick = true;
    bench->effort.rounds = 5;
    bench->effort.budget = 0.1;
}

/* Options whose text is kept as it is; false for all others. */
static bool take_text(int option, struct options *options, struct bench *bench)
{
    const char **const places[] = {
        [FILTER] = &options->filter, [OPERATORS] = &options->operators, [PYTHON] = &bench->python,
        [JSON] = &options->json,     [MARKDOWN] = &options->markdown,   [HELP] = NULL,
    };
    const bool is_text = option > 0 && option <= HELP && places[option] != NULL;
    if (is_text)
        *places[option] = optarg;
    return is_text;
}

static void take_option(int option, struct options *options, struct bench *bench)
{
    switch (option) {
    case SWEEP:
        options->sweep = whole_number("sweep", optarg, 1, MOST_DRAWN);
        break;
    case SEED:
        options->seed = whole_number("seed", optarg, 0, INT_MAX);
        break;
    case THREADS:
        read_threads(bench, optarg);
        break;
    case QUICK:
        be_quick(options, bench);
        break;
    case PEERS:
        read_peers(bench, optarg);
        break;
    case ROUNDS:
        bench->effort.rounds = whole_number("rounds", optarg, 1, MAX_SAMPLES);
        break;
    case BUDGET:
        bench->effort.budget = number("budget", optarg, 0, 3600);
        break;
    case PLOT:
        read_plot(options, optarg);
        break;
    case ONCE:
        options->once = true;
        break;
    case LIST:
        options->list = true;
        break;
    case HELP:
        fputs(help, stdout);
        exit(EXIT_SUCCESS);
    default:
        exit(STATUS_REFUSED); /* getopt_long has said why */
    }
}

struct options options_read(int argc, char **argv, struct bench *bench)
{
    struct options options = {.seed = 1};
    *bench = (struct bench){.python = "/usr/bin/python3",
                            .effort = {.sample = 0.002, .budget = 0.4, .rounds = 11, .first_rounds = 3}};
    for (int i = 0; i < N_PEERS; i++)
        bench->wanted_peers[i] = true;
    default_threads(bench);
    int option;
    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1)
        if (!take_text(option, &options, bench))
            take_option(option, &options, bench);
    options.files = argv + optind;
    options.n_files = argc - optind;
    if (options.sweep > 0 && options.n_files > 0)
        fail(STATUS_REFUSED, "--sweep=%d: random shapes, or workload files; not both", options.sweep);
    return options;
}
