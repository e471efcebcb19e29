/* SPDX-License-Identifier: Apache-2.0 */
/* Texts of messages. */
#ifndef RG_FORMAT_H
#define RG_FORMAT_H

#include <stdarg.h>
#include <stddef.h>

/* As snprintf, but numbers have a decimal point whatever the program's locale is. */
int rg_format(char *text, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));
int rg_format_list(char *text, size_t room, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* Copies a text that may come from anybody to room > 0 bytes, for a line of a message or a log: control characters,
 * which could end the line or change what a terminal shows, are written as \n, \t or \x1b. Cuts off what has no room.
 * Returns the length. Signal handlers too. */
size_t rg_copy_plain(char *to, size_t room, const char *from);

#endif
