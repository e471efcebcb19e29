/* SPDX-License-Identifier: Apache-2.0 */
#include "op/way.h"

#include "rt/cache.h"

const struct rg_seam *rg_seam;

const char *rg_way_word(enum rg_way way)
{
    static const char *const words[RG_N_WAYS] = {
        [RG_COPIED] = "copied",
        [RG_MOVED] = "moved",
        [RG_INTERLEAVED] = "interleaved",
        [RG_FUSED_GROUPS] = "fused groups",
        [RG_SHRINK] = "shrink",
        [RG_ROWS] = "rows",
        [RG_GROUPS] = "groups",
        [RG_COLUMNS] = "columns",
        [RG_PACKED] = "packed",
        [RG_PLANES] = "planes",
        [RG_WIDTH_FIRST] = "width first",
        [RG_TURNED] = "turned",
        [RG_FOLDED] = "folded",
        [RG_LONG] = "long",
        [RG_IN_PLACE] = "in place",
        [RG_STRIDED_SOURCE] = "strided source",
        [RG_STRIDED_RESULT] = "strided result",
        [RG_SPARSE] = "sparse",
        [RG_SHARED_ROWS] = "shared rows",
        [RG_PREFETCHED] = "prefetched",
        [RG_APART] = "apart",
        [RG_ABREAST] = "abreast",
        [RG_GATHERED] = "gathered",
        [RG_RING] = "ring",
        [RG_STREAMED] = "streamed",
        [RG_ACROSS] = "across",
    };
    return words[way];
}

bool rg_way_is_taken(enum rg_way way, bool can, bool pays)
{
    const uint64_t bit = rg_way_bit(way);
    if (rg_seam != NULL)
        pays = (pays || (rg_seam->forced & bit) != 0) && (rg_seam->forbidden & bit) == 0;
    return can && pays;
}

void rg_way_meet(enum rg_way way)
{
    if (rg_seam != NULL && rg_seam->met != NULL)
        *rg_seam->met |= rg_way_bit(way);
}

size_t rg_way_cache_nbytes(void)
{
    return rg_seam != NULL && rg_seam->cache_nbytes != 0 ? rg_seam->cache_nbytes : rg_cache_nbytes();
}
