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
