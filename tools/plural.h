/* SPDX-License-Identifier: Apache-2.0 */
/* Nouns in messages that count. */
#ifndef PLURAL_H
#define PLURAL_H

#include <stdint.h>

/* What follows a noun: "1 file", "2 files". */
static inline const char *plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

#endif
