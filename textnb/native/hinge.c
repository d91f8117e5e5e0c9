#include "hinge.h"
#include "arguments.h"

#include <stdlib.h>

#define MOST_TARGETS (1 << 20)
#define AHEAD 6 /* prefetch weights this many values ahead */

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#define INLINE static inline __attribute__((always_inline))
#else
#define PREFETCH(address) (void)(address)
#define INLINE static inline
#endif

#define LINE 64 /* bytes that memory moves at once */

#define REAL double
#define OF_TYPE(name) name##_of_doubles
#include "hinge_kernel.h"
#undef REAL
#undef OF_TYPE
#define REAL float
#define OF_TYPE(name) name##_of_floats
#include "hinge_kernel.h"
#undef REAL
#undef OF_TYPE

int hinge_pass(const HingeRows *rows, const int32_t *order, size_t n, double *alpha, void *theta, double *room)
{
    if (rows->size == sizeof(float)) return pass_of_floats(rows, order, n, alpha, theta, room);
    return pass_of_doubles(rows, order, n, alpha, theta, room);
}

int hinge_product(const HingeRows *rows, const void *factors, void *product, int transposed, double *room)
{
    if (rows->size == sizeof(float)) return product_of_floats(rows, factors, product, transposed, room);
    return product_of_doubles(rows, factors, product, transposed, room);
}

/* Memory of a buffer of n floats or doubles, by the size of either. */
static void *reals(Buffers *buffers, PyObject *object, int flags, size_t size, size_t n, const char *name)
{
    return size == sizeof(float) ? floats(buffers, object, flags, n, name) : (void *)doubles(buffers, object, flags, n, name);
}

/* Reads the rows of a matrix, from Python objects; 0 sets an exception. values may be None where there is a scale. */
static int read_rows(Buffers *buffers, PyObject *starts, PyObject *columns, PyObject *values, PyObject *scale, PyObject *norms,
                     Py_ssize_t n_columns, Py_ssize_t n_targets, Py_ssize_t size, HingeRows *rows)
{
    if (size != sizeof(float) && size != sizeof(double)) {
        PyErr_Format(PyExc_ValueError, "size: values have 4 or 8 bytes, not %zd", size);
        return 0;
    }
    if (n_columns < 0 || n_columns > INT32_MAX || n_targets < 1 || n_targets > MOST_TARGETS) {
        PyErr_SetString(PyExc_ValueError, "the number of columns or targets is out of range");
        return 0;
    }
    rows->n_columns = (size_t)n_columns, rows->n_targets = (size_t)n_targets, rows->size = (size_t)size;
    size_t n_starts;
    if (!(rows->starts = borrowed(buffers, starts, sizeof(int32_t), &n_starts, "starts"))) return 0;
    if (!n_starts) {
        PyErr_SetString(PyExc_ValueError, "starts: there must be one more than rows");
        return 0;
    }
    rows->n_rows = n_starts - 1;
    const int is_scaled = scale != Py_None;
    if (!(rows->columns = borrowed(buffers, columns, sizeof(int32_t), &rows->n_values, "columns"))) return 0;
    if ((!is_scaled || values != Py_None)
        && !(rows->values = reals(buffers, values, PyBUF_SIMPLE, rows->size, rows->n_values, "values")))
        return 0;
    if (!is_scaled) return 1;
    for (size_t i = 0; i < rows->n_rows; i++) {
        const size_t start = (uint32_t)rows->starts[i], end = (uint32_t)rows->starts[i + 1];
        if (start <= end && end <= rows->n_values && end - start > rows->longest) rows->longest = end - start;
    }
    return (rows->scale = doubles(buffers, scale, PyBUF_SIMPLE, rows->n_columns, "scale"))
           && (rows->norms = doubles(buffers, norms, PyBUF_SIMPLE, rows->n_rows, "norms"));
}

