#include "acl/check_ignored.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl_base.h"
#include "acl/check_mode.h"

enum { NAME_SIZE = 96, SENTENCE_SIZE = 320 };

/* The last call that failed to make something. */
struct failure {
    int status; /* 0: none, or its caller has asked why */
    char function[NAME_SIZE];
    char sentence[SENTENCE_SIZE]; /* without the function */
    struct rg_place place;
};

static _Thread_local struct failure last;

static bool begins(const char *text, const char *beginning)
{
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static const char *const phase_1 = "GetWorkspaceSize";

static bool is_phase_1(const char *function)
{
    const size_t length = strlen(function), end = strlen(phase_1);
    return begins(function, "aclnn") && length > end && strcmp(function + length - end, phase_1) == 0;
}

/* What a failing call says that misses what another one makes. */
static const struct {
    const char *maker;
    const char *words;
} missed[] = {{"aclrtMalloc", " is NULL"},   {"aclrtCreateStream", "stream is "}, {"aclrtCreateEvent", "vent is "},
              {"aclrtSetDevice", "context"}, {"aclrtCreateContext", "context"},   {"aclCreate", " is NULL"}};

static bool is_maker(const char *function)
{
    for (size_t k = 0; k < sizeof(missed) / sizeof(missed[0]); k++)
        if (begins(function, missed[k].maker))
            return true;
    return is_phase_1(function);
}

static bool depends(const struct failure *before, const char *function, const char *sentence)
{
    if (is_phase_1(before->function))
        return strlen(function) == strlen(before->function) - strlen(phase_1) && begins(before->function, function);
    for (size_t k = 0; k < sizeof(missed) / sizeof(missed[0]); k++)
        if (begins(before->function, missed[k].maker))
            return !begins(function, missed[k].maker) && strstr(sentence, missed[k].words) != NULL;
    return false;
}

static void tell(const struct failure *before, const struct failure *now)
{
    struct rg_finding finding = {.kind = "status-ignored", .function = now->function};
    snprintf(finding.what, sizeof(finding.what), "%s, and %s before has failed with status %d, which was ignored",
             now->sentence, before->function, before->status);
    snprintf(finding.instead, sizeof(finding.instead),
             "look at the status of every call, here at that of %s; aclGetRecentErrMsg says why it is not 0",
             before->function);
    rg_check_add(&finding, &before->place, "%s: %s", before->function, before->sentence);
    rg_check_tell(&finding);
}

/* Splits "function: sentence". */
static bool read_failure(int status, const char *sentence, struct failure *failure)
{
    const char *colon = strstr(sentence, ": ");
    if (colon == NULL || (size_t)(colon - sentence) >= NAME_SIZE)
        return false;
    failure->status = status;
    snprintf(failure->function, NAME_SIZE, "%.*s", (int)(colon - sentence), sentence);
    snprintf(failure->sentence, SENTENCE_SIZE, "%s", colon + 2);
    return true;
}

void rg_ignored_fail(int status, const char *sentence)
{
    struct failure now;
    if (rg_check_level() == RG_CHECK_OFF || !read_failure(status, sentence, &now))
        return;
    if (last.status != 0 && depends(&last, now.function, now.sentence))
        tell(&last, &now);
    last.status = 0;
    if (!is_maker(now.function))
        return;
    last = now;
    last.place = rg_place_outside();
}

void rg_ignored_ask(void)
{
    last.status = 0;
}
