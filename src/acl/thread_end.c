/*
 * No function may be asked about a thread that perhaps has ended. But a pthread_t is the address of what the C library
 * keeps of the thread, and the system's number of the thread is in it as long as it lives. Where it is there is found
 * out with two threads that know their numbers; where that fails, no thread is known to have ended. The memory is read
 * by the system, which refuses what is not there.
 */
#define _GNU_SOURCE
#include "acl/thread_end.h"

#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/thread.h"

enum { N_WORDS = 512 /* that are searched */ };

static pthread_once_t once = PTHREAD_ONCE_INIT;
static int place = -1; /* of the number, in words from the address; -1: unknown */

/* Returns 0, or the system's error. */
static int read_number(pthread_t thread, int word, int32_t *number)
{
    void *address = (void *)((uintptr_t)thread + (uintptr_t)word * sizeof(*number));
    const struct iovec here = {number, sizeof(*number)}, there = {address, sizeof(*number)};
    const ssize_t got = process_vm_readv(getpid(), &here, 1, &there, 1, 0);
    return got == (ssize_t)sizeof(*number) ? 0 : got < 0 ? errno : EFAULT;
}

struct known {
    pthread_t thread;
    int32_t number;
};

static struct known know_self(void)
{
    return (struct known){pthread_self(), (int32_t)syscall(SYS_gettid)};
}

static bool is_at(const struct known *known, int word)
{
    int32_t number = 0;
    return read_number(known->thread, word, &number) == 0 && number == known->number;
}

/* The first place where both threads, this and the one that asks, have theirs. */
static void *search(void *asking)
{
    const struct known self = know_self();
    for (int word = 0; word < N_WORDS && place < 0; word++)
        if (is_at(&self, word) && is_at(asking, word))
            place = word;
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
    const int error = place < 0 ? ENOSYS : read_number(thread, place, &number);
    if (error != 0)
        return error == EFAULT;
    return number <= 0 || (syscall(SYS_tgkill, getpid(), number, 0) != 0 && errno == ESRCH);
}
