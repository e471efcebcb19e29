/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "acl/tell/place.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "acl/tell/setting.h"

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
    if (rg_check_level() < RG_CHECK_ALL)
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

const void *rg_place_mark(const struct rg_place *place)
{
    uintptr_t mark = 0;
    for (int k = 0; k < RG_PLACE_FRAMES; k++)
        mark = mark * 31 + (uintptr_t)place->frame[k];
    return (const void *)mark;
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

/* Of the program the loader knows the name that it was called by, which need not lead to it. */
static void find_path(const struct link_map *map, char path[RG_PLACE_PATH])
{
    char real[PATH_MAX]; /* no allocation: there may be no memory left */
    const char *name = map->l_name[0] != '\0' ? map->l_name : "/proc/self/exe";
    if (realpath(name, real) != NULL && strlen(real) < RG_PLACE_PATH)
        strcpy(path, real);
}

void rg_place_describe(const void *frame, struct rg_frame *is)
{
    Dl_info info;
    struct link_map *map = NULL;
    is->module[0] = '\0';
    if (dladdr1(frame, &info, (void **)&map, RTLD_DL_LINKMAP) == 0 || info.dli_fname == NULL || map == NULL) {
        snprintf(is->text, sizeof(is->text), "%p", frame);
        return;
    }
    const char *slash = strrchr(info.dli_fname, '/'), *name = slash != NULL ? slash + 1 : info.dli_fname;
    is->address = (uintptr_t)frame - map->l_addr;
    if (info.dli_sname != NULL)
        snprintf(is->text, sizeof(is->text), "%s(%s+0x%zx) [0x%zx]", name, info.dli_sname,
                 (size_t)((uintptr_t)frame - (uintptr_t)info.dli_saddr), (size_t)is->address);
    else
        snprintf(is->text, sizeof(is->text), "%s [0x%zx]", name, (size_t)is->address);
    find_path(map, is->module);
}
