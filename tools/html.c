/* SPDX-License-Identifier: Apache-2.0 */
#include "html.h"

#include <math.h>
#include <string.h>

/* How many bytes the character at the start of the text has; 0 when there is none of UTF-8, or it is a control. */
static int character_length(const unsigned char *text)
{
    static const struct {
        unsigned char mask, mark;
        unsigned long least;
    } sorts[] = {{0x80, 0x00, 0x20}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};
    for (int n = 0; n < 4; n++) {
        unsigned long code = (unsigned char)(text[0] & ~sorts[n].mask);
        if ((text[0] & sorts[n].mask) != sorts[n].mark)
            continue;
        for (int k = 1; k <= n; k++) {
            if ((text[k] & 0xC0) != 0x80)
                return 0;
            code = code << 6 | (text[k] & 0x3F);
        }
        const int is_surrogate = code >= 0xD800 && code <= 0xDFFF, is_control = code >= 0x7F && code < 0xA0;
        return code < sorts[n].least || code > 0x10FFFF || is_surrogate || is_control ? 0 : n + 1;
    }
    return 0;
}

void html_text(FILE *page, const char *text)
{
    html_part(page, text, strlen(text));
}

void html_part(FILE *page, const char *text, size_t length_of_text)
{
    const unsigned char *at = (const unsigned char *)text, *end = at + length_of_text;
    while (at < end) {
        const int length = *at == '\n' || *at == '\t' ? 1 : character_length(at);
        switch (*at) {
        case '&':
        case '<':
        case '>':
        case '"':
        case '\'':
            fprintf(page, "&#%d;", *at);
            break;
        default:
            if (length == 0)
                fputs("\xEF\xBF\xBD", page);
            else
                fwrite(at, 1, (size_t)length, page);
        }
        at += length > 0 ? length : 1;
    }
}

const char *html_bytes(char text[HTML_NUMBER], double bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    int k = 0;
    while (k < 4 && fabs(bytes) >= 1024) {
        bytes /= 1024;
        k++;
    }
    snprintf(text, HTML_NUMBER, "%.*f %s", k > 0, bytes, k == 0 && bytes == 1 ? "byte" : units[k]);
    return text;
}

static const char *print_time(char text[HTML_NUMBER], double microseconds, int digits_of_ms, int digits_of_s)
{
    if (fabs(microseconds) < 1000)
        snprintf(text, HTML_NUMBER, "%.1f µs", microseconds);
    else if (fabs(microseconds) < 1e6)
        snprintf(text, HTML_NUMBER, "%.*f ms", digits_of_ms, microseconds / 1e3);
    else
        snprintf(text, HTML_NUMBER, "%.*f s", digits_of_s, microseconds / 1e6);
    return text;
}

const char *html_time(char text[HTML_NUMBER], double microseconds)
{
    return print_time(text, microseconds, 2, 2);
}

const char *html_moment(char text[HTML_NUMBER], double microseconds)
{
    return print_time(text, microseconds, 3, 6);
}
