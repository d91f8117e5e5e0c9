/* The loops over a CSR matrix that fitting and predicting of linear models need: the sums of the rows of each class, with
 * their logarithms, and the scores of each row. Values are double, float, int32_t or int64_t; starts and columns int32_t
 * or int64_t. */
#ifndef TEXTNB_ROWS_H
#define TEXTNB_ROWS_H

#include "arguments.h"

#if defined(__GNUC__)
#define PREFETCH(address) __builtin_prefetch(address)
#define INLINE static inline __attribute__((always_inline))
#else
#define PREFETCH(address) (void)(address)
#define INLINE static inline
#endif

/* Row i has the values starts[i] to starts[i + 1] - 1, at these columns. kind: 'd' double, 'f' float, 'i' int32_t,
 * 'q' int64_t. wide: whether starts and columns are int64_t, else int32_t. */
typedef struct {
    const void *starts, *columns, *values;
    size_t n_rows, n_values, n_columns;
    char kind;
    int wide;
} Csr;

/* Reads a CSR matrix from three buffers, which are held until give_back; 0 sets an exception. */
int csr_of(Buffers *buffers, PyObject *starts, PyObject *columns, PyObject *values, Py_ssize_t n_columns, Csr *csr);
/* Memory of a contiguous buffer of n numbers and their kind; NULL sets an exception. */
void *any_numbers(Buffers *buffers, PyObject *object, int flags, char *kind, size_t *n, const char *name);
/* Memory of a buffer of exactly n numbers of this kind; NULL sets an exception. */
void *numbers(Buffers *buffers, PyObject *object, int flags, char kind, size_t n, const char *name);

/* class_sums, table_logs, row_scores and row_classes for Python. */
PyObject *class_sums(PyObject *module, PyObject *args);
PyObject *table_logs(PyObject *module, PyObject *args);
PyObject *row_scores(PyObject *module, PyObject *args);
PyObject *row_classes(PyObject *module, PyObject *args);

#endif
