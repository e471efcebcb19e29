/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE /* asprintf */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"

/* The most that one call of write is given: larger counts are cut by the kernel. */
static const size_t largest_write = (size_t)1 << 26;

/* Temporary names that may exist now, for the signal handler. */
static char *volatile pending[OUTPUT_MAX];

static const int fatal_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGXCPU, SIGALRM};

enum { N_SIGNALS = sizeof fatal_signals / sizeof fatal_signals[0] };

static sigset_t fatal_set(void)
{
    sigset_t set;
    sigemptyset(&set);
    for (int k = 0; k < N_SIGNALS; k++)
        sigaddset(&set, fatal_signals[k]);
    return set;
}

void output_remove_temporary(void)
{
    for (int k = 0; k < OUTPUT_MAX; k++)
        if (pending[k])
            unlink(pending[k]);
}

/* The handler has been reset by SA_RESETHAND, so that the signal, raised again, ends the program as it would have. */
static void end_by_signal(int signal_number)
{
    output_remove_temporary();
    raise(signal_number);
}

void output_catch_signals(void)
{
    struct sigaction action = {.sa_handler = end_by_signal, .sa_flags = SA_RESETHAND, .sa_mask = fatal_set()};
    for (int k = 0; k < N_SIGNALS; k++) {
        struct sigaction old;
        if (sigaction(fatal_signals[k], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
            sigaction(fatal_signals[k], &action, NULL);
    }
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large then is an error of write */
}

static int cannot(const struct output *output, const char *verb, int error)
{
    return complain(STATUS_SYSTEM, "%s: cannot be %s: %s",
                    strcmp(output->name, "-") == 0 ? "standard output" : output->name, verb, strerror(error));
}

/* Does the name stand for something that a rename would wrongly replace? */
static bool written_directly(const char *name)
{
    struct stat status;
    return strcmp(name, "-") == 0 || (stat(name, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode));
}

static int open_directly(struct output *output)
{
    output->descriptor = strcmp(output->name, "-") == 0 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0)
                                                        : open(output->name, O_WRONLY | O_CLOEXEC);
    return output->descriptor >= 0 ? STATUS_OK : cannot(output, "opened", errno);
}

/* Where the file really is: renaming onto a symbolic link would replace the link. A file that does not exist yet is
 * found by its directory. */
static char *followed(const char *name)
{
    char *path = realpath(name, NULL);
    if (path)
        return path;
    const char *slash = strrchr(name, '/');
    char *parent = slash == NULL ? strdup(".") : strndup(name, (size_t)(slash - name) + 1);
    char *directory = parent ? realpath(parent, NULL) : NULL;
    free(parent);
    if (!directory)
        return strdup(name); /* opening it will say what is wrong */
    if (asprintf(&path, "%s/%s", directory, slash ? slash + 1 : name) < 0)
        path = NULL;
    free(directory);
    return path;
}

/* A name for mkstemp in the directory of path. */
static char *temporary_pattern(const char *path)
{
    static const char name[] = ".regrad.XXXXXX";
    const char *slash = strrchr(path, '/');
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    char *pattern = malloc(length + sizeof name);
    if (pattern) {
        memcpy(pattern, path, length);
        memcpy(pattern + length, name, sizeof name);
    }
    return pattern;
}

/* Gives a file the permissions of the one that it replaces, or those of any new file. */
static void set_mode(int descriptor, const char *path)
{
    struct stat old;
    mode_t mask = umask(0);
    umask(mask);
    mode_t mode = stat(path, &old) == 0 ? old.st_mode & 0777 : 0666 & ~mask;
    if (fchmod(descriptor, mode) != 0)
        return; /* the file then stays readable by its owner alone, which is no reason to lose it */
}

/* The name is known to the handler before the file exists. */
static int make_temporary(struct output *output, char *pattern)
{
    pending[output->slot] = pattern;
    output->descriptor = mkstemp(pattern);
    if (output->descriptor >= 0)
        return 0;
    pending[output->slot] = NULL;
    return errno;
}

static void forget_path(struct output *output)
{
    free(output->path);
    output->path = NULL;
}

static int open_temporary(struct output *output)
{
    output->path = followed(output->name);
    char *pattern = output->path ? temporary_pattern(output->path) : NULL;
    if (!pattern) {
        forget_path(output);
        return complain_memory("a file's name");
    }
    int error = make_temporary(output, pattern);
    if (error != 0) {
        free(pattern);
        forget_path(output);
        return cannot(output, "created", error);
    }
    set_mode(output->descriptor, output->path);
    return STATUS_OK;
}

int output_open(struct output *output, const char *name)
{
    struct stat status;
    *output = (struct output){.name = name, .descriptor = -1};
    if (stat(name, &status) == 0 && S_ISDIR(status.st_mode))
        return cannot(output, "written", EISDIR);
    if (written_directly(name))
        return open_directly(output);
    while (pending[output->slot])
        output->slot++;
    return open_temporary(output);
}

/* What a name stands for, or a standard stream. */
static bool find(const char *name, int standard, struct stat *status)
{
    return (strcmp(name, "-") == 0 ? fstat(standard, status) : stat(name, status)) == 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

bool output_replaces(const char *name, const char *input)
{
    struct stat to, from;
    return find(name, STDOUT_FILENO, &to) && find(input, STDIN_FILENO, &from) && S_ISREG(to.st_mode) &&
           is_same(&to, &from);
}

bool output_same(const struct output *a, const struct output *b)
{
    struct stat one, other;
    if (a->path && b->path && strcmp(a->path, b->path) == 0)
        return true;
    return find(a->name, STDOUT_FILENO, &one) && find(b->name, STDOUT_FILENO, &other) && is_same(&one, &other);
}

int output_try(struct output *output, const char *name)
{
    const int status = output_open(output, name);
    if (output->path)
        output_discard(output);
    return status;
}

int output_write(const struct output *output, const void *bytes, size_t n)
{
    while (n > 0) {
        ssize_t written = write(output->descriptor, bytes, n < largest_write ? n : largest_write);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return cannot(output, "written", written < 0 ? errno : EIO);
        bytes = (const char *)bytes + written;
        n -= (size_t)written;
    }
    return STATUS_OK;
}

/* After a rename: the directory's entry reaches the disk too, where the file system can do that. */
static void sync_directory(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        slash[slash == path] = '\0';
    int directory = open(slash ? path : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (directory >= 0) {
        fsync(directory);
        close(directory);
    }
}

/* Ends the life of the temporary name, by the rename that succeeded or by removing it. */
static void forget_temporary(struct output *output, bool remove)
{
    sigset_t set = fatal_set(), old;
    pthread_sigmask(SIG_BLOCK, &set, &old);
    char *temporary = pending[output->slot];
    pending[output->slot] = NULL;
    if (remove)
        unlink(temporary);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    free(temporary);
    forget_path(output);
}

static int close_descriptor(struct output *output)
{
    int descriptor = output->descriptor;
    output->descriptor = -1;
    return close(descriptor) == 0 ? 0 : errno;
}

int output_commit(struct output *output)
{
    if (output->path && fsync(output->descriptor) != 0)
        return cannot(output, "written", errno);
    int error = close_descriptor(output);
    if (error != 0)
        return cannot(output, "written", error);
    if (!output->path)
        return STATUS_OK;
    if (rename(pending[output->slot], output->path) != 0)
        return cannot(output, "renamed into place", errno);
    sync_directory(output->path);
    forget_temporary(output, false);
    return STATUS_OK;
}

void output_discard(struct output *output)
{
    if (output->descriptor >= 0)
        close_descriptor(output);
    if (output->path)
        forget_temporary(output, true);
}
