/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An example with three clocks. {2, 3} stands for: works of stream A up to ticket 2 and of stream B up to ticket 3 are
 * known to be done.
 *
 *     the program                                  tickets    clock of the host      A         B
 *     aclrtMemcpyAsync(y, ..., A)                        1               {0, 0}   {1, 0}    {0, 0}
 *     aclrtRecordEvent(e, A); ...WaitEvent(B, e)      2, 3               {0, 0}   {2, 0}    {2, 3}
 *     aclnnSomething(..., B), which reads y, writes z    4               {0, 0}   {2, 0}    {2, 4}
 *     aclrtMemcpy(..., z, ...)
 *
 * The clock of a stream is what its next work knows: a work is behind all that its stream has been given before, and
 * the wait for e hands on what was known when e was recorded. So the third line, which reads y, knows of work 1, which
 * writes it; without the second line the clock of B would know of no work of A: a race between streams. The fourth line
 * is the host's, which knows of no work of B: a race with work 4. aclrtSynchronizeStream(B) before it would join the
 * clock of B into the host's. A work that is submitted knows what the host knows, too.
 */
#include "acl/stream/race.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/store/block_text.h"
#include "acl/stream/stream_queue.h"
#include "acl/sys/runtime_lock.h"
#include "acl/tell/finding.h"
#include "acl/tell/setting.h"
#include "base/plural.h"

enum { FIRST_ENTRIES = 64, MOST_ENTRIES = 1 << 14 };

/* A stream, as findings name it. */
struct stream_name {
    aclrtStream stream;
    aclrtContext context; /* whose default stream it is; NULL: nobody's */
    int32_t device;
};

/* An access of work, and whose. */
struct rg_entry {
    uint64_t ticket;
    struct stream_name stream;
    struct rg_access access;
    struct rg_origin origin;
};

RG_GUARDED_BY(rg_runtime) static struct rg_history *histories[RG_CLOCK_STREAMS];
RG_GUARDED_BY(rg_runtime) static int n_histories; /* numbers that have been in use */
RG_GUARDED_BY(rg_runtime) static struct rg_clock host;
RG_GUARDED_BY(rg_runtime) static uint64_t host_changes = 1;

/* ---- Clocks ----------------------------------------------------------------------------------- */

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

RG_NEEDS(rg_runtime) static void join(struct rg_clock *clock, const struct rg_clock *other)
{
    clock->all = larger(clock->all, other->all);
    for (int k = 0; k < n_histories; k++)
        clock->of[k] = larger(clock->of[k], other->of[k]);
}

RG_NEEDS(rg_runtime) static const struct rg_clock *clock_of(const struct rg_stream *stream)
{
    return stream == NULL ? &host : &stream->history.known;
}

RG_NEEDS(rg_runtime) static uint64_t known_of(const struct rg_clock *clock, const struct rg_history *history)
{
    return larger(clock->all, clock->of[history->number]);
}

/* What the next work of the stream knows: what the host does when it is submitted, and, behind code of the client that
 * may have waited for anything, everything. */
RG_NEEDS(rg_runtime) static void refresh(struct rg_history *history)
{
    if (history->host_read != host_changes)
        join(&history->known, &host);
    history->host_read = host_changes;
    if (history->hosted > host.all && (history->number < 0 || history->hosted > host.of[history->number]))
        history->known.all = rg_ticket_last();
}

void rg_race_host_learns(const struct rg_clock *clock)
{
    rg_lock_assert(&rg_runtime);
    if (rg_check_level() == RG_CHECK_OFF)
        return;
    join(&host, clock);
    host_changes++;
}

void rg_race_stream_learns(struct rg_stream *stream, const struct rg_clock *clock)
{
    rg_lock_assert(&rg_runtime);
    if (stream->history.is_kept)
        join(&stream->history.known, clock);
}

