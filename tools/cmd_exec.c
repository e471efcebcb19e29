/* SPDX-License-Identifier: Apache-2.0 */
/* regrad exec */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ascend_home.h"
#include "command.h"
#include "complain.h"
#include "exec_run.h"
#include "output.h"
#include "report.h"

/* Where the program leaves what it finds and does. */
struct traces {
    char directory[PATH_MAX]; /* for files that nobody has named; "" for none */
    char log[PATH_MAX], trace[PATH_MAX];
    FILE *copy;           /* where the log goes in the end; NULL for nowhere */
    struct output report; /* if there is to be one */
};

/* ---- Settings --------------------------------------------------------------------------------- */

static int check_levels(const char *levels)
{
    static const char *const names[] = {"off", "warn", "error", "isolate"};
    for (const char *at = levels; at != NULL; at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
        const size_t length = strcspn(at, ",");
        size_t k = 0;
        while (k < 4 && (strlen(names[k]) != length || strncmp(at, names[k], length) != 0))
            k++;
        if (k == 4)
            return complain(STATUS_REFUSED, "--check is '%s'; wanted off, warn, error or isolate, or some with commas",
                            levels);
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
                 set("ASCEND_HOME_PATH", root) | set("ASCEND_TOOLKIT_HOME", root) | set("ASCEND_OPP_PATH", opp);
    free(opp);
    free(root);
    return status;
}

/* ---- Log and trace ---------------------------------------------------------------------------- */

static int make_directory(struct traces *traces)
{
    const char *top = of_environment("TMPDIR");
    char name[PATH_MAX - 16], *path = NULL;
    snprintf(name, sizeof name, "%s/regrad.XXXXXX", top != NULL ? top : "/tmp");
    if (mkdtemp(name) == NULL || (path = realpath(name, NULL)) == NULL)
        return complain(STATUS_SYSTEM, "exec: %s: cannot be made: %s", name, strerror(errno));
    snprintf(traces->directory, sizeof traces->directory, "%s", path);
    free(path);
    return STATUS_OK;
}

/* The program has a log of its own, for others may write to this one, and it may be no file that can be read again. It
 * is handed on line by line. */
static int open_log(struct traces *traces, const char *name)
{
    enum { LONGEST_LINE = 1 << 16 };
    traces->copy = fopen(name, "ae");
    if (traces->copy == NULL)
        return complain(STATUS_SYSTEM, "exec: %s: cannot be opened: %s", name, strerror(errno));
    setvbuf(traces->copy, NULL, _IOLBF, LONGEST_LINE);
    return STATUS_OK;
}

/* Opens what others have named. This may have to wait for the reader of a pipe. */
static int open_named(struct traces *traces, const struct settings *settings)
{
    const char *log = settings->log != NULL ? settings->log : of_environment("REGRAD_CHECK_LOG");
    int status = log != NULL ? open_log(traces, log) : STATUS_OK;
    if (status == STATUS_OK && settings->report != NULL)
        status = output_try(&traces->report,
                            strcmp(settings->report, "html") == 0 ? "regrad-report.html" : settings->report);
    return status;
}

static int open_own(struct traces *traces, const struct settings *settings)
{
    int status = make_directory(traces);
    if (status != STATUS_OK)
        return status;
    snprintf(traces->trace, sizeof traces->trace, "%.*s/trace", PATH_MAX - 8, traces->directory);
    snprintf(traces->log, sizeof traces->log, "%.*s/log", PATH_MAX - 8, traces->directory);
    status = set("REGRAD_CHECK_LOG", traces->log);
    if (status == STATUS_OK && settings->report != NULL)
        status = set("REGRAD_TRACE", traces->trace);
    return status;
}

/* Hands the findings on. */
static int copy_log(const struct traces *traces)
{
    FILE *log = traces->copy != NULL ? fopen(traces->log, "re") : NULL;
    if (log == NULL)
        return STATUS_OK; /* nobody has asked for it, or the program has not made it */
    for (int c = getc(log); c != EOF; c = getc(log))
        putc(c, traces->copy);
    fclose(log);
    return fflush(traces->copy) == 0 ? STATUS_OK
                                     : complain(STATUS_SYSTEM, "exec: the log cannot be written: %s", strerror(errno));
}

static void read_file(struct record *record, const char *path)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return; /* the program has not made it */
    record_read(record, file);
    fclose(file);
}

