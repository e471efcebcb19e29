/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bodies that know one arithmetic type and no storage type.
 *
 * Parameters, to be defined before inclusion; they stay defined for body/storage.h:
 *   T            float or double
 *   V            the vector of T; V_LANES its lanes; VOP(load) its operations, see vec/scalar.h
 *   Q            the vector of four T, likewise
 *   V_FOURS      1 where V is four Q and has operations for that, else 0
 *   M(f)         the C library's f for T: M(floor) is floorf or floor
 *   NAME(kernel) the name of a kernel for T
 */
#include "kernel/body/grid_locate.h"
#include "kernel/body/packed.h"
#include "kernel/body/grid_plane.h"
#include "kernel/body/grid_bilinear.h"
#include "kernel/body/grid_tile.h"
