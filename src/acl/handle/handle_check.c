/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/handle/handle_check.h"

#include <stdio.h>
#include <string.h>

#include "acl/tell/finding.h"
#include "acl/tell/setting.h"

static const char *const names[] = {
    [RG_HANDLE_TENSOR] = "a tensor",
    [RG_HANDLE_TENSOR_LIST] = "a list of tensors",
    [RG_HANDLE_SCALAR] = "a scalar",
    [RG_HANDLE_SCALAR_LIST] = "a list of scalars",
    [RG_HANDLE_INT_ARRAY] = "an array of integers",
    [RG_HANDLE_FLOAT_ARRAY] = "an array of floats",
    [RG_HANDLE_BOOL_ARRAY] = "an array of booleans",
    [RG_HANDLE_EXECUTOR] = "an executor",
    [RG_HANDLE_DATA_BUFFER] = "a data buffer",
    [RG_HANDLE_STREAM] = "a stream",
    [RG_HANDLE_EVENT] = "an event",
    [RG_HANDLE_CONTEXT] = "a context",
    [RG_HANDLE_PHYSICAL] = "a block of physical memory",
};

const char *rg_handle_kind_name(enum rg_handle_kind kind)
{
    return names[kind];
}

/* The same without the article. */
static const char *noun_of(enum rg_handle_kind kind)
{
    return strchr(names[kind], ' ') + 1;
}

/* What a call was given, and what is known about it. */
struct given {
    const struct rg_function *function;
    const char *argument;
    enum rg_handle_kind kind; /* that it must be of */
    struct rg_handle_life life;
};

static void tell(const struct given *given, const char *finding_kind, bool is_note, const char *what,
                 const char *instead)
{
    struct rg_finding finding = {.kind = finding_kind,
                                 .is_note = is_note,
                                 .is_refused = true,
                                 .function = given->function,
                                 .argument = given->argument};
    const struct rg_handle_life *life = &given->life;
    snprintf(finding.what, sizeof(finding.what), "%p %s", life->handle, what);
    snprintf(finding.instead, sizeof(finding.instead), "%s", instead);
    if (life->created.function != NULL)
        rg_check_add(&finding, &life->created.place, "%s, created by %s", rg_handle_kind_name(life->kind),
                     life->created.function->name);
    if (life->created.function != NULL && life->state == RG_HANDLE_DEAD)
        rg_check_add(&finding, &life->ended.place, "the same, ended by %s", life->ended.function->name);
    rg_check_tell(&finding);
}

/* Is it of another kind, or nothing that ever was an object? Then that is told. */
static bool tell_wrong(const struct given *given)
{
    const struct rg_handle_life *life = &given->life;
    const bool is_other = life->created.function != NULL && life->kind != given->kind;
    char what[RG_CHECK_TEXT / 2], instead[RG_CHECK_TEXT / 2];
    if (life->state != RG_HANDLE_FOREIGN && !is_other)
        return false;
    snprintf(what, sizeof(what), "is %s, and must be %s",
             is_other ? rg_handle_kind_name(life->kind) : "nothing that this library has created",
             rg_handle_kind_name(given->kind));
    snprintf(instead, sizeof(instead), "pass a handle that was returned by the function that creates %s",
             rg_handle_kind_name(given->kind));
    tell(given, "wrong-object", false, what, instead);
    return true;
}

/* Phase 2 has ended it, as it does with every executor that is not repeatable. */
static bool has_run(const struct given *given)
{
    return given->kind == RG_HANDLE_EXECUTOR && given->life.ended.function != NULL &&
           given->life.ended.function->role == RG_PHASE_2;
}

/* What is said of a handle that is gone: of an executor that has run, and of all others. */
struct words {
    const char *run_kind, *run_instead;
    bool is_run_note;
    const char *kind;
    const char *was;     /* behind "has been " */
    const char *instead; /* behind "destroy the stream " */
};

