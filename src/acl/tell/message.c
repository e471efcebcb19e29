/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/tell/message.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl.h"
#include "acl/tell/log.h"
#include "base/format.h"

enum { TEXT_SIZE = 4096 };

static atomic_bool has_failed;
static _Thread_local struct rg_failure last;
static _Thread_local unsigned n_asked;

/* A fixed room, so that a refusal for want of memory can still be told. */
static _Thread_local struct {
    char text[TEXT_SIZE];
    size_t length;
    bool was_read;
} recent;

/* Drops the oldest sentences until a new one of needed bytes has room. */
static void make_room(size_t needed)
{
    while (recent.length > 0 && recent.length + needed >= TEXT_SIZE) {
        const char *end = memchr(recent.text, '\n', recent.length);
        const size_t dropped = end != NULL ? (size_t)(end - recent.text) + 1 : recent.length;
        recent.length -= dropped;
        memmove(recent.text, recent.text + dropped, recent.length);
    }
}

const struct rg_failure *rg_acl_last_failure(void)
{
    return &last;
}

/* Appends to what aclGetRecentErrMsg returns. */
static void append(const char *sentence)
{
    if (recent.was_read)
        recent.length = 0;
    recent.was_read = false;
    make_room(strlen(sentence) + 1);
    const size_t room = TEXT_SIZE - recent.length;
    recent.length += (size_t)snprintf(recent.text + recent.length, room, "%s\n", sentence);
}

int rg_acl_fail_list(int status, const struct rg_function *function, const char *format, va_list arguments)
{
    char said[TEXT_SIZE / 4], sentence[TEXT_SIZE / 4];
    const int head = snprintf(said, sizeof(said), "%s: ", function->name);
    rg_format_list(said + head, sizeof(said) - (size_t)head, format, arguments);
    rg_copy_plain(sentence, sizeof(sentence), said);
    if (status != 0) {
        atomic_store(&has_failed, true);
        rg_log(ACL_ERROR, "%s (status %d)", sentence, status);
        last.status = status;
        last.function = function;
        snprintf(last.sentence, sizeof(last.sentence), "%s", sentence + head);
    }
    append(sentence);
    return status;
}

int rg_acl_fail(int status, const struct rg_function *function, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    rg_acl_fail_list(status, function, format, arguments);
    va_end(arguments);
    return status;
}

bool rg_acl_has_failed(void)
{
    return atomic_load(&has_failed);
}

void rg_acl_ask(void)
{
    n_asked++;
}

unsigned rg_acl_n_asked(void)
{
    return n_asked;
}

const char *aclGetRecentErrMsg(void)
{
    rg_acl_ask();
    if (recent.was_read || recent.length == 0)
        return NULL;
    recent.was_read = true;
    return recent.text;
}
