/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/store/block_text.h"

#include "base/plural.h"

static const char *const place_names[] = {
    [RG_MEMORY_DEVICE] = "device", [RG_MEMORY_HOST] = "host", [RG_MEMORY_MAPPED] = "device"};
static const char *const makers[] = {
    [RG_MEMORY_DEVICE] = "aclrtMalloc", [RG_MEMORY_HOST] = "aclrtMallocHost", [RG_MEMORY_MAPPED] = "aclrtMapMem"};

const char *rg_memory_maker(enum rg_memory_place place)
{
    return makers[place];
}

void rg_memory_add_block(struct rg_finding *finding, const struct rg_memory_block *block, bool is_freed)
{
    rg_check_add(finding, &block->allocated.place, "%zu byte%s of %s memory at %p, allocated by %s", block->size,
                 rg_plural(block->size), place_names[block->place], (const void *)block->base,
                 block->allocated.function->name);
    if (is_freed)
        rg_check_add(finding, &block->freed.place, "the same, freed by %s", block->freed.function->name);
}
