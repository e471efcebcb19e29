/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "ascend_home.h"

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "complain.h"

/* Cuts the last name off a path. */
static void to_parent(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash != NULL)
        *slash = '\0';
}

/* Is there such a file in a directory? */
static bool has(const char *directory, const char *name)
{
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path && access(path, F_OK) == 0;
}

int ascend_home_find(char **root)
{
    static const char *const places[] = {REGRAD_HOME_FROM_PROGRAM, "../ascend-home"}; /* installed, built */
    char program[PATH_MAX], path[2 * PATH_MAX];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    program[length > 0 ? length : 0] = '\0';
    to_parent(program);
    for (size_t k = 0; k < sizeof places / sizeof places[0]; k++) {
        snprintf(path, sizeof path, "%s/%s", program, places[k]);
        if (has(path, ASCEND_HOME_MARK) && (*root = realpath(path, NULL)) != NULL)
            return STATUS_OK;
    }
    return complain(STATUS_REFUSED, "%s: no tree in the vendor's layout belongs to the program here; wanted %s",
                    program, places[0]);
}

/* ---- A real stack ----------------------------------------------------------------------------- */

static char real_library[PATH_MAX];

enum { DEEPEST = 6 }; /* <Ascend>/ascend-toolkit/<version>/<arch>-linux/lib64 has 4 */

/* A library of the vendor's that has none of ours beside it ends the walk. */
static int look_at(const char *path, const struct stat *info, int kind, struct FTW *place)
{
    static const char *const names[] = {"libascendcl.so", "libacl_rt.so", "libascend_hal.so", "libnnopbase.so"};
    (void)info;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        if (kind == FTW_D || strcmp(path + place->base, names[k]) != 0)
            continue;
        snprintf(real_library, sizeof real_library, "%s", path);
        to_parent(real_library);
        if (!has(real_library, "libregrad_acl.so")) {
            snprintf(real_library, sizeof real_library, "%s", path);
            return FTW_STOP;
        }
    }
    return kind == FTW_D && place->level >= DEEPEST ? FTW_SKIP_SUBTREE : FTW_CONTINUE;
}

/* Refuses a directory that holds a real stack, or lies in one: in a directory named Ascend that does. */
static int refuse_real_stack(const char *directory)
{
    char top[PATH_MAX];
    const char *const ascend = strstr(directory, "/Ascend/");
    snprintf(top, sizeof top, "%.*s", ascend != NULL ? (int)(ascend - directory) + 7 : PATH_MAX, directory);
    if (nftw(top, look_at, 32, FTW_ACTIONRETVAL) != FTW_STOP)
        return STATUS_OK;
    return complain(STATUS_REFUSED, "ascend-home: %s: a real stack is there (%s); nothing was changed", directory,
                    real_library);
}

/* ---- Installing ------------------------------------------------------------------------------- */

/* An absolute path without symbolic links in the part of it that exists; NULL when that cannot be told. */
static char *resolve(const char *directory)
{
    char path[PATH_MAX], rest[PATH_MAX] = "";
    if (snprintf(path, sizeof path, "%s%s", directory[0] == '/' ? "" : "./", directory) >= (int)sizeof path)
        return NULL;
    for (;;) {
        char *existing = realpath(path, NULL), *all = NULL;
        if (existing != NULL &&
            asprintf(&all, "%s%s", strcmp(existing, "/") == 0 && rest[0] != '\0' ? "" : existing, rest) < 0)
            all = NULL;
        free(existing);
        if (all != NULL || errno != ENOENT)
            return all;
        char last[PATH_MAX];
        char *slash = strrchr(path, '/');
        if (strcmp(slash, "/..") == 0)
            return NULL; /* of what is not there: it could lead anywhere, once that has been made */
        snprintf(last, sizeof last, "%s%s", slash, rest);
        memcpy(rest, last, sizeof rest);
        slash[slash == path] = '\0';
    }
}

