/* SPDX-License-Identifier: Apache-2.0 */
#include "base/overlap.h"

#include "base/checked.h"

/*
 * Does sum of term[k].step * x[k] = goal have a solution in integers 0 <= x[k] <= term[k].count?
 * Both questions about overlap come down to this one. Steps are positive and fall; the search goes
 * from the largest step down, and at each level only a few x are within reach of the rest. The gcd
 * of the steps that are left rejects most dead ends at once.
 */
struct term {
    int64_t step, count;
};

enum { MAX_TERMS = 2 * RG_OVERLAP_RANK + 1, SEARCH_BUDGET = 10000 };

struct search {
    struct term term[MAX_TERMS];
    int n_terms;
    int budget;                   /* search steps left; at 0 the answer is "may be" */
    int64_t reach[MAX_TERMS + 1]; /* the largest sum of terms k and later */
    int64_t gcd[MAX_TERMS + 1];   /* of the steps of terms k and later */
};

static int64_t gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* Adds a term in falling order of steps; equal steps become one term. */
static void add_term(struct search *search, int64_t step, int64_t count)
{
    if (count == 0)
        return;
    int k = 0;
    while (k < search->n_terms && search->term[k].step > step)
        k++;
    if (k < search->n_terms && search->term[k].step == step) {
        search->term[k].count += count;
        return;
    }
    for (int later = search->n_terms; later > k; later--)
        search->term[later] = search->term[later - 1];
    search->term[k] = (struct term){step, count};
    search->n_terms++;
}

static bool solve_from(struct search *search, int k, int64_t goal)
{
    if (goal < 0 || goal > search->reach[k])
        return false;
    if (goal == 0)
        return true;
    if (goal % search->gcd[k] != 0)
        return false;
    const struct term term = search->term[k];
    const int64_t most = rg_min(goal / term.step, term.count);
    for (int64_t x = most; x >= 0 && goal - x * term.step <= search->reach[k + 1]; x--) {
        if (search->budget-- <= 0 || solve_from(search, k + 1, goal - x * term.step))
            return true;
    }
    return false;
}

static bool may_solve(struct search *search, int64_t goal)
{
    search->budget = SEARCH_BUDGET;
    search->reach[search->n_terms] = 0;
    search->gcd[search->n_terms] = 0;
    for (int k = search->n_terms - 1; k >= 0; k--) {
        search->reach[k] = search->reach[k + 1] + search->term[k].step * search->term[k].count;
        search->gcd[k] = gcd(search->term[k].step, search->gcd[k + 1]);
    }
    return solve_from(search, 0, goal);
}

static int64_t magnitude(int64_t value)
{
    return value < 0 ? -value : value;
}

/* Do elements repeat with the difference of indices along dimension d positive? With differences
 * e[d] = 1 + x[d] and e[j] = x[j] - (n[j] - 1), "sum of step * e = 0" is a question for may_solve. */
static bool repeats_along(const struct rg_view *view, int d)
{
    struct search search = {.n_terms = 0};
    int64_t goal = -magnitude(view->stride[d]);
    add_term(&search, magnitude(view->stride[d]), view->shape[d] - 2);
    for (int j = 0; j < view->rank; j++) {
        if (j == d || view->shape[j] == 1)
            continue;
        const int64_t step = magnitude(view->stride[j]);
        add_term(&search, step, 2 * (view->shape[j] - 1));
        goal += step * (view->shape[j] - 1);
    }
    return may_solve(&search, goal);
}

bool rg_view_overlaps_itself(const struct rg_view *view)
{
    for (int d = 0; d < view->rank; d++)
        if (view->shape[d] > 1 && view->stride[d] == 0)
            return true;
    for (int d = 0; d < view->rank; d++)
        if (view->shape[d] > 1 && repeats_along(view, d))
            return true;
    return false;
}

static void add_view(struct search *search, const struct rg_view *view)
{
    for (int d = 0; d < view->rank; d++)
        if (view->shape[d] > 1 && view->stride[d] != 0) /* a stride that is not walked may be any number */
            add_term(search, magnitude(view->stride[d]) * view->element, view->shape[d] - 1);
    add_term(search, 1, view->element - 1);
}

bool rg_views_overlap(const struct rg_view *a, const void *a_data, const struct rg_view *b, const void *b_data)
{
    const int64_t distance = (int64_t)((intptr_t)b_data - (intptr_t)a_data);
    if (b->low + distance >= a->high || b->high + distance <= a->low)
        return false;
    /* A byte of a is a.low + sum, a byte of b is b.high - 1 - sum, with sums of their steps. */
    struct search search = {.n_terms = 0};
    add_view(&search, a);
    add_view(&search, b);
    return may_solve(&search, b->high - 1 + distance - a->low);
}
