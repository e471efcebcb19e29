#include "acl/handle_check.h"

#include <stdio.h>
#include <string.h>

#include "acl/check_mode.h"

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

const char *rg_handle_kind_noun(enum rg_handle_kind kind)
{
    return strchr(names[kind], ' ') + 1;
}

/* What a call was given, and what is known about it. */
struct given {
    const char *function;
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
                     life->created.function);
    if (life->created.function != NULL && life->state == RG_HANDLE_DEAD)
        rg_check_add(&finding, &life->ended.place, "the same, ended by %s", life->ended.function);
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
    snprintf(instead, sizeof(instead), "hand on what the function that creates %s has returned",
             rg_handle_kind_name(given->kind));
    tell(given, "wrong-object", false, what, instead);
    return true;
}

/* Phase 2 has ended it, as it does with every executor that is not repeatable. */
static bool has_run(const struct given *given)
{
    return given->kind == RG_HANDLE_EXECUTOR && given->life.ended.function != NULL &&
           strncmp(given->life.ended.function, "aclnn", strlen("aclnn")) == 0;
}

static struct given look(const char *function, const char *argument, enum rg_handle_kind kind, const void *handle)
{
    return (struct given){function, argument, kind, rg_handle_look(handle)};
}

void rg_handle_tell_dead(const char *function, const char *argument, enum rg_handle_kind kind, const void *handle)
{
    if (rg_check_level() == RG_CHECK_OFF)
        return;
    const struct given given = look(function, argument, kind, handle);
    char what[RG_CHECK_TEXT / 2], instead[RG_CHECK_TEXT / 2];
    if (tell_wrong(&given))
        return;
    if (has_run(&given)) {
        tell(&given, "executor-reused", false, "is an executor that has run, and with that has ended",
             "call phase 1 again for each run, or, before the first one, aclSetAclOpExecutorRepeatable");
        return;
    }
    snprintf(what, sizeof(what), "is %s that has been destroyed", rg_handle_kind_name(kind));
    snprintf(instead, sizeof(instead), "destroy the %s after its last use", rg_handle_kind_noun(kind));
    tell(&given, "dead-object", false, what, instead);
}

void rg_handle_tell_ended(const char *function, const char *argument, enum rg_handle_kind kind, const void *handle)
{
    if (rg_check_level() == RG_CHECK_OFF)
        return;
    const struct given given = look(function, argument, kind, handle);
    char what[RG_CHECK_TEXT / 2], instead[RG_CHECK_TEXT / 2];
    if (tell_wrong(&given))
        return;
    if (has_run(&given)) {
        tell(&given, "executor-destroyed", true, "is an executor that has run, and with that has ended",
             "destroy only executors that have not run, and repeatable ones: a device looks into freed memory here");
        return;
    }
    snprintf(what, sizeof(what), "is %s that has been destroyed before", rg_handle_kind_name(kind));
    snprintf(instead, sizeof(instead), "destroy the %s once; set the pointer to NULL then", rg_handle_kind_noun(kind));
    tell(&given, "destroyed-twice", false, what, instead);
}
