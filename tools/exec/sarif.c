/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "formats.h"
#include "kinds.h"
#include "regrad.h"
#include "report.h"
#include "suppress.h"

/* ---- Places ----------------------------------------------------------------------------------- */

/* Relative to the root where it is beneath that. */
static void print_artifact(FILE *file, const char *path)
{
    fputs("\"artifactLocation\":{\"uri\":\"", file);
    escape_uri(file, path);
    fputs(*path == '/' ? "\"}" : "\",\"uriBaseId\":\"%SRCROOT%\"}", file);
}

/* The program or library, where the source is not known: there are readers that take no result without a file. */
static void print_physical(FILE *file, const struct finding_place *place)
{
    const char *name = place->file != NULL ? place->file : place->module;
    char *path = name != NULL ? format_path(name) : NULL;
    if (path == NULL)
        return;
    fputs("\"physicalLocation\":{", file);
    print_artifact(file, path);
    if (place->line > 0) {
        fprintf(file, ",\"region\":{\"startLine\":%d", place->line);
        if (place->column > 0)
            fprintf(file, ",\"startColumn\":%d", place->column);
        putc('}', file);
    }
    fputs("},", file);
    free(path);
}

/* Up to its end, which the caller writes. */
static void begin_location(FILE *file, const struct finding_place *place)
{
    putc('{', file);
    print_physical(file, place);
    fputs("\"logicalLocations\":[{\"fullyQualifiedName\":", file);
    escape_json(file, place->function != NULL ? place->function : place->text);
    fputs(",\"kind\":\"function\"}]", file);
}

static void print_objects(FILE *file, const struct finding *finding)
{
    int n = 0;
    fputs(",\"relatedLocations\":[", file);
    for (const struct finding_object *object = finding->objects; object != NULL; object = object->next) {
        if (object->places == NULL)
            continue;
        fputs(n++ > 0 ? "," : "", file);
        begin_location(file, object->places);
        fprintf(file, ",\"id\":%d,\"message\":{\"text\":", n);
        escape_json(file, object->what != NULL ? object->what : "an object");
        fputs("}}", file);
    }
    putc(']', file);
}

static void print_stack(FILE *file, const struct finding *finding)
{
    if (finding->places == NULL)
        return;
    fputs(",\"stacks\":[{\"frames\":[", file);
    for (const struct finding_place *place = finding->places; place != NULL; place = place->next) {
        fputs("{\"location\":", file);
        begin_location(file, place);
        fputs(place->next != NULL ? "}}," : "}}", file);
    }
    fputs("]}]", file);
}

/* ---- Results ---------------------------------------------------------------------------------- */

static void print_message(FILE *file, const struct finding *finding)
{
    char *text = NULL;
    if (asprintf(&text, "%s: %s%s%s", finding->function != NULL ? finding->function : "?",
                 finding->what != NULL ? finding->what : finding->kind, finding->instead != NULL ? "; instead: " : "",
                 finding->instead != NULL ? finding->instead : "") < 0)
        text = NULL;
    fputs("\"message\":{\"text\":", file);
    escape_json(file, text != NULL ? text : finding->kind);
    putc('}', file);
    free(text);
}

static void print_suppression(FILE *file, const struct suppression *suppression)
{
    fputs(",\"suppressions\":[", file);
    if (suppression != NULL) {
        fputs("{\"kind\":\"external\",\"justification\":", file);
        char *text = NULL;
        const int length = asprintf(&text, "%s:%d", suppression->file, suppression->line);
        escape_json(file, length >= 0 ? text : suppression->file);
        if (length >= 0)
            free(text);
        putc('}', file);
    }
    putc(']', file);
}

/* Kinds that have been met before are rules before. */
static int find_rule(const struct finding *const *rules, int n, const char *kind)
{
    int k = 0;
    while (k < n && strcmp(rules[k]->kind, kind) != 0)
        k++;
    return k;
}