static int complain_system(const char *path, const char *what)
{
    return complain(STATUS_SYSTEM, "ascend-home: %s: %s: %s", path, what, strerror(errno));
}

static int is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static void free_entries(struct dirent **entries, int n)
{
    for (int k = 0; k < n; k++)
        free(entries[k]);
    free(entries);
}

/* Refuses what exists and is neither an empty directory nor one that was made here before. */
static int refuse_foreign(const char *directory)
{
    char mark[PATH_MAX];
    struct stat info;
    struct dirent **entries = NULL;
    if (snprintf(mark, sizeof mark, "%s/%s", directory, ASCEND_HOME_MARK) < (int)sizeof mark &&
        lstat(mark, &info) == 0 && S_ISLNK(info.st_mode))
        return STATUS_OK;
    const int n = scandir(directory, &entries, is_entry, alphasort);
    if (n < 0)
        return errno == ENOENT ? STATUS_OK : complain_system(directory, "cannot be read");
    int status = STATUS_OK;
    if (n > 0)
        status = complain(STATUS_REFUSED,
                          "ascend-home: %s: holds '%s', which this command has not made; wanted a directory that is "
                          "not there yet, is empty, or was made by it",
                          directory, entries[0]->d_name);
    free_entries(entries, n);
    return status;
}

/* Makes a directory and those above it. */
static int make_directories(char *path)
{
    for (char *c = path + 1;; c++) {
        const char end = *c;
        if (end != '/' && end != '\0')
            continue;
        *c = '\0';
        const int status =
            mkdir(path, 0777) == 0 || errno == EEXIST ? STATUS_OK : complain_system(path, "cannot be made");
        *c = end;
        if (status != STATUS_OK || end == '\0')
            return status;
    }
}

/* A link to an entry of the tree, in the place of one that may be there. */
static int link_entry(const char *root, const char *directory, const char *name)
{
    char target[PATH_MAX], link[PATH_MAX], fresh[PATH_MAX];
    snprintf(target, sizeof target, "%s/%s", root, name);
    snprintf(link, sizeof link, "%s/%s", directory, name);
    if (snprintf(fresh, sizeof fresh, "%s/.regrad.%s", directory, name) >= (int)sizeof fresh)
        return complain(STATUS_REFUSED, "ascend-home: %s: the path is too long", directory);
    unlink(fresh);
    if (symlink(target, fresh) == 0 && rename(fresh, link) == 0)
        return STATUS_OK;
    const int status = complain_system(link, "cannot be linked");
    unlink(fresh);
    return status;
}

static int link_entries(const char *root, const char *directory)
{
    struct dirent **entries = NULL;
    const int n = scandir(root, &entries, is_entry, alphasort);
    int status = n < 0 ? complain_system(root, "cannot be read") : STATUS_OK;
    for (int k = 0; k < n && status == STATUS_OK; k++)
        status = link_entry(root, directory, entries[k]->d_name);
    free_entries(entries, n);
    return status;
}

static bool is_inside(const char *path, const char *directory)
{
    const size_t length = strlen(directory);
    return strcmp(directory, "/") == 0 ||
           (strncmp(path, directory, length) == 0 && (path[length] == '/' || path[length] == '\0'));
}

int ascend_home_install(const char *root, const char *directory)
{
    char *path = resolve(directory);
    if (path == NULL)
        return complain_system(directory, "cannot be found");
    int status = STATUS_OK;
    if (is_inside(path, root) || is_inside(root, path))
        status = complain(STATUS_REFUSED, "ascend-home: %s: is, or lies in, or holds the tree itself, %s", path, root);
    if (status == STATUS_OK)
        status = refuse_real_stack(path);
    if (status == STATUS_OK)
        status = refuse_foreign(path);
    if (status == STATUS_OK)
        status = make_directories(path);
    if (status == STATUS_OK)
        status = link_entries(root, path);
    free(path);
    return status;
}
