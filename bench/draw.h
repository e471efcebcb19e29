/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes drawn at random, for whatever nobody thought of when writing workload files. */
#ifndef DRAW_H
#define DRAW_H

#include "workload.h"

enum { MOST_DRAWN = 10000 };

/*
 * A workload of n shapes, the same from the same seed on every machine. All families of operators, or those of the
 * operators whose names match a list (op_matches; NULL: all), evenly; gradients mostly; all types and
 * layouts; sizes and factors evenly by their logarithms, with round and whole ones among them; tensors of 32 KB to 48
 * MB in all. Each is timed as one call too, and through aclnn where that has the operator. The smallest shapes of each
 * operator stand before them, to show what a call costs whatever its size; draw_is_smallest knows them. Exits if no
 * operator matches.
 */
struct workload draw_workload(int n, int64_t seed, const char *operators);
bool draw_is_smallest(const struct shape *shape);

#endif
