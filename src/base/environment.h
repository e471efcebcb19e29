/* The environment variables of the library. */
#ifndef RG_ENVIRONMENT_H
#define RG_ENVIRONMENT_H

#include <stdatomic.h>

/* The value of a variable; NULL when it is not there, or empty. */
const char *rg_environment(const char *name);

/* Says in one line on standard error that a value is of no use, and then, as by printf, what is wanted and what is
 * done. Does so once for each flag. It is the only thing that the library prints: whoever set the variable does not
 * call it, and would not learn of it by a status. */
void rg_environment_refuse(atomic_flag *told, const char *name, const char *value, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

#endif
