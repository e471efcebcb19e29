/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No function may be asked about a thread that perhaps has ended. But a pthread_t is the address of what the C library
 * keeps of the thread, and the system's number of the thread is in it as long as it lives. Where it is there is found
 * out with two threads that know their numbers; where that fails, no thread is known to have ended.
 */
#define _GNU_SOURCE
#include "acl/sys/thread_end.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/thread.h"

enum { N_WORDS = 256 /* that are searched */ };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int place = -1; /* of the number, in words from the address; -1: unknown */

/* Reads words there through a pipe, which refuses memory that is not there, and which sanitizers do not look into.
 * Returns 0, or the system's error. */
static int read_words(pthread_t thread, int first, int32_t *words, size_t n)
{
    const uintptr_t address = (uintptr_t)thread + (uintptr_t)first * sizeof(*words);
    const size_t size = n * sizeof(*words);
    int ends[2];
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return errno;
    const int error = syscall(SYS_write, ends[1], address, size) < 0 ? errno : 0;
    const bool is_whole = error == 0 && read(ends[0], words, size) == (ssize_t)size;
    close(ends[0]);
    close(ends[1]);
    return error == 0 && !is_whole ? EIO : error;
}

struct known {
    pthread_t thread;
    int32_t number;
};

static struct known know_self(void)
{
    return (struct known){pthread_self(), (int32_t)syscall(SYS_gettid)};
}

/* The first place where both threads, this and the one that asks, have theirs. */
static void *search(void *asking)
{
    const struct known *other = asking, self = know_self();
    int32_t words[N_WORDS], others[N_WORDS];
    if (read_words(self.thread, 0, words, N_WORDS) != 0 || read_words(other->thread, 0, others, N_WORDS) != 0)
        return NULL;
    for (int k = 0; k < N_WORDS && place < 0; k++)
        if (words[k] == self.number && others[k] == other->number)
            place = k;
    return NULL;
}

static void find_place(void)
{
    struct known self = know_self();
    pthread_t second;
    if (rg_thread_create(&second, search, &self))
        pthread_join(second, NULL);
}

bool rg_thread_has_ended(pthread_t thread)
{
    int32_t number = 0;
    pthread_once(&once, find_place);
    const int error = place < 0 ? ENOSYS : read_words(thread, place, &number, 1);
    if (error != 0)
        return error == EFAULT;
    return number <= 0 || (syscall(SYS_tgkill, getpid(), number, 0) != 0 && errno == ESRCH);
}
