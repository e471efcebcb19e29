#include "acl/check_kind.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "base/environment.h"

static const char variable[] = "REGRAD_CHECK_SUPPRESS";

static const char *const kinds[] = {
    "host-pointer",       "freed-memory",       "out-of-bounds",  "workspace-size",  "workspace-alignment",
    "workspace-overlap",  "invalid-free",       "copy-direction", "host-access",     "executor-reused",
    "executor-unused",    "executor-destroyed", "dead-object",    "destroyed-twice", "wrong-object",
    "tensor-changed",     "leak-executor",      "leak-stream",    "leak-event",      "leak-context",
    "leak-device-memory", "leak-host-memory",   "leak-tensor",    "leak-array",      "leak-list",
    "leak-scalar",        "leak-data-buffer",   "race-host",      "race-free",       "race-stream",
    "deadlock",           "before-init",        "after-finalize", "wrong-context",   "wrong-device",
    "wrong-thread",       "reset-in-use",       "status-ignored", "scale-inverted",  "scale-contradicts",
    "scale-ignored",      "output-size",        "output-kept",    "chip-type",       "chip-format",
};

/* Is the kind the word, or does it begin with that and a hyphen? */
static bool is_meant(const char *word, size_t length, const char *kind)
{
    return length > 0 && strncmp(kind, word, length) == 0 && (kind[length] == '\0' || kind[length] == '-');
}

bool rg_check_is_suppressed(const char *kind)
{
    const char *list = rg_environment(variable);
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
    return length == 0 || k < sizeof(kinds) / sizeof(kinds[0]);
}

void rg_check_look_for_kinds(void)
{
    static atomic_flag told = ATOMIC_FLAG_INIT;
    const char *list = rg_environment(variable), *word = list != NULL ? list : "";
    size_t length = strcspn(word, ",");
    while (*word != '\0' && is_known(word, length)) {
        word += length + (word[length] == ',');
        length = strcspn(word, ",");
    }
    if (*word != '\0')
        rg_environment_refuse(&told, variable, list,
                              "kinds of findings with commas between are wanted; \"%.*s\" is none, and what is no kind "
                              "has no effect",
                              (int)(length < 64 ? length : 64), word);
}
