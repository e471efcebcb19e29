/* Bilinear grid sample of few channels: which neighbours of points are in a window, and in which rows; the same for
 * both arithmetic types. */

static void few_place(int32_t *restrict place, const struct rg_few_points *points, const struct rg_few_window *window)
{
    const struct rg_few_window in = *window;
    const int32_t *restrict const x = points->x, *restrict const y = points->y;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const int32_t row = y[p] & in.mask;
        const bool all =
            (row < in.mask) & (x[p] >= 0) & (x[p] < in.width - 1) & (y[p] >= in.row_begin) & (y[p] < in.row_end - 1);
        const bool some = (x[p] >= -1) & (x[p] < in.width) & (y[p] >= in.row_begin - 1) & (y[p] < in.row_end);
        place[p] = all ? row * in.width + x[p] : some ? RG_FEW_SOME : RG_FEW_NONE;
    }
}

/* Without a sign, rows above the image are large numbers. */
static void few_span(const struct rg_few_points *points, int32_t *low, int32_t *high)
{
    uint32_t lowest = INT32_MAX;
    int32_t highest = -1;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        lowest = (uint32_t)points->y[p] < lowest ? (uint32_t)points->y[p] : lowest;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++)
        highest = points->y[p] > highest ? points->y[p] : highest;
    *low = (int32_t)lowest;
    *high = highest + 1;
}

static void clear_far(void *data, size_t nbytes)
{
    const size_t vector = VF_LANES * sizeof(float),
                 before = (uintptr_t)data % vector == 0 ? 0 : vector - (uintptr_t)data % vector;
    const size_t head = before < nbytes ? before : nbytes;
    char *at = (char *)data + head, *const end = (char *)data + nbytes;
    memset(data, 0, head);
    for (; (size_t)(end - at) >= vector; at += vector)
        vf_stream((float *)(void *)at, vf_set1(0));
    memset(at, 0, (size_t)(end - at));
}
