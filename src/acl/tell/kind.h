/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of findings, and lists of them. List may be NULL. */
#ifndef RG_KIND_H
#define RG_KIND_H

#include <stdbool.h>

/* Is the kind named in a list with commas, by itself or by what it begins with, up to a hyphen? */
bool rg_check_is_named(const char *list, const char *kind);

/* The first word of the list that names no kind, and its length; NULL for none. */
const char *rg_check_find_unknown(const char *list, int *n);

#endif
