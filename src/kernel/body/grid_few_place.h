/* Bilinear grid sample of few channels: which neighbours of points are in a window, and in which rows; the same for
 * both arithmetic types. */

static void few_place(int32_t *restrict place, const struct rg_few_points *points, const struct rg_few_window *window)
{
    const struct rg_few_window in = *window;
    const int32_t *restrict const x = points->x, *restrict const y = points->y;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const bool all = (x[p] >= 0) & (x[p] < in.width - 1) & (y[p] >= in.row_begin) & (y[p] < in.row_end - 1);
        const bool some = (x[p] >= -1) & (x[p] < in.width) & (y[p] >= in.row_begin - 1) & (y[p] < in.row_end);
        place[p] = all ? y[p] * in.width + x[p] : some ? RG_FEW_SOME : RG_FEW_NONE;
    }
}

static void few_rows(const struct rg_few_points *points, int32_t height, int32_t *low, int32_t *high)
{
    int32_t lowest = INT32_MAX, highest = -1;
    for (int64_t p = 0; p < RG_GRID_POINTS; p++) {
        const int32_t y = points->y[p], top = y < 0 ? 0 : y, bottom = y + 1 < height ? y + 1 : height - 1;
        const bool touches = (y >= -1) & (y < height);
        const int32_t first = touches ? top : INT32_MAX, last = touches ? bottom : -1;
        lowest = first < lowest ? first : lowest;
        highest = last > highest ? last : highest;
    }
    *low = lowest;
    *high = highest;
}
