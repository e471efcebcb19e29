/* The kinds of findings, and which of them REGRAD_CHECK_SUPPRESS names. */
#ifndef RG_CHECK_KIND_H
#define RG_CHECK_KIND_H

#include <stdbool.h>

/* Is it not to be told? The variable is read each time. */
bool rg_check_is_suppressed(const char *kind);

/* Says once on standard error which words of the variable are no kinds. */
void rg_check_look_for_kinds(void);

#endif
