/* Reading mail in one pass: bytes in, Python objects out. Each function is a function of the module. */
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
PyObject *with_lines_of(PyObject *module, PyObject *args);
PyObject *has_many_attributes_of(PyObject *module, PyObject *args);

/* Both take over a new reference and return -1 if it is NULL. append: to a list; give: to a list or a dict's keys. */
int append(PyObject *list, PyObject *item);
int give(PyObject *to, PyObject *item);

#endif
