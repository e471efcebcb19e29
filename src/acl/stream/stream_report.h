/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks: work of a stream that a thread of the client does, in aclrtProcessReport. */
#ifndef RG_STREAM_REPORT_H
#define RG_STREAM_REPORT_H

#include <stdint.h>

#include "acl/sys/runtime_lock.h"

/* The stream has ended, and so have the subscriptions to it. */
void rg_report_stream_ended(int32_t stream_id) RG_NEEDS(rg_runtime);

#endif
