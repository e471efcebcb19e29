/* SPDX-License-Identifier: Apache-2.0 */
/* The list of mappings that the handler of faults reads, whatever it says. Included, because no program could have such
 * a list: the text comes from a file in memory, and no address in it is looked at. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int text_file = -1;

#define open(path, flags) ((void)(path), (void)(flags), text_file)
#define memcmp(a, b, n) ((void)(a), (void)(b), (void)(n), 1) /* "no header of a program is there" */
#include "acl/tell/place_maps.c"
#undef open
#undef memcmp

static void require(bool condition)
{
    if (!condition)
        abort();
}

static void ask(uintptr_t number)
{
    const void *address = (const void *)number;
    struct rg_frame frame;
    memset(&frame, 0xAA, sizeof(frame));
    rg_maps_describe(address, &frame);
    require(strnlen(frame.text, sizeof(frame.text)) < sizeof(frame.text));
    require(strnlen(frame.module, sizeof(frame.module)) < sizeof(frame.module));
    require(!(rg_maps_is_client(address) && rg_maps_is_servant(address)));
    (void)rg_maps_stack_left(address);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    text_file = memfd_create("maps", MFD_CLOEXEC);
    if (text_file < 0 || write(text_file, data, size) != (ssize_t)size || lseek(text_file, 0, SEEK_SET) != 0)
        abort();
    n_paths = 0; /* the paths of a process stay; those of one input are not the next one's */
    rg_maps_read((const void *)(uintptr_t)0x7ffd0001000);
    require(n_parts <= MOST_PARTS && n_paths <= MOST_NAMES);
    for (int k = 0; k < n_parts; k++) {
        ask(parts[k].begin);
        ask(parts[k].end);
        ask(parts[k].end - 1);
    }
    ask(0);
    ask(UINTPTR_MAX);
    return 0;
}
