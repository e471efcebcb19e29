/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many cores the quotas of control groups pay for, read from a tree of files in which /proc and /sys are laid out
 * as the two versions of control groups do, with and without a container.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "rt/cores.h"

/* What a tree holds: names and contents, ended by a name that is NULL. */
struct file {
    const char *name, *content;
};

enum { MOST_FILES = 8, PATH = 512 };

static const char *tree;

static void path_of(char path[PATH], const char *name)
{
    assert_true(snprintf(path, PATH, "%s/%s", tree, name) < PATH);
}

static void write_file(const struct file *file)
{
    char path[PATH];
    path_of(path, file->name);
    for (char *slash = path + strlen(tree) + 1; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0700);
    }
    FILE *out = fopen(path, "w");
    assert_non_null(out);
    assert_true(fputs(file->content, out) >= 0);
    assert_int_equal(fclose(out), 0);
}

/* The quotas' cores by the system that these files describe. */
static int cores_of(const struct file files[MOST_FILES])
{
    for (int k = 0; k < MOST_FILES && files[k].name != NULL; k++)
        write_file(&files[k]);
    const int n = rg_cores_of_quotas(tree);
    for (int k = 0; k < MOST_FILES && files[k].name != NULL; k++) {
        char path[PATH];
        path_of(path, files[k].name);
        assert_int_equal(unlink(path), 0);
    }
    return n;
}

#define V2_MOUNT "31 23 0:28 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n"
static const struct file v2_mount = {"proc/self/mountinfo",
                                     "23 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
                                     "29 23 0:26 / /sys/fs/other rw - tmpfs cpu rw,cpu\n" V2_MOUNT};
static const struct file v2_group = {"proc/self/cgroup", "0::/system.slice/job\n"};
#define V2_JOB "sys/fs/cgroup/system.slice/job/cpu.max"
#define V2_SLICE "sys/fs/cgroup/system.slice/cpu.max"

