/* SPDX-License-Identifier: Apache-2.0 */
#include "axis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "html.h"

/* A cut takes WIDEST percent, less where there are many. All together take at most ALL_CUTS. */
enum { MOST_CUTS = 100, ALL_CUTS = 30 };
static const double widest_cut = 1.5;

/* An idle time is cut when it would be this many times as wide as its mark. */
enum { WORTH_A_CUT = 20 };

struct span {
    double begin, end;
};

/* ---- Idle times ------------------------------------------------------------------------------- */

static void add(struct span *spans, size_t *n, double origin, double begin, double end)
{
    if (fmax(begin, end) >= origin)
        spans[(*n)++] = (struct span){fmax(begin, origin), fmax(fmax(begin, end), origin)};
}

static size_t count_spans(const struct record *record)
{
    size_t n = 2;
    for (const struct work *work = record->works; work != NULL; work = work->next)
        n++;
    for (const struct wait *wait = record->waits; wait != NULL; wait = wait->next)
        n++;
    for (const struct finding *finding = record->findings; finding != NULL; finding = finding->next)
        n++;
    return n;
}

/* The times at which something is done, and both ends. A thread that waits while nothing works is idle too. The caller
 * frees them; NULL without memory. */
static struct span *find_spans(const struct record *record, double origin, size_t *n)
{
    struct span *spans = calloc(count_spans(record), sizeof *spans);
    *n = 0;
    if (spans == NULL)
        return NULL;
    add(spans, n, origin, origin, origin);
    for (const struct work *work = record->works; work != NULL; work = work->next)
        add(spans, n, origin, work->begin, record_until(record, work->end));
    for (const struct wait *wait = record->works == NULL ? record->waits : NULL; wait != NULL; wait = wait->next)
        add(spans, n, origin, wait->begin, record_until(record, wait->end));
    for (const struct finding *finding = record->findings; finding != NULL; finding = finding->next)
        add(spans, n, origin, finding->time, finding->time);
    add(spans, n, origin, record->end, record->end);
    return spans;
}

static int compare_begins(const void *a, const void *b)
{
    const struct span *left = a, *right = b;
    return (left->begin > right->begin) - (left->begin < right->begin);
}

static int compare_lengths(const void *a, const void *b)
{
    const struct span *left = a, *right = b;
    const double l = left->end - left->begin, r = right->end - right->begin;
    return (l < r) - (l > r);
}

/* Makes the times between the spans of them, in their place. Returns the end of all. */
static double find_gaps(struct span *spans, size_t *n)
{
    size_t n_gaps = 0;
    qsort(spans, *n, sizeof *spans, compare_begins);
    double end = spans[0].end;
    for (size_t k = 1; k < *n; k++) {
        const struct span span = spans[k];
        if (span.begin > end)
            spans[n_gaps++] = (struct span){end, span.begin};
        end = fmax(end, span.end);
    }
    *n = n_gaps;
    return end;
}

static double width_of_cut(size_t n_cuts)
{
    return n_cuts > 0 ? fmin(widest_cut, ALL_CUTS / (double)n_cuts) : 0;
}

/* How many of the longest gaps, which come first, are cut: as many as gain room by it. */
static size_t choose_cuts(const struct span *gaps, size_t n, double length)
{
    size_t n_cuts = 0;
    double rest = length;
    for (size_t k = 1; k <= n && k <= MOST_CUTS; k++) {
        const double gap = gaps[k - 1].end - gaps[k - 1].begin, width = width_of_cut(k);
        rest = fmax(rest - gap, 0);
        if (gap > WORTH_A_CUT * width * rest / (100 - (double)k * width))
            n_cuts = k;
    }
    return n_cuts;
}

/* ---- The axis --------------------------------------------------------------------------------- */

static void append(struct axis *axis, double begin, double end, double width, int is_cut)
{
    const double left = axis->n > 0 ? axis->of[axis->n - 1].right : 0;
    axis->of[axis->n++] = (struct stretch){begin, end, left, fmin(left + width, 100), is_cut};
}

