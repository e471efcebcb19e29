/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "acl/context/lifecycle.h"
#include "acl/device/init_callback.h"
#include "acl/life/leak.h"
#include "acl/sys/runtime_lock.h"
#include "acl/tell/log.h"
#include "acl/tell/refuse.h"

enum { MAX_CONFIG_SIZE = 1 << 20 };

static struct {
    uint64_t n_users;
    uint64_t n_excused; /* users of whom another has finalised the runtime, and who may want to do so too */
    bool has_ended;
    char *config; /* what the first user configured; NULL for nothing */
} runtime RG_GUARDED_BY(rg_runtime);

/* ---- The configuration ------------------------------------------------------------------------ */

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Takes the white space between the tokens of JSON away, so that layout does not count. Text in quotes stays. */
static void squeeze(char *text)
{
    bool quoted = false;
    char *target = text;
    for (const char *source = text; *source != '\0'; source++) {
        if (quoted && *source == '\\' && source[1] != '\0')
            *target++ = *source++;
        else if (*source == '"')
            quoted = !quoted;
        if (quoted || !is_space(*source))
            *target++ = *source;
    }
    *target = '\0';
}

/* What the file holds, and a NUL. 100003 when it cannot be read, 100005 when it is too long. The caller frees it. */
static aclError read_text(const struct rg_function *function, const char *path, char **text)
{
    FILE *file = fopen(path, "rb");
    char *read = malloc(MAX_CONFIG_SIZE + 2);
    const size_t size = file != NULL && read != NULL ? fread(read, 1, MAX_CONFIG_SIZE + 1, file) : 0;
    const bool is_read = file != NULL && !ferror(file);
    if (file != NULL)
        fclose(file);
    if (read != NULL && is_read && size <= MAX_CONFIG_SIZE) {
        read[size] = '\0';
        *text = read;
        return ACL_SUCCESS;
    }
    free(read);
    if (read == NULL)
        return rg_runtime_fail_memory(function);
    return rg_runtime_fail(is_read ? ACL_ERROR_INVALID_FILE_SIZE : ACL_ERROR_INVALID_FILE, function,
                           "configPath is \"%s\", must be a file that can be read and has at most %d bytes", path,
                           MAX_CONFIG_SIZE);
}

/* Is it something in braces? There is no option that would be worth looking further. */
static bool is_object(const char *text)
{
    const size_t length = strlen(text);
    return length >= 2 && text[0] == '{' && text[length - 1] == '}';
}

/* The configuration in a file, NULL for one that says nothing. The caller frees it. */
static aclError read_config(const struct rg_function *function, const char *path, char **config)
{
    char *text = NULL;
    *config = NULL;
    if (path == NULL || *path == '\0')
        return ACL_SUCCESS;
    const aclError refused = read_text(function, path, &text);
    if (refused != ACL_SUCCESS)
        return refused;
    squeeze(text);
    const bool accepted = is_object(text);
    if (accepted && strcmp(text, "{}") != 0)
        *config = text;
    else
        free(text);
    if (accepted)
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_PARSE_FILE, function, "configPath is \"%s\", must hold a JSON object", path);
}

