/* SPDX-License-Identifier: Apache-2.0 */
/* Runs addr2line, or another program that answers as it does, without a shell. */
#ifndef SYMBOL_PROGRAM_H
#define SYMBOL_PROGRAM_H

#include <stddef.h>

struct symbol_answer {
    char *text;         /* what it has printed, to be freed; NULL when it did not end well, or in time */
    int has_column;     /* does a column follow the line? */
    int has_no_program; /* is there none on PATH? */
    double seconds;     /* that it took */
};

/* Asks for addresses, each on a line, in a module. For each the answer has its address, then a line for the function
 * and one for the place, and two more for each function that it is inlined in. */
struct symbol_answer symbol_program_ask(const char *module, const char *addresses, size_t size, double most_seconds);

#endif
