#define _GNU_SOURCE
#include "exec_run.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
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

/* In the child: becomes the program, or writes why not to the pipe. */
static void become(char **words, const sigset_t *mask, int pipe_end)
{
    sigprocmask(SIG_SETMASK, mask, NULL);
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

static struct exec_end wait_for(pid_t child, const sigset_t *set)
{
    int status = 0;
    siginfo_t info;
    while (!has_ended(child, &status)) {
        const int number = sigwaitinfo(set, &info);
        if (number > 0 && number != SIGCHLD && info.si_code <= 0) /* of a process, not of the terminal */
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

struct exec_end exec_run(char **words)
{
    int ends[2], error = 0;
    sigset_t set, mask;
    struct exec_end end = {0};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return (struct exec_end){.status = complain(STATUS_SYSTEM, "exec: no pipe: %s", strerror(errno))};
    fill(&set);
    sigprocmask(SIG_BLOCK, &set, &mask);
    const pid_t child = fork();
    if (child == 0)
        become(words, &mask, ends[1]);
    if (child < 0)
        end.status = complain(STATUS_SYSTEM, "exec: no process: %s", strerror(errno));
    close(ends[1]);
    if (child > 0) {
        const ssize_t n = read(ends[0], &error, sizeof error); /* nothing once the program has begun */
        end = wait_for(child, &set);
        end.was_run = n != (ssize_t)sizeof error;
        if (!end.was_run)
            end.status = complain_not_run(words[0], error);
    }
    close(ends[0]);
    while (sigtimedwait(&set, NULL, &(struct timespec){0}) > 0) /* what ended the child was for us too */
        continue;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return end;
}
