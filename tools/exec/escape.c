/* SPDX-License-Identifier: Apache-2.0 */
#include "escape.h"

#include <ctype.h>
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
        const int is_none = (code & 0xFFFE) == 0xFFFE || code > 0x10FFFF;
        return code < sorts[n].least || is_surrogate || is_control || is_none ? 0 : n + 1;
    }
    return 0;
}

size_t escape_character(FILE *file, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    const int length = *at == '\n' || *at == '\t' ? 1 : character_length(at);
    if (length == 0)
        fputs("\xEF\xBF\xBD", file);
    else
        fwrite(at, 1, (size_t)length, file);
    return length > 0 ? (size_t)length : 1;
}

void escape_plain(FILE *file, const char *text)
{
    static const char letters[] = "abtnvfr"; /* from 7 on */
    for (const unsigned char *at = (const unsigned char *)text; *at != '\0';) {
        const int length = character_length(at);
        if (length > 0)
            fwrite(at, 1, (size_t)length, file);
        else if (*at >= 7 && *at <= 13)
            fprintf(file, "\\%c", letters[*at - 7]);
        else
            fprintf(file, "\\x%02x", *at);
        at += length > 0 ? length : 1;
    }
}

void escape_json(FILE *file, const char *text)
{
    putc('"', file);
    while (*text != '\0') {
        if (*text == '"' || *text == '\\') {
            fprintf(file, "\\%c", *text++);
        } else if (*text == '\n' || *text == '\t') {
            fputs(*text++ == '\n' ? "\\n" : "\\t", file);
        } else {
            text += escape_character(file, text);
        }
    }
    putc('"', file);
}

void escape_number(FILE *file, double number, int digits)
{
    fprintf(file, "%.*f", digits, isfinite(number) ? number : 0);
}

void escape_github(FILE *file, const char *text, int is_property)
{
    while (*text != '\0') {
        if (*text == '%' || *text == '\n' || *text == '\r' || (is_property && (*text == ':' || *text == ',')))
            fprintf(file, "%%%02X", *text++);
        else
            text += escape_character(file, text);
    }
}

void escape_uri(FILE *file, const char *path)
{
    fputs(*path == '/' ? "file://" : "", file);
    for (const unsigned char *at = (const unsigned char *)path; *at != '\0'; at++)
        fprintf(file, isalnum(*at) || strchr("/._-~", *at) != NULL ? "%c" : "%%%02X", *at);
}
