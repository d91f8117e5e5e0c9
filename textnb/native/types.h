/* The Python types of the module; each is defined in the file that has its name. */
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
    const int32_t *strings; /* of each entry, unknown words last: -1 left out, -2 its surface, else a string of pool */
    const int32_t *offsets; /* of the strings in pool */
    const uint16_t *pool;   /* UTF-16 */
    size_t n_strings;
    int32_t longest;        /* string, in pool */
    const uint8_t *kinds;
    size_t low, high;
} CutterObject;

extern PyType_Spec lattice_spec, cutter_spec, counter_spec;

void freed(PyObject *self);

#endif
