/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the runtime share. */
#ifndef REFUSAL_H
#define REFUSAL_H

/* cmocka wants these four before it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "acl/acl.h"

#define assert_success(call) check_success(call, #call, __FILE__, __LINE__)

/* Was the call refused with the status, also as the thread's last error, and with these words in the message? */
#define assert_refused(call, wanted, words) check_refused(call, wanted, words, __FILE__, __LINE__)

void check_success(aclError status, const char *call, const char *file, int line);
void check_refused(aclError status, aclError wanted, const char *words, const char *file, int line);

/* For cmocka to call before the first test and after the last. */
int set_device_0(void **state);
int reset_device_0(void **state);

/* Something that is no handle of ours. */
extern void *const foreign_handle;

/* Puts task(argument) on the stream, and destroy(argument) behind it; either may be NULL. What task returns is the
 * status that the stream has then. */
aclError submit_work(aclrtStream stream, aclError (*task)(void *argument), void *argument,
                     void (*destroy)(void *argument));

/* Waits until the stream has no work left, without a synchronisation, which would take its status. */
void drain(aclrtStream stream);

/* Makes the stream wait: work that comes after is not done until unblock, by the same thread, has been called as often.
 */
void block(aclrtStream stream);
void unblock(void);

/* Ends what the first block of a stream has begun. */
void end_blocking(aclrtStream stream);

#endif
