/* Reading mail: bytes in, Python objects out, in one pass. Each function is a method of the module. */
#ifndef TEXTNB_MAIL_H
#define TEXTNB_MAIL_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

PyObject *split_head(PyObject *module, PyObject *args);
PyObject *head_tokens(PyObject *module, PyObject *args);
PyObject *words(PyObject *module, PyObject *args);
PyObject *present(PyObject *module, PyObject *args);
PyObject *values_of(PyObject *module, PyObject *args);
PyObject *tidied(PyObject *module, PyObject *text);
PyObject *written_hosts(PyObject *module, PyObject *args);

#endif
