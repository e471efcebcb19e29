/* SPDX-License-Identifier: Apache-2.0 */
/* Text of others in files of ours. What is no UTF-8, or a control character but tab and newline, becomes U+FFFD, so
 * that it may stand in HTML, XML 1.0 and JSON. */
#ifndef ESCAPE_H
#define ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/* Prints the character at the start of a text that does not end there. How many bytes does it have? */
size_t escape_character(FILE *file, const char *text);

/* A part of a line for a terminal: what is no UTF-8, or a control character, is written as in C. */
void escape_plain(FILE *file, const char *text);

/* A string of JSON, with its quotes. */
void escape_json(FILE *file, const char *text);

/* A number of JSON, which knows no infinity: 0 then. */
void escape_number(FILE *file, double number, int digits);

/* A path in a URI; a whole one with "file://" before it. */
void escape_uri(FILE *file, const char *path);

/* Text of a workflow command of GitHub, or of one of its properties. */
void escape_github(FILE *file, const char *text, int is_property);

#endif
