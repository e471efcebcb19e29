/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of grid sample, for the instruction set of RG_VEC. */
#include "kernel/body/unit.h"

#include "kernel/grid_kernels.h"
#include "kernel/body/grid_place.h"

#include "kernel/body/float.h"
#include "kernel/body/pixels.h"
#include "kernel/body/grid_locate.h"
#include "kernel/body/grid_plane.h"
#include "kernel/body/grid_bilinear.h"
#include "kernel/body/grid_rows.h"
#define TABLE RG_ISA(rg_grid_f32)
#include "kernel/body/grid_table.h"
#undef TABLE

#include "kernel/body/double.h"
#include "kernel/body/pixels.h"
#include "kernel/body/grid_locate.h"
#include "kernel/body/grid_plane.h"
#include "kernel/body/grid_bilinear.h"
#include "kernel/body/grid_rows.h"
#define TABLE RG_ISA(rg_grid_f64)
#include "kernel/body/grid_table.h"
#undef TABLE
