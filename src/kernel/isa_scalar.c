/* SPDX-License-Identifier: Apache-2.0 */
#include "kernel/vec/scalar.h"

#define RG_TABLE rg_kernels_scalar
#define RG_TABLE_TEXT "scalar"
#include "kernel/body/table.h"
