/* SPDX-License-Identifier: Apache-2.0 */
/* Results as tables: for people on a terminal, and in Markdown. */
#ifndef TABLE_H
#define TABLE_H

#include <stdio.h>

#include "bench.h"

/* Aligned text; results come one by one. */
void table_text_title(FILE *file, const char *title);
void table_text(FILE *file, const struct result *result);

/* A heading, a table and, under it, the worst of its columns. Columns without a value are left out. */
void table_markdown(FILE *file, const char *title, const struct result *results, int n);

#endif
