/* SPDX-License-Identifier: Apache-2.0 */
/* Which cores threads run on. */
#ifndef RG_KEEP_OFF_H
#define RG_KEEP_OFF_H

#include <pthread.h>

/* The core that the calling thread runs on; -1 where the system does not say. */
int rg_current_core(void);

/* From now on the thread runs where the calling thread may run, but not on this core. Without another core, or where
 * the system refuses, it stays as it is. */
void rg_keep_off(pthread_t thread, int core);

#endif
