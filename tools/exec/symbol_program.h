/* SPDX-License-Identifier: Apache-2.0 */
/* Runs programs that answer as addr2line does, without a shell. */
#ifndef SYMBOL_PROGRAM_H
#define SYMBOL_PROGRAM_H

#include <stddef.h>

enum { SYMBOL_PROGRAMS = 4 };

struct symbol_answer {
    char *text;     /* what it has printed, to be freed; NULL when it did not end well, or in time */
    int has_column; /* does a column follow the line? */
    int is_missing; /* is the program not on PATH? */
    double seconds; /* that it took */
};

/* Asks one of the programs, the best first, for addresses, each on a line, in a module. For each the answer has its
 * address, then a line for the function and one for the place, and two more for each function that it is inlined in. */
struct symbol_answer symbol_program_ask(int which, const char *module, const char *addresses, size_t size,
                                        double most_seconds);

#endif
