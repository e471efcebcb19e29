/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/place_maps.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "acl/text.h"

enum { MOST_PARTS = 512, MOST_NAMES = 256, NAME_ROOM = 64, LINE_ROOM = 512 };

/* A part of the addresses: code of a file, or the stack. */
static struct part {
    uintptr_t begin, end;
    uintptr_t base;   /* where the file's mappings begin */
    const char *name; /* of the file, without directories; NULL for none */
} parts[MOST_PARTS];
static int n_parts;

static char names[MOST_NAMES][NAME_ROOM];
static int n_names;

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

/* The one copy of a name. */
static const char *keep_name(const char *name)
{
    for (int k = n_names - 1; k >= 0; k--)
        if (strncmp(names[k], name, NAME_ROOM - 1) == 0)
            return names[k];
    if (n_names == MOST_NAMES)
        return NULL;
    struct rg_text text = {names[n_names++], NAME_ROOM, 0};
    rg_text_put(&text, name);
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
    const char *slash = strrchr(line, '/');
    if (slash != NULL) {
        part.name = keep_name(slash + 1);
        part.base = last->name == part.name && part.name != NULL ? last->base : part.begin;
    }
    const bool is_stack = (uintptr_t)stack - part.begin < part.end - part.begin;
    if (n_parts < MOST_PARTS && (is_stack || (is_code && part.name != NULL)))
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

bool rg_maps_is_servant(const void *address)
{
    static const char *const servants[] = {"libc.",   "libc-",    "libstdc++",   "libc++",   "libasan",
                                           "libtsan", "libubsan", "libclang_rt", "libregrad"};
    const struct part *part = find(address);
    for (size_t k = 0; part != NULL && part->name != NULL && k < sizeof(servants) / sizeof(servants[0]); k++)
        if (strncmp(part->name, servants[k], strlen(servants[k])) == 0)
            return true;
    return false;
}

bool rg_maps_is_client(const void *address)
{
    const struct part *part = find(address);
    return part != NULL && part->name != NULL && !rg_maps_is_servant(address);
}

size_t rg_maps_stack_left(const void *address)
{
    const struct part *part = find(address);
    return part != NULL ? (size_t)(part->end - (uintptr_t)address) : 0;
}

void rg_maps_text(const void *frame, char text[RG_PLACE_TEXT])
{
    struct rg_text out = {text, RG_PLACE_TEXT, 0};
    const struct part *part = find(frame);
    text[0] = '\0';
    if (part == NULL || part->name == NULL) {
        rg_text_put_hex(&out, (uintptr_t)frame);
        return;
    }
    rg_text_put(&out, part->name);
    rg_text_put(&out, " [");
    rg_text_put_hex(&out, (uintptr_t)frame - part->base);
    rg_text_put(&out, "]");
}
