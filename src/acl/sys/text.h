/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that are put together without the C library's output, so that a signal handler can do it too. */
#ifndef RG_TEXT_H
#define RG_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Always ends with a NUL, once something has been put; what has no room is cut off. */
struct rg_text {
    char *to;
    size_t room;
    size_t length;
};

void rg_text_put(struct rg_text *text, const char *string);
void rg_text_put_plain(struct rg_text *text, const char *string); /* as rg_copy_plain */
void rg_text_put_decimal(struct rg_text *text, uint64_t number);
void rg_text_put_hex(struct rg_text *text, uint64_t number); /* with 0x before it */

/* Writes it all to a file, as far as that takes it. Returns 0, or the errno of what failed. */
int rg_text_write(const struct rg_text *text, int file);

#endif
