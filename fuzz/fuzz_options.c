/* SPDX-License-Identifier: Apache-2.0 */
/* Command lines: each line of the input is a word. What is parsed is checked against an operator, its sizes are worked
 * out, and it is planned, as `regrad describe` does it. A refusal must say something. */
#include <getopt.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "complain.h"
#include "operators.h"
#include "options.h"
#include "problem.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { MOST_WORDS = 40, LARGEST = 1000 };

static char said[4096];

static void require(int condition)
{
    if (!condition)
        abort();
}

/* ---- In the place of complain.c, which prints ------------------------------------------------- */

int complain(int status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    require(vsnprintf(said, sizeof said, format, arguments) > 0);
    va_end(arguments);
    return status;
}

void warn(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    require(vsnprintf(said, sizeof said, format, arguments) > 0);
    va_end(arguments);
}

int complain_library(regrad_status status)
{
    return complain(status == REGRAD_ERROR_OUT_OF_MEMORY ? STATUS_SYSTEM : STATUS_REFUSED, "%s", regrad_last_message());
}

int complain_memory(const char *what)
{
    return complain(STATUS_SYSTEM, "no memory for %s", what);
}

/* ---- One command line ------------------------------------------------------------------------- */

/* Splits the text into words, in their own memory. */
static int make_words(const char *text, char *words[MOST_WORDS + 1])
{
    int n = 0;
    while (n < MOST_WORDS && *text != '\0') {
        const size_t length = strcspn(text, "\n");
        words[n++] = strndup(text, length);
        text += length + (text[length] == '\n');
    }
    words[n] = NULL;
    return n;
}

static int is_small(const struct sizes *sizes)
{
    require(sizes->n >= 0 && sizes->n <= REGRAD_MAX_RANK);
    int small = 1;
    for (int d = 0; d < sizes->n; d++)
        small &= sizes->value[d] <= LARGEST;
    return small;
}

/* Without files, so that what is read does not depend on the machine; and no more than it has memory for. */
static int describe(const struct settings *settings)
{
    struct problem problem;
    regrad_plan *plan = NULL;
    int status = problem_init(&problem, settings, FILES_OPTIONAL);
    int is_planned = status == STATUS_OK && is_small(&settings->input_size) && is_small(&settings->output_size);
    for (int d = 0; is_planned && d < problem.op->rank; d++)
        is_planned = problem.shape[PLACE_OUT][d] <= LARGEST;
    const struct call call = is_planned ? problem_call(&problem) : (struct call){0};
    if (is_planned && problem.op->make_plan(&call, &plan) != REGRAD_OK)
        status = complain_library(REGRAD_ERROR_INVALID_ARGUMENT);
    regrad_plan_destroy(plan);
    problem_fini(&problem);
    return status;
}

static int try_words(int n, char **words)
{
    struct settings settings;
    int status = options_parse(n, words, 0, &settings);
    if (status != STATUS_OK || settings.n_words != 1)
        return status;
    const struct op *op = operator_find(settings.words[0]);
    if (op == NULL)
        return STATUS_REFUSED;
    const option_set sizes =
        OPTION_BIT(OPT_INPUT_SIZE) | OPTION_BIT(OPT_OUTPUT_SIZE) | OPTION_BIT(OPT_LAYOUT) | OPTION_BIT(OPT_DTYPE);
    status = options_check(&settings, op->options | sizes, op->name);
    return status == STATUS_OK ? describe(&settings) : status;
}

/* A parse that was given up leaves getopt_long in the midst of a word. */
static void reset_getopt(void)
{
    char *none[] = {"", NULL};
    optind = 0;
    getopt_long(1, none, "", (const struct option[]){{0}}, NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *words[MOST_WORDS + 1], *text = malloc(size + 1), *given[MOST_WORDS];
    require(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    const int n = make_words(text, words);
    memcpy(given, words, (size_t)n * sizeof *words); /* getopt_long moves them */
    said[0] = '\0';
    reset_getopt();
    const int status = n > 0 ? try_words(n, words) : STATUS_OK;
    require(status == STATUS_OK || said[0] != '\0');
    for (int k = 0; k < n; k++)
        free(given[k]);
    free(text);
    return 0;
}
