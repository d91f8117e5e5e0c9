/* Sums of the rows of each class: every value is added to its cell (class, column) of a dense table; and logarithms of
 * such a table, which has few different numbers: most are 0. */
#include "rows.h"

#define AHEAD 32 /* cells are fetched this many values ahead */

/* codes (n_rows,) has the class of each row; weight has one number per row or is NULL. */
typedef struct {
    const int64_t *codes;
    const double *weight;
    uint64_t first, n; /* the classes to add up */
} Classes;

/* Adds the rows of the classes from first to first + n - 1 to their rows of the table; -1 if an index is out of range.
 * The rows of a class are added in their order, so the sums do not depend on how the classes are shared among threads. */
#define SUMS(NAME, VALUE, INDEX, CELL, SUMMAND)                                                                          \
    static int NAME(const Csr *X, const Classes *classes, CELL *table)                                                   \
    {                                                                                                                    \
        const INDEX *starts = X->starts, *columns = X->columns;                                                          \
        const VALUE *values = X->values;                                                                                 \
        for (size_t i = 0; i < X->n_rows; i++) {                                                                         \
            const uint64_t k = (uint64_t)classes->codes[i];                                                              \
            if (k - classes->first >= classes->n) continue;                                                              \
            const uint64_t start = (uint64_t)starts[i], end = (uint64_t)starts[i + 1];                                   \
            if (start > end || end > X->n_values) return -1;                                                             \
            CELL *cells = table + k * X->n_columns;                                                                      \
            for (uint64_t p = start; p < end; p++) {                                                                     \
                const uint64_t column = (uint64_t)columns[p];                                                            \
                if (column >= X->n_columns) return -1;                                                                   \
                if (end - p > AHEAD && (uint64_t)columns[p + AHEAD] < X->n_columns)                                      \
                    PREFETCH(cells + (uint64_t)columns[p + AHEAD]);                                                      \
                cells[column] += SUMMAND;                                                                                \
            }                                                                                                            \
        }                                                                                                                \
        return 0;                                                                                                        \
    }

