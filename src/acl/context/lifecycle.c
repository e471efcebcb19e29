/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/context/lifecycle.h"

#include <stdatomic.h>
#include <stdio.h>

#include "acl/context/ignored.h"
#include "acl/tell/refuse.h"
#include "acl/tell/setting.h"

enum { NEVER, INITIALISED, FINALISED };

static atomic_int state;
static atomic_bool is_late_told; /* a use after the last aclFinalize */

/* ---- Once for each cause ---------------------------------------------------------------------- */

bool rg_lifecycle_tell_once(struct rg_finding *finding, struct rg_cause *cause, const void *first, const void *second)
{
    if (cause->place == NULL || cause->of[0] != first || cause->of[1] != second)
        *cause = (struct rg_cause){rg_place_outside().frame[0], {first, second}};
    finding->once_for = cause->place;
    return rg_check_tell(finding);
}

/* ---- Beginning and end ------------------------------------------------------------------------ */

void rg_lifecycle_set(bool is_initialised)
{
    atomic_store(&state, is_initialised ? INITIALISED : FINALISED);
    atomic_store(&is_late_told, false);
}

static void tell_early(const struct rg_function *function)
{
    static atomic_flag was_told = ATOMIC_FLAG_INIT;
    struct rg_finding finding = {.kind = "before-init", .is_note = true, .function = function};
    snprintf(finding.what, sizeof(finding.what), "the runtime is used before aclInit, which some versions refuse");
    snprintf(finding.instead, sizeof(finding.instead), "call aclInit(NULL) first, and aclFinalize at the end");
    if (!atomic_flag_test_and_set(&was_told))
        rg_check_tell(&finding);
}

aclError rg_lifecycle_check(const struct rg_function *function)
{
    const int now = atomic_load_explicit(&state, memory_order_relaxed);
    if (now == INITIALISED || rg_check_level() == RG_CHECK_OFF)
        return ACL_SUCCESS;
    if (now == NEVER) {
        tell_early(function);
        return ACL_SUCCESS;
    }
    static const char late = 0;
    struct rg_finding finding = {.kind = "after-finalize", .once_for = &late, .function = function};
    snprintf(finding.what, sizeof(finding.what), "the runtime is used after aclFinalize");
    snprintf(finding.instead, sizeof(finding.instead),
             "call aclFinalize at the end, after aclrtResetDevice, or call aclInit again before this call");
    atomic_store(&is_late_told, true);
    if (!rg_check_tell(&finding))
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_UNINITIALIZE, function, "the runtime has been finalised, must be initialised");
}

void rg_lifecycle_note_late(const struct rg_function *function)
{
    struct rg_finding finding = {.kind = "after-finalize", .is_note = true, .function = function};
    snprintf(finding.what, sizeof(finding.what), "the device is reset after aclFinalize");
    snprintf(finding.instead, sizeof(finding.instead), "call aclrtResetDevice before aclFinalize");
    if (atomic_load_explicit(&state, memory_order_relaxed) == FINALISED && !atomic_load(&is_late_told))
        rg_check_tell(&finding);
}

void rg_lifecycle_tell_ended(const struct rg_function *function, const char *argument, const char *what)
{
    struct rg_finding finding = {.kind = "wrong-order", .is_note = true, .function = function, .argument = argument};
    snprintf(finding.what, sizeof(finding.what), "%s", what);
    snprintf(finding.instead, sizeof(finding.instead),
             "reset a device once for each aclrtSetDevice, and finalise once for each aclInit, after the last use");
    rg_check_tell(&finding);
}

/* ---- Contexts --------------------------------------------------------------------- */

const char rg_lifecycle_set_context[] =
    "call aclrtSetDevice, aclrtSetCurrentContext or aclrtCreateContext in this thread first";

void rg_lifecycle_tell_no_context(const struct rg_function *function, const char *why, bool had_one)
{
    static _Thread_local struct rg_cause cause;
    struct rg_finding finding = {.kind = "wrong-context", .is_note = true, .function = function};
    if (function->role == RG_ASKS || (!had_one && rg_ignored_miss(RG_HANDLE_CONTEXT, NULL)))
        return;
    snprintf(finding.what, sizeof(finding.what), "%s", why);
    snprintf(finding.instead, sizeof(finding.instead), "%s", rg_lifecycle_set_context);
    rg_lifecycle_tell_once(&finding, &cause, had_one ? &cause : NULL, NULL);
}
