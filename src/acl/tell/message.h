/* SPDX-License-Identifier: Apache-2.0 */
/* The text that aclGetRecentErrMsg returns: per thread, accumulated, cleared by reading. */
#ifndef RG_MESSAGE_H
#define RG_MESSAGE_H

#include <stdbool.h>

/* Appends a sentence, made as by printf, to the thread's text and returns status:
 * `return rg_acl_fail(ACL_ERROR_INVALID_PARAM, "aclrtFree: devPtr is NULL, must be ...");` */
int rg_acl_fail(int status, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Has any call failed, in any thread? */
bool rg_acl_has_failed(void);

#endif
