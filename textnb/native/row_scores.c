/* Scores of rows: scores_ik = sum_j x_ij weights_jk + bias_k, or only the class with the largest one. */
#include "rows.h"

#include <math.h>
#include <stdlib.h>

#define AHEAD 16          /* weights are fetched this many values ahead */
#define MOST_UNROLLED 16  /* classes */

/* The weights (n_columns, C) and bias (C,), and the rows from first to last - 1. Either scores (n_rows, C) or best
 * (n_rows,) is filled. fallback: the class with the largest bias, for a row that is impossible under every class. */
typedef struct {
    const double *weights, *bias;
    size_t n_classes, first, last;
    double *scores;
    int64_t *best, fallback;
} Scoring;

/* The first of the largest numbers. */
INLINE int64_t largest(const double *numbers, const size_t n)
{
    size_t best = 0;
    double most = numbers[0];
    for (size_t k = 1; k < n; k++) {
        const int larger = numbers[k] > most;
        best = larger ? k : best;
        most = larger ? numbers[k] : most;
    }
    return (int64_t)best;
}

/* Adds the bias to the sums of a row and stores them, or the class with the largest one. */
INLINE void store(const Scoring *scoring, size_t row, double *sums, const size_t C)
{
    for (size_t k = 0; k < C; k++) sums[k] += scoring->bias[k];
    if (scoring->scores) {
        for (size_t k = 0; k < C; k++) scoring->scores[row * C + k] = sums[k];
        return;
    }
    const int64_t best = largest(sums, C);
    scoring->best[row] = sums[best] == -INFINITY ? scoring->fallback : best;
}

/* Scores the rows; -1 if an index is out of range. A value of 0 adds nothing, whatever the weight. Where C is a constant,
 * the sums of a row stay in registers. */
#define SCORES(NAME, VALUE, INDEX)                                                                                       \
    INLINE int NAME##_of(const Csr *X, const Scoring *scoring, double *sums, const size_t C)                             \
    {                                                                                                                    \
        const INDEX *starts = X->starts, *columns = X->columns;                                                          \
        const VALUE *values = X->values;                                                                                 \
        const double *all = scoring->weights;                                                                            \
        for (size_t i = scoring->first; i < scoring->last; i++) {                                                        \
            const uint64_t start = (uint64_t)starts[i], end = (uint64_t)starts[i + 1];                                   \
            if (start > end || end > X->n_values) return -1;                                                             \
            for (size_t k = 0; k < C; k++) sums[k] = 0;                                                                  \
            for (uint64_t p = start; p < end; p++) {                                                                     \
                const uint64_t column = (uint64_t)columns[p];                                                            \
                if (column >= X->n_columns) return -1;                                                                   \
                if (p + AHEAD < X->n_values && (uint64_t)columns[p + AHEAD] < X->n_columns) {                            \
                    PREFETCH(all + (uint64_t)columns[p + AHEAD] * C);                                                    \
                    PREFETCH(all + (uint64_t)columns[p + AHEAD] * C + (C - 1));                                          \
                }                                                                                                        \
                const double value = (double)values[p], *weights = all + column * C;                                     \
                if (value == 0) continue;                                                                                \
                for (size_t k = 0; k < C; k++) sums[k] += value * weights[k];                                            \
            }                                                                                                            \
            store(scoring, i, sums, C);                                                                                  \
        }                                                                                                                \
        return 0;                                                                                                        \
    }                                                                                                                    \
    static int NAME(const Csr *X, const Scoring *scoring, double *room)                                                  \
    {                                                                                                                    \
        double sums[MOST_UNROLLED];                                                                                      \
        switch (scoring->n_classes) {                                                                                    \
        case 2: return NAME##_of(X, scoring, sums, 2);                                                                   \
        case 3: return NAME##_of(X, scoring, sums, 3);                                                                   \
        case 4: return NAME##_of(X, scoring, sums, 4);                                                                   \
        case 5: return NAME##_of(X, scoring, sums, 5);                                                                   \
        case 6: return NAME##_of(X, scoring, sums, 6);                                                                   \
        case 7: return NAME##_of(X, scoring, sums, 7);                                                                   \
        case 8: return NAME##_of(X, scoring, sums, 8);                                                                   \
        case 9: return NAME##_of(X, scoring, sums, 9);                                                                   \
        case 10: return NAME##_of(X, scoring, sums, 10);                                                                 \
        case 11: return NAME##_of(X, scoring, sums, 11);                                                                 \
        case 12: return NAME##_of(X, scoring, sums, 12);                                                                 \
        case 16: return NAME##_of(X, scoring, sums, 16);                                                                 \
        default: return NAME##_of(X, scoring, room, scoring->n_classes);                                                 \
        }                                                                                                                \
    }

