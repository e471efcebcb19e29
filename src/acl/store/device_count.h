/* SPDX-License-Identifier: Apache-2.0 */
/* The devices that the process sees. They are all the processor it runs on. */
#ifndef RG_DEVICE_COUNT_H
#define RG_DEVICE_COUNT_H

#include "acl/acl_rt.h"
#include "acl/tell/function.h"

enum { RG_MAX_DEVICES = 64 };

/* How many there are; read from the environment once. */
int32_t rg_device_count(void);

/* Is it one of them? Else 107001, with a message. */
aclError rg_device_check(const struct rg_function *function, const char *argument, int64_t device);

#endif
