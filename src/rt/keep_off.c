/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "rt/keep_off.h"

#include <sched.h>

int rg_current_core(void)
{
    return sched_getcpu();
}

void rg_keep_off(pthread_t thread, int core)
{
    cpu_set_t set[16]; /* 16384 processors */
    if (core < 0 || sched_getaffinity(0, sizeof set, set) != 0)
        return;
    CPU_CLR_S((size_t)core, sizeof set, set);
    if (CPU_COUNT_S(sizeof set, set) > 0)
        pthread_setaffinity_np(thread, sizeof set, set);
}
