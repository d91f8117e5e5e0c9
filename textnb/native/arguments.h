/* Arguments from Python as C values: the code points of a str, and the memory of a buffer. */
#ifndef TEXTNB_ARGUMENTS_H
#define TEXTNB_ARGUMENTS_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t *letters;
    int32_t length, skipped; /* skipped: white space at the beginning that is not part of letters */
} Text;

/* How long a str is; -1 sets an exception. */
Py_ssize_t length_of(PyObject *string);
/* The code points of a str; to be freed by the caller. NULL sets an exception. */
uint32_t *code_points_of(PyObject *string, Py_ssize_t *length);
/* Halves of characters become U+FFFD. */
void without_halves(uint32_t *letters, Py_ssize_t length);
/* The code points so. */
uint32_t *letters_of(PyObject *string, Py_ssize_t *length);
int text_of(PyObject *string, Text *text);
/* Without the white space at both ends, as str.strip() and so Janome has it. The memory stays the same. */
Text stripped_text(Text text);
PyObject *string_of(const uint32_t *letters, size_t length);

#ifndef BUFFERS
#define BUFFERS 16 /* held at once; a Lattice with a user dictionary holds 15 */
#endif

typedef struct {
    Py_buffer views[BUFFERS];
    int n;
} Buffers;

/* The memory of a buffer of items of a size; NULL sets an exception. */
const void *borrowed(Buffers *buffers, PyObject *object, size_t size, size_t *n, const char *name);
/* The memory of a buffer of n doubles, n below 2^60; NULL sets an exception. */
double *doubles(Buffers *buffers, PyObject *object, int flags, size_t n, const char *name);
void give_back(Buffers *buffers);
int has_length(const char *name, size_t n, size_t expected);

#endif
