/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The quota of a control group says for how much time in each period its processes may run, all cores together; it
 * binds the groups inside of it as well. A container is such a group: more threads than it pays for do not run
 * faster, but stand still together until the period is over.
 *
 * /proc/self/cgroup names the group of the process, as its hierarchy calls it, and /proc/self/mountinfo says where
 * that hierarchy is mounted, perhaps only from some group on. There are two versions of hierarchies; a machine may
 * have both.
 */
#define _GNU_SOURCE
#include "rt/cores.h"

#include <inttypes.h>
#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* Longer lines, which mounts of other kinds may have, come in pieces that are not taken for a hierarchy's. */
enum { LINE_SIZE = 4096, PATH_SIZE = 3 * LINE_SIZE };

static int round_up(int64_t time, int64_t period)
{
    const int64_t n = time / period + (time % period != 0);
    return n < 1 ? 1 : n > INT_MAX ? INT_MAX : (int)n;
}

/* Is the word in the list, which has commas between words? */
static bool has_word(const char *list, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = list; (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

static FILE *open_file(const char *directory, const char *name)
{
    char path[PATH_SIZE];
    const int length = snprintf(path, sizeof path, "%s/%s", directory, name);
    return length < (int)sizeof path ? fopen(path, "re") : NULL;
}

/* Reads the first words of a file: how many there are, two at most. */
static int read_words(const char *directory, const char *name, char first[32], char second[32])
{
    FILE *file = open_file(directory, name);
    if (file == NULL)
        return 0;
    const int n = fscanf(file, "%31s %31s", first, second);
    fclose(file);
    return n;
}

static bool is_number(const char *text, int64_t *value)
{
    char rest;
    return sscanf(text, "%" SCNd64 "%c", value, &rest) == 1;
}

/* The quota of one directory. */
static int quota_of(const char *directory, int version)
{
    char time[32], period[32], unused[32];
    int64_t n_time, n_period;
    bool known = version == 2 ? read_words(directory, "cpu.max", time, period) == 2
                              : read_words(directory, "cpu.cfs_quota_us", time, unused) > 0 &&
                                    read_words(directory, "cpu.cfs_period_us", period, unused) > 0;
    known = known && is_number(time, &n_time) && is_number(period, &n_period); /* not "max" */
    return known && n_time > 0 && n_period > 0 ? round_up(n_time, n_period) : INT_MAX;
}

/* Finds the group of the process in a line of /proc/self/cgroup: number, controllers, group, with colons between. */
static bool is_group(char *text, int version, const char **group)
{
    text[strcspn(text, "\n")] = '\0';
    char *controllers = strchr(text, ':');
    char *path = controllers != NULL ? strchr(controllers + 1, ':') : NULL;
    if (path == NULL)
        return false;
    *path = '\0';
    *group = path + 1;
    return version == 2 ? controllers[1] == '\0' : has_word(controllers + 1, "cpu");
}

/* Where a hierarchy is mounted, and which group of it is there. */
struct mount {
    char group[LINE_SIZE], directory[LINE_SIZE];
};

/* Finds them in a line of /proc/self/mountinfo: three words, group, directory, more words, "-", type, source,
 * options. */
static bool is_mount(const char *text, int version, struct mount *mount)
{
    char options[LINE_SIZE];
    char type[32];
    const char *rest = strstr(text, " - ");
    if (rest == NULL || sscanf(text, "%*s %*s %*s %4095s %4095s", mount->group, mount->directory) != 2 ||
        sscanf(rest, " - %31s %*s %4095s", type, options) != 2)
        return false;
    return version == 2 ? strcmp(type, "cgroup2") == 0 : strcmp(type, "cgroup") == 0 && has_word(options, "cpu");
}

static bool find_group(const char *root, int version, char text[LINE_SIZE], const char **group)
{
    FILE *file = open_file(root, "proc/self/cgroup");
    bool found = false;
    while (file != NULL && !found && fgets(text, LINE_SIZE, file) != NULL)
        found = is_group(text, version, group);
    if (file != NULL)
        fclose(file);
    return found;
}

static bool find_mount(const char *root, int version, struct mount *mount)
{
    char text[LINE_SIZE];
    FILE *file = open_file(root, "proc/self/mountinfo");
    bool found = false;
    while (file != NULL && !found && fgets(text, sizeof text, file) != NULL)
        found = is_mount(text, version, mount);
    if (file != NULL)
        fclose(file);
    return found;
}

/* The path from the group that is mounted to the group of the process. "" where that is not inside of it. */
static const char *path_inside(const struct mount *mount, const char *group)
{
    const char *mounted = mount->group;
    const size_t length = strcmp(mounted, "/") == 0 ? 0 : strlen(mounted);
    const bool inside = strncmp(group, mounted, length) == 0 && group[length] == '/';
    return inside ? group + length : "";
}

/* The least quota of the group and of those that it is in. */
static int least_quota(const char *root, int version)
{
    char text[LINE_SIZE], path[PATH_SIZE];
    struct mount mount;
    const char *group;
    if (!find_group(root, version, text, &group) || !find_mount(root, version, &mount))
        return INT_MAX;
    const int n_top = snprintf(path, sizeof path, "%s%s", root, mount.directory);
    const int n_path = snprintf(path, sizeof path, "%s%s%s", root, mount.directory, path_inside(&mount, group));
    int least = INT_MAX;
    for (int end = n_path; n_path < PATH_SIZE && end >= n_top; end--) {
        if (path[end] != '/' && path[end] != '\0')
            continue;
        path[end] = '\0';
        const int quota = quota_of(path, version);
        least = quota < least ? quota : least;
    }
    return least;
}

int rg_cores_of_quotas(const char *root)
{
    const int first = least_quota(root, 1), second = least_quota(root, 2);
    return first < second ? first : second;
}

int rg_cores(void)
{
    cpu_set_t set[16]; /* 16384 processors */
    const bool known = sched_getaffinity(0, sizeof set, set) == 0;
    const int n = known ? CPU_COUNT_S(sizeof set, set) : 1, quota = rg_cores_of_quotas("");
    return n < quota ? n : quota;
}
