/* SPDX-License-Identifier: Apache-2.0 */
#include "progress.h"

#include <stdio.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

static const double shown_after = 0.5; /* seconds */
static const double redrawn_after = 0.1;

enum { MAX_WIDTH = 50 };

static struct {
    const char *label;
    uint64_t total;
    double begun, drawn;
    bool active, shown;
} bar;

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

bool progress_visible(void)
{
    return isatty(STDERR_FILENO);
}

void progress_begin(const char *label, uint64_t total)
{
    bar.label = label;
    bar.total = total;
    bar.begun = now();
    bar.active = progress_visible() && total > 0;
    bar.shown = false;
}

static int terminal_columns(void)
{
    struct winsize size;
    return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

static void draw(double fraction)
{
    static const char full[] = "##################################################";
    int width = terminal_columns() - 30;
    width = width > MAX_WIDTH ? MAX_WIDTH : width;
    if (width < 0)
        width = 0;
    int filled = (int)(fraction * width);
    fprintf(stderr, "\r%-16.16s [%.*s%*s] %3d%%", bar.label, filled, full, width - filled, "", (int)(100 * fraction));
    fflush(stderr);
    bar.shown = true;
}

void progress_update(uint64_t done)
{
    if (!bar.active)
        return;
    double time = now();
    if (time - bar.begun < shown_after || (bar.shown && time - bar.drawn < redrawn_after))
        return;
    bar.drawn = time;
    draw(done < bar.total ? (double)done / (double)bar.total : 1);
}

void progress_clear(void)
{
    if (!bar.shown)
        return;
    fputs("\r\033[K", stderr);
    fflush(stderr);
    bar.shown = false;
}

void progress_end(void)
{
    progress_clear();
    bar.active = false;
}
