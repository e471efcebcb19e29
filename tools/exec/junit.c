/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include <stdlib.h>

#include "finding_print.h"
#include "formats.h"
#include "html.h" /* whose text is that of XML too */
#include "report.h"
#include "suppress.h"

/* The block of text about a finding. */
static void print_block(FILE *file, const struct finding *finding)
{
    char *text = NULL;
    size_t size = 0;
    FILE *block = open_memstream(&text, &size);
    if (block == NULL)
        return;
    finding_print_block(block, finding);
    if (fclose(block) == 0)
        html_text(file, text);
    free(text);
}

static void begin_case(FILE *file, const struct finding *finding)
{
    const struct finding_place *place = finding_first_place(finding);
    fputs("<testcase classname=\"regrad exec.", file);
    html_text(file, finding->kind);
    fputs("\" name=\"", file);
    html_text(file, finding->function != NULL ? finding->function : finding->kind);
    char *path = place != NULL && place->file != NULL ? format_path(place->file) : NULL;
    if (place != NULL)
        fputs(" at ", file);
    if (path != NULL) {
        html_text(file, path);
        fprintf(file, ":%d", place->line);
    } else if (place != NULL) {
        html_text(file, place->text);
    }
    free(path);
    fputs("\">", file);
}

static void print_case(FILE *file, const struct finding *finding)
{
    begin_case(file, finding);
    if (finding->suppression != NULL) {
        fputs("<skipped message=\"suppressed by ", file);
        html_text(file, finding->suppression->file);
        fprintf(file, ":%d\"/>", finding->suppression->line);
    } else if (finding->is_note) {
        fputs("<system-out>", file);
        print_block(file, finding);
        fputs("</system-out>", file);
    } else {
        fputs("<failure type=\"", file);
        html_text(file, finding->kind);
        fputs("\" message=\"", file);
        html_text(file, finding->what != NULL ? finding->what : finding->kind);
        fputs("\">", file);
        print_block(file, finding);
        fputs("</failure>", file);
    }
    fputs("</testcase>\n", file);
}

/* The program itself is a test: that it ends with 0. */
static void print_program(FILE *file, const struct run *run)
{
    char end[REPORT_TEXT];
    fputs("<testcase classname=\"regrad exec\" name=\"", file);
    for (char **word = run->words; *word != NULL; word++) {
        fputs(word == run->words ? "" : " ", file);
        html_text(file, *word);
    }
    fprintf(file, "\" time=\"%.3f\">", run->seconds);
    if (run->end.status != 0) {
        fputs("<failure type=\"status\" message=\"", file);
        html_text(file, report_end(end, &run->end));
        fputs("\"/>", file);
    }
    fputs("</testcase>\n", file);
}

int junit_print(FILE *file, const void *told)
{
    const struct run *run = told;
    const struct record *record = run->record;
    const int n_tests = 1 + record->n_mistakes + record->n_notes + record->n_suppressed;
    fprintf(file, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n");
    fprintf(file,
            "<testsuite name=\"regrad exec\" tests=\"%d\" failures=\"%d\" errors=\"0\" skipped=\"%d\" time=\"%.3f\">\n",
            n_tests, record->n_mistakes + (run->end.status != 0), record->n_suppressed, run->seconds);
    print_program(file, run);
    for (const struct finding *finding = record->findings; finding != NULL; finding = finding->next)
        print_case(file, finding);
    for (const struct finding *finding = record->suppressed; finding != NULL; finding = finding->next)
        print_case(file, finding);
    fprintf(file, "</testsuite>\n</testsuites>\n");
    return 1;
}