static int lay_out(struct axis *axis, const struct span *cuts, double end)
{
    axis->of = calloc(2 * axis->n_cuts + 1, sizeof *axis->of);
    if (axis->of == NULL)
        return 0;
    for (size_t k = 0; k < axis->n_cuts; k++)
        axis->idle += cuts[k].end - cuts[k].begin;
    const double width = width_of_cut(axis->n_cuts);
    axis->scale = (100 - (double)axis->n_cuts * width) / fmax(end - axis->origin - axis->idle, 1);
    double begin = axis->origin;
    for (size_t k = 0; k < axis->n_cuts; k++) {
        append(axis, begin, cuts[k].begin, (cuts[k].begin - begin) * axis->scale, 0);
        append(axis, cuts[k].begin, cuts[k].end, width, 1);
        begin = cuts[k].end;
    }
    append(axis, begin, end, (end - begin) * axis->scale, 0);
    return 1;
}

int axis_make(struct axis *axis, const struct record *record)
{
    size_t n = 0;
    *axis = (struct axis){.origin = record_origin(record)};
    struct span *spans = find_spans(record, axis->origin, &n);
    if (spans == NULL)
        return 0;
    const double end = find_gaps(spans, &n);
    qsort(spans, n, sizeof *spans, compare_lengths);
    axis->n_cuts = choose_cuts(spans, n, end - axis->origin);
    qsort(spans, axis->n_cuts, sizeof *spans, compare_begins);
    const int is_made = lay_out(axis, spans, end);
    free(spans);
    return is_made;
}

void axis_free(struct axis *axis)
{
    free(axis->of);
}

double axis_place(const struct axis *axis, double time)
{
    size_t low = 0, high = axis->n - 1; /* the stretch that holds the time is one of these */
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (time <= axis->of[middle].end)
            high = middle;
        else
            low = middle + 1;
    }
    const struct stretch *stretch = &axis->of[low];
    const double length = stretch->end - stretch->begin, since = time - stretch->begin;
    const double part = length > 0 ? fmin(fmax(since / length, 0), 1) : 0;
    return stretch->left + part * (stretch->right - stretch->left);
}

/* ---- Drawing ---------------------------------------------------------------------------------- */

/* A character of a label takes about so much of the width, in percent, on narrow pages and on wide ones, and its edges
 * so much more. Labels that narrow pages have no room for are shown on wide ones alone. */
static const double width_when_narrow = 1.6, width_when_wide = 0.85, more_when_narrow = 1, more_when_wide = 0.5;

enum { FROM_RIGHT = 75 };

/* Cuts that are not so far apart look like one. */
static const double beside = 0.3;

/* How far labels of a row reach, on narrow pages and on wide ones. */
struct row {
    double narrow, wide;
};

static int take_room(double *reach, double left, double right, double width)
{
    const double begin = left > FROM_RIGHT ? right - width : left;
    if (begin < *reach)
        return 0;
    *reach = begin + width;
    return 1;
}

/* Begins at a place, or, near the right edge, ends at one. Nothing where there is no room. */
static void draw_label(FILE *page, struct row *row, const char *kind, double left, double right, const char *text)
{
    const double n = (double)strlen(text);
    if (!take_room(&row->wide, left, right, width_when_wide * n + more_when_wide))
        return;
    const int is_narrow = take_room(&row->narrow, left, right, width_when_narrow * n + more_when_narrow),
              is_right = left > FROM_RIGHT;
    fprintf(page, "<span class=\"%s%s\" style=\"%s:%.3f%%\">%s</span>", kind, is_narrow ? "" : " dense",
            is_right ? "right" : "left", is_right ? 100 - right : left, text);
}

struct unit {
    const char *name;
    double length; /* microseconds */
};

static struct unit choose_unit(double length)
{
    return length < 1e3 ? (struct unit){"µs", 1} : length < 1e6 ? (struct unit){"ms", 1e3} : (struct unit){"s", 1e6};
}

/* 1, 2 or 5 times a power of ten. */
static double choose_step(const struct axis *axis)
{
    const double wanted = 14 / axis->scale, power = pow(10, floor(log10(wanted))), part = wanted / power;
    return power * (part <= 1 ? 1 : part <= 2 ? 2 : part <= 5 ? 5 : 10);
}