static void print_result(FILE *file, const struct finding *finding, int rule)
{
    const struct finding_place *place = finding_first_place(finding);
    fputs("{\"ruleId\":", file);
    escape_json(file, finding->kind);
    fprintf(file, ",\"ruleIndex\":%d,\"level\":\"%s\",", rule, finding->is_note ? "note" : "error");
    print_message(file, finding);
    if (place != NULL) {
        fputs(",\"locations\":[", file);
        begin_location(file, place);
        fputs("}]", file);
    }
    print_objects(file, finding);
    print_stack(file, finding);
    print_suppression(file, finding->suppression);
    fputs(",\"properties\":{\"process\":", file);
    escape_number(file, finding->process, 0);
    fputs(",\"time_us\":", file);
    escape_number(file, finding->time, 0);
    fputs("}}", file);
}

/* ---- Rules ------------------------------------------------------------------------------------ */

static void print_rule(FILE *file, const struct finding *finding)
{
    char *help = NULL;
    const char *text = kinds_text(finding->kind);
    if (asprintf(&help, "%s. The page docs/check/%s.md of regrad has an example, and mends it.", text, finding->kind) <
        0)
        help = NULL;
    fputs("{\"id\":", file);
    escape_json(file, finding->kind);
    fputs(",\"shortDescription\":{\"text\":", file);
    escape_json(file, text);
    fputs("},\"help\":{\"text\":", file);
    escape_json(file, help != NULL ? help : text);
    fprintf(file, "},\"defaultConfiguration\":{\"level\":\"%s\"}}", finding->is_note ? "note" : "error");
    free(help);
}

/* One finding of each kind. Returns how many; -1 without memory. */
static int find_rules(const struct finding ***rules, const struct record *record)
{
    const struct finding *const lists[] = {record->findings, record->suppressed};
    const int n_findings = record->n_mistakes + record->n_notes + record->n_suppressed;
    int n = 0;
    *rules = calloc((size_t)n_findings + 1, sizeof **rules);
    for (int list = 0; list < 2 && *rules != NULL; list++)
        for (const struct finding *finding = lists[list]; finding != NULL; finding = finding->next)
            if (find_rule(*rules, n, finding->kind) == n)
                (*rules)[n++] = finding;
    return *rules != NULL ? n : -1;
}

/* ---- The document ----------------------------------------------------------------------------- */

static void print_root(FILE *file)
{
    char *root = format_root();
    if (root == NULL)
        return;
    fputs("\"originalUriBaseIds\":{\"%SRCROOT%\":{\"uri\":\"", file);
    escape_uri(file, root);
    fputs("/\"}},\n", file);
    free(root);
}

static void print_invocation(FILE *file, const struct run *run)
{
    const int has_ended = run->end.signal == 0;
    fprintf(file, "\"invocations\":[{\"executionSuccessful\":%s,\"%s\":%d,\"arguments\":[",
            has_ended ? "true" : "false", has_ended ? "exitCode" : "exitSignalNumber",
            has_ended ? run->end.status : run->end.signal);
    for (char **word = run->words; *word != NULL; word++) {
        escape_json(file, *word);
        fputs(word[1] != NULL ? "," : "", file);
    }
    fputs("]}],\n", file);
}

static void print_results(FILE *file, const struct record *record, const struct finding *const *rules, int n_rules)
{
    const struct finding *const lists[] = {record->findings, record->suppressed};
    int n = 0;
    fputs("\"results\":[", file);
    for (int list = 0; list < 2; list++)
        for (const struct finding *finding = lists[list]; finding != NULL; finding = finding->next) {
            fputs(n++ > 0 ? ",\n" : "\n", file);
            print_result(file, finding, find_rule(rules, n_rules, finding->kind));
        }
    fputs("]}]}\n", file);
}

int sarif_print(FILE *file, const void *told)
{
    const struct run *run = told;
    const struct finding **rules;
    const int n = find_rules(&rules, run->record);
    if (n < 0)
        return 0;
    fputs("{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\"version\":\"2.1.0\",\"runs\":[{\n", file);
    fprintf(file, "\"tool\":{\"driver\":{\"name\":\"regrad exec\",\"version\":\"%s\",\"rules\":[", regrad_version());
    for (int k = 0; k < n; k++) {
        fputs(k > 0 ? ",\n" : "\n", file);
        print_rule(file, rules[k]);
    }
    fputs("]}},\n", file);
    print_root(file);
    print_invocation(file, run);
    print_results(file, run->record, rules, n);
    free(rules);
    return 1;
}
