/* SPDX-License-Identifier: Apache-2.0 */
/* The text that aclGetRecentErrMsg returns: per thread, accumulated, cleared by reading. */
#ifndef RG_MESSAGE_H
#define RG_MESSAGE_H

#include <stdarg.h>
#include <stdbool.h>

#include "acl/tell/function.h"

/* Appends "aclrtFree: " and a sentence, made as by printf, to the thread's text and returns status:
 * `return rg_acl_fail(ACL_ERROR_INVALID_PARAM, function, "devPtr is NULL, must be ...");` */
int rg_acl_fail(int status, const struct rg_function *function, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int rg_acl_fail_list(int status, const struct rg_function *function, const char *format, va_list arguments);

/* Has any call failed, in any thread? */
bool rg_acl_has_failed(void);

enum { RG_FAILURE_SENTENCE = 320 };

/* A call that has failed. */
struct rg_failure {
    int status; /* 0: none */
    const struct rg_function *function;
    char sentence[RG_FAILURE_SENTENCE]; /* without the function */
};

/* The last one of this thread. */
const struct rg_failure *rg_acl_last_failure(void);

/* The thread asks why a call has failed, by its text or by its last error; and how often it has. */
void rg_acl_ask(void);
unsigned rg_acl_n_asked(void);

#endif