SCORES(doubles_at_32, double, int32_t)
SCORES(doubles_at_64, double, int64_t)
SCORES(floats_at_32, float, int32_t)
SCORES(floats_at_64, float, int64_t)
SCORES(ints_at_32, int32_t, int32_t)
SCORES(ints_at_64, int32_t, int64_t)
SCORES(longs_at_32, int64_t, int32_t)
SCORES(longs_at_64, int64_t, int64_t)

/* Scores the rows as the kinds of the values and indices say. */
static int scored(const Csr *X, const Scoring *scoring, double *room)
{
    switch (X->kind) {
    case 'd': return (X->wide ? doubles_at_64 : doubles_at_32)(X, scoring, room);
    case 'f': return (X->wide ? floats_at_64 : floats_at_32)(X, scoring, room);
    case 'i': return (X->wide ? ints_at_64 : ints_at_32)(X, scoring, room);
    default: return (X->wide ? longs_at_64 : longs_at_32)(X, scoring, room);
    }
}

/* row_scores and row_classes: reads the arguments and fills out, scores or classes. */
static PyObject *filled(PyObject *args, const char *format, int only_classes)
{
    PyObject *starts, *columns, *values, *weights, *bias, *out, *result = NULL;
    Py_ssize_t first, last, n_columns, n_classes;
    if (!PyArg_ParseTuple(args, format, &starts, &columns, &values, &weights, &bias, &out, &first, &last, &n_columns,
                          &n_classes))
        return NULL;
    if (first < 0 || last < first || n_columns < 0 || n_classes < 1 || n_columns > PY_SSIZE_T_MAX / 8 / n_classes) {
        PyErr_SetString(PyExc_ValueError, "the number of rows, columns or classes is out of range");
        return NULL;
    }
    Buffers buffers = {.n = 0};
    Csr X;
    Scoring scoring = {.n_classes = (size_t)n_classes, .first = (size_t)first, .last = (size_t)last};
    const size_t C = scoring.n_classes;
    double *room = NULL;
    int ready = csr_of(&buffers, starts, columns, values, n_columns, &X)
                && (scoring.weights = numbers(&buffers, weights, PyBUF_SIMPLE, 'd', X.n_columns * C, "weights"))
                && (scoring.bias = numbers(&buffers, bias, PyBUF_SIMPLE, 'd', C, "bias"));
    if (ready && (scoring.last > X.n_rows || X.n_rows > PY_SSIZE_T_MAX / 8 / C)) {
        PyErr_SetString(PyExc_ValueError, "the rows are out of range");
        ready = 0;
    }
    if (ready && only_classes) {
        ready = (scoring.best = numbers(&buffers, out, PyBUF_WRITABLE, 'q', X.n_rows, "classes")) != NULL;
        scoring.fallback = largest(scoring.bias, C);
    } else if (ready) {
        ready = (scoring.scores = numbers(&buffers, out, PyBUF_WRITABLE, 'd', X.n_rows * C, "scores")) != NULL;
    }
    if (ready && !(room = malloc(C * sizeof *room))) PyErr_NoMemory();
    if (room) {
        int outside;
        Py_BEGIN_ALLOW_THREADS
        outside = scored(&X, &scoring, room);
        Py_END_ALLOW_THREADS
        if (outside) PyErr_SetString(PyExc_ValueError, "a start or a column is out of range");
        else result = Py_NewRef(Py_None);
    }
    free(room);
    give_back(&buffers);
    return result;
}

PyObject *row_scores(PyObject *module, PyObject *args)
{
    (void)module;
    return filled(args, "OOOOOOnnnn:row_scores", 0);
}

PyObject *row_classes(PyObject *module, PyObject *args)
{
    (void)module;
    return filled(args, "OOOOOOnnnn:row_classes", 1);
}
