/* Threads of our own. */
#ifndef RG_THREAD_H
#define RG_THREAD_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/* pthread_create, but signals are for the program's own threads, apart from those that a thread brings upon itself.
 * False when the system refuses. */
static inline bool rg_thread_create(pthread_t *thread, void *(*run)(void *argument), void *argument)
{
    const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigset_t blocked, before;
    sigfillset(&blocked);
    for (size_t k = 0; k < sizeof own / sizeof own[0]; k++)
        sigdelset(&blocked, own[k]);
    pthread_sigmask(SIG_SETMASK, &blocked, &before);
    const bool created = pthread_create(thread, NULL, run, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return created;
}

#endif
