/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/vec/neon.h"

#define RG_TABLE rg_kernels_neon
#define RG_TABLE_TEXT "neon"
#include "kernel/body/table.h"
