/* SPDX-License-Identifier: Apache-2.0 */
#include "table.h"

#include <math.h>
#include <string.h>

enum { CELL = 24 };

static double best(const struct result *result, enum timed timed)
{
    return samples_min(&result->of[timed].samples);
}

static double middle(const struct result *result, enum timed timed)
{
    return samples_median(&result->of[timed].samples);
}

/* ---- Values of columns: NaN where there is none --------------------------------------------------- */

static double threads(const struct result *result)
{
    return result->n_threads;
}

static double ours_min(const struct result *result)
{
    return best(result, OURS);
}

static double ours_median(const struct result *result)
{
    return middle(result, OURS);
}

static double throughput(const struct result *result)
{
    return (double)(result->memory.must_read + result->memory.must_write) / best(result, OURS) * 1e-9;
}

static double floor_min(const struct result *result)
{
    return best(result, FLOOR);
}

static double of_floor(const struct result *result)
{
    return best(result, FLOOR) / best(result, OURS);
}

static double of_floor_median(const struct result *result)
{
    return middle(result, FLOOR) / middle(result, OURS);
}

static double faster_than_single(const struct result *result, enum timed timed)
{
    if (result->single == NULL || result->single == result)
        return (double)NAN;
    return best(result->single, timed) / best(result, timed);
}

static double speed_up(const struct result *result)
{
    return faster_than_single(result, OURS);
}

static double speed_up_of_floor(const struct result *result)
{
    return faster_than_single(result, FLOOR);
}

static double beside(const struct result *result)
{
    return result->beside != NULL ? best(result, OURS) / best(result->beside, OURS) : (double)NAN;
}

static double plan(const struct result *result)
{
    return best(result, PLAN);
}

static double plan_by_output(const struct result *result)
{
    return best(result, PLAN) / (double)shape_axis_outputs(result->shape);
}

static double call(const struct result *result)
{
    return best(result, CALL);
}

static double aclnn(const struct result *result)
{
    return best(result, ACLNN);
}

static double of_peer(const struct result *result, int peer)
{
    return best(result, FIRST_PEER + peer);
}

static double pytorch(const struct result *result)
{
    return of_peer(result, PYTORCH);
}

static double over_pytorch(const struct result *result)
{
    return of_peer(result, PYTORCH) / best(result, OURS);
}

static double over_call(const struct result *result)
{
    return of_peer(result, PYTORCH) / best(result, CALL);
}

static double onednn(const struct result *result)
{
    return of_peer(result, ONEDNN);
}

static double over_onednn(const struct result *result)
{
    return of_peer(result, ONEDNN) / best(result, OURS);
}

static double steps(const struct result *result)
{
    return of_peer(result, STEPS);
}

static double check_off(const struct result *result)
{
    return of_peer(result, CHECK_OFF);
}

static double check_warn(const struct result *result)
{
    return of_peer(result, CHECK_WARN);
}

static double warn_over_off(const struct result *result)
{
    return check_warn(result) / check_off(result);
}

static double check_error(const struct result *result)
{
    return of_peer(result, CHECK_ERROR);
}

static double error_over_off(const struct result *result)
{
    return check_error(result) / check_off(result);
}

/* ---- Cells ---------------------------------------------------------------------------------------- */

static void print_count(char cell[CELL], double value)
{
    snprintf(cell, CELL, "%.0f", value);
}

static void print_part(char cell[CELL], double value)
{
    snprintf(cell, CELL, "%.2f", value);
}

/* Three digits. */
static void print_three(char cell[CELL], double value)
{
    const int decimals = value < 10 ? 2 : value < 100 ? 1 : 0;
    snprintf(cell, CELL, "%.*f", decimals, value);
}

static void print_factor(char cell[CELL], double value)
{
    print_three(cell, value);
    strcat(cell, "x");
}

static void print_time(char cell[CELL], double seconds)
{
    static const char *const units[] = {"s", "ms", "us", "ns"};
    int unit = 0;
    for (; seconds < 1 && unit < 3; unit++)
        seconds *= 1000;
    print_three(cell, seconds);
    strcat(cell, " ");
    strcat(cell, units[unit]);
}

static const struct column {
    const char *name;
    double (*value)(const struct result *result);
    void (*print)(char cell[CELL], double value);
    int peer;       /* the values are about this peer; -1: about none */
    bool has_worst; /* the lowest is told below a table */
} columns[] = {
    {"threads", threads, print_count, -1, false},
    {"ours", ours_min, print_time, -1, false},
    {"median", ours_median, print_time, -1, false},
    {"GB/s", throughput, print_three, -1, false},
    {"floor", floor_min, print_time, -1, false},
    {"of floor", of_floor, print_part, -1, true},
    {"(median)", of_floor_median, print_part, -1, false},
    {"speed-up", speed_up, print_factor, -1, false},
    {"floor's", speed_up_of_floor, print_factor, -1, false},
    {"beside", beside, print_part, -1, false},
    {"plan", plan, print_time, -1, false},
    {"/ output", plan_by_output, print_time, -1, false},
    {"call", call, print_time, -1, false},
    {"aclnn", aclnn, print_time, -1, false},
    {"PyTorch", pytorch, print_time, PYTORCH, false},
    {"/ ours", over_pytorch, print_factor, PYTORCH, true},
    {"/ call", over_call, print_factor, PYTORCH, false},
    {"oneDNN", onednn, print_time, ONEDNN, false},
    {"/ ours", over_onednn, print_factor, ONEDNN, true},
    {"steps", steps, print_time, STEPS, false},
    {"off", check_off, print_time, CHECK_OFF, false},
    {"warn", check_warn, print_time, CHECK_WARN, false},
    {"/ off", warn_over_off, print_part, CHECK_WARN, false},
    {"error", check_error, print_time, CHECK_ERROR, false},
    {"/ off", error_over_off, print_part, CHECK_ERROR, false},
};
enum { N_COLUMNS = sizeof columns / sizeof columns[0] };

