/* One pass of dual coordinate descent over values and weights of the type REAL. hinge.c includes this file once per type;
 * OF_TYPE(name) is the name of a function for that type. */

/* scores = theta' x, for the values of a row from start to end; -1 if a column is out of range. */
static int OF_TYPE(scores_of)(const HingeRows *rows, size_t start, size_t end, const REAL *theta, REAL *scores)
{
    const size_t M = rows->n_targets;
    const REAL *values = rows->values;
    for (size_t k = 0; k < M; k++) scores[k] = theta[rows->n_columns * M + k];
    for (size_t p = start; p < end; p++) {
        const size_t column = (uint32_t)rows->columns[p];
        if (column >= rows->n_columns) return -1;
        if (p + AHEAD < end && (uint32_t)rows->columns[p + AHEAD] < rows->n_columns) {
            const REAL *later = theta + (uint32_t)rows->columns[p + AHEAD] * M;
            PREFETCH(later);
            PREFETCH(later + LINE / sizeof *later);
        }
        const REAL value = values[p], *weights = theta + column * M;
        for (size_t k = 0; k < M; k++) scores[k] += value * weights[k];
    }
    return 0;
}

/* theta += x step', for the values of a row from start to end. */
static void OF_TYPE(move_along)(const HingeRows *rows, size_t start, size_t end, const REAL *step, REAL *theta)
{
    const size_t M = rows->n_targets;
    const REAL *values = rows->values;
    for (size_t k = 0; k < M; k++) theta[rows->n_columns * M + k] += step[k];
    for (size_t p = start; p < end; p++) {
        const REAL value = values[p];
        REAL *weights = theta + (uint32_t)rows->columns[p] * M;
        for (size_t k = 0; k < M; k++) weights[k] += value * step[k];
    }
}

static int OF_TYPE(pass)(const HingeRows *rows, const int32_t *order, size_t n, double *alpha, REAL *theta, REAL *room)
{
    const size_t M = rows->n_targets;
    REAL *scores = room, *step = room + M;
    for (size_t o = 0; o < n; o++) {
        const size_t i = (uint32_t)order[o];
        if (i >= rows->n_rows) return -1;
        const size_t start = (uint32_t)rows->starts[i], end = (uint32_t)rows->starts[i + 1];
        if (start > end || end > rows->n_values || OF_TYPE(scores_of)(rows, start, end, theta, scores)) return -1;
        int moved = 0;
        for (size_t k = 0; k < M; k++) {
            const double target = rows->targets[i * M + k], before = alpha[i * M + k];
            const double slope = target * scores[k] - 1 + rows->slack[i] * before;
            const double after = before - slope / rows->curvature[i];
            alpha[i * M + k] = after > 0 ? after : 0;
            step[k] = (REAL)((alpha[i * M + k] - before) * target);
            moved |= step[k] != 0;
        }
        if (moved) OF_TYPE(move_along)(rows, start, end, step, theta);
    }
    return 0;
}
