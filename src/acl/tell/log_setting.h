/* SPDX-License-Identifier: Apache-2.0 */
/* What the vendor's environment variables ask the log for. */
#ifndef RG_LOG_SETTING_H
#define RG_LOG_SETTING_H

#include <limits.h>
#include <stdbool.h>

/* Who writes lines: the program by aclAppLog, and this library. */
enum rg_log_module { RG_LOG_APP, RG_LOG_ASCENDCL, RG_LOG_MODULES };

struct rg_log_setting {
    bool prints;                      /* on standard output */
    char directory[PATH_MAX / 2 + 8]; /* else into a file below it; empty: nowhere */
    const char *said_by;              /* the variable that names it */
    int lowest[RG_LOG_MODULES];       /* the level from which on a module's lines are written; above ACL_ERROR: none */
    bool has_events;
    bool is_synchronous; /* a line is on the disk when the call returns */
    int n_files;         /* of ended processes and this one, that are kept */
};

/* Read once. Any thread. */
const struct rg_log_setting *rg_log_setting(void);

extern const char *const rg_log_module_names[RG_LOG_MODULES];

#endif
