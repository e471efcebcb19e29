/* SPDX-License-Identifier: Apache-2.0 */
#include "acl/sys/text.h"

#include <errno.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/format.h"

void rg_text_put(struct rg_text *text, const char *string)
{
    while (*string != '\0' && text->length + 1 < text->room)
        text->to[text->length++] = *string++;
    text->to[text->length] = '\0';
}

void rg_text_put_plain(struct rg_text *text, const char *string)
{
    text->length += rg_copy_plain(text->to + text->length, text->room - text->length, string);
}

static void put_digits(struct rg_text *text, uint64_t number, unsigned base)
{
    char digits[24];
    size_t first = sizeof(digits) - 1;
    digits[first] = '\0';
    do {
        digits[--first] = "0123456789abcdef"[number % base];
        number /= base;
    } while (number > 0);
    rg_text_put(text, digits + first);
}

void rg_text_put_decimal(struct rg_text *text, uint64_t number)
{
    put_digits(text, number, 10);
}

void rg_text_put_hex(struct rg_text *text, uint64_t number)
{
    rg_text_put(text, "0x");
    put_digits(text, number, 16);
}

int rg_text_write(const struct rg_text *text, int file)
{
    const int saved = errno;
    size_t written = 0;
    int error = 0;
    while (written < text->length && error == 0) {
        const ssize_t n = write(file, text->to + written, text->length - written);
        if (n > 0)
            written += (size_t)n;
        else if (n == 0 || errno != EINTR)
            error = n == 0 ? EIO : errno;
    }
    errno = saved;
    return error;
}
