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

int hinge_pass(const HingeRows *rows, const int32_t *order, size_t n, double *alpha, void *theta, void *room)
{
    if (rows->size == sizeof(float)) return pass_of_floats(rows, order, n, alpha, theta, room);
    return pass_of_doubles(rows, order, n, alpha, theta, room);
}

/* Memory of a buffer of n floats or doubles, by the size of either. */
static void *reals(Buffers *buffers, PyObject *object, int flags, size_t size, size_t n, const char *name)
{
    return size == sizeof(float) ? floats(buffers, object, flags, n, name) : (void *)doubles(buffers, object, flags, n, name);
}

PyObject *hinge_pass_of(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *starts, *columns, *values, *targets, *slack, *curvature, *order, *alpha, *theta, *result = NULL;
    Py_ssize_t n_columns, n_targets, size;
    if (!PyArg_ParseTuple(args, "OOOOOOOOOnnn:hinge_pass", &starts, &columns, &values, &targets, &slack, &curvature, &order,
                          &alpha, &theta, &n_columns, &n_targets, &size))
        return NULL;
    if (size != sizeof(float) && size != sizeof(double)) {
        PyErr_Format(PyExc_ValueError, "size: values have 4 or 8 bytes, not %zd", size);
        return NULL;
    }
    if (n_columns < 0 || n_columns > INT32_MAX || n_targets < 1 || n_targets > MOST_TARGETS) {
        PyErr_SetString(PyExc_ValueError, "the number of columns or targets is out of range");
        return NULL;
    }
    Buffers buffers = {.n = 0};
    HingeRows rows = {.n_columns = (size_t)n_columns, .n_targets = (size_t)n_targets, .size = (size_t)size};
    size_t n_starts, n_order;
    const int32_t *sequence = NULL;
    double *dual = NULL;
    void *primal = NULL, *room = NULL;
    int ready = (rows.starts = borrowed(&buffers, starts, sizeof(int32_t), &n_starts, "starts")) != NULL;
    if (ready && !n_starts) {
        PyErr_SetString(PyExc_ValueError, "starts: there must be one more than rows");
        ready = 0;
    }
    rows.n_rows = ready ? n_starts - 1 : 0;
    const size_t cells = rows.n_rows * rows.n_targets; /* below 2^51 */
    ready = ready && (rows.columns = borrowed(&buffers, columns, sizeof(int32_t), &rows.n_values, "columns"))
            && (rows.values = reals(&buffers, values, PyBUF_SIMPLE, rows.size, rows.n_values, "values"))
            && (rows.targets = doubles(&buffers, targets, PyBUF_SIMPLE, cells, "targets"))
            && (rows.slack = doubles(&buffers, slack, PyBUF_SIMPLE, rows.n_rows, "slack"))
            && (rows.curvature = doubles(&buffers, curvature, PyBUF_SIMPLE, rows.n_rows, "curvature"))
            && (sequence = borrowed(&buffers, order, sizeof(int32_t), &n_order, "order"))
            && (dual = doubles(&buffers, alpha, PyBUF_WRITABLE, cells, "alpha"))
            && (primal = reals(&buffers, theta, PyBUF_WRITABLE, rows.size, (rows.n_columns + 1) * rows.n_targets, "theta"));
    if (ready && !(room = malloc(2 * rows.n_targets * rows.size))) PyErr_NoMemory();
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
