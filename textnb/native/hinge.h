/* Dual coordinate descent for the squared hinge: one pass over the rows, eqs. (8) and (9) of
 * textnb/models/logistic/squared_hinge.py. */
#ifndef TEXTNB_HINGE_H
#define TEXTNB_HINGE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <stddef.h>
#include <stdint.h>

/* A CSR matrix: row i has values[starts[i]] to values[starts[i + 1] - 1], at these columns. Where there is a scale
 * (n_columns,), value p of row i is values[p] scale[columns[p]] / norms[i], and no values are those of 1: `longest` is the
 * length of the longest row then. values are floats or doubles, of `size` bytes. targets (n_rows, n_targets) are 1 or -1;
 * slack and curvature (n_rows,). */
typedef struct {
    const int32_t *starts, *columns;
    const void *values;
    const double *scale, *norms, *targets, *slack, *curvature;
    size_t n_rows, n_values, n_columns, n_targets, size, longest;
} HingeRows;

/* Visits the n rows in `order` and changes alpha (n_rows, n_targets) and theta (n_columns + 1, n_targets), whose last
 * row is the bias. theta is of the type of the values; room for 2 (n_targets + longest) numbers. Returns -1 if an index is
 * out of range, else 0. */
int hinge_pass(const HingeRows *rows, const int32_t *order, size_t n, double *alpha, void *theta, double *room);

/* Adds X factors to product (n_rows, n_targets), or X' factors to product (n_columns, n_targets) if `transposed`; both are
 * of the type of the values; room for 2 longest numbers. Sums are made in the order of rows and entries, as scipy does.
 * Returns -1 if an index is out of range, else 0. */
int hinge_product(const HingeRows *rows, const void *factors, void *product, int transposed, double *room);

/* hinge_pass and hinge_product for Python. */
PyObject *hinge_pass_of(PyObject *module, PyObject *args);
PyObject *hinge_product_of(PyObject *module, PyObject *args);

#endif
