/* SPDX-License-Identifier: Apache-2.0 */
/* Findings as other programs read them. */
#ifndef FORMATS_H
#define FORMATS_H

#include <stdio.h>

#include "finding.h"
#include "options.h"

/* Is a file of it a whole, to which nothing can be appended? */
int format_is_document(enum format format);

/* Prints a finding in one of the others. */
void format_print(FILE *file, enum format format, const struct finding *finding);

/* Print all findings of a struct run. They return 0 when there is no memory. */
int sarif_print(FILE *file, const void *run);
int junit_print(FILE *file, const void *run);

/* The path of a source as a reader of the repository knows it: from GITHUB_WORKSPACE on, where that is set, or from the
 * working directory on; whole where it is not beneath that. NULL when there is no memory. The caller frees it. */
char *format_path(const char *file);

/* That directory; the same. */
char *format_root(void);

#endif
