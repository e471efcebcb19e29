/* SPDX-License-Identifier: Apache-2.0 */
/* regrad exec */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "ascend_home.h"
#include "command.h"
#include "complain.h"
#include "exec_files.h"
#include "exec_outputs.h"
#include "exec_run.h"
#include "exec_teller.h"
#include "formats.h"
#include "output.h"
#include "report.h"
#include "suppress.h"
#include "symbolise.h"

/* What is made of a run. */
struct products {
    struct exec_files files;
    struct symbols symbols;
    FILE *log; /* where findings are appended in the end; NULL for nowhere */
    const char *log_name;
    enum format format; /* of the log */
    struct suppression *suppressions;
    struct exec_outputs outputs;
};

/* ---- Settings --------------------------------------------------------------------------------- */

static int check_levels(const char *levels)
{
    static const char *const names[] = {"off", "warn", "all", "error", "isolate"};
    enum { N_NAMES = sizeof names / sizeof names[0] };
    for (const char *at = levels; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
        const size_t length = strcspn(at, ",");
        size_t k = 0;
        while (k < N_NAMES && (strlen(names[k]) != length || strncmp(at, names[k], length) != 0))
            k++;
        if (k == N_NAMES)
            return complain(STATUS_REFUSED,
                            "--check is '%s'; wanted off, warn, all, error or isolate, or some with commas", levels);
    }
    return STATUS_OK;
}

static const char *of_environment(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && *value != '\0' ? value : NULL;
}

/* Takes a directory out of a list with colons. */
static void take_out(char *list, const char *directory)
{
    const size_t length = strlen(directory);
    for (char *at = list; at != NULL;) {
        char *end = strchrnul(at, ':');
        if ((size_t)(end - at) != length || strncmp(at, directory, length) != 0) {
            at = *end != '\0' ? end + 1 : NULL;
        } else if (*end != '\0') {
            memmove(at, end + 1, strlen(end + 1) + 1);
        } else {
            at[at == list ? 0 : -1] = '\0';
            at = NULL;
        }
    }
}

/* Puts a directory before the others of a list of the environment, once. */
static int put_first(const char *name, const char *root, const char *directory)
{
    const char *before = of_environment(name);
    char *path = NULL, *rest = strdup(before != NULL ? before : ""), *value = NULL;
    int status = STATUS_OK;
    if (asprintf(&path, "%s/%s", root, directory) < 0)
        path = NULL;
    if (path != NULL && rest != NULL)
        take_out(rest, path);
    if (path == NULL || rest == NULL || asprintf(&value, "%s%s%s", path, *rest != '\0' ? ":" : "", rest) < 0 ||
        setenv(name, value, 1) != 0)
        status = complain_memory("the environment");
    free(path);
    free(rest);
    free(value);
    return status;
}

static int set(const char *name, const char *value)
{
    return setenv(name, value, 1) == 0 ? STATUS_OK : complain_memory("the environment");
}

static int set_paths(void)
{
    char *root = NULL, *opp = NULL;
    int status = ascend_home_find(&root);
    if (status == STATUS_OK && asprintf(&opp, "%s/opp", root) < 0)
        status = complain_memory("the environment");
    if (status == STATUS_OK)
        status = put_first("LD_LIBRARY_PATH", root, "lib64") | put_first("PATH", root, "bin") |
                 put_first("PYTHONPATH", root, "python/site-packages") | set("ASCEND_HOME_PATH", root) |
                 set("ASCEND_TOOLKIT_HOME", root) | set("ASCEND_OPP_PATH", opp);
    free(opp);
    free(root);
    return status;
}

/* ---- Log and trace ---------------------------------------------------------------------------- */

static int complain_log(const char *name, const char *verb)
{
    return complain(STATUS_SYSTEM, "exec: %s: cannot be %s: %s", name, verb, strerror(errno));
}

/* The program has a log of its own, for others may write to this one, and it may be no file that can be read again. It
 * gets whole lines. */
