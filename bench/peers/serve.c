/* SPDX-License-Identifier: Apache-2.0 */
#include "peers/serve.h"

#include <stdio.h>
#include <string.h>

static void tell_time(const struct served *served, const char *arguments)
{
    long long runs = 1;
    int warm_up = 0;
    sscanf(arguments, "%lld %d", &runs, &warm_up);
    printf("%.9g\n", served->time(runs, warm_up));
}

static void obey(const struct served *served, const char *command, const char *arguments)
{
    const struct {
        const char *name;
        bool (*run)(const char *arguments);
    } commands[] = {
        {"shape", served->shape}, {"threads", served->threads}, {"result", served->result}, {"drop", served->drop}};
    if (strcmp(command, "time") == 0) {
        tell_time(served, arguments);
        return;
    }
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(command, commands[i].name) == 0) {
            if (commands[i].run(arguments))
                printf("ready\n");
            else
                printf("cannot: %s\n", served->why);
            return;
        }
    }
    printf("cannot: '%s' is no command\n", command);
}

void serve(const struct served *served)
{
    char line[512];
    fflush(stdout);
    while (fgets(line, sizeof line, stdin) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        char *rest = strchr(line, ' ');
        if (rest != NULL)
            *rest++ = '\0';
        obey(served, line, rest != NULL ? rest : "");
        fflush(stdout);
    }
}
