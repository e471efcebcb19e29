/* SPDX-License-Identifier: Apache-2.0 */
/* regrad describe */
#include <stdio.h>
#include <stdlib.h>

#include "command.h"
#include "complain.h"
#include "problem.h"
#include "run_call.h"

static int print_plan(const regrad_plan *plan)
{
    size_t room = regrad_plan_describe(plan, NULL, 0) + 1;
    char *line = malloc(room);
    if (!line)
        return complain_memory("the line");
    regrad_plan_describe(plan, line, room);
    puts(line);
    free(line);
    return STATUS_OK;
}

static int run_describe(const struct settings *settings)
{
    struct problem problem;
    regrad_plan *plan;
    int status = problem_init(&problem, settings, FILES_OPTIONAL);
    if (status == STATUS_OK) {
        struct call call = problem_call(&problem);
        status = call_plan(&call, &plan);
    }
    if (status == STATUS_OK) {
        status = print_plan(plan);
        regrad_plan_destroy(plan);
    }
    problem_fini(&problem);
    return status;
}

const struct command command_describe = {
    .name = "describe",
    .summary = "prints the plan of an operator in one line",
    .words = " OPERATOR [FILE]...",
    .details =
        "Plans the operator and prints what the library says about the plan: shapes, types, layout, algorithm,\n"
        "instruction set and workspace. Nothing is computed. Shapes and type come from the files that run would\n"
        "read, or, without files, from --input-size, --output-size and --dtype (float32 when not given).\n",
    .takes_op = true,
    .options = OPTION_BIT(OPT_INPUT_SIZE) | OPTION_BIT(OPT_OUTPUT_SIZE) | OPTION_BIT(OPT_LAYOUT) |
               OPTION_BIT(OPT_DTYPE) | OPTION_BIT(OPT_OUTPUT_MASK) | OPTION_BIT(OPT_THREADS),
    .run = run_describe,
};
