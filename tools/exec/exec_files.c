/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "exec_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"
#include "exec_teller.h"

static const char prefix[] = "regrad-exec.", letters[] = "XXXXXX";
static const char *const names[] = {"log", "trace", TELLER_NAME};

enum { N_NAMES = sizeof names / sizeof names[0], PREFIX = sizeof prefix - 1, NAME = PREFIX + sizeof letters - 1 };

/* ---- Removing --------------------------------------------------------------------------------- */

/* Files of ours alone: a directory that holds anything else stays. */
static void empty(int directory)
{
    for (int k = 0; k < N_NAMES; k++)
        unlinkat(directory, names[k], 0);
}

static int is_private(int directory)
{
    struct stat status;
    return fstat(directory, &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == geteuid() &&
           (status.st_mode & 0777) == 0700;
}

/* The lock of a directory goes with whoever made it, however that ended. */
static void sweep(int top, const char *name)
{
    const int directory = openat(top, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0)
        return;
    if (is_private(directory) && flock(directory, LOCK_EX | LOCK_NB) == 0) {
        empty(directory);
        unlinkat(top, name, AT_REMOVEDIR);
    }
    close(directory);
}

static void sweep_all(const char *top)
{
    DIR *list = opendir(top);
    if (list == NULL)
        return;
    for (struct dirent *entry = readdir(list); entry != NULL; entry = readdir(list))
        if (strncmp(entry->d_name, prefix, PREFIX) == 0 && strlen(entry->d_name) == NAME)
            sweep(dirfd(list), entry->d_name);
    closedir(list);
}

void exec_files_remove(struct exec_files *files)
{
    if (files->directory[0] == '\0')
        return;
    empty(files->descriptor);
    rmdir(files->directory);
    close(files->descriptor);
    files->directory[0] = '\0';
}

/* ---- Making ----------------------------------------------------------------------------------- */

/* Is it still what the path leads to? */
static int is_at(int directory, const char *path)
{
    struct stat ours, there;
    return fstat(directory, &ours) == 0 && lstat(path, &there) == 0 && ours.st_dev == there.st_dev &&
           ours.st_ino == there.st_ino;
}

/* A new directory that is locked; -1 with errno. Another one may have swept it away before it was. Where a file system
 * knows no locks, nobody sweeps. */
static int make_locked(char *path, size_t length)
{
    enum { TRIES = 100 };
    for (int k = 0; k < TRIES; k++) {
        strcpy(path + length - (sizeof letters - 1), letters);
        if (mkdtemp(path) == NULL)
            return -1;
        const int directory = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (directory >= 0 && (flock(directory, LOCK_EX) != 0 || is_at(directory, path)))
            return directory;
        if (directory >= 0)
            close(directory);
        rmdir(path);
    }
    return -1;
}

static void name_file(char path[PATH_MAX], const char *directory, const char *name)
{
    snprintf(path, PATH_MAX, "%.*s/%s", PATH_MAX - 16, directory, name);
}

int exec_files_make(struct exec_files *files)
{
    const char *top = getenv("TMPDIR");
    char path[PATH_MAX - 16], *real = realpath(top != NULL && *top != '\0' ? top : "/tmp", NULL);
    const int length = real != NULL ? snprintf(path, sizeof path, "%s/%s%s", real, prefix, letters) : 0;
    if (real != NULL)
        sweep_all(real);
    free(real);
    errno = length > 0 ? ENAMETOOLONG : errno;
    files->descriptor = length > 0 && (size_t)length < sizeof path ? make_locked(path, (size_t)length) : -1;
    if (files->descriptor < 0)
        return complain(STATUS_SYSTEM, "exec: no directory can be made in %s: %s", top != NULL ? top : "/tmp",
                        strerror(errno));
    snprintf(files->directory, sizeof files->directory, "%s", path);
    name_file(files->log, path, names[0]);
    name_file(files->trace, path, names[1]);
    return STATUS_OK;
}
