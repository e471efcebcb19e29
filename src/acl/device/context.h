/* SPDX-License-Identifier: Apache-2.0 */
/* Contexts: what a thread has current, and what streams belong to. */
#ifndef RG_CONTEXT_H
#define RG_CONTEXT_H

#include <stdbool.h>

#include "acl/acl_rt.h"
#include "acl/tell/place.h"

enum { RG_N_CONTEXT_OPTIONS = 3 };

/* What does not change about a context. */
struct rg_context_traits {
    aclrtContext handle;
    int32_t device;
    bool is_default; /* of its device, and ends with it */
    aclrtStream default_stream;
};

/* What changes is under the lock of the runtime. */
struct rg_context {
    struct rg_context_traits traits;
    bool is_ending; /* takes no new streams */
    bool has_option[RG_N_CONTEXT_OPTIONS];
    int64_t option[RG_N_CONTEXT_OPTIONS];
};

/* A new context with its default stream; NULL without memory. */
aclrtContext rg_context_create(int32_t device, bool is_default, const struct rg_origin *origin);

/* Waits for the work of its streams, and ends them and it. False when it is no live context. */
bool rg_context_end(aclrtContext context, const struct rg_origin *origin);

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
