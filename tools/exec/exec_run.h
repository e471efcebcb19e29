/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a program and waits for it, as a shell does. */
#ifndef EXEC_RUN_H
#define EXEC_RUN_H

#include <signal.h>

enum { EXEC_NOT_RUN = 126, EXEC_NOT_FOUND = 127, EXEC_SIGNAL = 128 };

struct exec_end {
    int was_run;
    int status; /* its exit status, or EXEC_SIGNAL and the signal */
    int signal; /* that ended it; 0: none */
};

/* Signals that are held back, and what was set before. */
struct exec_signals {
    sigset_t held, mask;
    struct sigaction child;
};

/* Holds back the signals that may be handed on to a program, until we end: what ends the program may reach us again
 * while we tell about it. */
void exec_hold(struct exec_signals *signals);

/*
 * Runs the program with its arguments, ended by NULL, and hands on to it the signals that others send meanwhile (those
 * of the terminal reach it without us). When it was not run, there is a complaint, and the status is EXEC_NOT_FOUND,
 * EXEC_NOT_RUN or STATUS_SYSTEM.
 */
struct exec_end exec_run(char **words, const struct exec_signals *signals);

#endif