static void remove_traces(const struct traces *traces)
{
    if (traces->directory[0] == '\0')
        return;
    unlink(traces->log);
    unlink(traces->trace);
    rmdir(traces->directory);
}

/* ---- The program ------------------------------------------------------------------------------ */

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* Says how it went, and returns the exit status. */
static int conclude(const struct run *run, const struct record *record)
{
    char end[REPORT_TEXT], counts[REPORT_TEXT];
    const int status = run->end.status == 0 && record->n_mistakes > 0 ? STATUS_FOUND : run->end.status;
    return complain(status, "exec: %.1500s %s; %s", run->words[0], report_end(end, &run->end),
                    report_counts(counts, record));
}

static int write_report(struct traces *traces, const struct run *run, struct record *record)
{
    read_file(record, traces->trace);
    record_close(record, now() * 1e6);
    return record->is_out_of_memory ? complain_memory("the report") : report_write(&traces->report, run, record);
}

static int run_and_tell(const struct settings *settings, struct traces *traces, const struct exec_signals *signals,
                        const char *check)
{
    struct record record;
    struct run run = {.words = settings->words, .check = check};
    const double begin = now();
    run.end = exec_run(settings->words, signals);
    run.seconds = now() - begin;
    if (!run.end.was_run)
        return run.end.status;
    record_init(&record);
    read_file(&record, traces->log);
    int status = copy_log(traces);
    if (settings->report != NULL)
        status |= write_report(traces, &run, &record);
    const int told = conclude(&run, &record);
    record_fini(&record);
    return told != 0 ? told : status;
}

static int run_held(const struct settings *settings, struct traces *traces, const char *check)
{
    struct exec_signals signals;
    exec_hold(&signals);
    int status = open_own(traces, settings);
    if (status == STATUS_OK)
        status = run_and_tell(settings, traces, &signals, check);
    remove_traces(traces);
    return status;
}

static int run_exec(const struct settings *settings)
{
    struct traces traces = {.report = OUTPUT_NONE};
    if (settings->n_words == 0)
        return complain(STATUS_REFUSED, "exec: no program is given");
    const char *check = settings->check != NULL ? settings->check : of_environment("REGRAD_CHECK");
    int status = settings->check != NULL ? check_levels(check) : STATUS_OK;
    if (check == NULL)
        check = "error";
    if (status == STATUS_OK)
        status = set_paths();
    if (status == STATUS_OK)
        status = set("REGRAD_CHECK", check);
    if (status == STATUS_OK)
        status = open_named(&traces, settings);
    if (status == STATUS_OK)
        status = run_held(settings, &traces, check);
    if (traces.copy != NULL)
        fclose(traces.copy);
    return status;
}

const struct command command_exec = {
    .name = "exec",
    .summary = "runs a program of the aclnn interface, and catches its mistakes",
    .words = " [OPTION]... [--] PROGRAM [ARGUMENT]...",
    .details =
        "Runs a program that was built for the vendor's libraries with ours, and with the check mode on. Sets\n"
        "LD_LIBRARY_PATH, PATH, ASCEND_HOME_PATH, ASCEND_TOOLKIT_HOME and ASCEND_OPP_PATH as the file set_env.sh of\n"
        "'regrad ascend-home' does, and REGRAD_CHECK, REGRAD_CHECK_LOG and, for a report, REGRAD_TRACE. Options\n"
        "stand before the program. What the program finds is on standard error when it happens; a line at the\n"
        "end counts it. Signals are handed on to the program.\n\n"
        "Exit status: the program's, or 128 and the number of the signal that ended it; 99 when that would be 0,\n"
        "but there were findings (notes do not count); 126 when the program cannot be run, 127 when there is none;\n"
        "2 and 3 as everywhere when it was not run, and 3 when it ended with 0 and the report cannot be written.\n",
    .runs_program = true,
    .options = OPTION_BIT(OPT_CHECK) | OPTION_BIT(OPT_LOG) | OPTION_BIT(OPT_REPORT),
    .run = run_exec,
};
