/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of documentation that belong to the program. */
#ifndef MANUAL_H
#define MANUAL_H

/* Where the page about findings is, as a path without links; NULL when it is not installed, or there is no memory. The
 * caller frees it. */
char *manual_find(void);

/* Has the page a section about a kind of findings? */
int manual_has(const char *path, const char *kind);

#endif
