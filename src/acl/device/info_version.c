/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/acl_rt.h"
#include "acl/tell/refuse.h"

aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion)
{
    static const struct rg_function function = {.name = __func__, .role = RG_ASKS};
    if (majorVersion == NULL)
        return rg_runtime_fail_null(&function, "majorVersion");
    if (minorVersion == NULL)
        return rg_runtime_fail_null(&function, "minorVersion");
    if (patchVersion == NULL)
        return rg_runtime_fail_null(&function, "patchVersion");
    *majorVersion = ACL_MAJOR_VERSION;
    *minorVersion = ACL_MINOR_VERSION;
    *patchVersion = ACL_PATCH_VERSION;
    return ACL_SUCCESS;
}

/* ---- Versions of packages --------------------------------------------------------------------- */

/* Finds the line Version=... and copies what follows, without white space at its end, cut to the room. */
static bool find_version(FILE *file, char *version)
{
    static const char key[] = "Version=";
    char line[256];
    while (fgets(line, sizeof(line), file) != NULL) {
        if (strncmp(line, key, sizeof(key) - 1) != 0)
            continue;
        line[strcspn(line, " \t\r\n")] = '\0';
        snprintf(version, ACL_PKG_VERSION_MAX_SIZE, "%.*s", ACL_PKG_VERSION_MAX_SIZE - 1, line + sizeof(key) - 1);
        return true;
    }
    return false;
}

/* The version of a package into ACL_PKG_VERSION_MAX_SIZE bytes, which stay as they are on failure. */
static aclError read_version(const struct rg_function *function, const char *package, char *version)
{
    const char *home = getenv("ASCEND_HOME_PATH");
    if (home == NULL)
        return rg_runtime_fail(ACL_ERROR_INVALID_FILE, function,
                               "ASCEND_HOME_PATH is not set, must be the directory that has "
                               "share/info/%s/version.info",
                               package);
    char path[4096];
    const int length = snprintf(path, sizeof(path), "%s/share/info/%s/version.info", home, package);
    FILE *file = length < (int)sizeof(path) ? fopen(path, "r") : NULL;
    const bool found = file != NULL && find_version(file, version);
    if (file != NULL)
        fclose(file);
    if (found)
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_INVALID_FILE, function, "%s %s", path,
                           file == NULL ? "cannot be opened, must be a file with a line Version=..."
                                        : "has no such line, must have a line Version=...");
}

/* Copies one part of a version, cut to the room, and returns where the next one begins. */
static const char *split(const char *text, char *part, bool is_last)
{
    const size_t length = is_last ? strlen(text) : strcspn(text, ".");
    const size_t room = ACL_PKG_VERSION_PARTS_MAX_SIZE - 1;
    memcpy(part, text, length < room ? length : room);
    return text[length] == '.' ? text + length + 1 : text + length;
}

/* Is it a name and not a path? Else 100000, with a message. */
static aclError check_package(const struct rg_function *function, const char *package)
{
    if (package == NULL)
        return rg_runtime_fail_null(function, "pkgName");
    if (*package != '\0' && strchr(package, '/') == NULL)
        return ACL_SUCCESS;
    return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, function,
                           "pkgName is \"%s\", must be the name of a package, without /", package);
}

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version)
{
    static const struct rg_function function = {.name = __func__};
    static const char *const packages[] = {"cann",    "runtime", "compiler",   "hccl",
                                           "toolkit", "opp",     "opp_kernel", "driver"};
    if (version == NULL)
        return rg_runtime_fail_null(&function, "version");
    if ((int)name < ACL_PKG_NAME_CANN || name > ACL_PKG_NAME_DRIVER)
        return rg_runtime_fail(ACL_ERROR_INVALID_PARAM, &function,
                               "name is %d, must be one from ACL_PKG_NAME_CANN (0) to ACL_PKG_NAME_DRIVER (7)",
                               (int)name);
    aclCANNPackageVersion found = {.version = ""};
    const aclError refused = read_version(&function, packages[name], found.version);
    if (refused != ACL_SUCCESS)
        return refused;
    const char *rest = split(found.version, found.majorVersion, false);
    rest = split(rest, found.minorVersion, false);
    rest = split(rest, found.releaseVersion, false);
    split(rest, found.patchVersion, true);
    *version = found;
    return ACL_SUCCESS;
}

aclError aclsysGetVersionStr(char *pkgName, char *versionStr)
{
    static const struct rg_function function = {.name = __func__};
    const aclError refused = check_package(&function, pkgName);
    if (refused != ACL_SUCCESS)
        return refused;
    if (versionStr == NULL)
        return rg_runtime_fail_null(&function, "versionStr");
    return read_version(&function, pkgName, versionStr);
}

aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum)
{
    static const struct rg_function function = {.name = __func__};
    aclError refused = check_package(&function, pkgName);
    if (refused == ACL_SUCCESS && versionNum == NULL)
        refused = rg_runtime_fail_null(&function, "versionNum");
    char version[ACL_PKG_VERSION_MAX_SIZE] = "";
    if (refused == ACL_SUCCESS)
        refused = read_version(&function, pkgName, version);
    if (refused != ACL_SUCCESS)
        return refused;
    unsigned part[3] = {0};
    sscanf(version, "%2u.%2u.%2u", &part[0], &part[1], &part[2]);
    *versionNum = (int32_t)(part[0] * 10000 + part[1] * 100 + part[2]);
    return ACL_SUCCESS;
}
