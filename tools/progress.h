/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A bar on standard error for work that is long: it is drawn only when standard error is a terminal
 * and the work has lasted half a second, shows how much of what is counted has been done, and is
 * wiped when the work ends. One at a time.
 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

/* Can a bar be seen at all? Work that must be cut in pieces for it need not be cut otherwise. */
bool progress_visible(void);

void progress_begin(const char *label, uint64_t total);
void progress_update(uint64_t done);
void progress_end(void);

/* Wipes the bar, for a message that is about to be printed. */
void progress_clear(void);

#endif
