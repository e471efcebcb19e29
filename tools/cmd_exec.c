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
#include "report.h"

/* Where the program leaves what it finds and does. */
struct traces {
    char directory[PATH_MAX]; /* for files that nobody has named; "" for none */
    char log[PATH_MAX], trace[PATH_MAX];
    long log_begin; /* what the log held before */
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

/* Puts a directory before the others of a list of the environment. */
static int put_first(const char *name, const char *root, const char *directory)
{
    const char *rest = of_environment(name);
    char *value = NULL;
    const int length =
        asprintf(&value, "%s/%s%s%s", root, directory, rest != NULL ? ":" : "", rest != NULL ? rest : "");
    const int status = length < 0 || setenv(name, value, 1) != 0 ? complain_memory("the environment") : STATUS_OK;
    if (length >= 0)
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
    snprintf(traces->directory, sizeof traces->directory - 16, "%s/regrad.XXXXXX", top != NULL ? top : "/tmp");
    if (mkdtemp(traces->directory) != NULL)
        return STATUS_OK;
    const int status = complain(STATUS_SYSTEM, "exec: %s: cannot be made: %s", traces->directory, strerror(errno));
    traces->directory[0] = '\0';
    return status;
}

/* The log's full path, since the program may go elsewhere, and where its findings will begin. */
static int open_log(struct traces *traces, const char *name)
{
    FILE *file = fopen(name, "ae");
    const bool is_found = file != NULL && realpath(name, traces->log) != NULL;
    const int reason = errno;
    if (is_found)
        traces->log_begin = ftell(file);
    if (file != NULL)
        fclose(file);
    return is_found ? STATUS_OK : complain(STATUS_SYSTEM, "exec: %s: cannot be opened: %s", name, strerror(reason));
}

static int open_traces(struct traces *traces, const struct settings *settings)
{
    const char *log = settings->log != NULL ? settings->log : of_environment("REGRAD_CHECK_LOG");
    char name[PATH_MAX];
    int status = make_directory(traces);
    if (status != STATUS_OK)
        return status;
    snprintf(name, sizeof name, "%.*s/log", PATH_MAX - 8, traces->directory);
    snprintf(traces->trace, sizeof traces->trace, "%.*s/trace", PATH_MAX - 8, traces->directory);
    status = open_log(traces, log != NULL ? log : name);
    if (status == STATUS_OK)
        status = set("REGRAD_CHECK_LOG", traces->log);
    if (status == STATUS_OK && settings->report != NULL)
        status = set("REGRAD_TRACE", traces->trace);
    return status;
}

static void read_file(struct record *record, const char *path, long begin)
{
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return; /* the program has not made it */
    if (fseek(file, begin, SEEK_SET) == 0)
        record_read(record, file);
    fclose(file);
}

static void remove_traces(const struct traces *traces)
{
    char name[PATH_MAX];
    if (traces->directory[0] == '\0')
        return;
    snprintf(name, sizeof name, "%.*s/log", PATH_MAX - 8, traces->directory);
    unlink(name);
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
    fprintf(stderr, "regrad: exec: %s ", run->words[0]);
    report_end(stderr, &run->end);
    fprintf(stderr, "; ");
    report_counts(stderr, record);
    fprintf(stderr, "\n");
    return run->end.status == 0 && record->n_mistakes > 0 ? STATUS_FOUND : run->end.status;
}

static int run_and_tell(const struct settings *settings, const struct traces *traces, const char *check)
{
    struct record record;
    struct run run = {.words = settings->words, .check = check};
    const double begin = now();
    run.end = exec_run(settings->words);
    run.seconds = now() - begin;
    if (!run.end.was_run)
        return run.end.status;
    record_init(&record);
    read_file(&record, traces->log, traces->log_begin);
    int status = STATUS_OK;
    if (settings->report != NULL) {
        read_file(&record, traces->trace, 0);
        const char *path = strcmp(settings->report, "html") == 0 ? "regrad-report.html" : settings->report;
        status = record.is_out_of_memory ? complain_memory("the report") : report_write(path, &run, &record);
    }
    const int told = conclude(&run, &record);
    record_fini(&record);
    return told != 0 ? told : status;
}

static int run_exec(const struct settings *settings)
{
    struct traces traces = {.directory = ""};
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
        status = open_traces(&traces, settings);
    if (status == STATUS_OK)
        status = run_and_tell(settings, &traces, check);
    remove_traces(&traces);
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
