/* SPDX-License-Identifier: Apache-2.0 */
/* "1 byte", "2 bytes". */
#ifndef RG_PLURAL_H
#define RG_PLURAL_H

#include <stdint.h>

/* What a noun ends with after this number. */
static inline const char *rg_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

#endif
