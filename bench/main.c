/* SPDX-License-Identifier: Apache-2.0 */
/*
 * regrad-bench: times regrad's gradients beside what memory alone takes and beside other implementations.
 *
 * op, shape, workload, draw    what is run
 * data               on which numbers
 * floor, native, aclnn, peer    what is timed
 * measure, timer     in turns, several times
 * bench              all of that for one shape
 * table, summary, json    what comes out
 */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "draw.h"
#include "fail.h"
#include "json.h"
#include "machine.h"
#include "options.h"
#include "summary.h"
#include "table.h"
#include "workload.h"

/* All that is run, and what came out so far. */
struct session {
    struct options options;
    struct bench bench;
    char command[512];
    struct workload *workloads;
    int n_workloads;
    struct result *results;
    int n_results;
};

static bool is_wanted(const struct session *session, const struct shape *shape)
{
    const struct options *options = &session->options;
    return (!options->quick || shape->quick) && op_matches(&shape->op, options->operators) &&
           (options->filter == NULL || strstr(shape->text, options->filter) != NULL);
}

static void read_workloads(struct session *session)
{
    if (session->options.sweep > 0) {
        session->workloads = take_memory(sizeof session->workloads[0]);
        session->workloads[0] =
            draw_workload(session->options.sweep, session->options.seed, session->options.operators);
        session->n_workloads = 1;
        return;
    }
    glob_t found = {0};
    char **files = session->options.files;
    int n = session->options.n_files;
    if (n == 0) {
        if (glob(WORKLOADS "/*.txt", 0, NULL, &found) != 0)
            fail(STATUS_REFUSED, "there are no workloads in %s", WORKLOADS);
        files = found.gl_pathv;
        n = (int)found.gl_pathc;
    }
    session->workloads = take_memory((size_t)n * sizeof session->workloads[0]);
    session->n_workloads = n;
    for (int i = 0; i < n; i++)
        session->workloads[i] = workload_read(files[i]);
    globfree(&found);
}

/* A run that would measure nothing has a wrong filter, or wrong operators. */
static void look_for_shapes(const struct session *session)
{
    for (int i = 0; i < session->n_workloads; i++)
        for (int j = 0; j < session->workloads[i].n_shapes; j++)
            if (is_wanted(session, &session->workloads[i].shapes[j]))
                return;
    if (session->options.operators != NULL && session->options.filter == NULL)
        fail(STATUS_REFUSED, "--operators=%s: no line%s is of such an operator", session->options.operators,
             session->options.quick ? " that says quick" : "");
    if (session->options.filter != NULL)
        fail(STATUS_REFUSED, "--filter=%s: no line%s holds that", session->options.filter,
             session->options.quick ? " that says quick" : "");
    fail(STATUS_REFUSED, "the workloads have no line%s", session->options.quick ? " that says quick" : "");
}

/* Results stay where they are, as they point to one another: there is room for all. */
static void take_results(struct session *session)
{
    size_t n = 1;
    for (int i = 0; i < session->n_workloads; i++)
        n += (size_t)(session->workloads[i].n_shapes * session->bench.n_thread_counts);
    session->results = take_memory(n * sizeof session->results[0]);
}

static void list(const struct session *session)
{
    for (int i = 0; i < session->n_workloads; i++) {
        const struct workload *workload = &session->workloads[i];
        printf("%s: %s\n", workload->name, workload->title);
        for (int j = 0; j < workload->n_shapes; j++) {
            const struct shape *shape = &workload->shapes[j];
            const struct plan_of_memory memory = shape_memory(shape);
            if (is_wanted(session, shape))
                printf("  %-70s reads %11zu, writes %11zu bytes\n", shape->text, memory.must_read, memory.must_write);
        }
    }
}

static void run_once(const struct session *session)
{
    for (int i = 0; i < session->n_workloads; i++) {
        for (int j = 0; j < session->workloads[i].n_shapes; j++) {
            const struct shape *shape = &session->workloads[i].shapes[j];
            if (is_wanted(session, shape) && bench_once(shape, session->bench.thread_counts[0]))
                printf("ran %s\n", shape->text);
        }
    }
}

/* Measures a shape, and shows it. `base` is where the results of the last shape that is not beside another stand;
 * NULL: there is none in this workload. Returns the same for the next. */
static const struct result *run_shape(struct session *session, const struct workload *workload,
                                      const struct shape *shape, const struct result *base)
{
    struct result *results = &session->results[session->n_results];
    if (!bench_shape(&session->bench, shape, results))
        return base;
    const int n = session->bench.n_thread_counts;
    for (int i = 0; i < n; i++) {
        results[i].workload = workload->name;
        results[i].single = results[0].n_threads == 1 ? &results[0] : NULL;
        results[i].beside = shape->beside && base != NULL ? &base[i] : NULL;
        table_text(stdout, &results[i]);
    }
    session->n_results += n;
    return shape->beside ? base : results;
}

