/* SPDX-License-Identifier: Apache-2.0 */
/* Text for HTML and SVG, and numbers for readers. */
#ifndef HTML_H
#define HTML_H

#include <stdio.h>

/* Prints text so that it is text in an element and in a quoted attribute, whatever it holds: what is no UTF-8 or no
 * character that HTML may have becomes U+FFFD. */
void html_text(FILE *page, const char *text);

/* The same of the first bytes of text, which must not end within a character. */
void html_part(FILE *page, const char *text, size_t length);

enum { HTML_NUMBER = 40 };

/* "12 bytes", "1.5 KiB" ... */
const char *html_bytes(char text[HTML_NUMBER], double bytes);

/* Of microseconds: "12.3 µs", "4.56 ms", "1.2 s". */
const char *html_time(char text[HTML_NUMBER], double microseconds);

/* The same to the microsecond, for when something was. */
const char *html_moment(char text[HTML_NUMBER], double microseconds);

#endif