struct numbers {
    struct row row;
    struct unit unit;
    int digits;
};

static void draw_number(FILE *page, struct numbers *numbers, double place, double time, int digits)
{
    char text[HTML_NUMBER];
    snprintf(text, sizeof text, "%.*f %s", digits, time / numbers->unit.length, numbers->unit.name);
    draw_label(page, &numbers->row, "number", place, place, text);
}

/* Behind a cut stands the time itself, with a digit more. */
static void draw_stretch(FILE *page, const struct axis *axis, const struct stretch *stretch, double step,
                         struct numbers *numbers)
{
    enum { MOST_TICKS = 64 };
    if (stretch->begin > axis->origin)
        draw_number(page, numbers, stretch->left, stretch->begin - axis->origin, numbers->digits + 1);
    const double first = ceil((stretch->begin - axis->origin) / step);
    for (int k = 0; k < MOST_TICKS && axis->origin + (first + k) * step <= stretch->end; k++) {
        const double time = (first + k) * step, place = axis_place(axis, axis->origin + time);
        fprintf(page, "<i class=\"tick\" style=\"left:%.3f%%\"></i>", place);
        draw_number(page, numbers, place, time, numbers->digits);
    }
}

static void draw_cut(FILE *page, const struct axis *axis, const struct stretch *cut)
{
    char length[HTML_NUMBER], begin[HTML_NUMBER], end[HTML_NUMBER];
    fprintf(page,
            "<b class=\"cut\" style=\"left:%.3f%%;width:%.3f%%\" title=\"cut: %s without work, from %s to %s\"></b>",
            cut->left, cut->right - cut->left, html_time(length, cut->end - cut->begin),
            html_moment(begin, cut->begin - axis->origin), html_moment(end, cut->end - axis->origin));
}

/* The last of the cuts that stand side by side from this one on. */
static const struct stretch *last_beside(const struct axis *axis, const struct stretch *cut)
{
    const struct stretch *const end = axis->of + axis->n;
    while (cut + 2 < end && cut[2].left - cut->right < beside)
        cut += 2;
    return cut;
}

/* The length of cuts that stand side by side is told above the first where there is room. */
static void draw_length(FILE *page, const struct axis *axis, const struct stretch *cut, struct row *row)
{
    char length[HTML_NUMBER], text[HTML_NUMBER + 8];
    if (cut - axis->of >= 2 && cut->left - cut[-2].right < beside)
        return;
    const struct stretch *last = last_beside(axis, cut);
    snprintf(text, sizeof text, "cut: %s", html_time(length, last->end - cut->begin));
    draw_label(page, row, "length", cut->left, last->right, text);
}

void axis_draw(FILE *page, const struct axis *axis)
{
    const double step = choose_step(axis), end = axis->of[axis->n - 1].end - axis->origin;
    struct row lengths = {0};
    struct numbers numbers = {.unit = choose_unit(end)};
    numbers.digits = (int)fmin(fmax(ceil(-log10(step / numbers.unit.length) - 1e-9), 0), 6);
    for (size_t k = 0; k < axis->n; k++) {
        if (!axis->of[k].is_cut) {
            draw_stretch(page, axis, &axis->of[k], step, &numbers);
            continue;
        }
        draw_cut(page, axis, &axis->of[k]);
        draw_length(page, axis, &axis->of[k], &lengths);
    }
    fputc('\n', page);
}

void axis_tell_cuts(FILE *page, const struct axis *axis)
{
    char idle[HTML_NUMBER];
    if (axis->n_cuts > 0)
        fprintf(page, "<p class=\"cuts\">%zu idle time%s, %s in all, %s cut out; the hatched mark%s.</p>\n",
                axis->n_cuts, axis->n_cuts == 1 ? "" : "s", html_time(idle, axis->idle),
                axis->n_cuts == 1 ? "is" : "are", axis->n_cuts == 1 ? " stands for it" : "s stand for them");
}
