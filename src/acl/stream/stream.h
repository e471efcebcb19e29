/* SPDX-License-Identifier: Apache-2.0 */
/* Streams, for those who are given their handles. */
#ifndef RG_STREAM_H
#define RG_STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/acl_rt.h"
#include "acl/tell/function.h"

struct rg_stream;

/* What does not change about a stream, but for its priority. */
struct rg_stream_traits {
    int32_t id;        /* given when it is created */
    uint32_t priority; /* under rg_runtime, as all that changes */
    uint32_t flags;
    bool is_default; /* of its context, and ends with it */
};

/* The stream, or for NULL the default one, to be released; NULL, with a message and *status = 107002 or 107003, when
 * there is none. */
struct rg_stream *rg_stream_acquire(aclrtStream stream, const struct rg_function *function, aclError *status);
void rg_stream_release(const struct rg_stream *stream);

/* Is there one? 0, or the status of rg_stream_acquire, with a message. */
aclError rg_stream_check(aclrtStream stream, const struct rg_function *function);

int32_t rg_stream_id(const struct rg_stream *stream);

#endif
