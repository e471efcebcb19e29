/* SPDX-License-Identifier: Apache-2.0 */
/* How many cores the process may use. */
#ifndef RG_CORES_H
#define RG_CORES_H

/* The cores that the system lets the process run on, or as many as the CPU quotas of its control groups pay for, if
 * that is less: rounded up, and at least 1. */
int rg_cores(void);

/* The part of it that is the quotas': INT_MAX where there is none. /proc and the control groups are looked for in the
 * directory root; "" is the system's. */
int rg_cores_of_quotas(const char *root);

#endif
