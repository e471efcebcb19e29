/* SPDX-License-Identifier: Apache-2.0 */
#include "json.h"

#include <math.h>

static void write_string(FILE *file, const char *text)
{
    fputc('"', file);
    for (; *text != '\0'; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\')
            fprintf(file, "\\%c", c);
        else if (c < 0x20)
            fprintf(file, "\\u%04x", c);
        else
            fputc(c, file);
    }
    fputc('"', file);
}

static void write_pair(FILE *file, const char *name, const char *text)
{
    write_string(file, name);
    fprintf(file, ": ");
    write_string(file, text);
}

/* Seconds: {"min": ..., "median": ..., "samples": [...]} without the closing brace. */
static void write_samples(FILE *file, const struct samples *samples)
{
    fprintf(file, "{\"min\": %.6g, \"median\": %.6g, \"samples\": [", samples_min(samples), samples_median(samples));
    for (int i = 0; i < samples->n; i++)
        fprintf(file, i > 0 ? ", %.6g" : "%.6g", samples->at[i]);
    fprintf(file, "]");
}

static void write_timing(FILE *file, const char *name, const struct timing *timing)
{
    fprintf(file, ",\n      \"%s\": ", name);
    write_samples(file, &timing->samples);
    fprintf(file, "}");
}

static void write_peer(FILE *file, const char *name, const struct timing *timing)
{
    fprintf(file, ",\n      \"%s\": ", name);
    if (timing->samples.n > 0) {
        write_samples(file, &timing->samples);
        if (isfinite(timing->difference))
            fprintf(file, ", \"difference\": %.3g", timing->difference);
        else
            fprintf(file, ", \"difference\": null"); /* which JSON has no number for */
        fprintf(file, ", \"agrees\": %s}", timing->differs ? "false" : "true");
    } else {
        fprintf(file, "{");
        write_pair(file, "cannot", timing->note);
        fprintf(file, "}");
    }
}

static void write_result(FILE *file, const struct result *result)
{
    fprintf(file, "    {");
    write_pair(file, "workload", result->workload);
    fprintf(file, ", ");
    write_pair(file, "shape", result->shape->text);
    fprintf(file,
            ", \"threads\": %d, \"quick\": %s,\n      \"read\": %zu, \"written\": %zu, \"workspace\": %zu,\n      ",
            result->n_threads, result->shape->quick ? "true" : "false", result->memory.must_read,
            result->memory.must_write, result->workspace);
    write_pair(file, "plan", result->plan);
    fprintf(file, ",\n      ");
    write_pair(file, "floor_loop", result->floor_loop);
    write_timing(file, "floor", &result->of[FLOOR]);
    write_timing(file, "ours", &result->of[OURS]);
    if (result->of[PLAN].samples.n > 0)
        write_timing(file, "plan_made", &result->of[PLAN]);
    if (result->of[CALL].samples.n > 0)
        write_timing(file, "call", &result->of[CALL]);
    if (result->of[ACLNN].samples.n > 0)
        write_timing(file, "aclnn", &result->of[ACLNN]);
    for (int i = 0; i < N_PEERS; i++)
        write_peer(file, peer_name(i), &result->of[FIRST_PEER + i]);
    fprintf(file, "}");
}

static void write_machine(FILE *file, const struct machine *machine)
{
    fprintf(file, "  \"machine\": {");
    for (int i = 0; i < N_FACTS; i++) {
        fprintf(file, i > 0 ? ", " : "");
        write_pair(file, machine->facts[i].name, machine->facts[i].value);
    }
    fprintf(file, "},\n");
}

static void write_peers(FILE *file, const struct bench *bench)
{
    const char *separator = "";
    fprintf(file, "  \"peers\": {");
    for (int i = 0; i < N_PEERS; i++) {
        if (bench->peers[i] == NULL)
            continue;
        fprintf(file, "%s", separator);
        write_pair(file, peer_name(i), peer_version(bench->peers[i]));
        separator = ", ";
    }
    fprintf(file, "},\n");
}

void json_write(FILE *file, const char *command, const struct machine *machine, const struct bench *bench,
                const struct result *results, int n)
{
    fprintf(file, "{\n  ");
    write_pair(file, "command", command);
    fprintf(file, ",\n");
    write_machine(file, machine);
    write_peers(file, bench);
    fprintf(file, "  \"results\": [\n");
    for (int i = 0; i < n; i++) {
        write_result(file, &results[i]);
        fprintf(file, i + 1 < n ? ",\n" : "\n");
    }
    fprintf(file, "  ]\n}\n");
}
