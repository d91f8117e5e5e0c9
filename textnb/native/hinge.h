/* Dual coordinate descent for the squared hinge: one pass over the rows, eqs. (3) and (4) of textnb/models/dual_hinge.py. */
#ifndef TEXTNB_HINGE_H
#define TEXTNB_HINGE_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <stddef.h>
#include <stdint.h>

/* Row i has values[starts[i]] up to values[starts[i + 1]], at those columns. targets (n_rows, n_targets) are 1 and -1;
 * slack and curvature (n_rows,). */
typedef struct {
    const int32_t *starts, *columns;
    const double *values, *targets, *slack, *curvature;
    size_t n_rows, n_values, n_columns, n_targets;
} HingeRows;

/* The rows in an order, of n numbers. alpha (n_rows, n_targets) and theta (n_columns + 1, n_targets), the last row for
 * the bias, are changed; room is for 2 n_targets numbers. 0, or -1 where a number points outside. */
int hinge_pass(const HingeRows *rows, const int32_t *order, size_t n, double *alpha, double *theta, double *room);

PyObject *hinge_pass_of(PyObject *module, PyObject *args);

#endif
