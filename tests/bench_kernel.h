/* SPDX-License-Identifier: Apache-2.0 */
/* Times the kernels: check_kernel --bench. */
#ifndef BENCH_KERNEL_H
#define BENCH_KERNEL_H

/* Times each kernel whose name begins with `name` ("" for all) on each instruction set that this machine has, and
 * prints a line for each kernel, type and instruction set. Returns 0, or 1 when there is no such kernel. */
int bench_kernels(const char *name);

#endif