void rg_race_host_waited(const struct rg_stream *stream, uint64_t ticket)
{
    rg_lock_assert(&rg_runtime);
    const struct rg_history *history = &stream->history;
    if (!history->is_kept)
        return;
    if (history->number >= 0)
        host.of[history->number] = larger(host.of[history->number], ticket < history->last ? ticket : history->last);
    rg_race_host_learns(&history->known);
}

bool rg_race_is_known(const struct rg_stream *stream)
{
    rg_lock_assert(&rg_runtime);
    const struct rg_history *history = &stream->history;
    return !history->is_kept || history->n_entries == 0 ||
           known_of(&host, history) >= history->entries[history->n_entries - 1].ticket;
}

/* ---- Histories -------------------------------------------------------------------------------- */

bool rg_race_prepare(struct rg_history *history)
{
    if (rg_check_level() == RG_CHECK_OFF)
        return true;
    history->entries = malloc(FIRST_ENTRIES * sizeof(*history->entries));
    history->capacity = FIRST_ENTRIES;
    return history->entries != NULL;
}

void rg_race_begin(struct rg_stream *stream)
{
    rg_lock_assert(&rg_runtime);
    struct rg_history *history = &stream->history;
    history->is_kept = history->entries != NULL;
    if (!history->is_kept)
        return;
    while (history->number < RG_CLOCK_STREAMS && histories[history->number] != NULL)
        history->number++;
    if (history->number == RG_CLOCK_STREAMS)
        history->number = -1;
    else
        histories[history->number] = history;
    if (history->number >= n_histories)
        n_histories = history->number + 1;
}

void rg_race_end(struct rg_stream *stream)
{
    rg_lock_assert(&rg_runtime);
    struct rg_history *history = &stream->history;
    if (!history->is_kept)
        return;
    history->is_kept = false;
    if (history->number >= 0) {
        host.of[history->number] = larger(host.of[history->number], history->last);
        histories[history->number] = NULL;
    }
    rg_race_host_learns(&history->known);
    free(history->entries);
    history->entries = NULL;
}

/* Drops the entries that the host knows to be done, or the older half where it knows of none. */
RG_NEEDS(rg_runtime) static void prune(struct rg_history *history)
{
    const uint64_t known = known_of(&host, history);
    int n = 0;
    while (n < history->n_entries && history->entries[n].ticket <= known)
        n++;
    if (n == 0)
        n = history->n_entries / 2;
    history->n_entries -= n;
    memmove(history->entries, history->entries + n, (size_t)history->n_entries * sizeof(*history->entries));
}

/* Room for one more entry, at the cost of old ones if need be. */
RG_NEEDS(rg_runtime) static struct rg_entry *append(struct rg_history *history)
{
    const bool is_full = history->n_entries == history->capacity;
    const bool is_old = is_full && history->n_entries > 0 && history->entries[0].ticket <= known_of(&host, history);
    if (is_full && !is_old && history->capacity < MOST_ENTRIES) {
        const int wanted = 2 * history->capacity;
        struct rg_entry *grown = realloc(history->entries, (size_t)wanted * sizeof(*grown));
        if (grown != NULL) {
            history->entries = grown;
            history->capacity = wanted;
        }
    }
    if (history->n_entries == history->capacity)
        prune(history);
    return &history->entries[history->n_entries++];
}

static struct stream_name name_of(const struct rg_stream *stream)
{
    const aclrtContext owner = stream->traits.is_default ? stream->context->traits.handle : NULL;
    return (struct stream_name){stream->handle, owner, stream->device};
}

void rg_race_submitted(struct rg_stream *stream, const struct rg_work *work, uint64_t ticket)
{
    rg_lock_assert(&rg_runtime);
    struct rg_history *history = &stream->history;
    if (!history->is_kept)
        return;
    refresh(history);
    history->last = ticket;
    if (history->number >= 0)
        history->known.of[history->number] = ticket;
    if (work->is_hosted && work->holds_up)
        history->hosted = ticket;
    if (work->known != NULL)
        *work->known = history->known;
    for (int k = 0; k < work->n_accesses && history->number >= 0; k++)
        *append(history) = (struct rg_entry){ticket, name_of(stream), work->accesses[k], work->origin};
}

