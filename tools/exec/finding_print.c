/* SPDX-License-Identifier: Apache-2.0 */
#include "finding_print.h"

#include "escape.h"

/* ---- The block -------------------------------------------------------------------------------- */

static void print_place(FILE *file, const struct finding_place *place)
{
    if (place->file != NULL) {
        escape_plain(file, place->function != NULL ? place->function : "?");
        fputs(" at ", file);
        escape_plain(file, place->file);
        fprintf(file, ":%d, ", place->line);
    }
    escape_plain(file, place->text);
    fputs("\n", file);
}

static void print_places(FILE *file, const char *before, const struct finding_place *place)
{
    for (; place != NULL; place = place->next) {
        fputs(before, file);
        print_place(file, place);
        before = "                 ";
    }
}

static void print_field(FILE *file, const char *name, const char *value)
{
    if (value == NULL)
        return;
    fprintf(file, "  %-9s", name);
    escape_plain(file, value);
    fputs("\n", file);
}

static void print_call(FILE *file, const struct finding *finding)
{
    fputs("  call     ", file);
    escape_plain(file, finding->function != NULL ? finding->function : "?");
    if (finding->argument != NULL) {
        fputs(", argument ", file);
        escape_plain(file, finding->argument);
    }
    fputs("\n", file);
}

void finding_print_block(FILE *file, const struct finding *finding)
{
    fputs("regrad check: ", file);
    escape_plain(file, finding->kind);
    fputs(finding->is_note ? " (note)\n" : "\n", file);
    print_call(file, finding);
    if (finding->process > 0)
        fprintf(file, "  %-9s%.0f\n", "process", finding->process);
    print_places(file, "  at       ", finding->places);
    print_field(file, "what", finding->what);
    for (const struct finding_object *object = finding->objects; object != NULL; object = object->next) {
        print_field(file, "object", object->what);
        print_places(file, "           at    ", object->places);
    }
    print_field(file, "instead", finding->instead);
}

/* ---- The line --------------------------------------------------------------------------------- */

static void print_member(FILE *file, const char *name, const char *value)
{
    if (value == NULL)
        return;
    fprintf(file, ",\"%s\":", name);
    escape_json(file, value);
}

static void print_number(FILE *file, const char *name, double value)
{
    if (value > 0)
        fprintf(file, ",\"%s\":%.0f", name, value);
}

static void print_line_of_place(FILE *file, const struct finding_place *place)
{
    fputs("{\"text\":", file);
    escape_json(file, place->text);
    print_member(file, "module", place->module);
    print_member(file, "address", place->address);
    fputs(place->is_exact ? ",\"exact\":true" : "", file);
    print_member(file, "function", place->function);
    print_member(file, "file", place->file);
    print_number(file, "line", place->line);
    print_number(file, "column", place->column);
    putc('}', file);
}

static void print_list(FILE *file, const struct finding_place *place)
{
    fputs(",\"at\":[", file);
    for (; place != NULL; place = place->next) {
        print_line_of_place(file, place);
        fputs(place->next != NULL ? "," : "", file);
    }
    putc(']', file);
}

void finding_print_line(FILE *file, const struct finding *finding)
{
    fputs("{\"finding\":", file);
    escape_json(file, finding->kind);
    fprintf(file, ",\"note\":%s", finding->is_note ? "true" : "false");
    print_number(file, "time_us", finding->time);
    print_number(file, "process", finding->process);
    print_number(file, "work", finding->work);
    print_member(file, "function", finding->function);
    print_member(file, "argument", finding->argument);
    print_member(file, "what", finding->what);
    print_member(file, "instead", finding->instead);
    print_list(file, finding->places);
    fputs(",\"objects\":[", file);
    for (const struct finding_object *object = finding->objects; object != NULL; object = object->next) {
        fputs("{\"what\":", file);
        escape_json(file, object->what != NULL ? object->what : "");
        print_list(file, object->places);
        fputs(object->next != NULL ? "}," : "}", file);
    }
    fputs("]}\n", file);
}
