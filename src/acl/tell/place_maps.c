/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/tell/place_maps.h"

#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "acl/sys/text.h"

enum { MOST_PARTS = 512, MOST_NAMES = 256, LINE_ROOM = RG_PLACE_PATH + 128 };

/* A part of the addresses: code of a file, or the stack. */
static struct part {
    uintptr_t begin, end;
    uintptr_t base;   /* where the file's mappings begin */
    bool has_header;  /* can its header be read there? */
    const char *path; /* of the file; NULL for none */
} parts[MOST_PARTS];
static int n_parts;

static char paths[MOST_NAMES][RG_PLACE_PATH];
static int n_paths;

/* ---- Lines ------------------------------------------------------------------------------------ */

static uintptr_t read_hex(const char **text)
{
    uintptr_t number = 0;
    for (;; ++*text) {
        const char c = **text;
        if (c >= '0' && c <= '9')
            number = number * 16 + (uintptr_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            number = number * 16 + (uintptr_t)(c - 'a') + 10;
        else
            return number;
    }
}

/* The one copy of a path. */
static const char *keep_path(const char *path)
{
    for (int k = n_paths - 1; k >= 0; k--)
        if (strncmp(paths[k], path, RG_PLACE_PATH - 1) == 0)
            return paths[k];
    if (n_paths == MOST_NAMES)
        return NULL;
    struct rg_text text = {paths[n_paths++], RG_PLACE_PATH, 0};
    rg_text_put(&text, path);
    return text.to;
}

/* "begin-end rwxp offset device inode   /directories/name"; *last is the part before, kept or not. */
static void take_line(const char *line, const void *stack, struct part *last)
{
    struct part part = {0};
    part.begin = read_hex(&line);
    line += *line == '-';
    part.end = read_hex(&line);
    line += *line == ' ';
    const bool is_code = line[0] == 'r' && line[1] != '\0' && line[2] == 'x';
    const char *path = strchr(line, '/');
    if (path != NULL) {
        part.path = keep_path(path);
        const bool is_next = part.path != NULL && last->path == part.path;
        part.base = is_next ? last->base : part.begin;
        part.has_header = is_next ? last->has_header : line[0] == 'r';
    }
    const bool is_stack = (uintptr_t)stack - part.begin < part.end - part.begin;
    if (n_parts < MOST_PARTS && (is_stack || (is_code && part.path != NULL)))
        parts[n_parts++] = part;
    *last = part;
}

void rg_maps_read(const void *stack)
{
    static char line[LINE_ROOM], buffer[4096];
    const int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    struct part last = {0};
    size_t length = 0;
    ssize_t n;
    n_parts = 0;
    while (file >= 0 && (n = read(file, buffer, sizeof(buffer))) > 0) {
        for (ssize_t k = 0; k < n; k++) {
            if (buffer[k] != '\n') {
                line[length] = buffer[k];
                length += length + 1 < LINE_ROOM;
                continue;
            }
            line[length] = '\0';
            take_line(line, stack, &last);
            length = 0;
        }
    }
    if (file >= 0)
        close(file);
}

/* ---- Questions -------------------------------------------------------------------------------- */

static const struct part *find(const void *address)
{
    for (int k = 0; k < n_parts; k++)
        if ((uintptr_t)address - parts[k].begin < parts[k].end - parts[k].begin)
            return &parts[k];
    return NULL;
}

/* Without directories. */
static const char *name_of(const struct part *part)
{
    return strrchr(part->path, '/') + 1;
}

bool rg_maps_is_servant(const void *address)
{
    static const char *const servants[] = {"libc.",   "libc-",    "libstdc++",   "libc++",   "libasan",
                                           "libtsan", "libubsan", "libclang_rt", "libregrad"};
    const struct part *part = find(address);
    for (size_t k = 0; part != NULL && part->path != NULL && k < sizeof(servants) / sizeof(servants[0]); k++)
        if (strncmp(name_of(part), servants[k], strlen(servants[k])) == 0)
            return true;
    return false;
}

bool rg_maps_is_client(const void *address)
{
    const struct part *part = find(address);
    return part != NULL && part->path != NULL && !rg_maps_is_servant(address);
}

size_t rg_maps_stack_left(const void *address)
{
    const struct part *part = find(address);
    return part != NULL ? (size_t)(part->end - (uintptr_t)address) : 0;
}

/* What the loader has added to the file's addresses. Only files that are asked for are looked into: others may be of a
 * debugger, which watches its own. */
static uintptr_t bias_of(const struct part *part)
{
    const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)part->base;
    const bool is_fixed = part->has_header && memcmp(header, ELFMAG, SELFMAG) == 0 && header->e_type == ET_EXEC;
    return is_fixed ? 0 : part->base;
}

void rg_maps_describe(const void *frame, struct rg_frame *is)
{
    struct rg_text text = {is->text, sizeof(is->text), 0}, module = {is->module, sizeof(is->module), 0};
    const struct part *part = find(frame);
    is->module[0] = '\0';
    if (part == NULL || part->path == NULL) {
        rg_text_put_hex(&text, (uintptr_t)frame);
        return;
    }
    is->address = (uintptr_t)frame - bias_of(part);
    rg_text_put(&text, name_of(part));
    rg_text_put(&text, " [");
    rg_text_put_hex(&text, is->address);
    rg_text_put(&text, "]");
    if (strlen(part->path) + 1 < sizeof(is->module)) /* else it may have been cut off */
        rg_text_put(&module, part->path);
}
