/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The floor: what memory alone takes. A loop that reads as many bytes as an operator must read and writes as many as
 * it must write, each once, on a number of threads, and computes nothing.
 *
 * Each thread has its share of both, and takes them in turns, a block of one and the part of the other
 * that belongs to it. There is a loop for plain and for streaming stores (where the processor has them), and for
 * small and large blocks; what counts is the one that is fastest. Threads start together and do not wait for each other
 * between runs: what it costs to wake and to join threads is no part of the floor.
 */
#ifndef FLOOR_H
#define FLOOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The loops that there are, and their names. */
int floor_n_loops(void);
const char *floor_loop_name(int loop);

struct floor_work {
    const char *read; /* aligned to 64, as `written` */
    size_t n_read;
    char *written;
    size_t n_written;
};

/* Threads that run the loops. */
struct floor_team;

struct floor_team *floor_team_create(int n_threads);
void floor_team_destroy(struct floor_team *team);

/* Seconds that one run takes, as timer_sample. */
double floor_sample(struct floor_team *team, const struct floor_work *work, int loop, int64_t batch, bool warm_up);

#endif
