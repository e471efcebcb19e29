/* SPDX-License-Identifier: Apache-2.0 */
/* All kernels of resizes for one storage type, and TABLE, the table of them. Template; parameters in
 * body/stored_f32.h. */
#include "kernel/body/line.h"
#include "kernel/body/phases.h"
#include "kernel/body/resample.h"
#include "kernel/body/shrink.h"
#include "kernel/body/groups.h"

/* Plans call shrink with vectors alone, and it takes longer to compile than all the others together. Fused groups pay
 * with vectors of 64 bytes alone; the scalar ones let tests run them on every machine. */
const struct rg_resize_kernels TABLE = {
    .rows = STORED(rows),
    .shared_rows = STORED(shared_rows),
    .cols = STORED(cols),
    .shrink = V_LANES > 1 ? STORED(shrink) : NULL,
    .groups = STORED(groups),
    .fused_groups = V_LANES == 1 || sizeof(V) == 64 ? STORED(fused_groups) : NULL,
};
