/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for streams. */
#ifndef RG_STREAM_WAIT_H
#define RG_STREAM_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "acl/context/current.h"
#include "acl/sys/runtime_lock.h"

/* Refuses, with 507046, threads that are doing work of a stream of the context, or for NULL of the device; and, if they
 * want to wait for ever, those for whom that would never end. */
aclError rg_stream_check_outside(const struct rg_function *function, const struct rg_context *context, int32_t device,
                                 bool for_ever);

/* Is all work of a device with tickets up to one done, apart from work that the calling thread is doing? */
bool rg_stream_is_device_done(int32_t device, uint64_t ticket) RG_NEEDS(rg_runtime);

/* Waits for the work that is now on all streams of a device; 507046 after timeout milliseconds, else the status of work
 * that failed. */
aclError rg_stream_synchronize_device(const struct rg_function *function, int32_t device, int32_t timeout);

/* Waits for the same, apart from work that the calling thread is doing, and leaves the status of work that failed to
 * the next synchronisation. 507046, with a message, for a wait that would never end. */
aclError rg_stream_wait_device(const struct rg_function *function, int32_t device);

#endif
