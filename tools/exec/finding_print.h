/* SPDX-License-Identifier: Apache-2.0 */
/* A finding as the check mode shows it, with functions, files and lines where they are known. */
#ifndef FINDING_PRINT_H
#define FINDING_PRINT_H

#include <stdio.h>

#include "finding.h"

/* The block on standard error. */
void finding_print_block(FILE *file, const struct finding *finding);

/* The line of the log. */
void finding_print_line(FILE *file, const struct finding *finding);

#endif