static void second_version(void **state)
{
    (void)state;
    const struct {
        const char *quota;
        int n;
    } cases[] = {{"max 100000\n", INT_MAX}, {"200000 100000\n", 2}, {"200001 100000\n", 3},  {"150000 100000\n", 2},
                 {"1000 100000\n", 1},      {"400000 50000\n", 8},  {"100000\n", INT_MAX},   {"", INT_MAX},
                 {"100000 0\n", INT_MAX},   {"x y\n", INT_MAX},     {"-1 100000\n", INT_MAX}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        assert_int_equal(cores_of((struct file[MOST_FILES]){v2_mount, v2_group, {V2_JOB, cases[k].quota}}), cases[k].n);
}

static void least_of_all_levels(void **state)
{
    (void)state;
    assert_int_equal(cores_of((struct file[MOST_FILES]){v2_mount,
                                                        v2_group,
                                                        {V2_JOB, "900000 100000\n"},
                                                        {V2_SLICE, "250000 100000\n"},
                                                        {"sys/fs/cgroup/cpu.max", "800000 100000\n"}}),
                     3);
    assert_int_equal(cores_of((struct file[MOST_FILES]){v2_mount,
                                                        v2_group,
                                                        {V2_JOB, "100000 100000\n"},
                                                        {V2_SLICE, "max 100000\n"},
                                                        {"sys/fs/cgroup/cpu.max", "800000 100000\n"}}),
                     1);
    /* Only the top is there, as where the group lies outside of what a container sees. */
    assert_int_equal(
        cores_of((struct file[MOST_FILES]){v2_mount, v2_group, {"sys/fs/cgroup/cpu.max", "800000 100000\n"}}), 8);
    /* A neighbour's quota, and one above the mount, are not the process'. */
    assert_int_equal(cores_of((struct file[MOST_FILES]){v2_mount,
                                                        v2_group,
                                                        {"sys/fs/cgroup/system.slice/jo/cpu.max", "100000 100000\n"},
                                                        {"sys/fs/cpu.max", "100000 100000\n"}}),
                     INT_MAX);
}

/* A container may see only its own group, under the name that the whole system has for it. */
static void mounted_from_within(void **state)
{
    (void)state;
    const struct file mount = {"proc/self/mountinfo", "31 23 0:28 /pods/p1 /sys/fs/cgroup rw - cgroup2 cgroup rw\n"};
    const struct file quota = {"sys/fs/cgroup/cpu.max", "300000 100000\n"};
    const struct file inner = {"sys/fs/cgroup/inner/cpu.max", "100000 100000\n"};
    const struct file groups[] = {{"proc/self/cgroup", "0::/pods/p1\n"},
                                  {"proc/self/cgroup", "0::/pods/p1/inner\n"},
                                  {"proc/self/cgroup", "0::/pods/p11/inner\n"},
                                  {"proc/self/cgroup", "0::/../p2/inner\n"}};
    const int wanted[] = {3, 1, 3, 3};
    for (int k = 0; k < 4; k++)
        assert_int_equal(cores_of((struct file[MOST_FILES]){mount, groups[k], quota, inner}), wanted[k]);
}

static const struct file v1_mount = {"proc/self/mountinfo",
                                     "32 31 0:29 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
                                     "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw - cgroup cgroup rw,cpu,cpuacct\n"
                                     "41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n"};
static const struct file v1_group = {"proc/self/cgroup", "5:cpuset:/a\n4:memory:/b\n3:cpu,cpuacct:/c/d\n0::/e\n"};
#define V1_CPU "sys/fs/cgroup/cpu,cpuacct/"

static void first_version(void **state)
{
    (void)state;
    const struct {
        const char *quota, *period, *above;
        int n;
    } cases[] = {{"-1\n", "100000\n", "-1\n", INT_MAX},
                 {"250000\n", "100000\n", "-1\n", 3},
                 {"250000\n", "100000\n", "100000\n", 1},
                 {"-1\n", "100000\n", "400000\n", 4},
                 {"9223372036854775807\n", "1\n", "-1\n", INT_MAX},
                 {"250000\n", "0\n", "-1\n", INT_MAX}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++)
        assert_int_equal(cores_of((struct file[MOST_FILES]){v1_mount,
                                                            v1_group,
                                                            {V1_CPU "c/d/cpu.cfs_quota_us", cases[k].quota},
                                                            {V1_CPU "c/d/cpu.cfs_period_us", cases[k].period},
                                                            {V1_CPU "c/cpu.cfs_quota_us", cases[k].above},
                                                            {V1_CPU "c/cpu.cfs_period_us", "100000\n"}}),
                         cases[k].n);
}

/* Where both versions are, the controller is in one of them, but either may have a say. */
static void both_versions(void **state)
{
    (void)state;
    assert_int_equal(cores_of((struct file[MOST_FILES]){v1_mount,
                                                        v1_group,
                                                        {V1_CPU "c/cpu.cfs_quota_us", "500000\n"},
                                                        {V1_CPU "c/cpu.cfs_period_us", "100000\n"},
                                                        {"sys/fs/cgroup/unified/e/cpu.max", "200000 100000\n"}}),
                     2);
}

static void nothing_to_read(void **state)
{
    (void)state;
    char longest[9000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    const struct file quota = {V2_JOB, "100000 100000\n"};
    assert_int_equal(rg_cores_of_quotas("/nowhere/at/all"), INT_MAX);
    assert_int_equal(cores_of((struct file[MOST_FILES]){v2_mount, quota}), INT_MAX);
    assert_int_equal(cores_of((struct file[MOST_FILES]){v2_group, quota}), INT_MAX);
    assert_int_equal(cores_of((struct file[MOST_FILES]){{"proc/self/mountinfo", "no mount - at all\n"},
                                                        {"proc/self/cgroup", "0:cpu\n:::\n\n::"},
                                                        quota}),
                     INT_MAX);
    assert_int_equal(cores_of((struct file[MOST_FILES]){{"proc/self/mountinfo", longest}, v2_group, quota}), INT_MAX);
    assert_int_equal(cores_of((struct file[MOST_FILES]){v2_mount, {"proc/self/cgroup", longest}, quota}), INT_MAX);
    memcpy(longest, "24 1 0:5 / /", 12); /* a line of another mount that is longer than any buffer */
    memcpy(longest + sizeof longest - 1 - strlen("\n" V2_MOUNT), "\n" V2_MOUNT, strlen("\n" V2_MOUNT));
    assert_int_equal(cores_of((struct file[MOST_FILES]){{"proc/self/mountinfo", longest}, v2_group, quota}), 1);
}

static void this_machine(void **state)
{
    (void)state;
    cpu_set_t set;
    const int quota = rg_cores_of_quotas("");
    assert_true(rg_cores() >= 1 && rg_cores() <= quota);
    if (sched_getaffinity(0, sizeof set, &set) != 0)
        skip();
    assert_int_equal(rg_cores(), CPU_COUNT(&set) < quota ? CPU_COUNT(&set) : quota);
    CPU_ZERO(&set);
    CPU_SET(sched_getcpu(), &set);
    if (sched_setaffinity(0, sizeof set, &set) == 0)
        assert_int_equal(rg_cores(), 1);
}

int main(void)
{
    char name[] = "/tmp/regrad-cores-XXXXXX", command[64];
    const struct CMUnitTest tests[] = {cmocka_unit_test(second_version),      cmocka_unit_test(least_of_all_levels),
                                       cmocka_unit_test(mounted_from_within), cmocka_unit_test(first_version),
                                       cmocka_unit_test(both_versions),       cmocka_unit_test(nothing_to_read),
                                       cmocka_unit_test(this_machine)};
    tree = mkdtemp(name);
    if (tree == NULL)
        return 1;
    const int n_failed = cmocka_run_group_tests(tests, NULL, NULL);
    snprintf(command, sizeof command, "rm -r %s", name);
    return system(command) != 0 || n_failed != 0;
}
