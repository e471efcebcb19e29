/* SPDX-License-Identifier: Apache-2.0 */
#include "order_model.h"

#include <string.h>

static bool is_before(const struct node *node, int other)
{
    return node->before[other / 64] >> (other % 64) & 1;
}

static void put_before(struct model *model, struct node *node, int other)
{
    if (other == NONE)
        return;
    for (int k = 0; k < MOST_NODES / 64; k++)
        node->before[k] |= model->nodes[other].before[k];
    node->before[other / 64] |= (uint64_t)1 << (other % 64);
}

void model_begin(struct model *model)
{
    memset(model, 0, sizeof(*model));
    model->host = NONE;
    for (int k = 0; k < MOST_STREAMS; k++)
        model->last[k] = NONE;
    for (int k = 0; k < MOST_EVENTS; k++)
        model->recorded[k] = NONE;
}

static bool share(const struct touched *a, const struct touched *b)
{
    if (a->buffer != b->buffer || (!a->writes && !b->writes))
        return false;
    for (int k = 0; k < BUFFER_SIZE; k++)
        if (a->bytes[k] && b->bytes[k])
            return true;
    return false;
}

static bool touch_the_same(const struct node *node, const struct touched *touched, int n)
{
    for (int i = 0; i < node->n_touched; i++)
        for (int k = 0; k < n; k++)
            if (share(&node->touched[i], &touched[k]))
                return true;
    return false;
}

static struct node make(struct model *model, int stream)
{
    struct node node = {0};
    put_before(model, &node, model->host);
    if (stream != NONE)
        put_before(model, &node, model->last[stream]);
    return node;
}

int model_find_race(const struct model *model, int stream, const struct touched *touched, int n)
{
    const struct node node = make((struct model *)(uintptr_t)model, stream);
    for (int k = model->n - 1; k >= 0; k--)
        if (!is_before(&node, k) && touch_the_same(&model->nodes[k], touched, n))
            return k;
    return NONE;
}

static void enter(struct model *model, int stream, const struct node *node)
{
    model->nodes[model->n] = *node;
    if (stream == NONE)
        model->host = model->n++;
    else
        model->last[stream] = model->n++;
}

void model_add(struct model *model, int stream, const struct touched *touched, int n)
{
    struct node node = make(model, stream);
    node.n_touched = n;
    for (int i = 0; i < n; i++)
        node.touched[i] = touched[i];
    enter(model, stream, &node);
}

void model_record(struct model *model, int stream, int event)
{
    model_add(model, stream, NULL, 0);
    model->recorded[event] = model->last[stream];
}

void model_wait(struct model *model, int stream, int event)
{
    struct node node = make(model, stream);
    put_before(model, &node, model->recorded[event]);
    enter(model, stream, &node);
}

static void let_host_wait(struct model *model, int other)
{
    struct node node = make(model, NONE);
    put_before(model, &node, other);
    enter(model, NONE, &node);
}

void model_synchronize(struct model *model, int stream)
{
    let_host_wait(model, model->last[stream]);
}

void model_synchronize_event(struct model *model, int event)
{
    let_host_wait(model, model->recorded[event]);
}