static int open_log(struct products *products, const char *name)
{
    enum { LONGEST_LINE = 1 << 16 };
    products->log_name = name;
    const int is_output = strcmp(name, "-") == 0;
    products->log = is_output ? fdopen(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0), "a") : fopen(name, "ae");
    if (products->log == NULL)
        return complain_log(name, "opened");
    setvbuf(products->log, NULL, _IOFBF, LONGEST_LINE);
    return STATUS_OK;
}

/* Opens what others have named. This may have to wait for the reader of a pipe. */
static int open_named(struct products *products, const struct settings *settings)
{
    const char *log = settings->log != NULL ? settings->log : of_environment("REGRAD_CHECK_LOG");
    const int status = exec_outputs_try(&products->outputs, settings);
    products->format = settings->log != NULL ? (enum format)settings->format : FORMAT_JSON;
    return status == STATUS_OK && log != NULL && !exec_outputs_have_document(settings) ? open_log(products, log)
                                                                                       : status;
}

static int open_own(struct products *products, const struct settings *settings)
{
    int status = exec_files_make(&products->files);
    if (status == STATUS_OK)
        status = set("REGRAD_CHECK_LOG", products->files.log);
    if (status == STATUS_OK)
        status = set("REGRAD_CHECK_TELLER", products->files.directory);
    if (status == STATUS_OK && exec_outputs_need_trace(settings))
        status = set("REGRAD_TRACE", products->files.trace);
    return status;
}

/* Hands the findings on. */
static int write_log(struct products *products, const struct record *record)
{
    int has_failed = 0;
    if (products->log == NULL)
        return STATUS_OK;
    for (const struct finding *finding = record->findings; finding != NULL && !has_failed; finding = finding->next) {
        format_print(products->log, products->format, finding);
        has_failed = fflush(products->log) != 0;
    }
    if (has_failed)
        complain_log(products->log_name, "written");
    const int is_closed = fclose(products->log) == 0;
    products->log = NULL;
    if (!has_failed && !is_closed)
        complain_log(products->log_name, "written");
    return has_failed || !is_closed ? STATUS_SYSTEM : STATUS_OK;
}

/* Nothing where the program has not made it, or put a pipe there, which might never end. */
static void read_file(struct record *record, const char *path)
{
    struct stat status;
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    const bool is_file = descriptor >= 0 && fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    FILE *file = is_file ? fdopen(descriptor, "r") : NULL;
    if (file != NULL) {
        record_read(record, file);
        fclose(file);
    } else if (descriptor >= 0) {
        close(descriptor);
    }
}

/* ---- The program ------------------------------------------------------------------------------ */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Says how it went, and returns the exit status: `status` is that of what was to be written. */
static int conclude(const struct run *run, const struct record *record, int status)
{
    char end[REPORT_TEXT], counts[REPORT_TEXT];
    const int found = record->n_mistakes > 0 ? STATUS_FOUND : STATUS_OK;
    complain(0, "exec: %.1500s %s; %s", run->words[0], report_end(end, &run->end), report_counts(counts, record));
    if (run->end.status != 0)
        return run->end.status;
    return status != STATUS_OK ? status : found;
}

/* Findings of the log, and those that it has no room for. */
static void read_findings(struct record *record, const char *log, struct finding *unlogged)
{
    read_file(record, log);
    for (struct finding *finding = unlogged, *next; finding != NULL; finding = next) {
        next = finding->next;
        finding->next = NULL;
        record_add_finding(record, finding);
    }
}

