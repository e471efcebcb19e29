/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lock of the runtime, over devices, contexts, streams, events and reports, and the condition that
 * anything about them has moved on. Nobody holds it while work runs, nor while a handle is released or
 * destroyed.
 */
#ifndef RG_RUNTIME_LOCK_H
#define RG_RUNTIME_LOCK_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "acl/sys/lock.h"

extern struct rg_lock rg_runtime;

void rg_runtime_lock(void) RG_TAKES(rg_runtime);
void rg_runtime_unlock(void) RG_GIVES_UP(rg_runtime);

/* In the child of a fork, where nobody waits. */
void rg_runtime_forget_waiters(void);

/* Tells those who wait that they may look again. */
void rg_runtime_moved(void) RG_NEEDS(rg_runtime);

/* Waits, perhaps too briefly, until anything has moved. Lets the lock go meanwhile. */
void rg_runtime_sleep(void) RG_NEEDS(rg_runtime);

/* As rg_thread_idle, with the lock. */
bool rg_runtime_idle(pthread_cond_t *condition) RG_NEEDS(rg_runtime);

/*
 * Waits until is_done(argument), which is called with the lock held, for at most timeout milliseconds
 * (-1: for ever). Was it done? Lets the lock go while it waits.
 */
bool rg_runtime_wait(bool (*is_done)(const void *argument), const void *argument, int32_t timeout) RG_NEEDS(rg_runtime);

#endif
