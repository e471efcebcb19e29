/* SPDX-License-Identifier: Apache-2.0 */
/* Which tables this machine can run, and which one is used. The only place that asks the processor. */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

#include "base/environment.h"
#include "kernel/kernel.h"

enum { MAX_TABLES = 3 };

static const struct rg_kernel_table *runnable[MAX_TABLES];
static int n_runnable;
static const struct rg_kernel_table *selected;

#if defined(__x86_64__)
#include <cpuid.h>

/* F16C has no name that both compilers' __builtin_cpu_supports know: leaf 1, ECX bit 29. */
static bool has_f16c(void)
{
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) != 0 && (ecx >> 29 & 1) != 0;
}

static void find_vector_tables(void)
{
    __builtin_cpu_init();
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c();
    if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        runnable[n_runnable++] = &rg_kernels_avx512;
    if (avx2)
        runnable[n_runnable++] = &rg_kernels_avx2;
}
#elif defined(__aarch64__)
static void find_vector_tables(void)
{
    runnable[n_runnable++] = &rg_kernels_neon; /* part of the base architecture */
}
#else
static void find_vector_tables(void)
{
}
#endif

static void refuse_isa(const char *wanted)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    char names[64] = "";
    for (int k = 0; k < n_runnable; k++) {
        strcat(names, k > 0 ? ", " : "");
        strcat(names, runnable[k]->name);
    }
    rg_environment_refuse(&told, "REGRAD_ISA", wanted, "this machine has %s; %s is used", names, selected->name);
}

static void find_tables(void)
{
    find_vector_tables();
    runnable[n_runnable++] = &rg_kernels_scalar;
    selected = runnable[0];
    const char *wanted = rg_environment("REGRAD_ISA");
    bool found = wanted == NULL;
    for (int k = 0; !found && k < n_runnable; k++) {
        found = strcmp(wanted, runnable[k]->name) == 0;
        selected = found ? runnable[k] : selected;
    }
    if (!found)
        refuse_isa(wanted);
}

static void find_tables_once(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, find_tables);
}

const struct rg_kernel_table *const *rg_kernel_tables(int *n)
{
    find_tables_once();
    *n = n_runnable;
    return runnable;
}

const struct rg_kernel_table *rg_kernel_select(void)
{
    find_tables_once();
    return selected;
}

const char *regrad_isa(void)
{
    return rg_kernel_select()->name;
}
