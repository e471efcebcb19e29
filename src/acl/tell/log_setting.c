/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/tell/log_setting.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "acl/acl_base.h"
#include "base/environment.h"

enum { MOST_FILES = 1000, USUAL_FILES = 10 };

const char *const rg_log_module_names[RG_LOG_MODULES] = {[RG_LOG_APP] = "APP", [RG_LOG_ASCENDCL] = "ASCENDCL"};

static pthread_once_t once = PTHREAD_ONCE_INIT;
static struct rg_log_setting setting;

static bool is_level(char c)
{
    return c >= '0' && c <= '0' + ACL_ERROR + 1;
}

/* MODULE=LEVEL, once or more, with colons between. Modules that are not here have no lines here. */
static bool parse_modules(const char *text, int levels[RG_LOG_MODULES])
{
    while (*text != '\0') {
        const size_t length = strcspn(text, "=:");
        const char *level = text + length + 1;
        if (length == 0 || text[length] != '=' || !is_level(*level) || (level[1] != ':' && level[1] != '\0'))
            return false;
        for (int m = 0; m < RG_LOG_MODULES; m++)
            if (strncmp(text, rg_log_module_names[m], length) == 0 && rg_log_module_names[m][length] == '\0')
                levels[m] = *level - '0';
        text = level + 1 + (level[1] == ':');
    }
    return true;
}

static void read_levels(void)
{
    static const char name[] = "ASCEND_MODULE_LOG_LEVEL";
    const int level = rg_environment_number("ASCEND_GLOBAL_LOG_LEVEL", ACL_DEBUG, ACL_ERROR + 1, ACL_ERROR);
    const char *text = rg_environment(name);
    int levels[RG_LOG_MODULES];
    for (int m = 0; m < RG_LOG_MODULES; m++)
        levels[m] = setting.lowest[m] = level;
    atomic_flag told = ATOMIC_FLAG_INIT;
    if (text != NULL && !parse_modules(text, levels))
        rg_environment_refuse(
            &told, name, text,
            "it must be MODULE=LEVEL:MODULE=LEVEL, with levels from 0 to %d; the variable counts as not set",
            ACL_ERROR + 1);
    else
        memcpy(setting.lowest, levels, sizeof(levels));
}

/* A directory that is not set, or too long to have files, leaves the next variable its turn. */
static void read_directory(const char *name, const char *below)
{
    const char *text = rg_environment(name);
    atomic_flag told = ATOMIC_FLAG_INIT;
    if (text == NULL || setting.directory[0] != '\0')
        return;
    if (strlen(text) >= PATH_MAX / 2) {
        rg_environment_refuse(&told, name, text,
                              "it must be a path of fewer than %d bytes; the variable counts as not set", PATH_MAX / 2);
        return;
    }
    snprintf(setting.directory, sizeof(setting.directory), "%s%s", text, below);
    setting.said_by = name;
}

static void read_settings(void)
{
    const bool printed_once = rg_environment_number("ASCEND_SLOG_PRINT_TO_STDOUT", 0, 1, 0);
    setting.prints = rg_environment_number("ASCEND_LOG_PRINT_TO_STDOUT", 0, 1, printed_once);
    read_levels();
    setting.has_events = rg_environment_number("ASCEND_GLOBAL_EVENT_ENABLE", 0, 1, 0);
    setting.is_synchronous = rg_environment_number("ASCEND_LOG_SYNC_SAVE", 0, 1, 0);
    setting.n_files = rg_environment_number("ASCEND_HOST_LOG_FILE_NUM", 1, MOST_FILES, USUAL_FILES);
    read_directory("ASCEND_PROCESS_LOG_PATH", "");
    read_directory("ASCEND_WORK_PATH", "/log");
}

const struct rg_log_setting *rg_log_setting(void)
{
    pthread_once(&once, read_settings);
    return &setting;
}
