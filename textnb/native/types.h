/* The Python types of the module. Each is defined in its own file: lattice_type.c, cutter_type.c, counter_type.c. */
#ifndef TEXTNB_TYPES_H
#define TEXTNB_TYPES_H

#include "arguments.h"
#include "lattice.h"
#include "terms.h"

typedef struct {
    PyTypeObject *lattice, *cutter;
} State;

typedef struct {
    PyObject_HEAD
    Dictionary dictionary;
    Buffers buffers;
} LatticeObject;

struct CutterObject;
typedef int Cut(const struct CutterObject *, Text, const Piece *, size_t, Counter *, Rows *);

typedef struct CutterObject {
    PyObject_HEAD
    Cut *cut;
    Buffers buffers;
    LatticeObject *lattice;
    const int32_t *strings; /* per entry, unknown words last: -1 leave out, -2 its surface, else a string of pool */
    const int32_t *offsets; /* of each string in pool */
    const uint16_t *pool;   /* UTF-16 */
    size_t n_strings;
    int32_t longest;        /* length of a string of pool */
    const uint8_t *kinds;
    size_t low, high;
} CutterObject;

extern PyType_Spec lattice_spec, cutter_spec, counter_spec;

/* Tells a child process that it is one; counters of its parent are no longer freed. */
PyObject *after_fork(PyObject *module, PyObject *unused);

PyObject *term_union(PyObject *module, PyObject *args);

/* Frees the memory of an object and its reference to its type; for tp_dealloc. */
void freed(PyObject *self);

#endif
