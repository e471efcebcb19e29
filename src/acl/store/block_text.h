/* SPDX-License-Identifier: Apache-2.0 */
/* How findings and messages speak of blocks. */
#ifndef RG_BLOCK_TEXT_H
#define RG_BLOCK_TEXT_H

#include <stdbool.h>

#include "acl/store/block.h"
#include "acl/tell/finding.h"

/* The function that allocates at a place; there are others of its kin. */
const char *rg_memory_maker(enum rg_memory_place place);

/* Adds the block that is involved to a finding: where it was allocated, and if it was freed, where. */
void rg_memory_add_block(struct rg_finding *finding, const struct rg_memory_block *block, bool is_freed);

#endif
