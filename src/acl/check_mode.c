#define _GNU_SOURCE
#include "acl/check_mode.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "acl/check_print.h"
#include "acl/log.h"
#include "acl/message.h"

enum { MOST_TOLD = 1000 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
    enum rg_check_level level;
    bool isolates;
    pid_t reader;
    char *log, *suppressed; /* copies, NULL for none: a program may change its environment at any time */
} settings;

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

static char *copy_variable(const char *name)
{
    const char *text = getenv(name);
    return text != NULL && *text != '\0' ? strdup(text) : NULL;
}

static void read_settings(void)
{
    const char *text = getenv("REGRAD_CHECK");
    settings.reader = getpid();
    settings.isolates = is_listed(text, "isolate", false);
    settings.level = settings.isolates ? RG_CHECK_ERROR : RG_CHECK_WARN;
    if (is_listed(text, "off", false))
        settings.level = RG_CHECK_OFF;
    else if (is_listed(text, "error", false))
        settings.level = RG_CHECK_ERROR;
    else if (is_listed(text, "warn", false))
        settings.level = RG_CHECK_WARN;
    settings.log = copy_variable("REGRAD_CHECK_LOG");
    settings.suppressed = copy_variable("REGRAD_CHECK_SUPPRESS");
}

enum rg_check_level rg_check_level(void)
{
    pthread_once(&once, read_settings);
    return settings.level;
}

bool rg_check_is_in_child(void)
{
    pthread_once(&once, read_settings);
    return settings.reader != getpid();
}

bool rg_check_isolates(void)
{
    pthread_once(&once, read_settings);
    return settings.isolates;
}

/* ---- What was told ---------------------------------------------------------------------------- */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows, and of writing */
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

/* Is it new, and is there room to remember it? */
static bool enter(const char *kind, const void *at)
{
    int k = 0;
    pthread_mutex_lock(&lock);
    while (k < n_told && (told[k].at != at || strcmp(told[k].kind, kind) != 0))
        k++;
    const bool is_new = k == n_told && n_told < MOST_TOLD;
    if (is_new) {
        told[n_told].kind = kind;
        told[n_told++].at = at;
    }
    pthread_mutex_unlock(&lock);
    return is_new;
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

static bool is_told(const char *kind)
{
    return rg_check_level() != RG_CHECK_OFF && !is_listed(settings.suppressed, kind, true);
}

static void append_to_log(const struct rg_text *line)
{
    const int file = settings.log != NULL ? open(settings.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (file < 0)
        return;
    rg_text_write(line, file);
    close(file);
}

/* Block and line of a finding are made without the lock: the loader, which knows the frames, has one of its own, and
 * calls constructors with it. */
static void print(const struct rg_finding *finding, struct rg_place place)
{
    char room[RG_CHECK_PRINTED];
    struct rg_text block = {room, sizeof(room), 0}, line = block;
    struct rg_finding shown = *finding;
    for (int k = 0; k < shown.n_objects; k++)
        rg_place_cut(&shown.object[k].place);
    rg_place_cut(&place);
    rg_check_print_block(&block, &shown, &place, rg_place_text);
    pthread_mutex_lock(&lock);
    rg_text_write(&block, STDERR_FILENO);
    pthread_mutex_unlock(&lock);
    rg_check_print_line(&line, &shown, &place, rg_place_text);
    pthread_mutex_lock(&lock);
    append_to_log(&line);
    pthread_mutex_unlock(&lock);
}

bool rg_check_tell(const struct rg_finding *finding)
{
    if (!is_told(finding->kind))
        return finding->is_refused;
    const struct rg_place place = finding->is_at_exit ? (struct rg_place){{NULL}} : rg_place_outside();
    const bool is_new = enter(finding->kind, finding->once_for != NULL ? finding->once_for : place.frame[0]);
    if (is_new) {
        print(finding, place);
        rg_log(finding->is_note ? ACL_WARNING : ACL_ERROR, "%s: %s (check: %s); %s", finding->function, finding->what,
               finding->kind, finding->instead);
    }
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

/* ---- In a signal handler ---------------------------------------------------------------------- */

static bool is_fault_told;

void rg_check_prepare_fault(const char *kind)
{
    is_fault_told = is_told(kind);
}

void rg_check_tell_fault(const struct rg_finding *finding, const struct rg_place *place,
                         void (*frame_text)(const void *frame, char text[RG_PLACE_TEXT]))
{
    static char room[RG_CHECK_PRINTED];
    struct rg_text block = {room, sizeof(room), 0}, line = block;
    if (!is_fault_told)
        return;
    rg_check_print_block(&block, finding, place, frame_text);
    rg_text_write(&block, STDERR_FILENO);
    rg_check_print_line(&line, finding, place, frame_text);
    append_to_log(&line);
    atomic_fetch_add(&n_mistakes, 1);
}
