/* SPDX-License-Identifier: Apache-2.0 */
/* May the runtime be used now: after aclInit, before aclFinalize, with a current context? Findings of the check mode.
 */
#ifndef RG_LIFECYCLE_H
#define RG_LIFECYCLE_H

#include <stdbool.h>

#include "acl/acl_rt.h"
#include "acl/tell/finding.h"

/* The runtime has been initialised, or finalised. */
void rg_lifecycle_set(bool is_initialised);

/* Is the runtime in use? Before aclInit: a note. After aclFinalize: 100001 when the call is to be refused. */
aclError rg_lifecycle_check(const struct rg_function *function);

/* A device is reset: after aclFinalize, a note. */
void rg_lifecycle_note_late(const struct rg_function *function);

/* Something is ended once more, and refused: what it is. */
void rg_lifecycle_tell_ended(const struct rg_function *function, const char *argument, const char *what);

/* A call is refused for want of a current context; the thread had one that is gone, or has not. */
void rg_lifecycle_tell_no_context(const struct rg_function *function, const char *why, bool had_one);

/* A mistake that more calls than one of the thread will show: where it showed first. */
struct rg_cause {
    const void *place;
    const void *of[2]; /* what it is about */
};

/* As rg_check_tell, once for the place where the cause showed first, as long as it is about the same. */
bool rg_lifecycle_tell_once(struct rg_finding *finding, struct rg_cause *cause, const void *first, const void *second);

/* What to do instead of using the runtime without a context. */
extern const char rg_lifecycle_set_context[];

#endif
