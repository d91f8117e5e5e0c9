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
    int32_t length, skipped; /* skipped: leading white space that letters leaves out */
} Text;

/* Length of a str; -1 sets an exception. */
Py_ssize_t length_of(PyObject *string);
/* Code points of a str, which the caller frees; NULL sets an exception. */
uint32_t *code_points_of(PyObject *string, Py_ssize_t *length);
/* Replaces lone surrogates by U+FFFD. */
void without_halves(uint32_t *letters, Py_ssize_t length);
/* Code points with lone surrogates replaced. */
uint32_t *letters_of(PyObject *string, Py_ssize_t *length);
int text_of(PyObject *string, Text *text);
/* The text without white space at both ends, like str.strip() and so Janome; it points into the same memory. */
Text stripped_text(Text text);
PyObject *string_of(const uint32_t *letters, size_t length);

#ifndef BUFFERS
#define BUFFERS 16 /* held at once; a Lattice with a user dictionary holds 15 */
#endif

typedef struct {
    Py_buffer views[BUFFERS];
    int n;
} Buffers;

/* Memory of a buffer of n items of `size` bytes, held until give_back; NULL sets an exception. */
const void *borrowed(Buffers *buffers, PyObject *object, size_t size, size_t *n, const char *name);
/* The same of a buffer that can be written to. */
void *writable(Buffers *buffers, PyObject *object, size_t size, size_t *n, const char *name);
/* Memory of a buffer of exactly n doubles or floats, n < 2^60, held until give_back; NULL sets an exception. */
double *doubles(Buffers *buffers, PyObject *object, int flags, size_t n, const char *name);
float *floats(Buffers *buffers, PyObject *object, int flags, size_t n, const char *name);
void give_back(Buffers *buffers);
int has_length(const char *name, size_t n, size_t expected);

#endif
