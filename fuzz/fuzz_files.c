/* SPDX-License-Identifier: Apache-2.0 */
/* Files that the libraries read: a package's version.info, the configuration of aclInit, and what the system says of
 * control groups. The first byte chooses one, the rest is in it. */
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "acl/acl.h"
#include "rt/cores.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { PATH = 256 };

static char root[PATH];

static void require(bool condition)
{
    if (!condition)
        abort();
}

/* ---- The tree of files ------------------------------------------------------------------------ */

static void path_of(char path[PATH], const char *name)
{
    require(snprintf(path, PATH, "%s/%s", root, name) < PATH);
}

static void write_file(const char *name, const void *bytes, size_t size)
{
    char path[PATH];
    path_of(path, name);
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')) != NULL; *slash++ = '/') {
        *slash = '\0';
        mkdir(path, 0700);
    }
    FILE *file = fopen(path, "w");
    require(file != NULL);
    require(fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static void remove_tree(void)
{
    static const char *const names[] = {"share/info/opp/version.info",
                                        "share/info/opp",
                                        "share/info",
                                        "share",
                                        "config",
                                        "proc/self/cgroup",
                                        "proc/self/mountinfo",
                                        "proc/self",
                                        "proc",
                                        "sys/cpu.max",
                                        "sys/cpu.cfs_quota_us",
                                        "sys/cpu.cfs_period_us",
                                        "sys"};
    char path[PATH];
    for (size_t k = 0; k < sizeof(names) / sizeof(names[0]); k++) {
        path_of(path, names[k]);
        remove(path);
    }
    rmdir(root);
}

static void make_tree(void)
{
    const char *top = getenv("TMPDIR");
    require(snprintf(root, sizeof(root), "%s/fuzz_files.XXXXXX", top != NULL ? top : "/tmp") < PATH / 2);
    require(mkdtemp(root) != NULL && setenv("ASCEND_HOME_PATH", root, 1) == 0);
    atexit(remove_tree);
}

/* ---- What is made of each --------------------------------------------------------------------- */

static void read_version(const uint8_t *bytes, size_t size)
{
    char package[] = "opp", text[ACL_PKG_VERSION_MAX_SIZE];
    int32_t number = -1;
    aclCANNPackageVersion version;
    write_file("share/info/opp/version.info", bytes, size);
    if (aclsysGetVersionStr(package, text) == ACL_SUCCESS)
        require(strnlen(text, sizeof(text)) < sizeof(text));
    if (aclsysGetVersionNum(package, &number) == ACL_SUCCESS)
        require(number >= 0 && number <= 999999);
    if (aclsysGetCANNVersion(ACL_PKG_NAME_OPP, &version) != ACL_SUCCESS)
        return;
    require(strnlen(version.version, sizeof(version.version)) < sizeof(version.version));
    require(strnlen(version.patchVersion, sizeof(version.patchVersion)) < sizeof(version.patchVersion));
}

static void read_configuration(const uint8_t *bytes, size_t size)
{
    char path[PATH];
    write_file("config", bytes, size);
    path_of(path, "config");
    if (aclInit(path) == ACL_SUCCESS)
        require(aclFinalize() == ACL_SUCCESS);
}

/* The two lists, with a NUL between them, and a quota that is told in both ways. */
static void read_groups(const uint8_t *bytes, size_t size)
{
    const uint8_t *nul = memchr(bytes, '\0', size);
    const size_t n = nul != NULL ? (size_t)(nul - bytes) : size, rest = nul != NULL ? size - n - 1 : 0;
    write_file("proc/self/cgroup", bytes, n);
    write_file("proc/self/mountinfo", bytes + size - rest, rest);
    write_file("sys/cpu.max", bytes + size - rest, rest);
    write_file("sys/cpu.cfs_quota_us", bytes, n);
    write_file("sys/cpu.cfs_period_us", "100000\n", 7);
    require(rg_cores_of_quotas(root) >= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static void (*const readers[])(const uint8_t *, size_t) = {read_version, read_configuration, read_groups};
    if (root[0] == '\0')
        make_tree();
    if (size > 0)
        readers[data[0] % 3](data + 1, size - 1);
    (void)aclGetRecentErrMsg();
    return 0;
}
