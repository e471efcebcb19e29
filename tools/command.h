/* SPDX-License-Identifier: Apache-2.0 */
/* What a command of the program is. */
#ifndef COMMAND_H
#define COMMAND_H

#include "operators.h"
#include "options.h"

struct command {
    const char *name, *summary;
    const char *words;                           /* what follows the name in its usage, but for options */
    const char *details;                         /* paragraphs of its help */
    bool takes_op;                               /* its first word is an operator, whose options it takes too */
    bool runs_program;                           /* its words are a program and its arguments, with their options */
    bool writes;                                 /* it takes the options that name the operator's outputs */
    option_set options;                          /* its own */
    int (*run)(const struct settings *settings); /* returns the exit status */
};

extern const struct command command_list, command_describe, command_run, command_check, command_compare;
extern const struct command command_ascend_home, command_exec;

/* All options that the command takes, with those of the operator; op may be NULL. */
option_set command_options(const struct command *command, const struct op *op);

/* Print help to standard output. */
void help_program(const struct command *const *commands, int n_commands);
void help_command(const struct command *command);
void help_operator(const struct command *command, const struct op *op);

#endif
