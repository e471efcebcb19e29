/* SPDX-License-Identifier: Apache-2.0 */
/* The thread's last message, and the way statuses travel. */
#ifndef RG_STATUS_H
#define RG_STATUS_H

#include "regrad.h"

/* Stores a message, made as by printf, and returns status: `return rg_fail(REGRAD_ERROR_..., "...", ...);` */
regrad_status rg_fail(regrad_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Hands a failure on to the caller, who has nothing to add. */
#define RG_FORWARD(expression)                                                                                         \
    do {                                                                                                               \
        regrad_status forwarded_ = (expression);                                                                       \
        if (forwarded_ != REGRAD_OK)                                                                                   \
            return forwarded_;                                                                                         \
    } while (0)

#endif
