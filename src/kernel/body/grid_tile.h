/* Grid sample, RG_GRID_LANES channels of one point at a time: a vector lane is a channel. Template; parameters
 * in body/arithmetic.h. */

/* How many vectors make RG_GRID_LANES values. */
enum { NAME(n_vectors) = RG_GRID_LANES / V_LANES };

/* How many points ahead their pixels are asked for, so that far ones are there in time. */
enum { NAME(ahead) = 6 };

static inline void NAME(prefetch_point)(const T *tile, const int64_t (*offset)[RG_GRID_POINTS], int64_t p,
                                        int64_t n_neighbours)
{
    for (int64_t k = 0; k < n_neighbours; k++)
        __builtin_prefetch(tile + offset[k][p] * RG_GRID_LANES);
}

static inline void NAME(spread_points)(T *tile, const int64_t (*offset)[RG_GRID_POINTS],
                                       const union rg_grid_row *weight, const T *grad, int64_t n_neighbours,
                                       const int64_t *list, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        const int64_t p = list[i];
        V g[NAME(n_vectors)];
        if (i + NAME(ahead) < n)
            NAME(prefetch_point)(tile, offset, list[i + NAME(ahead)], n_neighbours);
        for (int64_t j = 0; j < NAME(n_vectors); j++)
            g[j] = VOP(load)(grad + p * RG_GRID_LANES + j * V_LANES);
        for (int64_t k = 0; k < n_neighbours; k++) {
            T *at = tile + offset[k][p] * RG_GRID_LANES;
            const V w = VOP(set1)(((const T *)&weight[k])[p]);
            for (int64_t j = 0; j < NAME(n_vectors); j++)
                VOP(store)(at + j * V_LANES, VOP(muladd)(w, g[j], VOP(load)(at + j * V_LANES)));
        }
    }
}

/* The constant lets the compiler unroll the usual case. */
static void NAME(grid_spread)(void *tile, const int64_t (*offset)[RG_GRID_POINTS], const union rg_grid_row *weight,
                              const void *grad, int64_t n_neighbours, const int64_t *list, int64_t n)
{
    if (n_neighbours == 4)
        NAME(spread_points)(tile, offset, weight, grad, 4, list, n);
    else
        NAME(spread_points)(tile, offset, weight, grad, n_neighbours, list, n);
}

/* All channels of point p blended. */
static inline void NAME(blend_point)(V sum[NAME(n_vectors)], const T *tile, const int64_t (*offset)[RG_GRID_POINTS],
                                     const union rg_grid_row *weight, int64_t n_neighbours, int64_t p)
{
    for (int64_t j = 0; j < NAME(n_vectors); j++)
        sum[j] = VOP(set1)(0);
    for (int64_t k = 0; k < n_neighbours; k++) {
        const T *at = tile + offset[k][p] * RG_GRID_LANES;
        const V w = VOP(set1)(((const T *)&weight[k])[p]);
        for (int64_t j = 0; j < NAME(n_vectors); j++)
            sum[j] = VOP(muladd)(w, VOP(load)(at + j * V_LANES), sum[j]);
    }
}

static void NAME(grid_sample)(void *dst, const void *tile, const int64_t (*offset)[RG_GRID_POINTS],
                              const union rg_grid_row *weight, int64_t n_neighbours, int64_t n)
{
    for (int64_t p = 0; p < n; p++) {
        V sum[NAME(n_vectors)];
        if (p + NAME(ahead) < n)
            NAME(prefetch_point)(tile, offset, p + NAME(ahead), n_neighbours);
        NAME(blend_point)(sum, tile, offset, weight, n_neighbours, p);
        for (int64_t j = 0; j < NAME(n_vectors); j++)
            VOP(store)((T *)dst + p * RG_GRID_LANES + j * V_LANES, sum[j]);
    }
}

/* What a point's channels give to its slope, added as far as whole vectors go: lane l of the result is the sum of
 * the tree's branch l. */
static inline V NAME(slope_point)(const T *tile, const int64_t (*offset)[RG_GRID_POINTS],
                                  const union rg_grid_row *weight, const T *grad, int64_t n_neighbours, int64_t p)
{
    V sum[NAME(n_vectors)];
    NAME(blend_point)(sum, tile, offset, weight, n_neighbours, p);
    for (int64_t j = 0; j < NAME(n_vectors); j++)
        sum[j] = VOP(mul)(VOP(load)(grad + p * RG_GRID_LANES + j * V_LANES), sum[j]);
    for (int64_t half = NAME(n_vectors) / 2; half > 0; half /= 2)
        for (int64_t j = 0; j < half; j++)
            sum[j] = VOP(add)(sum[j], sum[j + half]);
    return sum[0];
}

/* The rest of the tree, for V_LANES points at once: row i holds branches of point i. Zipping two rows brings the halves
 * that are to be added above one another, so that in the end lane i is the sum of point i. */
static inline V NAME(fold_lanes)(V row[V_LANES])
{
    for (int64_t half = V_LANES / 2; half > 0; half /= 2)
        for (int64_t i = 0; i < half; i++) {
            V low, high;
            VOP(zip)(row[i], row[i + half], &low, &high);
            row[i] = VOP(add)(low, high);
        }
    return row[0];
}

static inline void NAME(add_folded)(T *sum, V row[V_LANES])
{
    VOP(store)(sum, VOP(add)(VOP(load)(sum), NAME(fold_lanes)(row)));
}

static inline void NAME(slope_points)(T *sum_x, T *sum_y, const T *tile, const int64_t (*offset)[RG_GRID_POINTS],
                                      const union rg_grid_row *dx, const union rg_grid_row *dy, const T *grad,
                                      int64_t n_neighbours, int64_t n)
{
    for (int64_t p = 0; p < n; p += V_LANES) {
        V row_x[V_LANES], row_y[V_LANES];
        for (int64_t i = 0; i < V_LANES; i++) {
            if (p + i + NAME(ahead) < n)
                NAME(prefetch_point)(tile, offset, p + i + NAME(ahead), n_neighbours);
            row_x[i] = NAME(slope_point)(tile, offset, dx, grad, n_neighbours, p + i);
            row_y[i] = NAME(slope_point)(tile, offset, dy, grad, n_neighbours, p + i);
        }
        NAME(add_folded)(sum_x + p, row_x);
        NAME(add_folded)(sum_y + p, row_y);
    }
}

static void NAME(grid_slope)(void *sum_x, void *sum_y, const void *tile, const int64_t (*offset)[RG_GRID_POINTS],
                             const union rg_grid_row *dx, const union rg_grid_row *dy, const void *grad,
                             int64_t n_neighbours, int64_t n)
{
    const int64_t whole = (n + RG_GRID_LANES - 1) / RG_GRID_LANES * RG_GRID_LANES;
    if (n_neighbours == 4)
        NAME(slope_points)(sum_x, sum_y, tile, offset, dx, dy, grad, 4, whole);
    else
        NAME(slope_points)(sum_x, sum_y, tile, offset, dx, dy, grad, n_neighbours, whole);
}