static const struct words in_use = {
    .run_kind = "executor-reused",
    .run_instead = "call phase 1 again for each run, or, before the first one, aclSetAclOpExecutorRepeatable",
    .kind = "dead-object",
    .was = "destroyed",
    .instead = "after its last use"};

static const struct words at_end = {
    .run_kind = "executor-destroyed",
    .run_instead =
        "destroy only executors that have not run, and repeatable ones: a device would read freed memory here",
    .is_run_note = true,
    .kind = "destroyed-twice",
    .was = "destroyed before",
    .instead = "once, and set the pointer to NULL afterwards"};

/* What ends with an owner, and what to do where that and another end meet. */
struct owned {
    enum rg_handle_kind kind;
    enum rg_role role;          /* of the function that ends the owner */
    const char *use, *end;      /* used afterwards; ended by itself as well */
    const char *end_by_another; /* ended by two owners, or by one that has it twice */
};

static const char late_reset[] =
    "a device's reset ends its default context and the streams of that context: reset the device after their last use";
static const char ended_by_reset[] =
    "a device's reset ends its default context and the streams of that context: end them before it, or not at all";
static const struct owned owned[] = {
    {RG_HANDLE_TENSOR, RG_ENDS_MEMBERS, "a list ends its members: end it after the last use of the tensor",
     "a list ends its members: leave the tensor to the list",
     "a list ends its members: put the tensor into one list, and once"},
    {RG_HANDLE_SCALAR, RG_ENDS_MEMBERS, "a list ends its members: end it after the last use of the scalar",
     "a list ends its members: leave the scalar to the list",
     "a list ends its members: put the scalar into one list, and once"},
    {RG_HANDLE_STREAM, RG_ENDS_CONTEXT, "a context ends its streams: destroy it after the last use of the stream",
     "a context ends its streams: destroy the stream before the context, or leave it to the context", NULL},
    {RG_HANDLE_STREAM, RG_RESETS, late_reset, ended_by_reset, NULL},
    {RG_HANDLE_CONTEXT, RG_RESETS, late_reset, ended_by_reset, NULL},
};

/* The advice where an owner has a part in it; NULL where none has. */
static const char *advise_owned(const struct given *given, bool is_use)
{
    const struct rg_function *before = given->life.ended.function;
    for (size_t k = 0; before != NULL && k < sizeof(owned) / sizeof(*owned); k++) {
        const struct owned *own = &owned[k];
        const bool was = before->role == own->role, is = given->function->role == own->role;
        if (own->kind == given->kind && (was || is))
            return is_use ? own->use : was && is ? own->end_by_another : own->end;
    }
    return NULL;
}

static void tell_gone(const struct given *given, const struct words *words)
{
    char what[RG_CHECK_TEXT / 2], instead[RG_CHECK_TEXT / 2];
    if (tell_wrong(given))
        return;
    if (has_run(given)) {
        tell(given, words->run_kind, words->is_run_note, "is an executor that has ended, because it has run",
             words->run_instead);
        return;
    }
    snprintf(what, sizeof(what), "is %s that has been %s", rg_handle_kind_name(given->kind), words->was);
    const char *of_owner = advise_owned(given, words == &in_use);
    if (of_owner != NULL)
        snprintf(instead, sizeof(instead), "%s", of_owner);
    else
        snprintf(instead, sizeof(instead), "destroy the %s %s", noun_of(given->kind), words->instead);
    tell(given, words->kind, false, what, instead);
}

void rg_handle_tell_dead(const struct rg_function *function, const char *argument, enum rg_handle_kind kind,
                         const void *handle)
{
    if (handle != NULL && rg_check_level() != RG_CHECK_OFF)
        tell_gone(&(struct given){function, argument, kind, rg_handle_look(handle)}, &in_use);
}

void rg_handle_tell_ended(const struct rg_function *function, const char *argument, enum rg_handle_kind kind,
                          const void *handle)
{
    if (handle != NULL && rg_check_level() != RG_CHECK_OFF)
        tell_gone(&(struct given){function, argument, kind, rg_handle_look(handle)}, &at_end);
}
