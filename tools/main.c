/* SPDX-License-Identifier: Apache-2.0 */
/* regrad: the operators on the command line. */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "complain.h"
#include "suggest.h"

static const struct command *const commands[] = {
    &command_run,         &command_list, &command_describe, &command_check, &command_compare,
#ifdef REGRAD_ACL
    &command_ascend_home, &command_exec,
#endif
};

enum { N_COMMANDS = sizeof commands / sizeof commands[0] };

static const struct command *find_command(const char *name)
{
    struct suggestion suggestion = {0};
    for (int k = 0; k < N_COMMANDS; k++) {
        if (strcmp(commands[k]->name, name) == 0)
            return commands[k];
        suggest_consider(&suggestion, name, commands[k]->name);
    }
    char buffer[SUGGEST_ROOM];
    complain(STATUS_REFUSED, "unknown command '%.100s'%s ('regrad --help' names them all)", name,
             suggest_text(&suggestion, buffer));
    return NULL;
}

static int print_version(void)
{
    printf("regrad %d.%d.%d (library %s, %s)\n", REGRAD_VERSION_MAJOR, REGRAD_VERSION_MINOR, REGRAD_VERSION_PATCH,
           regrad_version(), regrad_isa());
    return STATUS_OK;
}

/* What stands before a command: only --help and --version are of use there. */
static int run_without_command(int argc, char **argv)
{
    struct settings settings;
    if (argc < 2)
        return complain(STATUS_REFUSED, "no command is given ('regrad --help' names them all)");
    int status = options_parse(argc, argv, false, &settings);
    if (status != STATUS_OK)
        return status;
    if (is_given(&settings, OPT_VERSION))
        return print_version();
    if (is_given(&settings, OPT_HELP)) {
        help_program(commands, N_COMMANDS);
        return STATUS_OK;
    }
    return complain(STATUS_REFUSED, "the command comes first: regrad COMMAND ... ('regrad --help')");
}

static int show_help(const struct command *command, const struct settings *settings)
{
    if (!command->takes_op || settings->n_words == 0) {
        help_command(command);
        return STATUS_OK;
    }
    const struct op *op = operator_find(settings->words[0]);
    if (!op)
        return STATUS_REFUSED;
    help_operator(command, op);
    return STATUS_OK;
}

static int check_usage(const struct command *command, const struct settings *settings)
{
    const struct op *op = NULL;
    if (command->takes_op && settings->n_words == 0)
        return complain(STATUS_REFUSED, "%s: no operator is given ('regrad list' names them all)", command->name);
    if (command->takes_op && !(op = operator_find(settings->words[0])))
        return STATUS_REFUSED;
    return options_check(settings, command_options(command, op), op ? op->name : command->name);
}

static int run_command(const struct command *command, int argc, char **argv)
{
    struct settings settings;
    int status = options_parse(argc, argv, command->runs_program, &settings);
    if (status != STATUS_OK)
        return status;
    if (is_given(&settings, OPT_HELP))
        return show_help(command, &settings);
    if (is_given(&settings, OPT_VERSION))
        return print_version();
    status = check_usage(command, &settings);
    if (status != STATUS_OK)
        return status;
    regrad_set_num_threads(settings.threads < 1 << 20 ? (int)settings.threads : 1 << 20);
    return command->run(&settings);
}

static int run(int argc, char **argv)
{
    if (argc < 2 || argv[1][0] == '-')
        return run_without_command(argc, argv);
    const struct command *command = find_command(argv[1]);
    return command ? run_command(command, argc - 1, argv + 1) : STATUS_REFUSED;
}

int main(int argc, char **argv)
{
    hold_standard_streams();
    return finish_output(run(argc, argv));
}
