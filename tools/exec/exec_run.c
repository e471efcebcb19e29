/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "exec_run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "complain.h"

/* All signals that may be waited for: not those of a fault of our own, nor those that stop us when we use the terminal.
 */
static void fill(sigset_t *set)
{
    static const int others[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGTTIN, SIGTTOU};
    sigfillset(set);
    for (size_t k = 0; k < sizeof others / sizeof others[0]; k++)
        sigdelset(set, others[k]);
}

/* The system keeps no status of children for those who ignore that they end. */
void exec_hold(struct exec_signals *signals)
{
    fill(&signals->held);
    sigprocmask(SIG_BLOCK, &signals->held, &signals->mask);
    sigaction(SIGCHLD, &(struct sigaction){.sa_handler = SIG_DFL}, &signals->child);
}

/* In the child: becomes the program, or writes why not to the pipe. */
static void become(char **words, const struct exec_signals *signals, int pipe_end)
{
    sigaction(SIGCHLD, &signals->child, NULL);
    sigprocmask(SIG_SETMASK, &signals->mask, NULL);
    execvp(words[0], words);
    const int error = errno;
    while (write(pipe_end, &error, sizeof error) < 0 && errno == EINTR)
        continue;
    _exit(EXEC_NOT_FOUND);
}

/* Has the child ended? When the terminal stopped it, we stop too, until somebody continues us. */
static int has_ended(pid_t child, int *status)
{
    pid_t changed;
    while ((changed = waitpid(child, status, WNOHANG | WUNTRACED)) == child) {
        if (!WIFSTOPPED(*status))
            return 1;
        if (WSTOPSIG(*status) != SIGSTOP) {
            raise(SIGSTOP);
            kill(child, SIGCONT);
        }
    }
    return changed < 0 && errno == ECHILD;
}

/* Does the terminal send such signals, to us and to the program alike? */
static int is_of_terminal(int number)
{
    return number == SIGINT || number == SIGQUIT || number == SIGTSTP || number == SIGHUP || number == SIGCONT ||
           number == SIGWINCH;
}

static struct exec_end wait_for(pid_t child, const sigset_t *set)
{
    int status = 0;
    siginfo_t info;
    while (!has_ended(child, &status)) {
        const int number = sigwaitinfo(set, &info);
        const int is_of_system = number > 0 && info.si_code > 0; /* an alarm that was set before is for the program */
        if (number > 0 && number != SIGCHLD && !(is_of_system && is_of_terminal(number)))
            kill(child, number);
    }
    if (WIFSIGNALED(status))
        return (struct exec_end){.status = EXEC_SIGNAL + WTERMSIG(status), .signal = WTERMSIG(status)};
    return (struct exec_end){.status = WEXITSTATUS(status)};
}

static int complain_not_run(const char *program, int error)
{
    return complain(error == ENOENT ? EXEC_NOT_FOUND : EXEC_NOT_RUN, "exec: %s: cannot be run: %s", program,
                    strerror(error));
}

struct exec_end exec_run(char **words, const struct exec_signals *signals)
{
    int ends[2], error = 0;
    struct exec_end end = {0};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return (struct exec_end){.status = complain(STATUS_SYSTEM, "exec: no pipe: %s", strerror(errno))};
    const pid_t child = fork();
    if (child == 0)
        become(words, signals, ends[1]);
    if (child < 0)
        end.status = complain(STATUS_SYSTEM, "exec: no process: %s", strerror(errno));
    close(ends[1]);
    if (child > 0) {
        const ssize_t n = read(ends[0], &error, sizeof error); /* nothing once the program has begun */
        end = wait_for(child, &signals->held);
        end.was_run = n != (ssize_t)sizeof error;
        if (!end.was_run)
            end.status = complain_not_run(words[0], error);
    }
    close(ends[0]);
    return end;
}
