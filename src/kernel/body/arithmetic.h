/*
 * All bodies of one arithmetic type, and their table.
 *
 * Parameters, to be defined before inclusion and undefined here:
 *   T            float or double
 *   V            the vector of T; V_LANES its lanes; VOP(load) its operations, see vec/scalar.h
 *   M(f)         the C library's f for T: M(floor) is floorf or floor
 *   NAME(kernel) the name of a kernel for T
 */
#include "kernel/body/rows.h"
#include "kernel/body/cols.h"
#include "kernel/body/grid.h"
#include "kernel/body/same_type.h"

#undef T
#undef V
#undef V_LANES
#undef VOP
#undef M
#undef NAME
