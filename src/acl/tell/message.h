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

enum { RG_FAILURE_NAME = 96, RG_FAILURE_SENTENCE = 320 };

/* A call that has failed. */
struct rg_failure {
    int status; /* 0: none */
    char function[RG_FAILURE_NAME];
    char sentence[RG_FAILURE_SENTENCE]; /* without the function */
};

/* The last one of this thread. */
const struct rg_failure *rg_acl_last_failure(void);

/* The thread asks why a call has failed, by its text or by its last error; and how often it has. */
void rg_acl_ask(void);
unsigned rg_acl_n_asked(void);

#endif