#define WEIGHTED ((double)values[p] * classes->weight[i])
#define REAL ((double)values[p])
#define WHOLE ((uint64_t)(int64_t)values[p])
#define SUMS_OF(NAME, VALUE, CELL, PLAIN)                                                                                \
    SUMS(NAME##_at_32, VALUE, int32_t, CELL, PLAIN)                                                                      \
    SUMS(NAME##_at_64, VALUE, int64_t, CELL, PLAIN)                                                                      \
    SUMS(weighted_##NAME##_at_32, VALUE, int32_t, double, WEIGHTED)                                                      \
    SUMS(weighted_##NAME##_at_64, VALUE, int64_t, double, WEIGHTED)                                                      \
    static int NAME(const Csr *X, const Classes *classes, void *table)                                                   \
    {                                                                                                                    \
        if (classes->weight) return (X->wide ? weighted_##NAME##_at_64 : weighted_##NAME##_at_32)(X, classes, table);    \
        return (X->wide ? NAME##_at_64 : NAME##_at_32)(X, classes, table);                                               \
    }

SUMS_OF(real_doubles, double, double, REAL)
SUMS_OF(real_floats, float, double, REAL)
SUMS_OF(whole_ints, int32_t, uint64_t, WHOLE)
SUMS_OF(whole_longs, int64_t, uint64_t, WHOLE)

/* Adds up as the kind of the values says. */
static int added(const Csr *X, const Classes *classes, void *table)
{
    switch (X->kind) {
    case 'd': return real_doubles(X, classes, table);
    case 'f': return real_floats(X, classes, table);
    case 'i': return whole_ints(X, classes, table);
    default: return whole_longs(X, classes, table);
    }
}

PyObject *class_sums(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *starts, *columns, *values, *codes, *weight, *table, *result = NULL;
    Py_ssize_t first, last, n_classes, n_columns;
    if (!PyArg_ParseTuple(args, "OOOOOOnnnn:class_sums", &starts, &columns, &values, &codes, &weight, &table, &first, &last,
                          &n_columns, &n_classes))
        return NULL;
    if (first < 0 || last < first || n_classes < last || n_columns < 0
        || (n_classes && n_columns > PY_SSIZE_T_MAX / 8 / n_classes)) {
        PyErr_SetString(PyExc_ValueError, "the number of classes or columns is out of range");
        return NULL;
    }
    Buffers buffers = {.n = 0};
    Csr X;
    Classes classes = {.first = (uint64_t)first, .n = (uint64_t)(last - first)};
    void *cells = NULL;
    if (csr_of(&buffers, starts, columns, values, n_columns, &X)
        && (classes.codes = numbers(&buffers, codes, PyBUF_SIMPLE, 'q', X.n_rows, "codes"))
        && (weight == Py_None || (classes.weight = numbers(&buffers, weight, PyBUF_SIMPLE, 'd', X.n_rows, "weight")))) {
        const char kind = classes.weight || X.kind == 'd' || X.kind == 'f' ? 'd' : 'q';
        cells = numbers(&buffers, table, PyBUF_WRITABLE, kind, (size_t)n_classes * X.n_columns, "table");
    }
    if (cells) {
        int outside;
        Py_BEGIN_ALLOW_THREADS
        outside = added(&X, &classes, cells);
        Py_END_ALLOW_THREADS
        if (outside) PyErr_SetString(PyExc_ValueError, "a start or a column is out of range");
        else result = Py_NewRef(Py_None);
    }
    give_back(&buffers);
    return result;
}

/* out_jk = logs[n] - log_totals_k for the number n in cell (k, j) of a table (n_classes, n_columns) of doubles or
 * int64_t. Cells with a number that is not whole or beyond the logs are left alone and listed in others, as places of
 * out; returns how many there are, or -1 if others has no room for them. */
#define LOGS(NAME, CELL)                                                                                                 \
    static Py_ssize_t NAME(const CELL *table, size_t n_classes, size_t n_columns, const double *logs, size_t n_logs,     \
                           const double *log_totals, double *out, int64_t *others, size_t room)                          \
    {                                                                                                                    \
        size_t n_others = 0;                                                                                             \
        for (size_t j = 0; j < n_columns; j++) {                                                                         \
            for (size_t k = 0; k < n_classes; k++) {                                                                     \
                const CELL number = table[k * n_columns + j];                                                            \
                const size_t place = j * n_classes + k;                                                                  \
                const size_t n = number >= 0 && number < (CELL)n_logs ? (size_t)number : n_logs;                         \
                if (n < n_logs && (CELL)n == number) out[place] = logs[n] - log_totals[k];                               \
                else if (n_others < room) others[n_others++] = (int64_t)place;                                           \
                else return -1;                                                                                          \
            }                                                                                                            \
        }                                                                                                                \
        return (Py_ssize_t)n_others;                                                                                     \
    }

LOGS(logs_of_doubles, double)
LOGS(logs_of_longs, int64_t)

PyObject *table_logs(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *table, *logs, *log_totals, *out, *others, *result = NULL;
    Py_ssize_t n_classes, n_columns;
    if (!PyArg_ParseTuple(args, "OOOOOnn:table_logs", &table, &logs, &log_totals, &out, &others, &n_classes, &n_columns))
        return NULL;
    if (n_classes < 0 || n_columns < 0 || (n_classes && n_columns > PY_SSIZE_T_MAX / 8 / n_classes)) {
        PyErr_SetString(PyExc_ValueError, "the number of classes or columns is out of range");
        return NULL;
    }
    Buffers buffers = {.n = 0};
    const size_t C = (size_t)n_classes, V = (size_t)n_columns;
    char kind, of_logs, of_others;
    size_t n_cells, n_logs, room;
    const void *cells = any_numbers(&buffers, table, PyBUF_SIMPLE, &kind, &n_cells, "table");
    const double *known = cells ? any_numbers(&buffers, logs, PyBUF_SIMPLE, &of_logs, &n_logs, "logs") : NULL;
    int64_t *rest = known ? any_numbers(&buffers, others, PyBUF_WRITABLE, &of_others, &room, "others") : NULL;
    const double *totals = rest ? numbers(&buffers, log_totals, PyBUF_SIMPLE, 'd', C, "log_totals") : NULL;
    double *filled = totals ? numbers(&buffers, out, PyBUF_WRITABLE, 'd', C * V, "out") : NULL;
    if (filled && ((kind != 'd' && kind != 'q') || of_logs != 'd' || of_others != 'q')) {
        PyErr_SetString(PyExc_ValueError, "table, logs or others: numbers of another kind than expected");
    } else if (filled && has_length("table", n_cells, C * V)) {
        Py_ssize_t n;
        Py_BEGIN_ALLOW_THREADS
        n = kind == 'd' ? logs_of_doubles(cells, C, V, known, n_logs, totals, filled, rest, room)
                        : logs_of_longs(cells, C, V, known, n_logs, totals, filled, rest, room);
        Py_END_ALLOW_THREADS
        result = PyLong_FromSsize_t(n);
    }
    give_back(&buffers);
    return result;
}
