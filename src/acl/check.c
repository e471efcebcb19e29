#include "acl/check.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "acl/message.h"

enum { MOST_TOLD = 1000 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static enum rg_check_level level;
static bool isolates;
static pid_t reader;

/* ---- What is set ------------------------------------------------------------------------------ */

/* Is the word in a list with commas? Its beginning up to a hyphen will do, if prefix. */
static bool is_listed(const char *list, const char *word, bool prefix)
{
    while (list != NULL && *list != '\0') {
        const size_t length = strcspn(list, ",");
        if (strncmp(list, word, length) == 0 && (word[length] == '\0' || (prefix && word[length] == '-')))
            return true;
        list += length + (list[length] == ',');
    }
    return false;
}

static void read_settings(void)
{
    const char *text = getenv("REGRAD_CHECK");
    reader = getpid();
    isolates = is_listed(text, "isolate", false);
    level = isolates ? RG_CHECK_ERROR : RG_CHECK_WARN;
    if (is_listed(text, "off", false))
        level = RG_CHECK_OFF;
    else if (is_listed(text, "error", false))
        level = RG_CHECK_ERROR;
    else if (is_listed(text, "warn", false))
        level = RG_CHECK_WARN;
}

enum rg_check_level rg_check_level(void)
{
    pthread_once(&once, read_settings);
    return level;
}

bool rg_check_is_in_child(void)
{
    pthread_once(&once, read_settings);
    return reader != getpid();
}

bool rg_check_isolates(void)
{
    pthread_once(&once, read_settings);
    return isolates;
}

/* ---- What was told ---------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows, and of the order of lines */
static struct {
    const char *kind;
    const void *at;
} told[MOST_TOLD];
static int n_told;
static atomic_uint n_mistakes;

unsigned rg_check_count(void)
{
    return atomic_load(&n_mistakes);
}

/* Is it new? Needs the lock. */
static bool enter(const char *kind, const void *at)
{
    for (int k = 0; k < n_told; k++)
        if (told[k].at == at && strcmp(told[k].kind, kind) == 0)
            return false;
    if (n_told == MOST_TOLD)
        return false;
    told[n_told].kind = kind;
    told[n_told++].at = at;
    return true;
}

/* ---- The block on standard error -------------------------------------------------------------- */

static void print_place(FILE *file, const char *before, const struct rg_place *place)
{
    char text[RG_PLACE_TEXT];
    for (int k = 0; k < rg_place_depth(place); k++) {
        rg_place_text(place->frame[k], text);
        fprintf(file, "%s%s\n", k == 0 ? before : "                 ", text);
    }
}

static void print_block(FILE *file, const struct rg_finding *finding, const struct rg_place *place)
{
    fprintf(file, "regrad check: %s%s\n", finding->kind, finding->is_note ? " (note)" : "");
    fprintf(file, "  call     %s%s%s\n", finding->function, finding->argument != NULL ? ", argument " : "",
            finding->argument != NULL ? finding->argument : "");
    print_place(file, "  at       ", place);
    fprintf(file, "  what     %s\n", finding->what);
    for (int k = 0; k < finding->n_objects; k++) {
        fprintf(file, "  object   %s\n", finding->object[k].what);
        print_place(file, "           at    ", &finding->object[k].place);
    }
    fprintf(file, "  instead  %s\n", finding->instead);
    fflush(file);
}

/* ---- The line of JSON ------------------------------------------------------------------------- */

static void print_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', file);
        if ((unsigned char)*text < 0x20)
            fprintf(file, "\\u%04x", (unsigned)*text);
        else
            fputc(*text, file);
    }
    fputc('"', file);
}

static void print_member(FILE *file, const char *name, const char *text)
{
    fprintf(file, ",\"%s\":", name);
    print_string(file, text);
}

static void print_frames(FILE *file, const struct rg_place *place)
{
    char text[RG_PLACE_TEXT];
    fputs(",\"at\":[", file);
    for (int k = 0; k < rg_place_depth(place); k++) {
        if (k > 0)
            fputc(',', file);
        rg_place_text(place->frame[k], text);
        print_string(file, text);
    }
    fputc(']', file);
}

static void print_line(FILE *file, const struct rg_finding *finding, const struct rg_place *place)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    fprintf(file, "{\"finding\":");
    print_string(file, finding->kind);
    fprintf(file, ",\"note\":%s,\"time_us\":%" PRIu64, finding->is_note ? "true" : "false",
            (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000);
    print_member(file, "function", finding->function);
    if (finding->argument != NULL)
        print_member(file, "argument", finding->argument);
    print_member(file, "what", finding->what);
    print_member(file, "instead", finding->instead);
    print_frames(file, place);
    fputs(",\"objects\":[", file);
    for (int k = 0; k < finding->n_objects; k++) {
        fputs(k > 0 ? ",{\"what\":" : "{\"what\":", file);
        print_string(file, finding->object[k].what);
        print_frames(file, &finding->object[k].place);
        fputc('}', file);
    }
    fputs("]}\n", file);
}

static void append_to_log(const struct rg_finding *finding, const struct rg_place *place)
{
    const char *path = getenv("REGRAD_CHECK_LOG");
    FILE *file = path != NULL && *path != '\0' ? fopen(path, "ae") : NULL;
    if (file == NULL)
        return;
    print_line(file, finding, place);
    fclose(file);
}

/* ---- Telling ---------------------------------------------------------------------------------- */

void rg_check_add(struct rg_finding *finding, const struct rg_place *place, const char *format, ...)
{
    if (finding->n_objects == RG_CHECK_OBJECTS)
        return;
    struct rg_check_object *object = &finding->object[finding->n_objects++];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(object->what, sizeof(object->what), format, arguments);
    va_end(arguments);
    object->place = *place;
}

bool rg_check_tell(const struct rg_finding *finding)
{
    if (rg_check_level() == RG_CHECK_OFF || is_listed(getenv("REGRAD_CHECK_SUPPRESS"), finding->kind, true))
        return finding->is_refused;
    const struct rg_place place = finding->is_at_exit ? (struct rg_place){{NULL}} : rg_place_outside();
    pthread_mutex_lock(&lock);
    const bool is_new = enter(finding->kind, finding->once_for != NULL ? finding->once_for : place.frame[0]);
    if (is_new) {
        print_block(stderr, finding, &place);
        append_to_log(finding, &place);
    }
    pthread_mutex_unlock(&lock);
    if (!finding->is_note)
        atomic_fetch_add(&n_mistakes, is_new);
    rg_acl_fail(0, "%s: %s (check: %s); %s", finding->function, finding->what, finding->kind, finding->instead);
    return finding->is_refused || (!finding->is_note && rg_check_level() == RG_CHECK_ERROR);
}

void rg_check_lock(void)
{
    pthread_mutex_lock(&lock);
}

void rg_check_unlock(void)
{
    pthread_mutex_unlock(&lock);
}