void rg_race_forget(const void *address, size_t size)
{
    if (rg_check_level() == RG_CHECK_OFF)
        return;
    const uintptr_t low = (uintptr_t)address, high = low + size;
    rg_runtime_lock();
    for (int h = 0; h < n_histories; h++) {
        struct rg_history *history = histories[h];
        for (int k = history != NULL ? history->n_entries - 1 : -1; k >= 0; k--) {
            struct rg_bytes *bytes = &history->entries[k].access.bytes;
            if (history->entries[k].ticket <= known_of(&host, history))
                break;
            if (bytes->low < high && low < bytes->high)
                *bytes = (struct rg_bytes){0};
        }
    }
    rg_runtime_unlock();
}

/* ---- Looking for one -------------------------------------------------------------------------- */

/* A call, or work that it submits. */
struct party {
    const struct rg_origin *origin;
    struct rg_stream *stream; /* NULL: the host */
    const struct rg_access *accesses;
    int n;
};

struct race {
    struct rg_entry entry; /* a copy, from the history with the number */
    int number;
    struct rg_access access;
};

static bool collide(const struct rg_access *access, const struct rg_access *other)
{
    return access->bytes.low < other->bytes.high && other->bytes.low < access->bytes.high &&
           (access->touch != RG_READS || other->touch != RG_READS) && rg_bytes_meet(&access->bytes, &other->bytes);
}

/* The latest access in the history that the party must not come across. */
RG_NEEDS(rg_runtime) static bool find_in(const struct party *party, const struct rg_history *history, struct race *race)
{
    const uint64_t known = known_of(clock_of(party->stream), history);
    for (int k = history->n_entries - 1; k >= 0 && history->entries[k].ticket > known; k--)
        for (int a = 0; a < party->n; a++)
            if (collide(&party->accesses[a], &history->entries[k].access)) {
                *race = (struct race){history->entries[k], history->number, party->accesses[a]};
                return true;
            }
    return false;
}

RG_NEEDS(rg_runtime) static bool find_race(const struct party *party, struct race *race)
{
    for (int h = 0; h < n_histories; h++) {
        const struct rg_history *history = histories[h];
        const bool is_other = history != NULL && (party->stream == NULL || &party->stream->history != history);
        if (is_other && history->n_entries > 0 && find_in(party, history, race))
            return true;
    }
    return false;
}

/* ---- Telling ---------------------------------------------------------------------------------- */

static const char *const touches[] = {[RG_READS] = "reads", [RG_WRITES] = "writes"};
static const char *const touched[] = {[RG_READS] = "read", [RG_WRITES] = "written", [RG_FREES] = "freed"};

static size_t size_of(const struct rg_bytes *bytes)
{
    return (size_t)(bytes->high - bytes->low);
}

/* How to speak of a stream, and how to name it in an argument: "the default stream" and "NULL" where that is the one of
 * the current context, "stream 0x..." and "0x..." elsewhere. */
struct stream_text {
    char name[96], argument[24];
};

static struct stream_text write_name(const struct stream_name *name)
{
    struct stream_text text = {"the default stream", "NULL"};
    struct rg_context_traits current;
    if (name->context != NULL && rg_context_peek(&current) && current.handle == name->context)
        return text;
    snprintf(text.argument, sizeof(text.argument), "%p", name->stream);
    if (name->context == NULL)
        snprintf(text.name, sizeof(text.name), "stream %p", name->stream);
    else
        snprintf(text.name, sizeof(text.name), "%p, the default stream of context %p on device %d", name->stream,
                 name->context, (int)name->device);
    return text;
}