/* "" where there is no value. '!' marks a peer whose result differs from ours. */
static void print_cell(char cell[CELL], const struct column *column, const struct result *result)
{
    const double value = column->value(result);
    cell[0] = '\0';
    if (isnan(value))
        return;
    column->print(cell, value);
    if (column->peer >= 0 && result->of[FIRST_PEER + column->peer].differs)
        strcat(cell, "!");
}

/* ---- Text ----------------------------------------------------------------------------------------- */

static bool is_first_of_shape(const struct result *result, const struct result *last)
{
    return last == NULL || last->shape != result->shape;
}

void table_text_title(FILE *file, const char *title)
{
    fprintf(file, "\n%-88s", title);
    for (int i = 0; i < N_COLUMNS; i++)
        fprintf(file, " %8s", columns[i].name);
    fprintf(file, "\n");
    fflush(file);
}

void table_text(FILE *file, const struct result *result)
{
    char cell[CELL];
    fprintf(file, "%-88s", result->shape->text);
    for (int i = 0; i < N_COLUMNS; i++) {
        print_cell(cell, &columns[i], result);
        fprintf(file, " %8s", cell[0] != '\0' ? cell : "-");
    }
    fprintf(file, "\n");
    fflush(file);
}

/* ---- Markdown ------------------------------------------------------------------------------------- */

static bool is_used(const struct column *column, const struct result *results, int n)
{
    for (int i = 0; i < n; i++) {
        if (!isnan(column->value(&results[i])))
            return true;
    }
    return false;
}

static void markdown_heads(FILE *file, const bool *used)
{
    fprintf(file, "| shape |");
    for (int i = 0; i < N_COLUMNS; i++) {
        if (used[i])
            fprintf(file, " %s |", columns[i].name);
    }
    fprintf(file, "\n|---|");
    for (int i = 0; i < N_COLUMNS; i++) {
        if (used[i])
            fprintf(file, "--:|");
    }
    fprintf(file, "\n");
}

static void markdown_row(FILE *file, const struct result *result, bool named, const bool *used)
{
    char cell[CELL];
    fprintf(file, "| %s |", named ? result->shape->text : "");
    for (int i = 0; i < N_COLUMNS; i++) {
        print_cell(cell, &columns[i], result);
        if (used[i])
            fprintf(file, " %s |", cell);
    }
    fprintf(file, "\n");
}

/* The lowest value of a column for a number of threads; NaN when there is none. */
static double lowest(const struct column *column, const struct result *results, int n, int n_threads)
{
    double found = (double)NAN;
    for (int i = 0; i < n; i++) {
        if (results[i].n_threads == n_threads)
            found = fmin(found, column->value(&results[i])); /* fmin passes over NaN */
    }
    return found;
}

/* The heading above a column of ratios says what it is a ratio to. */
static const char *ratio_name(const struct column *column)
{
    return column->peer < 0 ? "of the floor" : peer_name(column->peer);
}

static void markdown_worst(FILE *file, const struct result *results, int n, int n_threads)
{
    fprintf(file, "Worst with %d thread%s:", n_threads, n_threads > 1 ? "s" : "");
    const char *separator = " ";
    for (int i = 0; i < N_COLUMNS; i++) {
        const double value = lowest(&columns[i], results, n, n_threads);
        if (!columns[i].has_worst || isnan(value))
            continue;
        char cell[CELL];
        columns[i].print(cell, value);
        fprintf(file, "%s%s %s", separator, cell, ratio_name(&columns[i]));
        separator = ", ";
    }
    fprintf(file, ".\n");
}

void table_markdown(FILE *file, const char *title, const struct result *results, int n)
{
    bool used[N_COLUMNS];
    for (int i = 0; i < N_COLUMNS; i++)
        used[i] = is_used(&columns[i], results, n);
    fprintf(file, "\n### %s\n\n", title);
    markdown_heads(file, used);
    for (int i = 0; i < n; i++)
        markdown_row(file, &results[i], is_first_of_shape(&results[i], i > 0 ? &results[i - 1] : NULL), used);
    fprintf(file, "\n");
    for (int i = 0; i < n && (i == 0 || results[i].shape == results[0].shape); i++)
        markdown_worst(file, results, n, results[i].n_threads);
}
