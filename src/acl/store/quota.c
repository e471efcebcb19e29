/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/store/quota.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#include "acl/store/device_count.h"
#include "base/environment.h"

static atomic_size_t booked[RG_MAX_DEVICES], peak[RG_MAX_DEVICES];

static pthread_once_t once = PTHREAD_ONCE_INIT;
static size_t total;

/* A number with K, M or G behind it, or nothing; 0 for what is no such thing. */
static size_t parse_size(const char *text)
{
    char *end = NULL;
    const unsigned long long number = *text >= '0' && *text <= '9' ? strtoull(text, &end, 10) : 0;
    const int shift = number == 0 ? 0 : *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    if (number == 0 || end[shift != 0] != '\0' || number > SIZE_MAX >> shift)
        return 0;
    return (size_t)number << shift;
}

size_t rg_memory_of_machine(void)
{
    return (size_t)sysconf(_SC_PHYS_PAGES) * (size_t)sysconf(_SC_PAGESIZE);
}

static void read_total(void)
{
    static const char name[] = "REGRAD_DEVICE_MEMORY";
    static atomic_flag told = ATOMIC_FLAG_INIT;
    const char *text = rg_environment(name);
    total = text != NULL ? parse_size(text) : 0;
    if (total > 0)
        return;
    total = rg_memory_of_machine();
    if (text != NULL)
        rg_environment_refuse(
            &told, name, text,
            "it must be a positive number of bytes, optionally followed by K, M or G; the variable counts as not set");
}

size_t rg_memory_total(void)
{
    pthread_once(&once, read_total);
    return total;
}

size_t rg_memory_booked(int32_t device)
{
    return atomic_load(&booked[device]);
}

size_t rg_memory_peak(int32_t device)
{
    return atomic_load(&peak[device]);
}

bool rg_memory_book(int32_t device, size_t size)
{
    size_t before = atomic_load(&booked[device]), most = atomic_load(&peak[device]);
    do {
        if (size > rg_memory_total() || before > rg_memory_total() - size)
            return false;
    } while (!atomic_compare_exchange_weak(&booked[device], &before, before + size));
    while (most < before + size && !atomic_compare_exchange_weak(&peak[device], &most, before + size))
        continue;
    return true;
}

void rg_memory_unbook(int32_t device, size_t size)
{
    atomic_fetch_sub(&booked[device], size);
}
