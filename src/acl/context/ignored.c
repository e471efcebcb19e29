/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/context/ignored.h"

#include <stdio.h>

#include "acl/store/block.h"
#include "acl/tell/finding.h"
#include "acl/tell/message.h"
#include "acl/tell/setting.h"

enum { MOST_UNWRITTEN = 2 };

/* The last call of the thread that has failed when it was to make something. */
static _Thread_local struct {
    struct rg_failure why;
    unsigned n_asked; /* before it */
    int what;         /* it was to make */
    struct rg_place place;
    int n_unwritten;
    const void *unwritten[MOST_UNWRITTEN]; /* addresses in device memory that nobody had used */
    const struct rg_function *reader;      /* phase 1 of an operator that will read one of them; or NULL */
    const char *reader_argument;
    const void *reader_address;
} last;

/* Has the thread not asked since why it failed, nor another call made such a thing? */
static bool is_ignored(void)
{
    return last.why.status != 0 && last.n_asked == rg_acl_n_asked();
}

static void tell(const struct rg_function *function, const char *argument, const char *sentence)
{
    struct rg_finding finding = {.kind = "status-ignored", .function = function, .argument = argument};
    snprintf(finding.what, sizeof(finding.what), "%s: %s has failed before with status %d, which was ignored", sentence,
             last.why.function->name, last.why.status);
    snprintf(finding.instead, sizeof(finding.instead),
             "check the status of every call, here of %s; aclGetRecentErrMsg says why it is not 0",
             last.why.function->name);
    rg_check_add(&finding, &last.place, "%s: %s", last.why.function->name, last.why.sentence);
    last.why.status = 0;
    rg_check_tell(&finding);
}

/* ---- Objects, memory, contexts ---------------------------------------------------------------- */

/* Does the last failure matter? */
static bool has_failed(void)
{
    return rg_check_level() != RG_CHECK_OFF && rg_acl_last_failure()->status != 0;
}

static void remember(int what)
{
    last.why = *rg_acl_last_failure();
    last.n_asked = rg_acl_n_asked();
    last.what = what;
    last.place = rg_place_outside();
    last.n_unwritten = 0;
    last.reader = NULL;
}

int rg_ignored_make(int what, int status)
{
    if (status != 0 && has_failed())
        remember(what);
    else if (status == 0 && last.what == what)
        last.why.status = 0;
    return status;
}

/* Phase 2 misses what its own phase 1 was to make; functions that are of no operator what any was. */
static bool is_of_operator(const struct rg_function *function)
{
    return function->phase_2 == NULL || (function->role == RG_PHASE_2 && last.why.function->role == RG_PHASE_1 &&
                                         function->phase_2 == last.why.function->phase_2);
}

bool rg_ignored_miss(int what, const void *value)
{
    const struct rg_failure *now = rg_acl_last_failure();
    if (!is_ignored() || !has_failed() || last.what != what || rg_handle_look(value).state != RG_HANDLE_FOREIGN ||
        (what == RG_HANDLE_EXECUTOR && !is_of_operator(now->function)))
        return false;
    tell(now->function, NULL, now->sentence);
    return true;
}

/* ---- What is in memory ------------------------------------------------------------------------ */

/* Device memory that no operator has used, and no call written to. */
static bool is_unused(const void *address, struct rg_memory_block *block)
{
    return rg_memory_find(address, block) && block->place == RG_MEMORY_DEVICE && !block->was_used;
}

int rg_ignored_fill(const void *address, int status)
{
    struct rg_memory_block block;
    if (status == 0 || !has_failed() || !is_unused(address, &block))
        return status;
    remember(RG_MAKES_CONTENTS);
    rg_ignored_add_result(address);
    return status;
}

void rg_ignored_add_result(const void *address)
{
    struct rg_memory_block block;
    if (is_ignored() && last.n_unwritten < MOST_UNWRITTEN && is_unused(address, &block))
        last.unwritten[last.n_unwritten++] = address;
}

/* Is it in memory that the last failure has left unwritten? */
static bool is_unwritten(const void *address)
{
    struct rg_memory_block block;
    if (!is_ignored() || last.n_unwritten == 0 || !is_unused(address, &block))
        return false;
    for (int k = 0; k < last.n_unwritten; k++)
        if ((uintptr_t)last.unwritten[k] - (uintptr_t)block.base < block.size)
            return true;
    return false;
}

static void tell_read(const struct rg_function *function, const char *argument, const void *address)
{
    char sentence[RG_FAILURE_SENTENCE];
    snprintf(sentence, sizeof(sentence), "%p is in device memory that nobody has written", address);
    tell(function, argument, sentence);
}

void rg_ignored_read(const struct rg_function *function, const char *argument, const void *address)
{
    if (is_unwritten(address))
        tell_read(function, argument, address);
}

void rg_ignored_expect_read(const struct rg_function *phase_1, const char *argument, const void *address)
{
    if (last.reader != NULL || !is_unwritten(address))
        return;
    last.reader = phase_1;
    last.reader_argument = argument;
    last.reader_address = address;
}

/* Phase 1 has used the memory; what matters is whether it has been written since. */
void rg_ignored_tell_expected(const struct rg_function *phase_1, const struct rg_function *phase_2)
{
    struct rg_memory_block block;
    if (is_ignored() && last.reader == phase_1 && rg_memory_find(last.reader_address, &block) && !block.was_written)
        tell_read(phase_2, last.reader_argument, last.reader_address);
}
