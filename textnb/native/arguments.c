#include "arguments.h"
#include "terms.h"

#include <stdlib.h>

#define REPLACEMENT 0xFFFD

Py_ssize_t length_of(PyObject *string)
{
    if (!PyUnicode_Check(string)) {
        PyErr_Format(PyExc_TypeError, "a text must be a str, not %R", (PyObject *)Py_TYPE(string));
        return -1;
    }
    Py_ssize_t length = PyUnicode_GetLength(string);
    if (length > INT32_MAX - 4096) {
        PyErr_SetString(PyExc_OverflowError, "a text must be shorter than 2^31 characters");
        return -1;
    }
    return length;
}

uint32_t *code_points_of(PyObject *string, Py_ssize_t *length)
{
    *length = length_of(string);
    if (*length < 0) return NULL;
    size_t room = (size_t)*length + 1;
    uint32_t *letters = room <= SIZE_MAX / sizeof *letters ? malloc(room * sizeof *letters) : NULL;
    if (!letters) return (uint32_t *)PyErr_NoMemory();
    if (!PyUnicode_AsUCS4(string, letters, (Py_ssize_t)room, 1)) {
        free(letters);
        return NULL;
    }
    return letters;
}

void without_halves(uint32_t *letters, Py_ssize_t length)
{
    for (Py_ssize_t i = 0; i < length; i++)
        if (letters[i] >= 0xD800 && letters[i] <= 0xDFFF) letters[i] = REPLACEMENT;
}

uint32_t *letters_of(PyObject *string, Py_ssize_t *length)
{
    uint32_t *letters = code_points_of(string, length);
    if (letters) without_halves(letters, *length);
    return letters;
}

int text_of(PyObject *string, Text *text)
{
    Py_ssize_t length;
    text->letters = letters_of(string, &length);
    if (!text->letters) return -1;
    text->length = (int32_t)length;
    text->skipped = 0;
    return 0;
}

Text stripped_text(Text text)
{
    while (text.length && is_space(text.letters[text.length - 1])) text.length--;
    while (text.length && is_space(text.letters[0])) {
        text.letters++;
        text.length--;
        text.skipped++;
    }
    return text;
}

PyObject *string_of(const uint32_t *letters, size_t length)
{
    const union { uint16_t number; uint8_t bytes[2]; } one = {1};
    int order = one.bytes[0] ? -1 : 1; /* the byte order of this machine */
    return PyUnicode_DecodeUTF32((const char *)letters, (Py_ssize_t)(length * sizeof *letters), NULL, &order);
}

/* Fills the next view; NULL sets an exception. */
static const Py_buffer *next_view(Buffers *buffers, PyObject *object, int flags, const char *name)
{
    if (buffers->n >= BUFFERS) {
        PyErr_Format(PyExc_ValueError, "%s: more than %d buffers at once", name, BUFFERS);
        return NULL;
    }
    if (PyObject_GetBuffer(object, &buffers->views[buffers->n], flags)) return NULL;
    return &buffers->views[buffers->n++];
}

/* Memory of a buffer of items of `size` bytes, at most INT32_MAX. */
static void *items(Buffers *buffers, PyObject *object, int flags, size_t size, size_t *n, const char *name)
{
    const Py_buffer *view = next_view(buffers, object, flags, name);
    if (!view) return NULL;
    if (view->len % (Py_ssize_t)size || (uintptr_t)view->buf % (size < 8 ? (size & (~size + 1)) : 4)
        || view->len / (Py_ssize_t)size > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "%s: a buffer of %zd bytes at %p cannot hold items of %zu bytes", name, view->len,
                     view->buf, size);
        return NULL;
    }
    *n = (size_t)view->len / size;
    static uint64_t nothing;
    return view->len ? view->buf : &nothing;
}

const void *borrowed(Buffers *buffers, PyObject *object, size_t size, size_t *n, const char *name)
{
    return items(buffers, object, PyBUF_SIMPLE, size, n, name);
}

void *writable(Buffers *buffers, PyObject *object, size_t size, size_t *n, const char *name)
{
    return items(buffers, object, PyBUF_WRITABLE, size, n, name);
}

/* Memory of a buffer of exactly n numbers of `size` bytes. */
static void *numbers(Buffers *buffers, PyObject *object, int flags, size_t size, size_t n, const char *name)
{
    const Py_buffer *view = next_view(buffers, object, flags, name);
    if (!view) return NULL;
    if (view->len != (Py_ssize_t)(n * size) || (uintptr_t)view->buf % size) {
        PyErr_Format(PyExc_ValueError, "%s: %zd bytes at %p are not %zu numbers", name, view->len, view->buf, n);
        return NULL;
    }
    static double nothing;
    return n ? view->buf : &nothing;
}

double *doubles(Buffers *buffers, PyObject *object, int flags, size_t n, const char *name)
{
    return numbers(buffers, object, flags, sizeof(double), n, name);
}

float *floats(Buffers *buffers, PyObject *object, int flags, size_t n, const char *name)
{
    return numbers(buffers, object, flags, sizeof(float), n, name);
}

void give_back(Buffers *buffers)
{
    while (buffers->n) PyBuffer_Release(&buffers->views[--buffers->n]);
}

int has_length(const char *name, size_t n, size_t expected)
{
    if (n == expected) return 1;
    PyErr_Format(PyExc_ValueError, "%s: %zu items, expected %zu", name, n, expected);
    return 0;
}
