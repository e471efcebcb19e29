/* SPDX-License-Identifier: Apache-2.0 */
/* The one parallel loop, over a pool of threads that is started on first need. */
#ifndef RG_PARALLEL_H
#define RG_PARALLEL_H

/* How many threads a loop may use; see regrad_num_threads. */
enum { RG_MAX_THREADS = 256 };
int rg_num_threads(void);

/* Starts threads for loops of n_slots, so that a rg_parallel within a second need not. Without effect when the
 * system refuses threads: loops then run on those that there are. */
void rg_parallel_prepare(int n_slots);

/*
 * The same as
 *     for (int slot = 0; slot < n_slots; slot++) task(context, slot);
 * except that slots may run at the same time on several threads, the calling one included. Returns
 * when all are done. While another thread is in a parallel loop, runs as just written.
 */
void rg_parallel(int n_slots, void (*task)(void *context, int slot), void *context);

#endif
