/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "acl/place.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "acl/check_mode.h"

enum { MOST_FRAMES = 32 };

static const char *module_of(const void *address)
{
    Dl_info info;
    return dladdr(address, &info) != 0 ? info.dli_fname : NULL;
}

/* Frames first .. n - 1. */
static struct rg_place cut(void *const *frames, int first, int n)
{
    struct rg_place place = {{NULL}};
    for (int k = 0; k < RG_PLACE_FRAMES && first + k < n; k++)
        place.frame[k] = frames[first + k];
    return place;
}

struct rg_place rg_place_of(const void *return_address)
{
    if (rg_check_level() < RG_CHECK_ERROR)
        return (struct rg_place){{rg_check_level() == RG_CHECK_OFF ? NULL : return_address}};
    void *frames[MOST_FRAMES];
    const int n = backtrace(frames, MOST_FRAMES);
    for (int k = 0; k < n; k++)
        if (frames[k] == return_address)
            return cut(frames, k, n);
    return (struct rg_place){{return_address}};
}

/* The code of the static library, whose sections its build has renamed for this; NULL in the shared library. */
extern const char code_begin[] __asm__("__start_regrad_acl_text") __attribute__((weak, visibility("hidden")));
extern const char code_end[] __asm__("__stop_regrad_acl_text") __attribute__((weak, visibility("hidden")));

static bool is_own(const void *frame)
{
    if (code_begin != NULL)
        return (const char *)frame >= code_begin && (const char *)frame < code_end;
    const char *own = module_of((const void *)(uintptr_t)&rg_place_outside), *module = module_of(frame);
    return own != NULL && module != NULL && strcmp(module, own) == 0;
}

/* What a sanitizer puts around backtrace comes before our own frames. */
struct rg_place rg_place_outside(void)
{
    void *frames[MOST_FRAMES];
    const int n = backtrace(frames, MOST_FRAMES);
    int k = 0;
    while (k < n && !is_own(frames[k]))
        k++;
    while (k < n && is_own(frames[k]))
        k++;
    return cut(frames, k, n);
}

static bool is_of_c_library(const void *frame)
{
    const char *path = module_of(frame), *slash = path != NULL ? strrchr(path, '/') : NULL;
    return slash != NULL && strncmp(slash, "/libc.so", strlen("/libc.so")) == 0;
}

void rg_place_cut(struct rg_place *place)
{
    int n = 0;
    for (int k = 0; k < RG_PLACE_FRAMES && place->frame[k] != NULL && !is_of_c_library(place->frame[k]); k++)
        if (!is_own(place->frame[k]))
            place->frame[n++] = place->frame[k];
    while (n < RG_PLACE_FRAMES)
        place->frame[n++] = NULL;
}

void rg_place_text(const void *frame, char text[RG_PLACE_TEXT])
{
    Dl_info info;
    text[0] = '\0';
    if (frame == NULL)
        return;
    if (dladdr(frame, &info) == 0 || info.dli_fname == NULL) {
        snprintf(text, RG_PLACE_TEXT, "%p", frame);
        return;
    }
    const char *slash = strrchr(info.dli_fname, '/'), *name = slash != NULL ? slash + 1 : info.dli_fname;
    const uintptr_t at = (uintptr_t)frame, in_module = at - (uintptr_t)info.dli_fbase;
    if (info.dli_sname != NULL)
        snprintf(text, RG_PLACE_TEXT, "%s(%s+0x%zx) [0x%zx]", name, info.dli_sname,
                 (size_t)(at - (uintptr_t)info.dli_saddr), (size_t)in_module);
    else
        snprintf(text, RG_PLACE_TEXT, "%s [0x%zx]", name, (size_t)in_module);
}
