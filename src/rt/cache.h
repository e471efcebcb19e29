/* SPDX-License-Identifier: Apache-2.0 */
/* The processor's caches. */
#ifndef RG_CACHE_H
#define RG_CACHE_H

#include <stddef.h>

/* Bytes of the largest cache; a usual size where the system does not say. */
size_t rg_cache_nbytes(void);

#endif
