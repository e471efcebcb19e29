/* SPDX-License-Identifier: Apache-2.0 */
/* Files about a run that are written whole or not at all. */
#ifndef DOCUMENT_H
#define DOCUMENT_H

#include <stdio.h>

#include "output.h"

/* Prints what the context is about; returns 0 when there is no memory. */
typedef int document_print(FILE *file, const void *context);

/* Writes to an output that output_try has found well. Returns an exit status, and complains when it is not STATUS_OK;
 * `what` is for that. */
int document_write(struct output *output, const char *what, document_print *print, const void *context);

#endif
