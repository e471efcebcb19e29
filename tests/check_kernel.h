/* SPDX-License-Identifier: Apache-2.0 */
/* The tests of check_kernel that have files of their own: the kernels of resizes, and those of grid sample. */
#ifndef CHECK_KERNEL_H
#define CHECK_KERNEL_H

void rows(void **state);
void cols(void **state);
void shrink(void **state);
void shared_rows(void **state);
void groups(void **state);
void fused_groups(void **state);

void grid_values(void **state);
void places(void **state);
void locate(void **state);

void packed_images(void **state);
void packed_moves(void **state);
void packed_points(void **state);

#endif
