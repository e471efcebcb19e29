/* SPDX-License-Identifier: Apache-2.0 */
/* regrad list */
#include <stdio.h>

#include "command.h"
#include "complain.h"

static int run_list(const struct settings *settings)
{
    if (settings->n_words > 0)
        return complain(STATUS_REFUSED, "list: takes no words, and '%.100s' is given", settings->words[0]);
    const struct op *op;
    for (int k = 0; (op = operator_at(k)); k++)
        printf("%-34s  %s\n", op->name, op->summary);
    return STATUS_OK;
}

const struct command command_list = {
    .name = "list",
    .summary = "names the operators",
    .words = "",
    .details = "Prints one line for each operator: its name, and what it computes.\n",
    .run = run_list,
};
