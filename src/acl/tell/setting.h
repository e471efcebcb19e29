/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the check mode is set to.
 *
 * REGRAD_CHECK is a list, with commas, of a level and perhaps `isolate`:
 *     off      nothing is looked for that the interface itself does not refuse
 *     warn     what is certainly wrong is told, and goes on as it would; the default
 *     all      what any level tells is told, and goes on as with warn; device memory is isolated, but the host may
 *              touch what is alive, once that was told
 *     error    the same, and the call is refused where it can be; objects know the whole way to their creation
 *     isolate  device memory cannot be touched by the host; implies error unless another level is named
 * With any other word the variable counts as not set.
 * REGRAD_CHECK_LOG names a file to which each finding is appended as a line of JSON.
 * REGRAD_CHECK_TELLER names a directory of `regrad exec` with a socket, to which findings are handed, and that answers
 * with their blocks. REGRAD_CHECK_SUPPRESS is a list, with commas, of kinds that are not told; "leak" stands for
 * "leak-tensor" too.
 */
#ifndef RG_SETTING_H
#define RG_SETTING_H

#include <stdbool.h>
#include <sys/types.h>

enum rg_check_level { RG_CHECK_OFF, RG_CHECK_WARN, RG_CHECK_ALL, RG_CHECK_ERROR };

struct rg_check_setting {
    enum rg_check_level level;
    bool isolates;
    bool stops_host; /* does the host's access to device memory end the program, or is it let pass where it can be? */
    pid_t reader;    /* the process that has read them */
    char *log, *teller, *suppressed; /* copies, NULL for none: a program may change its environment at any time */
};

/* Read once. Any thread; costs nothing. */
const struct rg_check_setting *rg_check_setting(void);
enum rg_check_level rg_check_level(void);
bool rg_check_isolates(void);

/* Has the process been forked since the settings were read? */
bool rg_check_is_in_child(void);

extern const char rg_check_log_name[];

#endif