static void run_workload(struct session *session, const struct workload *workload, FILE *markdown)
{
    const int first = session->n_results;
    const struct result *base = NULL;
    bool titled = false;
    for (int i = 0; i < workload->n_shapes; i++) {
        if (!is_wanted(session, &workload->shapes[i]))
            continue;
        if (!titled)
            table_text_title(stdout, workload->title);
        titled = true;
        base = run_shape(session, workload, &workload->shapes[i], base);
    }
    if (markdown != NULL && session->n_results > first)
        table_markdown(markdown, workload->title, &session->results[first], session->n_results - first);
}

static FILE *create(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file == NULL)
        fail(STATUS_SYSTEM, "%s: it cannot be written", path);
    return file;
}

static void finish(FILE *file, const char *path)
{
    if (ferror(file) != 0 || fclose(file) != 0)
        fail(STATUS_SYSTEM, "%s: it cannot be written", path);
}

static void markdown_head(FILE *file, const struct session *session, const struct machine *machine)
{
    fprintf(file, "| | |\n|---|---|\n| command | `%s` |\n", session->command);
    for (int i = 0; i < N_FACTS; i++)
        fprintf(file, "| %s | %s |\n", machine->facts[i].name, machine->facts[i].value);
    for (int i = 0; i < N_PEERS; i++) {
        const struct peer *peer = session->bench.peers[i];
        if (peer != NULL)
            fprintf(file, "| %s | %s |\n", peer_name(i), peer_version(peer));
    }
}

static void text_head(const struct session *session, const struct machine *machine)
{
    printf("%s\n", session->command);
    for (int i = 0; i < N_FACTS; i++)
        printf("%s: %s\n", machine->facts[i].name, machine->facts[i].value);
    for (int i = 0; i < N_PEERS; i++) {
        if (session->bench.peers[i] != NULL)
            printf("%s: %s\n", peer_name(i), peer_version(session->bench.peers[i]));
    }
}

/* Has plot.py draw what the JSON file holds. */
static void draw(const char *json, const char *picture)
{
    const pid_t process = fork();
    if (process == 0) {
        execl("/usr/bin/python3", "python3", PLOT_SCRIPT, json, picture, (char *)NULL);
        _exit(127);
    }
    int status;
    if (process < 0 || waitpid(process, &status, 0) < 0 || status != 0)
        fail(STATUS_SYSTEM, "%s: it could not be drawn", picture);
}

static void write_json(const struct session *session, const struct machine *machine, const char *path)
{
    FILE *file = create(path);
    json_write(file, session->command, machine, &session->bench, session->results, session->n_results);
    finish(file, path);
}

/* The picture is drawn from the JSON file, or from one of its own where none is wanted. */
static void write_files(const struct session *session, const struct machine *machine)
{
    const struct options *options = &session->options;
    char own[] = "/tmp/regrad-bench-XXXXXX";
    const char *json = options->json;
    if (json == NULL && options->plot != NULL) {
        const int descriptor = mkstemp(own);
        if (descriptor < 0)
            fail(STATUS_SYSTEM, "%s: it cannot be written", own);
        close(descriptor);
        json = own;
    }
    if (json != NULL)
        write_json(session, machine, json);
    if (options->plot != NULL)
        draw(json, options->plot);
    if (json == own)
        unlink(own);
}

static void run(struct session *session)
{
    const struct machine machine = machine_look();
    FILE *markdown = session->options.markdown != NULL ? create(session->options.markdown) : NULL;
    take_results(session);
    bench_begin(&session->bench);
    text_head(session, &machine);
    if (markdown != NULL)
        markdown_head(markdown, session, &machine);
    for (int i = 0; i < session->n_workloads; i++)
        run_workload(session, &session->workloads[i], markdown);
    if (session->options.sweep > 0)
        summary_write(stdout, markdown, session->workloads[0].title, session->results, session->n_results);
    if (markdown != NULL)
        finish(markdown, session->options.markdown);
    write_files(session, &machine);
    bench_end(&session->bench);
    free(session->results);
}

static void note_command(struct session *session, int argc, char **argv)
{
    size_t length = 0;
    for (int i = 0; i < argc && length < sizeof session->command; i++) {
        const char *slash = strrchr(argv[i], '/');
        const char *word = i == 0 && slash != NULL ? slash + 1 : argv[i];
        length +=
            (size_t)snprintf(session->command + length, sizeof session->command - length, i > 0 ? " %s" : "%s", word);
    }
}

int main(int argc, char **argv)
{
    struct session session = {0};
    note_command(&session, argc, argv);
    session.options = options_read(argc, argv, &session.bench);
    read_workloads(&session);
    look_for_shapes(&session);
    if (session.options.list)
        list(&session);
    else if (session.options.once)
        run_once(&session);
    else
        run(&session);
    for (int i = 0; i < session.n_workloads; i++)
        workload_forget(&session.workloads[i]);
    free(session.workloads);
    if (ferror(stdout) != 0 || fclose(stdout) != 0)
        fail(STATUS_SYSTEM, "what was printed did not arrive");
    return EXIT_SUCCESS;
}
