/* SPDX-License-Identifier: Apache-2.0 */
/* The help texts. */
#include <stdio.h>
#include <string.h>

#include "command.h"

static const option_set everywhere = OPTION_BIT(OPT_HELP) | OPTION_BIT(OPT_VERSION);

static option_set output_options(const struct op *op)
{
    option_set set = 0;
    for (int k = 0; k < op->n_tensors; k++)
        if (op->tensor[k].access == ACCESS_WRITE)
            set |= OPTION_BIT(op->tensor[k].option);
    return set;
}

option_set command_options(const struct command *command, const struct op *op)
{
    option_set set = command->options | everywhere;
    if (op)
        set |= op->options;
    if (op && command->writes)
        set |= output_options(op);
    if (op && !(output_options(op) & OPTION_BIT(OPT_GRID_GRAD)))
        set &= ~OPTION_BIT(OPT_OUTPUT_MASK);
    return set;
}

void help_program(const struct command *const *commands, int n_commands)
{
    bool runs_program = false;
    printf("Usage: regrad COMMAND ...\n"
           "Gradients of image resampling, on NumPy's .npy files.\n\nCommands:\n");
    for (int k = 0; k < n_commands; k++) {
        runs_program |= commands[k]->runs_program;
        printf("  %-12s %s\n", commands[k]->name, commands[k]->summary);
    }
    printf("\nOptions:\n");
    options_help(everywhere);
    printf("\n'regrad COMMAND --help' explains a command, 'regrad COMMAND OPERATOR --help' what it takes for an\n"
           "operator.\n\n"
           "Exit status: 0 when all is well; 1 when compare finds a difference; 2 for bad usage, a file that is\n"
           "malformed or cannot be read, and values that are refused; 3 when memory or the writing of a result\n"
           "fails; 16, 32, 64 and their sums from check, whose help explains them%s.\n",
           runs_program ? "; from exec the program's\nstatus, and 99" : "");
}

static void print_usage(const struct command *command, const char *words)
{
    printf("Usage: regrad %s%s%s\n%c%s.\n", command->name, words, command->runs_program ? "" : " [OPTION]...",
           command->summary[0] - 'a' + 'A', command->summary + 1);
}

void help_command(const struct command *command)
{
    print_usage(command, command->words);
    printf("\n%s\nOptions:\n", command->details);
    options_help(command_options(command, NULL));
    if (!command->takes_op)
        return;
    printf("\nOperators, each with options of its own ('regrad %s OPERATOR --help'):\n", command->name);
    const struct op *op;
    for (int k = 0; (op = operator_at(k)); k++)
        printf("  %s\n", op->name);
}

static const char *access_text(const struct op_tensor *tensor)
{
    static const char *const texts[] = {
        [ACCESS_READ] = "a file, read",
        [ACCESS_SHAPE] = "a file that gives its shape, or --input-size",
        [ACCESS_WRITE] = "a result",
    };
    return texts[tensor->access];
}

void help_operator(const struct command *command, const struct op *op)
{
    char words[256];
    int n = snprintf(words, sizeof words, " %s", op->name);
    for (int k = 0; k < op->n_tensors; k++)
        if (op->tensor[k].access != ACCESS_WRITE)
            n += snprintf(words + n, sizeof words - (size_t)n,
                          command->writes && op->tensor[k].access == ACCESS_READ ? " %s" : " [%s]", op->tensor[k].name);
    print_usage(command, words);
    printf("\n%s: %s.\n", op->name, op->summary);
    for (int k = 0; k < op->n_tensors; k++) {
        const char *dimensions = dimension_names(op)->place[op->tensor[k].place];
        printf("  %-15s (%s)%*s%s\n", op->tensor[k].name, dimensions, 20 - (int)strlen(dimensions), "",
               access_text(&op->tensor[k]));
    }
    printf("\n%s\nOptions:\n", command->details);
    options_help(command_options(command, op));
}
