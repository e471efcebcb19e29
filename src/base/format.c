/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "base/format.h"

#include <locale.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

int rg_format_list(char *text, size_t room, const char *format, va_list arguments)
{
    const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    const locale_t before = plain != (locale_t)0 ? uselocale(plain) : (locale_t)0;
    const int length = vsnprintf(text, room, format, arguments);
    if (plain != (locale_t)0) {
        uselocale(before);
        freelocale(plain);
    }
    return length;
}

int rg_format(char *text, size_t room, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = rg_format_list(text, room, format, arguments);
    va_end(arguments);
    return length;
}

static bool is_high(unsigned char c)
{
    return c >= 0x80 && c <= 0x9F;
}

/* Of ASCII, and of the other range that terminals know: by itself, or as UTF-8 has it behind 0xC2. */
static bool is_control(const unsigned char *at, unsigned char before)
{
    return *at < 0x20 || *at == 0x7F || (*at == 0xC2 && is_high(at[1])) ||
           (is_high(*at) && (before < 0x80 || before == 0xC2));
}

static size_t escape(char to[5], unsigned char c)
{
    static const char letters[] = "abtnvfr"; /* from 7 on */
    const bool has_letter = c >= 7 && c <= 13;
    to[0] = '\\';
    to[1] = has_letter ? letters[c - 7] : 'x';
    to[2] = "0123456789abcdef"[c / 16];
    to[3] = "0123456789abcdef"[c % 16];
    return has_letter ? 2 : 4;
}

size_t rg_copy_plain(char *to, size_t room, const char *from)
{
    size_t length = 0;
    unsigned char before = 0;
    for (const unsigned char *at = (const unsigned char *)from; *at != '\0'; before = *at++) {
        char escaped[5] = {(char)*at};
        const size_t n = is_control(at, before) ? escape(escaped, *at) : 1;
        if (length + n >= room)
            break;
        memcpy(to + length, escaped, n);
        length += n;
    }
    to[length] = '\0';
    return length;
}
