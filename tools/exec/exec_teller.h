/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the texts of findings while a program runs: it hands them over one by one, and prints what comes back. */
#ifndef EXEC_TELLER_H
#define EXEC_TELLER_H

#include <pthread.h>

#include "symbolise.h"

/* `symbols` is the teller's until it has stopped. */
struct teller {
    struct symbols *symbols;
    const struct suppression *suppressions; /* findings that are known are not told */
    struct finding *unlogged, **end;        /* what the program could not write to its log */
    int listener, stop[2];
    pthread_t thread;
};

#define TELLER_NAME "teller"

/* Listens at a socket of that name in a directory, which REGRAD_CHECK_TELLER is to name. NULL when that cannot be:
 * without it programs print findings as they do by themselves. */
struct teller *teller_start(int directory, struct symbols *symbols, const struct suppression *suppressions);

/* Answers those that have come, and ends. NULL is nothing. Returns the findings that no log has; they are the caller's.
 */
struct finding *teller_stop(struct teller *teller);

#endif
