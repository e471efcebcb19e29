/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a log of the check mode, which has an object of JSON in each line, and prints it as the blocks that are on
 * standard error. Fails when a line is not as docs/check/reading.md says.
 *
 *   finding_blocks LOG
 */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void stop(const char *why, const char *what)
{
    fprintf(stderr, "finding_blocks: %s: %s\n", why, what);
    exit(1);
}

static const char *text(const cJSON *object, const char *name)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsString(member))
        stop("no string of this name", name);
    return member->valuestring;
}

static const cJSON *list(const cJSON *object, const char *name)
{
    const cJSON *member = cJSON_GetObjectItemCaseSensitive(object, name);
    if (!cJSON_IsArray(member))
        stop("no list of this name", name);
    return member;
}

static int is_number(const cJSON *object, const char *name)
{
    return cJSON_IsNumber(cJSON_GetObjectItemCaseSensitive(object, name));
}

static void print_places(const cJSON *object, const char *before)
{
    const cJSON *place;
    cJSON_ArrayForEach(place, list(object, "at"))
    {
        if (text(place, "module")[0] != '/' || strncmp(text(place, "address"), "0x", 2) != 0)
            stop("no whole path, or no address", text(place, "text"));
        printf("%s%s\n", before, text(place, "text"));
        before = "                 ";
    }
}

static void print_block(const cJSON *finding)
{
    const cJSON *note = cJSON_GetObjectItemCaseSensitive(finding, "note");
    const cJSON *argument = cJSON_GetObjectItemCaseSensitive(finding, "argument");
    const cJSON *object;
    if (!cJSON_IsBool(note) || !is_number(finding, "time_us") || !is_number(finding, "process"))
        stop("note is no truth value, or time_us or process no number", text(finding, "finding"));
    printf("regrad check: %s%s\n", text(finding, "finding"), cJSON_IsTrue(note) ? " (note)" : "");
    printf("  call     %s", text(finding, "function"));
    if (argument != NULL)
        printf(", argument %s", text(finding, "argument"));
    printf("\n");
    print_places(finding, "  at       ");
    printf("  what     %s\n", text(finding, "what"));
    cJSON_ArrayForEach(object, list(finding, "objects"))
    {
        printf("  object   %s\n", text(object, "what"));
        print_places(object, "           at    ");
    }
    printf("  instead  %s\n", text(finding, "instead"));
}

int main(int argc, char **argv)
{
    static char line[1 << 16];
    FILE *log = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (log == NULL)
        stop("cannot be read", argc == 2 ? argv[1] : "no log");
    while (fgets(line, sizeof(line), log) != NULL) {
        const char *end = NULL;
        cJSON *finding = cJSON_ParseWithOpts(line, &end, 0);
        if (finding == NULL || *end != '\n')
            stop("not one object of JSON and the end of a line", line);
        print_block(finding);
        cJSON_Delete(finding);
    }
    fclose(log);
    return 0;
}
