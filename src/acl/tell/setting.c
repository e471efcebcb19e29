/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/tell/setting.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "acl/tell/kind.h"
#include "base/environment.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct rg_check_setting setting;

const char rg_check_log_name[] = "REGRAD_CHECK_LOG";
static const char suppress_name[] = "REGRAD_CHECK_SUPPRESS";

enum { ISOLATE = RG_CHECK_ERROR + 1, N_WORDS };
static const char *const words[] = {[RG_CHECK_OFF] = "off",
                                    [RG_CHECK_WARN] = "warn",
                                    [RG_CHECK_ALL] = "all",
                                    [RG_CHECK_ERROR] = "error",
                                    [ISOLATE] = "isolate"};

/* Which of the words are in a list with commas. False for a list with others. */
static bool parse_words(const char *list, bool named[N_WORDS])
{
    while (*list != '\0') {
        const size_t length = strcspn(list, ",");
        int k = 0;
        while (k <= ISOLATE && (strncmp(list, words[k], length) != 0 || words[k][length] != '\0'))
            k++;
        if (k > ISOLATE)
            return false;
        named[k] = true;
        list += length + (list[length] == ',');
    }
    return true;
}

static void read_words(bool named[N_WORDS])
{
    static const char name[] = "REGRAD_CHECK";
    static atomic_flag told = ATOMIC_FLAG_INIT;
    const char *text = rg_environment(name);
    if (text == NULL || parse_words(text, named))
        return;
    rg_environment_refuse(&told, name, text,
                          "it must be off, warn, all, error, isolate, or isolate and a level separated by a comma; the "
                          "variable counts as not set");
    memset(named, 0, N_WORDS * sizeof(*named));
}

static void refuse_unknown_kinds(void)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    int length = 0;
    const char *unknown = rg_check_find_unknown(setting.suppressed, &length);
    if (unknown != NULL)
        rg_environment_refuse(&told, suppress_name, setting.suppressed,
                              "it must be kinds of findings separated by commas; \"%.*s\" is no kind and has no effect",
                              length < 64 ? length : 64, unknown);
}

static char *copy_variable(const char *name)
{
    const char *text = rg_environment(name);
    return text != NULL ? strdup(text) : NULL;
}

/* The least, or the most: whoever names several has not thought of the order. */
static enum rg_check_level level_of(const bool named[N_WORDS])
{
    static const enum rg_check_level order[] = {RG_CHECK_OFF, RG_CHECK_ERROR, RG_CHECK_ALL, RG_CHECK_WARN};
    for (size_t k = 0; k < sizeof(order) / sizeof(order[0]); k++)
        if (named[order[k]])
            return order[k];
    return named[ISOLATE] ? RG_CHECK_ERROR : RG_CHECK_WARN;
}

/* Isolation takes as many as there are, and programs want some for their threads. */
static bool has_addresses(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY;
}

static void read_setting(void)
{
    bool named[N_WORDS] = {false};
    read_words(named);
    setting.reader = getpid();
    setting.stops_host = named[ISOLATE];
    setting.level = level_of(named);
    setting.isolates = setting.stops_host || (setting.level == RG_CHECK_ALL && has_addresses());
    setting.log = copy_variable(rg_check_log_name);
    setting.teller = copy_variable("REGRAD_CHECK_TELLER");
    setting.suppressed = copy_variable(suppress_name);
    refuse_unknown_kinds();
}

const struct rg_check_setting *rg_check_setting(void)
{
    pthread_once(&once, read_setting);
    return &setting;
}

enum rg_check_level rg_check_level(void)
{
    return rg_check_setting()->level;
}

bool rg_check_isolates(void)
{
    return rg_check_setting()->isolates;
}

bool rg_check_is_in_child(void)
{
    return rg_check_setting()->reader != getpid();
}
