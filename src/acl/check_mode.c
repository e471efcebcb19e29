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
    return rg_check_level() != RG_CHECK_OFF && !is_listed(getenv("REGRAD_CHECK_SUPPRESS"), kind, true);
}

static void append_to_log(const char *path, const struct rg_text *line)
{
    const int file = path != NULL && *path != '\0' ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (file < 0)
        return;
    rg_text_write(line, file);
    close(file);
}

static void print(const struct rg_finding *finding, const struct rg_place *place, const char *log,
                  rg_frame_text *frame_text, char *room)
{
    struct rg_text block = {room, RG_CHECK_PRINTED, 0}, line = block;
    rg_check_print_block(&block, finding, place, frame_text);
    rg_text_write(&block, STDERR_FILENO);
    rg_check_print_line(&line, finding, place, frame_text);
    append_to_log(log, &line);
}

bool rg_check_tell(const struct rg_finding *finding)
{
    char room[RG_CHECK_PRINTED];
    if (!is_told(finding->kind))
        return finding->is_refused;
    struct rg_place place = finding->is_at_exit ? (struct rg_place){{NULL}} : rg_place_outside();
    pthread_mutex_lock(&lock);
    const bool is_new = enter(finding->kind, finding->once_for != NULL ? finding->once_for : place.frame[0]);
    if (is_new) {
        struct rg_finding shown = *finding;
        for (int k = 0; k < shown.n_objects; k++)
            rg_place_cut(&shown.object[k].place);
        rg_place_cut(&place);
        print(&shown, &place, getenv("REGRAD_CHECK_LOG"), rg_place_text, room);
    }
    pthread_mutex_unlock(&lock);
    if (is_new)
        rg_log(finding->is_note ? ACL_WARNING : ACL_ERROR, "%s: %s (check: %s); %s", finding->function, finding->what,
               finding->kind, finding->instead);
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

static struct {
    bool is_told;
    char log[4096];
    char room[RG_CHECK_PRINTED];
} fault;

void rg_check_prepare_fault(const char *kind)
{
    const char *log = getenv("REGRAD_CHECK_LOG");
    fault.is_told = is_told(kind);
    struct rg_text copy = {fault.log, sizeof(fault.log), 0};
    rg_text_put(&copy, log != NULL ? log : "");
}

void rg_check_tell_fault(const struct rg_finding *finding, const struct rg_place *place,
                         void (*frame_text)(const void *frame, char text[RG_PLACE_TEXT]))
{
    if (!fault.is_told)
        return;
    print(finding, place, fault.log, frame_text, fault.room);
    atomic_fetch_add(&n_mistakes, 1);
}
