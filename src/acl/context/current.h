/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: what a thread has current, and what streams belong to. */
#ifndef RG_CURRENT_H
#define RG_CURRENT_H

#include <stdbool.h>

#include "acl/acl_rt.h"
#include "acl/sys/runtime_lock.h"
#include "acl/tell/place.h"

enum { RG_N_CONTEXT_OPTIONS = 3 };

/* What does not change about a context. */
struct rg_context_traits {
    aclrtContext handle;
    int32_t device;
    bool is_default; /* of its device, and ends with it */
    aclrtStream default_stream;
};

struct rg_context {
    struct rg_context_traits traits;
    RG_GUARDED_BY(rg_runtime) bool is_ending; /* takes no new streams */
    RG_GUARDED_BY(rg_runtime) bool has_option[RG_N_CONTEXT_OPTIONS];
    RG_GUARDED_BY(rg_runtime) int64_t option[RG_N_CONTEXT_OPTIONS];
};

void rg_context_set_current(aclrtContext context);
bool rg_context_is_current(aclrtContext context);

/* What the thread's current context is. 107002, with a message, when there is none. */
aclError rg_context_look(const struct rg_function *function, struct rg_context_traits *traits);

/* The same, for a function that stores something at answer. */
aclError rg_context_ask(const struct rg_function *function, const char *argument, const void *answer,
                        struct rg_context_traits *traits);

/* The same, without a message: false when there is none. */
bool rg_context_peek(struct rg_context_traits *traits);

/* The same, as an object to be released; NULL with *status set. */
struct rg_context *rg_context_acquire_current(const struct rg_function *function, aclError *status);
void rg_context_release(const struct rg_context *context);

#endif
