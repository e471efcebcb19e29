/* SPDX-License-Identifier: Apache-2.0 */
#include "html.h"

#include <math.h>
#include <string.h>

#include "escape.h"

void html_text(FILE *page, const char *text)
{
    html_part(page, text, strlen(text));
}

void html_part(FILE *page, const char *text, size_t length)
{
    const char *const end = text + length;
    while (text < end) {
        if (strchr("&<>\"'", *text) != NULL) {
            fprintf(page, "&#%d;", *text++);
        } else {
            text += escape_character(page, text);
        }
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
