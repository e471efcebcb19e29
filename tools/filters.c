/* SPDX-License-Identifier: Apache-2.0 */
#include "filters.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static double linear(double x)
{
    return 1 - x;
}

static double keys(double a, double x)
{
    return x < 1 ? ((a + 2) * x - (a + 3)) * x * x + 1 : a * (((x - 5) * x + 8) * x - 4);
}

static double cubic(double x)
{
    return keys(-0.75, x);
}

static double cubic_aa(double x)
{
    return keys(-0.5, x);
}

static double sinc(double x)
{
    static const double pi = 3.14159265358979323846;
    return x == 0 ? 1 : sin(pi * x) / (pi * x);
}

static double lanczos(double x)
{
    return sinc(x) * sinc(x / 3);
}

/* An operator has the first of these whose part is in its name. */
static const struct filter filters[] = {
    {"nearest_exact", "nearest-exact resize", 0, 0, NULL, false, true},
    {"nearest", "nearest resize", 0, 0, NULL, false, true},
    {"bilinear2d_aa", "antialiased bilinear resize", 1, 1, linear, true, true},
    {"bicubic2d_aa", "antialiased bicubic resize", 2, 25.0 / 18, cubic_aa, true, true},
    {"lanczos2d_aa", "antialiased Lanczos resize", 3, 1.38, lanczos, true, true},
    {"trilinear", "trilinear resize", 1, 1, linear, false, true},
    {"bilinear", "bilinear resize", 1, 1, linear, false, true},
    {"linear", "linear resize", 1, 1, linear, false, true},
    {"bicubic", "bicubic resize", 2, 1.35, cubic, false, false},
};

enum { N_FILTERS = sizeof filters / sizeof filters[0] };

const struct filter *filter_of(const char *operator_name)
{
    int k = 0;
    while (k < N_FILTERS - 1 && !strstr(operator_name, filters[k].part))
        k++;
    return &filters[k];
}
