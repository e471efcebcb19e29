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
static enum rg_check_level level;
static bool isolates;
static pid_t reader;

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

static void read_settings(void)
{
    bool named[ISOLATE + 1] = {false};
    reader = getpid();
    read_words(named);
    isolates = named[ISOLATE];
    level = isolates ? RG_CHECK_ERROR : RG_CHECK_WARN;
    if (named[RG_CHECK_OFF])
        level = RG_CHECK_OFF;
    else if (named[RG_CHECK_ERROR])
        level = RG_CHECK_ERROR;
    else if (named[RG_CHECK_WARN])
        level = RG_CHECK_WARN;
    rg_check_look_for_kinds();
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
    return rg_check_level() != RG_CHECK_OFF && !rg_check_is_suppressed(kind);
}

/* False, with errno, when it cannot be opened. */
static bool append_to_log(const char *path, const struct rg_text *line)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0)
        return false;
    rg_text_write(line, file);
    close(file);
    return true;
}

static bool print(const struct rg_finding *finding, const struct rg_place *place, const char *log,
                  rg_frame_text *frame_text, char *room)
{
    struct rg_text block = {room, RG_CHECK_PRINTED, 0}, line = block;
    rg_check_print_block(&block, finding, place, frame_text);
    rg_text_write(&block, STDERR_FILENO);
    if (log == NULL)
        return true;
    rg_check_print_line(&line, finding, place, frame_text);
    return append_to_log(log, &line);
}

static const char log_name[] = "REGRAD_CHECK_LOG";

static void print_in_call(const struct rg_finding *finding, const struct rg_place *place, char *room)
{
    static atomic_flag refused = ATOMIC_FLAG_INIT;
    const char *log = rg_environment(log_name);
    if (!print(finding, place, log, rg_place_text, room))
        rg_environment_refuse(&refused, log_name, log, "it cannot be opened (%s), and has no findings",
                              strerror(errno));
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
        print_in_call(&shown, &place, room);
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
    const char *log = rg_environment(log_name);
    fault.is_told = is_told(kind);
    struct rg_text copy = {fault.log, sizeof(fault.log), 0};
    rg_text_put(&copy, log != NULL ? log : "");
}

/* As rg_environment_refuse, which is not for signal handlers. */
static void refuse_log_of_fault(void)
{
    struct rg_text text = {fault.room, sizeof(fault.room), 0};
    rg_text_put(&text, "regrad: the environment variable ");
    rg_text_put(&text, log_name);
    rg_text_put(&text, " is \"");
    rg_text_put(&text, fault.log);
    rg_text_put(&text, "\"; it cannot be opened, and has no findings\n");
    rg_text_write(&text, STDERR_FILENO);
}

void rg_check_tell_fault(const struct rg_finding *finding, const struct rg_place *place,
                         void (*frame_text)(const void *frame, char text[RG_PLACE_TEXT]))
{
    if (!fault.is_told)
        return;
    if (!print(finding, place, fault.log[0] != '\0' ? fault.log : NULL, frame_text, fault.room))
        refuse_log_of_fault();
    atomic_fetch_add(&n_mistakes, 1);
}