/* None; the exception if an index was outside. */
static PyObject *none_unless(int outside)
{
    if (!outside) return Py_NewRef(Py_None);
    PyErr_SetString(PyExc_ValueError, "a row, a start or a column is out of range");
    return NULL;
}

PyObject *hinge_pass_of(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *starts, *columns, *values, *targets, *slack, *curvature, *order, *alpha, *theta, *result = NULL;
    PyObject *scale = Py_None, *norms = Py_None;
    Py_ssize_t n_columns, n_targets, size;
    if (!PyArg_ParseTuple(args, "OOOOOOOOOnnn|OO:hinge_pass", &starts, &columns, &values, &targets, &slack, &curvature, &order,
                          &alpha, &theta, &n_columns, &n_targets, &size, &scale, &norms))
        return NULL;
    Buffers buffers = {.n = 0};
    HingeRows rows = {.longest = 0};
    size_t n_order;
    const int32_t *sequence = NULL;
    double *dual = NULL;
    void *primal = NULL;
    double *room = NULL;
    int ready = read_rows(&buffers, starts, columns, values, scale, norms, n_columns, n_targets, size, &rows);
    const size_t cells = rows.n_rows * rows.n_targets; /* below 2^51 */
    ready = ready && (rows.targets = doubles(&buffers, targets, PyBUF_SIMPLE, cells, "targets"))
            && (rows.slack = doubles(&buffers, slack, PyBUF_SIMPLE, rows.n_rows, "slack"))
            && (rows.curvature = doubles(&buffers, curvature, PyBUF_SIMPLE, rows.n_rows, "curvature"))
            && (sequence = borrowed(&buffers, order, sizeof(int32_t), &n_order, "order"))
            && (dual = doubles(&buffers, alpha, PyBUF_WRITABLE, cells, "alpha"))
            && (primal = reals(&buffers, theta, PyBUF_WRITABLE, rows.size, (rows.n_columns + 1) * rows.n_targets, "theta"));
    if (ready && !(room = malloc(2 * (rows.n_targets + rows.longest) * sizeof *room))) PyErr_NoMemory();
    if (room) {
        int outside;
        Py_BEGIN_ALLOW_THREADS
        outside = hinge_pass(&rows, sequence, n_order, dual, primal, room);
        Py_END_ALLOW_THREADS
        result = none_unless(outside);
    }
    free(room);
    give_back(&buffers);
    return result;
}

PyObject *hinge_product_of(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *starts, *columns, *values, *scale, *norms, *given, *out, *result = NULL;
    Py_ssize_t n_columns, n_targets, size;
    int transposed;
    if (!PyArg_ParseTuple(args, "OOOOOOOnnnp:hinge_product", &starts, &columns, &values, &scale, &norms, &given, &out, &n_columns,
                          &n_targets, &size, &transposed))
        return NULL;
    Buffers buffers = {.n = 0};
    HingeRows rows = {.longest = 0};
    void *product = NULL;
    double *room = NULL;
    const void *factors = NULL;
    int ready = read_rows(&buffers, starts, columns, values, scale, norms, n_columns, n_targets, size, &rows);
    const size_t of_rows = rows.n_rows * rows.n_targets, of_columns = rows.n_columns * rows.n_targets;
    ready = ready
            && (factors = reals(&buffers, given, PyBUF_SIMPLE, rows.size, transposed ? of_rows : of_columns, "factors"))
            && (product = reals(&buffers, out, PyBUF_WRITABLE, rows.size, transposed ? of_columns : of_rows, "product"));
    if (ready && !(room = malloc(2 * (rows.longest + 1) * sizeof *room))) PyErr_NoMemory();
    if (room) {
        int outside;
        Py_BEGIN_ALLOW_THREADS
        outside = hinge_product(&rows, factors, product, transposed, room);
        Py_END_ALLOW_THREADS
        result = none_unless(outside);
    }
    free(room);
    give_back(&buffers);
    return result;
}
