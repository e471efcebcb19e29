/* SPDX-License-Identifier: Apache-2.0 */
/* The environment variables of the library. */
#ifndef RG_ENVIRONMENT_H
#define RG_ENVIRONMENT_H

#include <stdatomic.h>

/* The value of a variable; NULL when it is not there, or empty. */
const char *rg_environment(const char *name);

/* The whole number from low to high that a variable says; `otherwise` where it says none, which is told. */
int rg_environment_number(const char *name, int low, int high, int otherwise);

/* Says in one line on standard error that a value is of no use, and then, as by printf, what is wanted and what is
 * done. Does so once for each flag. Whoever set the variable does not call the library, and would not learn of it by a
 * status. */
void rg_environment_refuse(atomic_flag *told, const char *name, const char *value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
