/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "acl/tell/finding.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "acl/sys/fork.h"
#include "acl/tell/kind.h"
#include "acl/tell/log.h"
#include "acl/tell/message.h"
#include "acl/tell/print.h"
#include "acl/tell/setting.h"
#include "acl/tell/teller.h"
#include "base/environment.h"
#include "base/format.h"

/* ---- What was told ---------------------------------------------------------------------------- */

static struct rg_lock lock = {PTHREAD_MUTEX_INITIALIZER, RG_RANK_FINDING}; /* of what follows, and of writing */
static struct told {
    const char *kind;
    uint64_t argument;
    const void *at;
} told[RG_CHECK_MOST_TOLD] RG_GUARDED_BY(lock);
RG_GUARDED_BY(lock) static int n_told;
static atomic_uint n_mistakes, n_refused;

unsigned rg_check_count(void)
{
    return atomic_load(&n_mistakes);
}

unsigned rg_check_count_refused(void)
{
    return atomic_load(&n_refused);
}

/* A number for an argument, whose text may not last; one for all members of a list, as in array[1]. */
static uint64_t number_of(const char *argument)
{
    uint64_t number = 0xCBF29CE484222325U;
    for (; argument != NULL && *argument != '\0' && *argument != '['; argument++)
        number = (number ^ (unsigned char)*argument) * 0x100000001B3U;
    return number;
}

/* Is it new, and is there room to remember it? */
static bool enter(const struct rg_finding *finding, const void *at)
{
    const uint64_t argument = number_of(finding->argument);
    int k = 0;
    rg_lock(&lock);
    while (k < n_told && (told[k].at != at || told[k].argument != argument || strcmp(told[k].kind, finding->kind) != 0))
        k++;
    const bool is_new = k == n_told && n_told < RG_CHECK_MOST_TOLD;
    if (is_new)
        told[n_told++] = (struct told){finding->kind, argument, at};
    rg_unlock(&lock);
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
    rg_format_list(object->what, sizeof(object->what), format, arguments);
    va_end(arguments);
    object->place = *place;
}

static bool is_told(const char *kind)
{
    return rg_check_level() != RG_CHECK_OFF && !rg_check_is_named(rg_check_setting()->suppressed, kind);
}

/* Returns 0 or an errno. After a part of a line nothing more is written, for it would be a part of that line. */
static int append_to_log(const struct rg_text *line)
{
    static atomic_int failure;
    int error = atomic_load(&failure);
    if (rg_check_setting()->log == NULL || error != 0)
        return error;
    const int file = open(rg_check_setting()->log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0)
        return errno;
    error = rg_text_write(line, file);
    atomic_store(&failure, error);
    if (close(file) != 0 && error == 0)
        error = errno;
    return error;
}

/* To be printed: as it was made by who knows more, or else by ourselves. */
static void make_block(struct rg_text *text, const struct rg_finding *finding, const struct rg_place *place,
                       rg_describe_frame *describe)
{
    if (rg_check_setting()->teller != NULL && rg_check_ask_teller(rg_check_setting()->teller, text))
        return;
    text->length = 0;
    rg_check_print_block(text, finding, place, describe);
}

/* Block and line of a finding are made without the lock: the loader, which knows the frames, has one of its own, and
 * calls constructors with it. */
static void print(const struct rg_finding *finding, struct rg_place place)
{
    static atomic_flag refused = ATOMIC_FLAG_INIT;
    char room[RG_CHECK_PRINTED];
    struct rg_text text = {room, sizeof(room), 0};
    struct rg_finding shown = *finding;
    for (int k = 0; k < shown.n_objects; k++)
        rg_place_cut(&shown.object[k].place);
    rg_place_cut(&place);
    rg_check_print_line(&text, &shown, &place, rg_place_describe);
    rg_lock(&lock);
    const int error = append_to_log(&text);
    rg_unlock(&lock);
    if (error != 0) {
        rg_environment_refuse(&refused, rg_check_log_name, rg_check_setting()->log,
                              "it cannot be written (%s); findings are missing there", strerror(error));
        rg_check_mark_unlogged(&text);
    }
    make_block(&text, &shown, &place, rg_place_describe);
    rg_lock(&lock);
    rg_text_write(&text, STDERR_FILENO);
    rg_unlock(&lock);
}

/* What it is told once for. A function that calls for many may be right for some of them; what may be meant, is meant
 * by that function. */
static const void *mark_of(const struct rg_finding *finding, const struct rg_place *place)
{
    if (finding->once_for != NULL)
        return finding->once_for;
    return rg_check_level() >= RG_CHECK_ALL && !finding->is_note ? rg_place_mark(place) : place->frame[0];
}

bool rg_check_tell(const struct rg_finding *finding)
{
    if (!is_told(finding->kind))
        return finding->is_refused;
    const struct rg_place place = finding->is_at_exit ? (struct rg_place){{NULL}} : rg_place_outside();
    const bool is_new = enter(finding, mark_of(finding, &place));
    if (is_new) {
        print(finding, place);
        rg_log(finding->is_note ? ACL_WARNING : ACL_ERROR, "%s: %s (check: %s); %s", finding->function->name,
               finding->what, finding->kind, finding->instead);
    }
    if (!finding->is_note)
        atomic_fetch_add(&n_mistakes, is_new);
    rg_acl_fail(0, finding->function, "%s (check: %s); %s", finding->what, finding->kind, finding->instead);
    const bool is_refused = finding->is_refused || (!finding->is_note && rg_check_level() == RG_CHECK_ERROR);
    atomic_fetch_add(&n_refused, is_refused);
    return is_refused;
}

RG_EARLY static void watch_forks(void)
{
    static struct rg_fork forks = {.lock = &lock};
    rg_fork_watch(&forks);
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
    rg_text_put(&text, rg_check_log_name);
    rg_text_put(&text, " is \"");
    rg_text_put(&text, rg_check_setting()->log);
    rg_text_put(&text, "\"; it cannot be written; findings are missing there\n");
    rg_text_write(&text, STDERR_FILENO);
}

void rg_check_tell_fault(const struct rg_finding *finding, const struct rg_place *place,
                         void (*describe)(const void *frame, struct rg_frame *is))
{
    static char room[RG_CHECK_PRINTED];
    struct rg_text text = {room, sizeof(room), 0};
    const void *at = place->frame[1] != NULL ? place->frame[1] : place->frame[0];
    if (!is_fault_told || (!finding->is_refused && !enter(finding, at)))
        return;
    rg_check_print_line(&text, finding, place, describe);
    if (append_to_log(&text) != 0) {
        refuse_log_in_handler();
        rg_check_mark_unlogged(&text);
    }
    make_block(&text, finding, place, describe);
    rg_text_write(&text, STDERR_FILENO);
    atomic_fetch_add(&n_mistakes, 1);
}
