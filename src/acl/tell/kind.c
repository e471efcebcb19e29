/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/tell/kind.h"

#include <stddef.h>
#include <string.h>

static const char *const kinds[] = {
    "host-pointer",        "freed-memory",       "unmapped-address",   "out-of-bounds",        "workspace-size",
    "workspace-alignment", "workspace-overlap",  "invalid-free",       "copy-direction",       "host-access",
    "executor-reused",     "executor-unused",    "executor-destroyed", "dead-object",          "destroyed-twice",
    "wrong-object",        "tensor-changed",     "leak-executor",      "leak-stream",          "leak-event",
    "leak-context",        "leak-device-memory", "leak-host-memory",   "leak-physical-memory", "leak-tensor",
    "leak-array",          "leak-list",          "leak-scalar",        "leak-data-buffer",     "race-host",
    "race-free",           "race-stream",        "deadlock",           "before-init",          "after-finalize",
    "wrong-order",         "wrong-context",      "wrong-device",       "wrong-thread",         "reset-in-use",
    "no-access",           "status-ignored",     "scale-inverted",     "scale-contradicts",    "scale-ignored",
    "output-size",         "output-kept",        "chip-type",          "chip-format",
};

/* Is the kind the word, or does it begin with that and a hyphen? */
static bool is_meant(const char *word, size_t length, const char *kind)
{
    return length > 0 && strncmp(kind, word, length) == 0 && (kind[length] == '\0' || kind[length] == '-');
}

bool rg_check_is_named(const char *list, const char *kind)
{
    while (list != NULL && *list != '\0') {
        const size_t length = strcspn(list, ",");
        if (is_meant(list, length, kind))
            return true;
        list += length + (list[length] == ',');
    }
    return false;
}

static bool is_known(const char *word, size_t length)
{
    size_t k = 0;
    while (k < sizeof(kinds) / sizeof(kinds[0]) && !is_meant(word, length, kinds[k]))
        k++;
    return k < sizeof(kinds) / sizeof(kinds[0]);
}

const char *rg_check_find_unknown(const char *list, int *n)
{
    while (list != NULL && *list != '\0') {
        const size_t length = strcspn(list, ",");
        *n = (int)length;
        if (length > 0 && !is_known(list, length))
            return list;
        list += length + (list[length] == ',');
    }
    return NULL;
}
