/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks: work of a stream that a thread of the client does, in aclrtProcessReport. */
#ifndef RG_STREAM_REPORT_H
#define RG_STREAM_REPORT_H

#include <stdint.h>

/* The stream has ended, and so have the subscriptions to it. Needs the lock of the runtime. */
void rg_report_stream_ended(int32_t stream_id);

#endif
