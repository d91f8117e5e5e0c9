/* One pass of dual coordinate descent over values and weights of the type REAL, and products. hinge.c includes this file
 * once per type; OF_TYPE(name) is the name of a function for that type. */

/* Values and columns of row i, n of them. Values that have a scale are made in `room`. -1 if an index is out of range. */
INLINE int OF_TYPE(row_of)(const HingeRows *rows, size_t i, const int32_t **columns, const REAL **values, size_t *n, double *room)
{
    const size_t start = (uint32_t)rows->starts[i], end = (uint32_t)rows->starts[i + 1], length = end - start;
    if (start > end || end > rows->n_values) return -1;
    const int32_t *own = rows->columns + start;
    const double *scale = rows->scale;
    *columns = own;
    *n = length;
    if (!scale) {
        for (size_t p = 0; p < length; p++)
            if ((uint32_t)own[p] >= rows->n_columns) return -1;
        *values = (const REAL *)rows->values + start;
        return 0;
    }
    for (size_t p = 0; p < length; p++) {
        if ((uint32_t)own[p] >= rows->n_columns) return -1;
        room[p] = scale[own[p]];
    }
    if (rows->values) {
        const REAL *given = (const REAL *)rows->values + start;
        for (size_t p = 0; p < length; p++) room[p] = (REAL)(given[p] * room[p]);
    }
    const double norm = rows->norms[i];
    REAL *made = (REAL *)(room + rows->longest);
    for (size_t p = 0; p < length; p++) made[p] = (REAL)(room[p] / norm);
    *values = made;
    return 0;
}

/* sums += X_i theta, for row i with these n columns and values. */
INLINE void OF_TYPE(add_weights)(const int32_t *columns, const REAL *values, size_t n, const REAL *restrict theta,
                                 REAL *restrict sums, const size_t M)
{
    for (size_t p = 0; p < n; p++) {
        if (p + AHEAD < n) {
            const REAL *later = theta + (size_t)columns[p + AHEAD] * M;
            PREFETCH(later);
            PREFETCH(later + LINE / sizeof *later);
        }
        const REAL value = values[p], *weights = theta + (size_t)columns[p] * M;
        for (size_t k = 0; k < M; k++) sums[k] += value * weights[k];
    }
}

/* theta += x step', for a row with these n columns and values. */
INLINE void OF_TYPE(move_along)(const int32_t *columns, const REAL *values, size_t n, const REAL *restrict step,
                                REAL *restrict theta, const size_t M)
{
    for (size_t p = 0; p < n; p++) {
        if (p + AHEAD < n) {
            const REAL *later = theta + (size_t)columns[p + AHEAD] * M;
            PREFETCH(later);
            PREFETCH(later + LINE / sizeof *later);
        }
        const REAL value = values[p];
        REAL *weights = theta + (size_t)columns[p] * M;
        for (size_t k = 0; k < M; k++) weights[k] += value * step[k];
    }
}

INLINE int OF_TYPE(product_of)(const HingeRows *rows, const REAL *factors, REAL *product, int transposed, double *room,
                               const size_t M)
{
    const int32_t *columns;
    const REAL *values;
    size_t n;
    for (size_t i = 0; i < rows->n_rows; i++) {
        if (OF_TYPE(row_of)(rows, i, &columns, &values, &n, room)) return -1;
        if (transposed) OF_TYPE(move_along)(columns, values, n, factors + i * M, product, M);
        else OF_TYPE(add_weights)(columns, values, n, factors, product + i * M, M);
    }
    return 0;
}

INLINE int OF_TYPE(pass_of)(const HingeRows *rows, const int32_t *order, size_t n_order, double *alpha, REAL *theta, double *room,
                            const size_t M)
{
    REAL *scores = (REAL *)(room + 2 * rows->longest), *step = scores + M, *bias = theta + rows->n_columns * M;
    const int32_t *columns;
    const REAL *values;
    size_t n;
    for (size_t o = 0; o < n_order; o++) {
        const size_t i = (uint32_t)order[o];
        if (i >= rows->n_rows || OF_TYPE(row_of)(rows, i, &columns, &values, &n, room)) return -1;
        for (size_t k = 0; k < M; k++) scores[k] = bias[k];
        OF_TYPE(add_weights)(columns, values, n, theta, scores, M);
        int moved = 0;
        for (size_t k = 0; k < M; k++) {
            const double target = rows->targets[i * M + k], before = alpha[i * M + k];
            const double slope = target * scores[k] - 1 + rows->slack[i] * before;
            const double after = before - slope / rows->curvature[i];
            alpha[i * M + k] = after > 0 ? after : 0;
            step[k] = (REAL)((alpha[i * M + k] - before) * target);
            moved |= step[k] != 0;
        }
        if (!moved) continue;
        for (size_t k = 0; k < M; k++) bias[k] += step[k];
        OF_TYPE(move_along)(columns, values, n, step, theta, M);
    }
    return 0;
}

/* Where M is a constant, loops over it are unrolled. */
#define FOR_EACH_NUMBER(CALL)                                                                                                \
    switch (rows->n_targets) {                                                                                               \
    case 1: return CALL(1);                                                                                                  \
    case 2: return CALL(2);                                                                                                  \
    case 3: return CALL(3);                                                                                                  \
    case 4: return CALL(4);                                                                                                  \
    case 5: return CALL(5);                                                                                                  \
    case 6: return CALL(6);                                                                                                  \
    case 7: return CALL(7);                                                                                                  \
    case 8: return CALL(8);                                                                                                  \
    case 9: return CALL(9);                                                                                                  \
    case 10: return CALL(10);                                                                                                \
    default: return CALL(rows->n_targets);                                                                                   \
    }

static int OF_TYPE(product)(const HingeRows *rows, const REAL *factors, REAL *product, int transposed, double *room)
{
#define CALL(M) OF_TYPE(product_of)(rows, factors, product, transposed, room, M)
    FOR_EACH_NUMBER(CALL)
#undef CALL
}

static int OF_TYPE(pass)(const HingeRows *rows, const int32_t *order, size_t n_order, double *alpha, REAL *theta, double *room)
{
#define CALL(M) OF_TYPE(pass_of)(rows, order, n_order, alpha, theta, room, M)
    FOR_EACH_NUMBER(CALL)
#undef CALL
}
#undef FOR_EACH_NUMBER