static int tell(const struct settings *settings, struct products *products, struct run *run, struct finding *unlogged)
{
    enum { MOST_SECONDS = 20 }; /* of symbolisers, in all */
    struct record record;
    record_init(&record);
    read_findings(&record, products->files.log, unlogged);
    if (products->log != NULL || exec_outputs_need_places(settings))
        symbolise(&products->symbols, record.findings, MOST_SECONDS);
    suppress_apply(products->suppressions, &record);
    if (exec_outputs_need_trace(settings))
        read_file(&record, products->files.trace);
    record_close(&record, now() * 1e6);
    run->record = &record;
    int status = write_log(products, &record);
    status |= exec_outputs_write(&products->outputs, settings, run);
    status = conclude(run, &record, status);
    record_fini(&record);
    return status;
}

static int run_and_tell(const struct settings *settings, struct products *products, const struct exec_signals *signals,
                        const char *check)
{
    struct run run = {.words = settings->words, .check = check};
    struct teller *teller = teller_start(products->files.descriptor, &products->symbols, products->suppressions);
    const double begin = now();
    run.end = exec_run(settings->words, signals);
    run.seconds = now() - begin;
    struct finding *unlogged = teller_stop(teller);
    if (run.end.was_run)
        return tell(settings, products, &run, unlogged);
    finding_free(unlogged);
    return run.end.status;
}

static int run_held(const struct settings *settings, struct products *products, const char *check)
{
    struct exec_signals signals;
    exec_hold(&signals);
    int status = open_own(products, settings);
    if (status == STATUS_OK)
        status = run_and_tell(settings, products, &signals, check);
    exec_files_remove(&products->files);
    symbols_free(&products->symbols);
    return status;
}

static int run_exec(const struct settings *settings)
{
    struct products products = {.outputs = EXEC_OUTPUTS_NONE};
    if (settings->n_words == 0)
        return complain(STATUS_REFUSED, "exec: no program is given");
    const char *check = settings->check != NULL ? settings->check : of_environment("REGRAD_CHECK");
    int status = settings->check != NULL ? check_levels(check) : STATUS_OK;
    if (check == NULL)
        check = "all";
    if (status == STATUS_OK)
        status = set_paths();
    if (status == STATUS_OK)
        status = set("REGRAD_CHECK", check);
    if (status == STATUS_OK && settings->suppress != NULL)
        status = suppress_read(&products.suppressions, settings->suppress);
    if (status == STATUS_OK)
        status = open_named(&products, settings);
    if (status == STATUS_OK)
        status = run_held(settings, &products, check);
    if (products.log != NULL)
        fclose(products.log); /* nothing was written */
    suppress_free(products.suppressions);
    return status;
}

const struct command command_exec = {
    .name = "exec",
    .summary = "runs a program of the aclnn interface, and catches its mistakes",
    .words = " [OPTION]... [--] PROGRAM [ARGUMENT]...",
    .details = "Runs a program that was built for the vendor's libraries with regrad's, and with the check mode on.\n"
               "Options stand before the program. Findings appear on standard error when they happen; a line at the\n"
               "end counts them. Signals are passed on to the program.\n\n"
               "The program gets LD_LIBRARY_PATH, PATH, PYTHONPATH, ASCEND_HOME_PATH, ASCEND_TOOLKIT_HOME and\n"
               "ASCEND_OPP_PATH as set_env.sh of 'regrad ascend-home' sets them, REGRAD_CHECK, REGRAD_CHECK_LOG and,\n"
               "for a report, REGRAD_TRACE.\n\n"
               "Exit status:\n"
               "  the program's, or 128 and the number of the signal that ended it\n"
               "  99        the program ended with 0, but there were findings (notes do not count)\n"
               "  126, 127  the program cannot be run; there is no such program\n"
               "  2         bad usage; nothing was run\n"
               "  3         a file cannot be written: nothing was run, or the program ended with 0\n",
    .runs_program = true,
    .options = OPTION_BIT(OPT_CHECK) | OPTION_BIT(OPT_LOG) | OPTION_BIT(OPT_REPORT) | OPTION_BIT(OPT_TRACE) |
               OPTION_BIT(OPT_FORMAT) | OPTION_BIT(OPT_SUPPRESS),
    .run = run_exec,
};