static bool is_same(const char *a, const char *b)
{
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* ---- Users ------------------------------------------------------------------------------------ */

RG_NEEDS(rg_runtime) static void end(void)
{
    runtime.n_excused = runtime.n_users > 0 ? runtime.n_users - 1 : 0;
    runtime.n_users = 0;
    runtime.has_ended = true;
    free(runtime.config);
    runtime.config = NULL;
}

/* What is to be done after the end. */
RG_WITHOUT(rg_runtime) static void close_down(const struct rg_function *function)
{
    rg_runtime_lock();
    if (runtime.n_users == 0)
        rg_lifecycle_set(false);
    rg_runtime_unlock();
    rg_log(RG_LOG_EVENT, "%s: the runtime is finalised", function->name);
}

/* Counts a user. Takes config over. No message. */
RG_NEEDS(rg_runtime) static aclError begin(char *config, uint64_t *n_users)
{
    if (runtime.n_users == 0) {
        runtime.n_users = 1;
        runtime.has_ended = false;
        rg_lifecycle_set(true);
        runtime.config = config;
        return ACL_SUCCESS;
    }
    const bool same = is_same(runtime.config, config);
    free(config);
    if (!same)
        return ACL_ERROR_INVALID_PARAM;
    *n_users = ++runtime.n_users;
    return ACL_ERROR_REPEAT_INITIALIZE;
}

/* Tells the callbacks of a runtime that has begun. It ends again when one of them fails. */
static aclError tell_begin(const struct rg_function *function, const char *config)
{
    const aclError status = rg_init_callbacks_begin(function, config);
    if (status == ACL_SUCCESS)
        return ACL_SUCCESS;
    rg_runtime_lock();
    const bool ends = runtime.n_users > 0 && --runtime.n_users == 0;
    if (ends)
        end();
    rg_runtime_unlock();
    if (ends)
        close_down(function);
    return status;
}

static aclError fail_begin(const struct rg_function *function, aclError status, uint64_t n_users)
{
    if (status == ACL_ERROR_REPEAT_INITIALIZE)
        return rg_runtime_fail(
            status, function,
            "the runtime has been initialised already, must be initialised once; counted as user %llu",
            (unsigned long long)n_users);
    return rg_runtime_fail(
        status, function,
        "configPath names another configuration than the one in use, must name the same until aclFinalize");
}

aclError aclInit(const char *configPath)
{
    static const struct rg_function function = {.name = __func__};
    char *config = NULL;
    uint64_t n_users = 0;
    aclError status = read_config(&function, configPath, &config);
    if (status != ACL_SUCCESS)
        return status;
    char *text = config != NULL ? strdup(config) : NULL;
    if (config != NULL && text == NULL) {
        free(config);
        return rg_runtime_fail_memory(&function);
    }
    rg_runtime_lock();
    status = begin(config, &n_users);
    rg_runtime_unlock();
    if (status == ACL_SUCCESS) {
        rg_log(RG_LOG_EVENT, "%s: the runtime is initialised", function.name);
        status = tell_begin(&function, text);
    } else {
        status = fail_begin(&function, status, n_users);
    }
    free(text);
    return status;
}

/* The end of a runtime that had users, or none; alone: the caller was the last. */
static aclError tell_end(const struct rg_function *function, bool had_users, bool is_alone)
{
    const aclError status = had_users ? rg_init_callbacks_end(function) : ACL_SUCCESS;
    close_down(function);
    if (is_alone)
        rg_leak_tell(function);
    return status;
}

aclError aclFinalize(void)
{
    static const struct rg_function function = {.name = __func__};
    rg_runtime_lock();
    const bool had_ended = runtime.has_ended;
    const uint64_t n_users = runtime.n_users; /* others may have things in use */
    const bool is_excused = runtime.n_excused > 0;
    if (!had_ended)
        end();
    else if (is_excused)
        runtime.n_excused--;
    rg_runtime_unlock();
    if (had_ended && !is_excused)
        rg_lifecycle_tell_ended(&function, NULL, "the runtime has been finalised as often as it was initialised");
    if (had_ended)
        return rg_runtime_fail(ACL_ERROR_REPEAT_FINALIZE, &function,
                               "the runtime has been finalised already, must be initialised in between");
    return tell_end(&function, n_users > 0, n_users <= 1);
}

aclError aclFinalizeReference(uint64_t *refCount)
{
    static const struct rg_function function = {.name = __func__};
    rg_runtime_lock();
    const bool had_user = runtime.n_users > 0;
    if (had_user && --runtime.n_users == 0)
        end();
    const uint64_t n_users = runtime.n_users;
    rg_runtime_unlock();
    if (!had_user)
        return rg_runtime_fail(ACL_ERROR_REPEAT_FINALIZE, &function,
                               "the runtime has 0 users, must have one to finalise");
    if (refCount != NULL)
        *refCount = n_users;
    return n_users == 0 ? tell_end(&function, true, true) : ACL_SUCCESS;
}
