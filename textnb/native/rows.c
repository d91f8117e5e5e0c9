#include "rows.h"

#include <string.h>

/* Kind of the numbers of a buffer, as in Csr; 0 if it is another. */
static char kind_of(const Py_buffer *view)
{
    const char *format = view->format ? view->format : "B";
    if (!strcmp(format, "d")) return 'd';
    if (!strcmp(format, "f")) return 'f';
    if (strlen(format) != 1 || !strchr("ilq", *format)) return 0;
    return view->itemsize == 4 ? 'i' : view->itemsize == 8 ? 'q' : 0;
}

void *any_numbers(Buffers *buffers, PyObject *object, int flags, char *kind, size_t *n, const char *name)
{
    if (buffers->n >= BUFFERS) {
        PyErr_Format(PyExc_ValueError, "%s: more than %d buffers at once", name, BUFFERS);
        return NULL;
    }
    Py_buffer *view = &buffers->views[buffers->n];
    if (PyObject_GetBuffer(object, view, flags | PyBUF_FORMAT | PyBUF_C_CONTIGUOUS)) return NULL;
    buffers->n++;
    *kind = kind_of(view);
    if (!*kind || (view->len && (uintptr_t)view->buf % (size_t)view->itemsize)) {  /* an empty array may lie anywhere */
        PyErr_Format(PyExc_ValueError, "%s: the numbers are of a kind that is not supported, or not aligned", name);
        return NULL;
    }
    *n = (size_t)(view->len / view->itemsize);
    static double nothing;
    return *n ? view->buf : &nothing;
}

void *numbers(Buffers *buffers, PyObject *object, int flags, char kind, size_t n, const char *name)
{
    char found;
    size_t length;
    void *memory = any_numbers(buffers, object, flags, &found, &length, name);
    if (!memory || !has_length(name, length, n)) return NULL;
    if (found == kind) return memory;
    PyErr_Format(PyExc_ValueError, "%s: numbers of another kind than expected", name);
    return NULL;
}

int csr_of(Buffers *buffers, PyObject *starts, PyObject *columns, PyObject *values, Py_ssize_t n_columns, Csr *csr)
{
    char of_starts, of_columns;
    size_t n_starts, n_indices;
    if (!(csr->starts = any_numbers(buffers, starts, PyBUF_SIMPLE, &of_starts, &n_starts, "starts"))
        || !(csr->columns = any_numbers(buffers, columns, PyBUF_SIMPLE, &of_columns, &n_indices, "columns"))
        || !(csr->values = any_numbers(buffers, values, PyBUF_SIMPLE, &csr->kind, &csr->n_values, "values"))
        || !has_length("columns", n_indices, csr->n_values))
        return 0;
    if (of_starts != of_columns || (of_starts != 'i' && of_starts != 'q') || !n_starts || n_columns < 0) {
        PyErr_SetString(PyExc_ValueError, "starts and columns must be integers of one kind, with one start more than rows");
        return 0;
    }
    csr->n_rows = n_starts - 1;
    csr->n_columns = (size_t)n_columns;
    csr->wide = of_starts == 'q';
    return 1;
}
