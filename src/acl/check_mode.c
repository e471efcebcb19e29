/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "acl/check_mode.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "acl/check_kind.h"
#include "acl/check_print.h"
#include "acl/log.h"
#include "acl/message.h"
#include "base/environment.h"

enum { MOST_TOLD = 1000 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct {
    enum rg_check_level level;
    bool isolates;
    pid_t reader;
    char *log, *suppressed; /* copies, NULL for none: a program may change its environment at any time */
} settings;

static const char log_name[] = "REGRAD_CHECK_LOG", suppress_name[] = "REGRAD_CHECK_SUPPRESS";

/* ---- What is set ------------------------------------------------------------------------------ */

enum { ISOLATE = RG_CHECK_ERROR + 1 };
static const char *const words[] = {
    [RG_CHECK_OFF] = "off", [RG_CHECK_WARN] = "warn", [RG_CHECK_ERROR] = "error", [ISOLATE] = "isolate"};

/* Which of the words are in a list with commas. False for a list with others. */
static bool parse_words(const char *list, bool named[ISOLATE + 1])
{
    while (*list != '\0') {
        const size_t length = strcspn(list, ",");
        int k = 0;
        while (k <= ISOLATE && (strncmp(list, words[k], length) != 0 || words[k][length] != '\0'))
            k++;
        if (k > ISOLATE)
            return false;
        named[k] = true;
        list += length + (list[length] == ',');
    }
    return true;
}

static void read_words(bool named[ISOLATE + 1])
{
    static const char name[] = "REGRAD_CHECK";
    static atomic_flag told = ATOMIC_FLAG_INIT;
    const char *text = rg_environment(name);
    if (text == NULL || parse_words(text, named))
        return;
    rg_environment_refuse(&told, name, text,
                          "off, warn, error, isolate, or isolate and a level with a comma between, is wanted; the "
                          "variable counts as not set");
    memset(named, 0, (ISOLATE + 1) * sizeof(*named));
}

static void refuse_unknown_kinds(void)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    int length = 0;
    const char *unknown = rg_check_find_unknown(settings.suppressed, &length);
    if (unknown != NULL)
        rg_environment_refuse(
            &told, suppress_name, settings.suppressed,
            "kinds of findings with commas between are wanted; \"%.*s\" is none, and what is none has "
            "no effect",
            length < 64 ? length : 64, unknown);
}

static char *copy_variable(const char *name)
{
    const char *text = rg_environment(name);
    return text != NULL ? strdup(text) : NULL;
}

static void read_settings(void)
{
    bool named[ISOLATE + 1] = {false};
    read_words(named);
    settings.reader = getpid();
    settings.isolates = named[ISOLATE];
    settings.level = settings.isolates ? RG_CHECK_ERROR : RG_CHECK_WARN;
    if (named[RG_CHECK_OFF])
        settings.level = RG_CHECK_OFF;
    else if (named[RG_CHECK_ERROR])
        settings.level = RG_CHECK_ERROR;
    else if (named[RG_CHECK_WARN])
        settings.level = RG_CHECK_WARN;
    settings.log = copy_variable(log_name);
    settings.suppressed = copy_variable(suppress_name);
    refuse_unknown_kinds();
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
    return rg_check_level() != RG_CHECK_OFF && !rg_check_is_named(settings.suppressed, kind);
}

/* False, with errno, when it cannot be opened. */
static bool append_to_log(const struct rg_text *line)
{
    const int file = settings.log != NULL ? open(settings.log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    if (file < 0)
        return settings.log == NULL;
    rg_text_write(line, file);
    close(file);
    return true;
}

/* Block and line of a finding are made without the lock: the loader, which knows the frames, has one of its own, and
 * calls constructors with it. */
static void print(const struct rg_finding *finding, struct rg_place place)
{
    static atomic_flag refused = ATOMIC_FLAG_INIT;
    char room[RG_CHECK_PRINTED];
    struct rg_text block = {room, sizeof(room), 0}, line = block;
    struct rg_finding shown = *finding;
    for (int k = 0; k < shown.n_objects; k++)
        rg_place_cut(&shown.object[k].place);
    rg_place_cut(&place);
    rg_check_print_block(&block, &shown, &place, rg_place_describe);
    pthread_mutex_lock(&lock);
    rg_text_write(&block, STDERR_FILENO);
    pthread_mutex_unlock(&lock);
    rg_check_print_line(&line, &shown, &place, rg_place_describe);
    pthread_mutex_lock(&lock);
    if (!append_to_log(&line))
        rg_environment_refuse(&refused, log_name, settings.log, "it cannot be opened (%s), and has no findings",
                              strerror(errno));
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

/* As rg_environment_refuse, which is not for signal handlers. */
static void refuse_log_in_handler(void)
{
    static char room[1024];
    struct rg_text text = {room, sizeof(room), 0};
    rg_text_put(&text, "regrad: the environment variable ");
    rg_text_put(&text, log_name);
    rg_text_put(&text, " is \"");
    rg_text_put(&text, settings.log);
    rg_text_put(&text, "\"; it cannot be opened, and has no findings\n");
    rg_text_write(&text, STDERR_FILENO);
}

void rg_check_tell_fault(const struct rg_finding *finding, const struct rg_place *place,
                         void (*describe)(const void *frame, struct rg_frame *is))
{
    static char room[RG_CHECK_PRINTED];
    struct rg_text block = {room, sizeof(room), 0}, line = block;
    if (!is_fault_told)
        return;
    rg_check_print_block(&block, finding, place, describe);
    rg_text_write(&block, STDERR_FILENO);
    rg_check_print_line(&line, finding, place, describe);
    if (!append_to_log(&line))
        refuse_log_in_handler();
    atomic_fetch_add(&n_mistakes, 1);
}
