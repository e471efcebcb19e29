/* SPDX-License-Identifier: Apache-2.0 */
/* Everything that was measured, as JSON; docs/performance.md says what is in it. */
#ifndef JSON_H
#define JSON_H

#include <stdio.h>

#include "bench.h"
#include "machine.h"

void json_write(FILE *file, const char *command, const struct machine *machine, const struct bench *bench,
                const struct result *results, int n);

#endif
