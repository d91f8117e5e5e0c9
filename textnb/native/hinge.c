#include "hinge.h"
#include "arguments.h"

#include <stdlib.h>

#define MOST_TARGETS (1 << 20)
#define AHEAD 6 /* prefetch weights this many values ahead */

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#else
#define PREFETCH(address) (void)(address)
#endif

/* scores = theta' x, for the values of a row from start to end; -1 if a column is out of range. */
static int scores_of(const HingeRows *rows, size_t start, size_t end, const double *theta, double *scores)
{
    const size_t M = rows->n_targets;
    for (size_t k = 0; k < M; k++) scores[k] = theta[rows->n_columns * M + k];
    for (size_t p = start; p < end; p++) {
        const size_t column = (uint32_t)rows->columns[p];
        if (column >= rows->n_columns) return -1;
        if (p + AHEAD < end && (uint32_t)rows->columns[p + AHEAD] < rows->n_columns) {
            const double *later = theta + (uint32_t)rows->columns[p + AHEAD] * M;
            PREFETCH(later);
            PREFETCH(later + 8);
        }
        const double value = rows->values[p], *weights = theta + column * M;
        for (size_t k = 0; k < M; k++) scores[k] += value * weights[k];
    }
    return 0;
}

/* theta += x step', for the values of a row from start to end. */
static void move_along(const HingeRows *rows, size_t start, size_t end, const double *step, double *theta)
{
    const size_t M = rows->n_targets;
    for (size_t k = 0; k < M; k++) theta[rows->n_columns * M + k] += step[k];
    for (size_t p = start; p < end; p++) {
        const double value = rows->values[p];
        double *weights = theta + (uint32_t)rows->columns[p] * M;
        for (size_t k = 0; k < M; k++) weights[k] += value * step[k];
    }
}

int hinge_pass(const HingeRows *rows, const int32_t *order, size_t n, double *alpha, double *theta, double *room)
{
    const size_t M = rows->n_targets;
    double *scores = room, *step = room + M;
    for (size_t o = 0; o < n; o++) {
        const size_t i = (uint32_t)order[o];
        if (i >= rows->n_rows) return -1;
        const size_t start = (uint32_t)rows->starts[i], end = (uint32_t)rows->starts[i + 1];
        if (start > end || end > rows->n_values || scores_of(rows, start, end, theta, scores)) return -1;
        int moved = 0;
        for (size_t k = 0; k < M; k++) {
            const double target = rows->targets[i * M + k], before = alpha[i * M + k];
            const double slope = target * scores[k] - 1 + rows->slack[i] * before;
            const double after = before - slope / rows->curvature[i];
            alpha[i * M + k] = after > 0 ? after : 0;
            step[k] = (alpha[i * M + k] - before) * target;
            moved |= step[k] != 0;
        }
        if (moved) move_along(rows, start, end, step, theta);
    }
    return 0;
}

PyObject *hinge_pass_of(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *starts, *columns, *values, *targets, *slack, *curvature, *order, *alpha, *theta, *result = NULL;
    Py_ssize_t n_columns, n_targets;
    if (!PyArg_ParseTuple(args, "OOOOOOOOOnn:hinge_pass", &starts, &columns, &values, &targets, &slack, &curvature, &order,
                          &alpha, &theta, &n_columns, &n_targets))
        return NULL;
    if (n_columns < 0 || n_columns > INT32_MAX || n_targets < 1 || n_targets > MOST_TARGETS) {
        PyErr_SetString(PyExc_ValueError, "the number of columns or targets is out of range");
        return NULL;
    }
    Buffers buffers = {.n = 0};
    HingeRows rows = {.n_columns = (size_t)n_columns, .n_targets = (size_t)n_targets};
    size_t n_starts, n_order;
    const int32_t *sequence = NULL;
    double *dual = NULL, *primal = NULL, *room = NULL;
    int ready = (rows.starts = borrowed(&buffers, starts, sizeof(int32_t), &n_starts, "starts")) != NULL;
    if (ready && !n_starts) {
        PyErr_SetString(PyExc_ValueError, "starts: there must be one more than rows");
        ready = 0;
    }
    rows.n_rows = ready ? n_starts - 1 : 0;
    const size_t cells = rows.n_rows * rows.n_targets; /* below 2^51 */
    ready = ready && (rows.columns = borrowed(&buffers, columns, sizeof(int32_t), &rows.n_values, "columns"))
            && (rows.values = doubles(&buffers, values, PyBUF_SIMPLE, rows.n_values, "values"))
            && (rows.targets = doubles(&buffers, targets, PyBUF_SIMPLE, cells, "targets"))
            && (rows.slack = doubles(&buffers, slack, PyBUF_SIMPLE, rows.n_rows, "slack"))
            && (rows.curvature = doubles(&buffers, curvature, PyBUF_SIMPLE, rows.n_rows, "curvature"))
            && (sequence = borrowed(&buffers, order, sizeof(int32_t), &n_order, "order"))
            && (dual = doubles(&buffers, alpha, PyBUF_WRITABLE, cells, "alpha"))
            && (primal = doubles(&buffers, theta, PyBUF_WRITABLE, (rows.n_columns + 1) * rows.n_targets, "theta"));
    if (ready && !(room = malloc(2 * rows.n_targets * sizeof *room))) PyErr_NoMemory();
    if (room) {
        int outside;
        Py_BEGIN_ALLOW_THREADS
        outside = hinge_pass(&rows, sequence, n_order, dual, primal, room);
        Py_END_ALLOW_THREADS
        if (outside) PyErr_SetString(PyExc_ValueError, "a row, a start or a column is out of range");
        else result = Py_NewRef(Py_None);
    }
    free(room);
    give_back(&buffers);
    return result;
}
