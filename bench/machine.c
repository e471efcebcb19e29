/* SPDX-License-Identifier: Apache-2.0 */
#include "machine.h"

#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "regrad.h"

/* Finds the line of a file that begins with `key`, and copies what follows its colon. "?" where there is none. */
static void look_up(const char *path, const char *key, char value[160])
{
    char line[512];
    strcpy(value, "?");
    FILE *file = fopen(path, "r");
    if (file == NULL)
        return;
    while (strcmp(value, "?") == 0 && fgets(line, sizeof line, file) != NULL) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) == 0 && colon != NULL)
            snprintf(value, 160, "%.159s", colon + 1 + strspn(colon + 1, " \t"));
    }
    fclose(file);
    value[strcspn(value, "\n")] = '\0';
}

static void first_line(const char *path, char *value, size_t size)
{
    FILE *file = fopen(path, "r");
    if (file == NULL || fgets(value, (int)size, file) == NULL)
        snprintf(value, size, "?");
    if (file != NULL)
        fclose(file);
    value[strcspn(value, "\n")] = '\0';
}

__attribute__((format(printf, 3, 4))) static void note(struct fact *fact, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fact->name = name;
    vsnprintf(fact->value, sizeof fact->value, format, arguments);
    va_end(arguments);
}

/* The sizes of the caches of the first core, from the first level on. */
static void note_caches(struct fact *fact)
{
    note(fact, "caches", "%s", "");
    for (int i = 0; i < 4; i++) {
        char path[96], level[8], type[32], size[32];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/level", i);
        first_line(path, level, sizeof level);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/type", i);
        first_line(path, type, sizeof type);
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
        first_line(path, size, sizeof size);
        if (strcmp(type, "Data") != 0 && strcmp(type, "Unified") != 0)
            continue;
        const size_t length = strlen(fact->value);
        snprintf(fact->value + length, sizeof fact->value - length, "%sL%s %s", length > 0 ? ", " : "", level, size);
    }
}

struct machine machine_look(void)
{
    struct machine machine = {0};
    struct fact *fact = machine.facts;
    struct utsname system = {0};
    char value[160];
    cpu_set_t set;
    machine.n_cores = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
    uname(&system);
    const time_t now = time(NULL);
    struct tm day;
    strftime(value, sizeof value, "%Y-%m-%d", gmtime_r(&now, &day));
    note(fact++, "date", "%s", value);
    look_up("/proc/cpuinfo", "model name", value);
    note(fact++, "processor", "%s", value);
    note(fact++, "cores", "%d", machine.n_cores);
    note_caches(fact++);
    look_up("/proc/meminfo", "MemTotal", value);
    note(fact++, "memory", "%s", value);
    note(fact++, "system", "%s %s %s", system.sysname, system.release, system.machine);
    note(fact++, "compiler", "%s", __VERSION__);
    note(fact++, "regrad", "%s, %s", regrad_version(), regrad_isa());
    return machine;
}

size_t machine_free_memory(void)
{
    char value[160];
    unsigned long long kilobytes = 0;
    look_up("/proc/meminfo", "MemAvailable", value);
    sscanf(value, "%llu", &kilobytes);
    return (size_t)kilobytes * 1024;
}
