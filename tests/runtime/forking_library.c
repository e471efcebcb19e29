/* SPDX-License-Identifier: Apache-2.0 */
/* A library whose constructor takes its time, and then forks. */
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

__attribute__((constructor)) static void begin(void)
{
    nanosleep(&(struct timespec){FORKING_LIBRARY_MS / 1000, FORKING_LIBRARY_MS % 1000 * 1000000L}, NULL);
    const pid_t child = fork();
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
}
