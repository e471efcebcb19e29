/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "symbol_program.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MOST_OPTIONS = 6 };

/* The first knows more kinds of debug information, the second is there more often. The module comes behind the
 * options. */
static const struct {
    const char *name, *options[MOST_OPTIONS];
    int has_column;
} programs[SYMBOL_PROGRAMS] = {
    {"llvm-symbolizer", {"--output-style=GNU", "-a", "-f", "-i", "-C", "-e"}, 0},
    {"addr2line", {"-a", "-f", "-i", "-C", "-e"}, 0},
    {"llvm-addr2line", {"-a", "-f", "-i", "-C", "-e"}, 0},
    {"eu-addr2line", {"-a", "-f", "-C", "-e"}, 1},
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* A file without a name that holds the text: a pipe could be full before the program reads. */
static int make_input(const char *text, size_t size)
{
    const int file = memfd_create("addresses", MFD_CLOEXEC);
    size_t written = 0;
    ssize_t n = 1;
    while (file >= 0 && written < size && (n = write(file, text + written, size - written)) > 0)
        written += (size_t)n;
    if (file < 0 || (written == size && lseek(file, 0, SEEK_SET) == 0))
        return file;
    close(file);
    return -1;
}

/* The program has signals as they are at first: we hold ours back. */
static int spawn(int which, const char *module, int input, int output, pid_t *child)
{
    char *words[MOST_OPTIONS + 3] = {(char *)programs[which].name};
    int n = 1;
    for (int k = 0; k < MOST_OPTIONS && programs[which].options[k] != NULL; k++)
        words[n++] = (char *)programs[which].options[k];
    words[n] = (char *)module;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    const int error = posix_spawnp(child, words[0], &files, &attributes, words, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/* Is there something to read, or the end, before that time? */
static int waits_until(int descriptor, double end)
{
    struct pollfd file = {.fd = descriptor, .events = POLLIN};
    for (;;) {
        const double left = end - now();
        const int n = left > 0 ? poll(&file, 1, (int)(left * 1e3) + 1) : 0;
        if (n >= 0 || errno != EINTR)
            return n > 0;
    }
}

/* All there is; NULL when it does not end in time. */
static char *read_all(int descriptor, double end)
{
    char *text = NULL, part[4096];
    size_t size = 0;
    FILE *file = open_memstream(&text, &size);
    ssize_t n = -1;
    while (file != NULL && waits_until(descriptor, end) && (n = read(descriptor, part, sizeof part)) > 0)
        fwrite(part, 1, (size_t)n, file);
    const int is_whole = n == 0;
    if (file != NULL && fclose(file) == 0 && is_whole)
        return text;
    free(text);
    return NULL;
}

/* Whatever keeps it, it ends. */
static char *read_and_end(pid_t child, int descriptor, double end)
{
    int status = 0;
    char *text = read_all(descriptor, end);
    if (text == NULL)
        kill(child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        continue;
    return text;
}

static struct symbol_answer run(int which, const char *module, int input, double most_seconds)
{
    struct symbol_answer answer = {0};
    int ends[2];
    pid_t child;
    const double begin = now();
    if (pipe2(ends, O_CLOEXEC) != 0)
        return answer;
    const int error = spawn(which, module, input, ends[1], &child);
    close(ends[1]);
    if (error == 0) {
        answer.text = read_and_end(child, ends[0], begin + most_seconds);
        answer.has_column = programs[which].has_column;
    }
    close(ends[0]);
    answer.is_missing = error != 0;
    answer.seconds = now() - begin;
    return answer;
}

struct symbol_answer symbol_program_ask(int which, const char *module, const char *addresses, size_t size,
                                        double most_seconds)
{
    const int input = make_input(addresses, size);
    if (input < 0)
        return (struct symbol_answer){0};
    const struct symbol_answer answer = run(which, module, input, most_seconds);
    close(input);
    return answer;
}
