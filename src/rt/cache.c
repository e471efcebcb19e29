/* SPDX-License-Identifier: Apache-2.0 */
#include "rt/cache.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { USUAL_NBYTES = 8 << 20, MOST_CACHES = 8 };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static size_t nbytes;

/* The size of cache number `index` of the first processor, as the system writes it: 32768K. 0 when there is none. */
static size_t read_size(int index)
{
    char path[64], text[32] = "";
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", index);
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return 0;
    const ssize_t length = read(file, text, sizeof text - 1);
    close(file);
    char *unit = text;
    const unsigned long size = length > 0 ? strtoul(text, &unit, 10) : 0;
    return *unit == 'K' ? (size_t)size << 10 : *unit == 'M' ? (size_t)size << 20 : (size_t)size;
}

/* The C library's answer is a guess that is many times too large in some virtual machines. */
static void find_out(void)
{
    for (int index = 0; index < MOST_CACHES; index++) {
        const size_t size = read_size(index);
        nbytes = size > nbytes ? size : nbytes;
    }
    if (nbytes == 0)
        nbytes = USUAL_NBYTES;
}

/* Asked once. */
size_t rg_cache_nbytes(void)
{
    pthread_once(&once, find_out);
    return nbytes;
}
