/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of documentation that belong to the program. */
#ifndef MANUAL_H
#define MANUAL_H

/* The page about a kind of findings, as a path without links; NULL when there is none, the documentation is not
 * installed, or memory is short. The caller frees it. */
char *manual_page(const char *kind);

#endif
