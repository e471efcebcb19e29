/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/vec/avx512.h"

#define RG_TABLE rg_kernels_avx512
#define RG_TABLE_TEXT "avx512"
#include "kernel/body/table.h"