static void describe(const struct race *race, struct rg_finding *finding)
{
    const struct rg_entry *entry = &race->entry;
    const struct rg_bytes *bytes = &race->access.bytes, *others = &entry->access.bytes;
    const struct stream_text stream = write_name(&entry->stream);
    const bool is_one = size_of(bytes) == 1;
    finding->work = entry->ticket;
    snprintf(finding->what, sizeof(finding->what),
             "%zu byte%s at %p %s %s, while %s, queued on %s, may not have %s %s yet: nothing has waited for it",
             size_of(bytes), rg_plural(size_of(bytes)), (void *)bytes->low, is_one ? "is" : "are",
             touched[race->access.touch], entry->origin.function->name, stream.name, touched[entry->access.touch],
             is_one ? "it" : "them");
    rg_check_add(finding, &entry->origin.place, "%s, queued on %s, %s %zu byte%s at %p (%s)",
                 entry->origin.function->name, stream.name, touches[entry->access.touch], size_of(others),
                 rg_plural(size_of(others)), (void *)others->low, entry->access.argument);
    struct rg_memory_block block;
    if (rg_memory_find((const void *)bytes->low, &block))
        rg_memory_add_block(finding, &block, false);
}

static void advise(const struct party *party, const struct race *race, struct rg_finding *finding)
{
    const char *other = race->entry.origin.function->name;
    const struct stream_text stream = write_name(&race->entry.stream);
    if (party->stream == NULL) {
        snprintf(finding->instead, sizeof(finding->instead),
                 "call aclrtSynchronizeStream(%s) between %s and %s, or wait for an event that is recorded in between",
                 stream.argument, other, finding->function->name);
        return;
    }
    const struct stream_name own = name_of(party->stream);
    snprintf(finding->instead, sizeof(finding->instead),
             "record an event on %s behind %s, and let %s wait for it with aclrtStreamWaitEvent before %s; or call "
             "aclrtSynchronizeStream(%s) in between",
             stream.name, other, write_name(&own).name, finding->function->name, stream.argument);
}

static const char *kind_of(const struct party *party, const struct race *race)
{
    return party->stream != NULL ? "race-stream" : race->access.touch == RG_FREES ? "race-free" : "race-host";
}

/* After it was told, the party counts as having waited: one wait that is missing is one finding. */
static void learn(const struct party *party, const struct race *race)
{
    struct rg_clock clock = {0};
    clock.of[race->number] = race->entry.ticket;
    rg_runtime_lock();
    if (party->stream == NULL)
        rg_race_host_learns(&clock);
    else
        rg_race_stream_learns(party->stream, &clock);
    rg_runtime_unlock();
}

static bool look(const struct party *party, struct race *race)
{
    rg_runtime_lock();
    const bool is_host = party->stream == NULL, is_known = is_host || party->stream->history.is_kept;
    if (!is_host && is_known)
        refresh(&party->stream->history);
    const bool found = is_known && find_race(party, race);
    rg_runtime_unlock();
    return found;
}

static bool tell(const struct party *party, const struct race *race)
{
    struct rg_finding finding = {
        .kind = kind_of(party, race), .function = party->origin->function, .argument = race->access.argument};
    describe(race, &finding);
    advise(party, race, &finding);
    return rg_check_tell(&finding);
}

/* A call may lack a wait for each stream; those to which another thread adds work meanwhile are not looked at for ever.
 * True: it is refused. */
static bool check(const struct party *party)
{
    struct race race;
    for (int n = 0; n < RG_CLOCK_STREAMS && look(party, &race); n++) {
        if (tell(party, &race))
            return true;
        learn(party, &race);
    }
    return false;
}

bool rg_race_check_host(const struct rg_origin *origin, const struct rg_access *accesses, int n)
{
    return rg_check_level() != RG_CHECK_OFF && check(&(struct party){.origin = origin, .accesses = accesses, .n = n});
}

bool rg_race_check_work(struct rg_stream *stream, const struct rg_work *work)
{
    return rg_check_level() != RG_CHECK_OFF && work->n_accesses > 0 &&
           check(&(struct party){&work->origin, stream, work->accesses, work->n_accesses});
}
