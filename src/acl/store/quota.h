/* SPDX-License-Identifier: Apache-2.0 */
/* How many bytes each device has, and how many of them are booked: by allocations, and by physical memory. */
#ifndef RG_QUOTA_H
#define RG_QUOTA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that the machine has, and that a device has: as many, unless REGRAD_DEVICE_MEMORY says otherwise. */
size_t rg_memory_of_machine(void);
size_t rg_memory_total(void);

/* Books bytes of a device; false when fewer are left. And gives them back. Any thread; takes no lock. */
bool rg_memory_book(int32_t device, size_t size);
void rg_memory_unbook(int32_t device, size_t size);

size_t rg_memory_booked(int32_t device);
size_t rg_memory_peak(int32_t device); /* the most that were booked */

#endif
