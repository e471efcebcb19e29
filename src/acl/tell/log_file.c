/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/tell/log_file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "acl/sys/fork.h"
#include "acl/tell/log_setting.h"
#include "base/environment.h"

/* Not the vendor's name, whose files are not ours to remove. */
#define NAME_FORMAT "plog-%d_%llu_regrad.log"

static struct rg_lock lock = {PTHREAD_MUTEX_INITIALIZER, RG_RANK_LOG};
RG_GUARDED_BY(lock) static char path[PATH_MAX]; /* of the file; empty: there is none yet */
RG_GUARDED_BY(lock) static bool has_failed;

/* ---- Old files -------------------------------------------------------------------------------- */

static bool is_ours(const char *name, int *process, unsigned long long *time)
{
    char again[NAME_MAX + 1];
    if (sscanf(name, NAME_FORMAT, process, time) != 2 || *process <= 0)
        return false;
    snprintf(again, sizeof(again), NAME_FORMAT, *process, *time);
    return strcmp(again, name) == 0;
}

static bool is_alive(int process)
{
    return kill(process, 0) == 0 || errno == EPERM;
}

/* How many files of ours are there, and which is the oldest that nobody writes? "" for none. */
static int count_files(DIR *directory, char oldest[NAME_MAX + 1])
{
    int n = 0, process;
    unsigned long long time, first = 0;
    oldest[0] = '\0';
    rewinddir(directory);
    for (const struct dirent *entry = readdir(directory); entry != NULL; entry = readdir(directory)) {
        if (!is_ours(entry->d_name, &process, &time))
            continue;
        n++;
        if ((oldest[0] != '\0' && time >= first) || is_alive(process))
            continue;
        first = time;
        snprintf(oldest, NAME_MAX + 1, "%s", entry->d_name);
    }
    return n;
}

static void remove_old_files(const char *name, int n_kept)
{
    char oldest[NAME_MAX + 1];
    DIR *directory = opendir(name);
    if (directory == NULL)
        return;
    while (count_files(directory, oldest) > n_kept && oldest[0] != '\0')
        if (unlinkat(dirfd(directory), oldest, 0) != 0 && errno != ENOENT)
            break;
    closedir(directory);
}

/* ---- The file --------------------------------------------------------------------------------- */

/* The child's file is another one. */
static void forget(void)
{
    rg_lock(&lock);
    path[0] = '\0';
    has_failed = false;
    rg_unlock(&lock);
}

RG_EARLY static void watch_forks(void)
{
    static struct rg_fork forks = {.lock = &lock, .in_child = forget};
    rg_fork_watch(&forks);
}

/* Makes the directory and those above it. What fails here fails again when the file is opened. */
static void make_directories(char *name)
{
    for (char *end = strchr(name + 1, '/'); end != NULL; end = strchr(end + 1, '/')) {
        *end = '\0';
        mkdir(name, 0750);
        *end = '/';
    }
    mkdir(name, 0750);
}

/* Sets the path, so that it stays the same when the program changes its directory. */
RG_NEEDS(lock) static void find_path(char directory[PATH_MAX])
{
    char resolved[PATH_MAX];
    struct timespec now;
    snprintf(directory, PATH_MAX, "%s/debug/plog", rg_log_setting()->directory);
    make_directories(directory);
    if (realpath(directory, resolved) != NULL && strlen(resolved) < PATH_MAX - NAME_MAX)
        strcpy(directory, resolved);
    clock_gettime(CLOCK_REALTIME, &now);
    const unsigned long long time = (unsigned long long)now.tv_sec * 1000000 + (unsigned long long)now.tv_nsec / 1000;
    snprintf(path, sizeof(path), "%.*s/" NAME_FORMAT, PATH_MAX - NAME_MAX, directory, (int)getpid(), time);
}

RG_NEEDS(lock) static int open_file(void)
{
    const int synchronous = rg_log_setting()->is_synchronous ? O_DSYNC : 0;
    return open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | synchronous, 0640);
}

/* The file, opened; -1 when there can be none. */
RG_NEEDS(lock) static int make_file(void)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    const struct rg_log_setting *setting = rg_log_setting();
    char directory[PATH_MAX];
    const bool is_new = path[0] == '\0';
    if (is_new)
        find_path(directory);
    const int file = open_file();
    if (file < 0) {
        rg_environment_refuse(&told, setting->said_by, setting->directory,
                              "a log file cannot be written there (%s); nothing is logged", strerror(errno));
        has_failed = true;
    } else if (is_new) {
        remove_old_files(directory, setting->n_files);
    }
    return file;
}

/* Opened for each line: a program may close any descriptor, and use its number for another file. */
void rg_log_file_append(const char *line, size_t length)
{
    rg_lock(&lock);
    const int file = has_failed ? -1 : make_file();
    if (file >= 0) {
        has_failed = write(file, line, length) < 0; /* the disk is full: the rest would have holes */
        close(file);
    }
    rg_unlock(&lock);
}
