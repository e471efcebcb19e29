/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the client that have ended. */
#ifndef RG_THREAD_END_H
#define RG_THREAD_END_H

#include <pthread.h>
#include <stdbool.h>

/* Is this, which the client calls a thread, certainly none any more? Any value; takes microseconds. */
bool rg_thread_has_ended(pthread_t thread);

#endif
