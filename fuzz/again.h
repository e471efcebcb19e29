/* SPDX-License-Identifier: Apache-2.0 */
/* Included first in sources that read their settings once in a process, and say once what is wrong with them: a fuzz
 * target has them read each time, and hears nothing of what they say. */
#include <pthread.h>
#include <stdio.h>

static inline int read_again(pthread_once_t *once, void (*read)(void))
{
    (void)once;
    read();
    return 0;
}

#define pthread_once read_again
#define fprintf(file, ...) ((void)snprintf(NULL, 0, __VA_ARGS__))
