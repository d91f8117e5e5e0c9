/* The type Cutter: turns the text of a document into tokens. */
#include "scan.h"
#include "types.h"

#include <stdlib.h>
#include <string.h>

static int count_string(const CutterObject *self, int32_t string, uint32_t *letters, Counter *counter, Rows *rows)
{
    size_t n = 0;
    for (int32_t i = self->offsets[string]; i < self->offsets[string + 1]; i++) {
        uint32_t unit = self->pool[i];
        int pair = unit >= 0xDC00 && unit <= 0xDFFF && n && letters[n - 1] >= 0xD800 && letters[n - 1] <= 0xDBFF;
        if (pair) letters[n - 1] = 0x10000 + ((letters[n - 1] - 0xD800) << 10) + (unit - 0xDC00);
        else letters[n++] = unit;
    }
    return counter_token(counter, rows, letters, n);
}

static int cut_by_lattice(const CutterObject *self, Text text, const Piece *pieces, size_t n, Counter *counter,
                          Rows *rows)
{
    const Dictionary *d = &self->lattice->dictionary;
    int32_t start = 0, n_known = d->system.n_entries + d->user.n_entries;
    uint32_t *letters = malloc(((size_t)self->longest + 1) * sizeof *letters);
    int failed = letters ? 0 : -1;
    for (size_t i = 0; !failed && i < n; i++) {
        int32_t entry = pieces[i].entry, end = pieces[i].end, string = -2;
        if (self->n_strings) string = self->strings[entry >= 0 ? entry : n_known - 1 - entry];
        if (string >= 0) failed = count_string(self, string, letters, counter, rows);
        else if (string == -2) failed = counter_token(counter, rows, text.letters + start, (size_t)(end - start));
        start = end;
    }
    free(letters);
    return failed;
}

static int cut_to_runs(const CutterObject *self, Text text, const Piece *pieces, size_t n, Counter *counter, Rows *rows)
{
    (void)pieces, (void)n;
    return count_runs(self->kinds, text.letters, (size_t)text.length, counter, rows);
}

static int cut_to_words(const CutterObject *self, Text text, const Piece *pieces, size_t n, Counter *counter,
                        Rows *rows)
{
    (void)pieces, (void)n;
    return count_words(self->kinds, text.letters, (size_t)text.length, counter, rows);
}

static int cut_to_grams(const CutterObject *self, Text text, const Piece *pieces, size_t n, Counter *counter,
                        Rows *rows)
{
    (void)pieces, (void)n;
    return count_grams(self->low, self->high, text.letters, (size_t)text.length, counter, rows);
}

static int is_utf16(const uint16_t *units, const uint16_t *end)
{
    for (; units < end; units++) {
        if (*units < 0xD800 || *units > 0xDFFF) continue;
        if (*units > 0xDBFF || ++units == end || *units < 0xDC00 || *units > 0xDFFF) return 0;
    }
    return 1;
}

static int cutter_read_strings(CutterObject *self, PyObject *strings, PyObject *offsets, PyObject *pool)
{
    const Dictionary *d = &self->lattice->dictionary;
    size_t n_offsets, n_pool;
    if (!(self->strings = borrowed(&self->buffers, strings, sizeof(int32_t), &self->n_strings, "strings"))
        || !(self->offsets = borrowed(&self->buffers, offsets, sizeof(int32_t), &n_offsets, "offsets"))
        || !(self->pool = borrowed(&self->buffers, pool, sizeof(uint16_t), &n_pool, "pool"))) return -1;
    size_t n = (size_t)d->system.n_entries + (size_t)d->user.n_entries + (size_t)d->n_unknowns;
    if (self->n_strings && !has_length("strings", self->n_strings, n)) return -1;
    int sound = 1;
    for (size_t i = 0; i < self->n_strings; i++)
        sound &= self->strings[i] >= -2 && (self->strings[i] < 0 || (size_t)self->strings[i] + 1 < n_offsets);
    for (size_t i = 0; i < n_offsets; i++) {
        sound &= self->offsets[i] >= 0 && (size_t)self->offsets[i] <= n_pool;
        if (!i || !sound) continue;
        int32_t length = self->offsets[i] - self->offsets[i - 1];
        sound &= length >= 0 && is_utf16(self->pool + self->offsets[i - 1], self->pool + self->offsets[i]);
        if (length > self->longest) self->longest = length;
    }
    if (!sound) PyErr_SetString(PyExc_ValueError, "the strings of the dictionary are damaged");
    return sound ? 0 : -1;
}

static int cutter_read_kinds(CutterObject *self, PyObject *kinds)
{
    size_t n;
    self->kinds = borrowed(&self->buffers, kinds, 1, &n, "kinds");
    return self->kinds && has_length("kinds", n, 0x110000) ? 0 : -1;
}

static PyObject *cutter_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    const char *way;
    PyObject *a = Py_None, *b = Py_None, *c = Py_None, *d = Py_None;
    if (keywords && PyDict_Size(keywords)) {
        PyErr_SetString(PyExc_TypeError, "Cutter takes no keyword arguments");
        return NULL;
    }
    if (!PyArg_ParseTuple(args, "s|OOOO:Cutter", &way, &a, &b, &c, &d)) return NULL;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    CutterObject *self = (CutterObject *)allocate(type, 0);
    if (!self) return NULL;
    int failed = -1;
    if (!strcmp(way, "lattice")) {
        self->cut = cut_by_lattice;
        const State *state = PyType_GetModuleState(type);
        if (!PyObject_TypeCheck(a, state->lattice)) PyErr_SetString(PyExc_TypeError, "a Lattice is needed");
        else {
            Py_INCREF(a);
            self->lattice = (LatticeObject *)a;
            failed = cutter_read_strings(self, b, c, d);
        }
    } else if (!strcmp(way, "grams")) {
        self->cut = cut_to_grams;
        self->low = PyLong_AsSize_t(a);
        if (!PyErr_Occurred()) self->high = PyLong_AsSize_t(b);
        failed = PyErr_Occurred() ? -1 : 0;
    } else if (!strcmp(way, "runs") || !strcmp(way, "words")) {
        self->cut = way[0] == 'r' ? cut_to_runs : cut_to_words;
        failed = cutter_read_kinds(self, a);
    } else PyErr_Format(PyExc_ValueError, "no such way to cut: %s", way);
    if (!failed && self->cut == cut_to_grams && (self->low < 1 || self->high < self->low)) {
        PyErr_SetString(PyExc_ValueError, "n-grams need 1 <= low <= high");
        failed = -1;
    }
    if (!failed) return (PyObject *)self;
    Py_DECREF(self);
    return NULL;
}

static void cutter_dealloc(PyObject *object)
{
    CutterObject *self = (CutterObject *)object;
    give_back(&self->buffers);
    Py_XDECREF((PyObject *)self->lattice);
    freed(object);
}

static PyType_Slot cutter_slots[] = {
    {Py_tp_doc, "Cutter(way, ...)\n--\n\n"
                "Turns texts into tokens: ('lattice', lattice, strings, offsets, pool), ('runs', kinds),\n"
                "('words', kinds) or ('grams', low, high)."},
    {Py_tp_new, cutter_new},
    {Py_tp_dealloc, cutter_dealloc},
    {0, NULL}};

PyType_Spec cutter_spec = {"textnb._native.Cutter", sizeof(CutterObject), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, cutter_slots};
