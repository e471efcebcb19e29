/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/vec/avx2.h"

#define RG_TABLE rg_kernels_avx2
#define RG_TABLE_TEXT "avx2"
#include "kernel/body/table.h"
