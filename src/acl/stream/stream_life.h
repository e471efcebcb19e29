/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning and the end of streams. */
#ifndef RG_STREAM_LIFE_H
#define RG_STREAM_LIFE_H

#include "acl/context/current.h"
#include "acl/stream/stream.h"

/* A new stream of the context. 207001 without memory, 107002 when the context is ending; no message. */
aclError rg_stream_create(const struct rg_context *context, const struct rg_stream_traits *traits,
                          const struct rg_origin *origin, aclrtStream *created);

/* Waits for the work of all streams of the context, and ends them. */
void rg_stream_end_all(const struct rg_context *context, const struct rg_origin *origin);

#endif
