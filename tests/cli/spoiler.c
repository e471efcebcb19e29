/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded before the library: passes regrad_plan_run on, and then spoils the first element of one result, so that
 * tests can see `regrad check` fail. REGRAD_SPOIL is a list, separated by commas, of OPERATOR:TYPE:OUTPUT, where
 * OPERATOR begins the plan's description, TYPE is float32 or float64, and OUTPUT the number of the output.
 */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "regrad.h"

typedef regrad_status run_fn(const regrad_plan *plan, const void *const *inputs, void *const *outputs, void *workspace,
                             size_t workspace_size);

static void spoil(const char *type, void *output)
{
    if (!output)
        return;
    if (strcmp(type, "float64") == 0)
        *(double *)output += 1;
    else
        *(float *)output += 1;
}

/* The plan's description is "OPERATOR: shapes; TYPE; ...". */
static int is_of(const char *description, const char *operator_name, const char *type)
{
    char pattern[64];
    snprintf(pattern, sizeof pattern, "; %s", type);
    size_t length = strlen(operator_name);
    return strncmp(description, operator_name, length) == 0 && description[length] == ':' &&
           strstr(description, pattern) != NULL;
}

regrad_status regrad_plan_run(const regrad_plan *plan, const void *const *inputs, void *const *outputs, void *workspace,
                              size_t workspace_size)
{
    run_fn *run;
    *(void **)&run = dlsym(RTLD_NEXT, "regrad_plan_run");
    regrad_status status = run(plan, inputs, outputs, workspace, workspace_size);
    char description[1024];
    regrad_plan_describe(plan, description, sizeof description);
    const char *list = getenv("REGRAD_SPOIL");
    char operator_name[64], type[16];
    int output, n;
    while (list && sscanf(list, "%63[^:]:%15[^:]:%d%n", operator_name, type, &output, &n) == 3) {
        if (is_of(description, operator_name, type))
            spoil(type, outputs[output]);
        list = list[n] == ',' ? list + n + 1 : NULL;
    }
    return status;
}
