/* The type Lattice: a dictionary that tokenizes texts. */
#include "types.h"

#include <stdlib.h>

static int lexicon_of(PyObject *arrays, Buffers *buffers, Lexicon *lexicon)
{
    PyObject *slots, *entries, *numbers, *codes;
    size_t n;
    if (!PyTuple_Check(arrays)) {
        PyErr_SetString(PyExc_TypeError, "a lexicon is a tuple");
        return -1;
    }
    if (!PyArg_ParseTuple(arrays, "OOOO:lexicon", &slots, &entries, &numbers, &codes)) return -1;
    if (!(lexicon->slots = borrowed(buffers, slots, sizeof(Slot), &n, "slots"))) return -1;
    lexicon->n_slots = (int32_t)n;
    if (!(lexicon->entries = borrowed(buffers, entries, sizeof(Entry), &n, "entries"))) return -1;
    lexicon->n_entries = (int32_t)n;
    if (!(lexicon->numbers = borrowed(buffers, numbers, sizeof(int32_t), &n, "numbers"))) return -1;
    if (!has_length("numbers", n, (size_t)lexicon->n_entries)) return -1;
    if (!(lexicon->codes = borrowed(buffers, codes, sizeof(uint16_t), &n, "codes"))) return -1;
    lexicon->n_codes = (int32_t)n;
    return 0;
}

static int lattice_read(LatticeObject *self, PyObject *args)
{
    Dictionary *d = &self->dictionary;
    Buffers *b = &self->buffers;
    PyObject *system, *user, *connections, *own, *accepts, *limits, *always, *firsts, *unknowns;
    int beyond;
    size_t n;
    if (!PyArg_ParseTuple(args, "OOOOOOOOOi:Lattice", &system, &user, &connections, &own, &accepts,
                          &limits, &always, &firsts, &unknowns, &beyond)) return -1;
    if (lexicon_of(system, b, &d->system)) return -1;
    if (user != Py_None && lexicon_of(user, b, &d->user)) return -1;
    if (!(d->connections = borrowed(b, connections, sizeof(int16_t), &n, "connections"))) return -1;
    while ((size_t)d->n_connections * (size_t)d->n_connections < n) d->n_connections++;
    if (!has_length("connections", n, (size_t)d->n_connections * (size_t)d->n_connections)) return -1;
    if (!(d->own = borrowed(b, own, sizeof(uint16_t), &n, "own")) || !has_length("own", n, 0x10000)) return -1;
    if (!(d->accepts = borrowed(b, accepts, sizeof(uint16_t), &n, "accepts")) || !has_length("accepts", n, 0x10000))
        return -1;
    if (!(d->limits = borrowed(b, limits, sizeof(int32_t), &n, "limits"))) return -1;
    d->n_categories = (int32_t)n;
    if (!(d->always = borrowed(b, always, 1, &n, "always")) || !has_length("always", n, (size_t)d->n_categories))
        return -1;
    if (!(d->unknown_first = borrowed(b, firsts, sizeof(int32_t), &n, "firsts"))
        || !has_length("firsts", n, (size_t)d->n_categories + 1)) return -1;
    if (!(d->unknowns = borrowed(b, unknowns, sizeof(Entry), &n, "unknowns"))) return -1;
    d->n_unknowns = (int32_t)n;
    d->own_beyond = d->accepts_beyond = (uint16_t)beyond;
    const char *fault = fault_of(d);
    if (fault) PyErr_Format(PyExc_ValueError, "the dictionary is damaged: %s", fault);
    return fault ? -1 : 0;
}

static PyObject *lattice_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    if (keywords && PyDict_Size(keywords)) {
        PyErr_SetString(PyExc_TypeError, "Lattice takes no keyword arguments");
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    LatticeObject *self = (LatticeObject *)allocate(type, 0);
    if (!self) return NULL;
    self->dictionary = (Dictionary){0};
    self->buffers.n = 0;
    if (lattice_read(self, args)) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static void lattice_dealloc(PyObject *self)
{
    give_back(&((LatticeObject *)self)->buffers);
    freed(self);
}

/* Finds the path through a text, stripped or not; the caller frees text and path, also on failure. */
static int cut(LatticeObject *self, PyObject *string, int strip, int32_t enough, Text *text, Text *inner, Path *path)
{
    int failed;
    if (text_of(string, text)) return -1;
    *inner = strip ? stripped_text(*text) : *text;
    Py_BEGIN_ALLOW_THREADS
    failed = path_of(&self->dictionary, inner->letters, inner->length, enough, path);
    Py_END_ALLOW_THREADS
    if (failed) PyErr_NoMemory();
    return failed;
}

static PyObject *lattice_surfaces(PyObject *self, PyObject *string)
{
    Text text = {0}, inner;
    Path path = {0};
    PyObject *list = NULL;
    if (!cut((LatticeObject *)self, string, 1, INT32_MAX, &text, &inner, &path)
        && (list = PyList_New((Py_ssize_t)path.n_pieces))) {
        Py_ssize_t start = inner.skipped;
        for (size_t i = 0; i < path.n_pieces; i++) {
            Py_ssize_t end = inner.skipped + path.pieces[i].end;
            PyObject *surface = PyUnicode_Substring(string, start, end);
            if (!surface || PyList_SetItem(list, (Py_ssize_t)i, surface)) {
                Py_DECREF(list);
                list = NULL;
                break;
            }
            start = end;
        }
    }
    path_free(&path);
    free(text.letters);
    return list;
}

#define N_KNOWN 7    /* what `known` has of an entry: base form, reading, part of speech, and four more */
#define N_COLUMNS 10 /* of a token: surface, base form, reading, part of speech, start, end, and these four */

/* Makes tokens: objects of a subclass of tuple. `columns` is filled anew for each; `arguments` holds it alone. */
typedef struct {
    PyTypeObject *type;
    PyObject *known, *columns, *arguments;
    newfunc make;
} TokenMaker;

static int token_maker_of(TokenMaker *maker, PyObject *type, PyObject *known)
{
    if (type == (PyObject *)&PyTuple_Type || !PyType_IsSubtype((PyTypeObject *)type, &PyTuple_Type)) {
        PyErr_SetString(PyExc_TypeError, "tokens are of a subclass of tuple");
        return -1;
    }
    maker->type = (PyTypeObject *)type;
    maker->known = known;
    maker->make = (newfunc)PyType_GetSlot(&PyTuple_Type, Py_tp_new);
    maker->columns = PyTuple_New(N_COLUMNS);
    maker->arguments = maker->columns ? PyTuple_New(1) : NULL;
    if (!maker->arguments) {
        Py_XDECREF(maker->columns);
        return -1;
    }
    return PyTuple_SetItem(maker->arguments, 0, maker->columns);
}

static PyObject *token_of(TokenMaker *maker, PyObject *surface, PyObject *start, PyObject *end, int32_t entry)
{
    PyObject *number = PyLong_FromLong(entry);
    PyObject *word = number ? PyObject_GetItem(maker->known, number) : NULL;
    Py_XDECREF(number);
    if (!word) return NULL;
    if (!PyTuple_Check(word) || PyTuple_Size(word) != N_KNOWN) {
        PyErr_SetString(PyExc_TypeError, "what is known of an entry is a tuple of 7");
        Py_DECREF(word);
        return NULL;
    }
    PyObject *base = PyTuple_GetItem(word, 0);
    PyObject *items[N_COLUMNS] = {surface, base == Py_None ? surface : base, PyTuple_GetItem(word, 1),
                                  PyTuple_GetItem(word, 2), start, end};
    for (Py_ssize_t i = 3; i < N_KNOWN; i++) items[i + 3] = PyTuple_GetItem(word, i);
    int failed = 0;
    for (Py_ssize_t i = 0; i < N_COLUMNS; i++) {
        Py_INCREF(items[i]);
        failed |= PyTuple_SetItem(maker->columns, i, items[i]);
    }
    Py_DECREF(word);
    PyObject *token = failed ? NULL : maker->make(maker->type, maker->arguments, NULL);
    if (token) PyObject_GC_UnTrack(token); /* strings and numbers make no cycles; looking for some doubles the time */
    return token;
}

static PyObject *tokens_of_path(TokenMaker *maker, PyObject *string, Py_ssize_t skipped, const Path *path)
{
    PyObject *list = PyList_New((Py_ssize_t)path->n_pieces), *start = list ? PyLong_FromSsize_t(skipped) : NULL;
    Py_ssize_t begin = skipped;
    int failed = !start;
    for (size_t i = 0; !failed && i < path->n_pieces; i++) {
        Py_ssize_t stop = skipped + path->pieces[i].end;
        PyObject *surface = PyUnicode_Substring(string, begin, stop), *end = PyLong_FromSsize_t(stop);
        PyObject *token = surface && end ? token_of(maker, surface, start, end, path->pieces[i].entry) : NULL;
        failed = !token || PyList_SetItem(list, (Py_ssize_t)i, token);
        Py_XDECREF(surface);
        Py_DECREF(start);
        start = end;
        begin = stop;
    }
    Py_XDECREF(start);
    if (!failed) return list;
    Py_XDECREF(list);
    return NULL;
}

static PyObject *lattice_tokens(PyObject *self, PyObject *args)
{
    PyObject *string, *type, *known, *list = NULL;
    Text text = {0}, inner;
    Path path = {0};
    TokenMaker maker;
    if (!PyArg_ParseTuple(args, "UO!O:tokens", &string, &PyType_Type, &type, &known)) return NULL;
    if (token_maker_of(&maker, type, known)) return NULL;
    if (!cut((LatticeObject *)self, string, 1, INT32_MAX, &text, &inner, &path))
        list = tokens_of_path(&maker, string, inner.skipped, &path);
    Py_DECREF(maker.arguments);
    path_free(&path);
    free(text.letters);
    return list;
}

static PyObject *lattice_cut(PyObject *self, PyObject *args)
{
    PyObject *string, *result = NULL;
    int enough;
    Text text = {0}, inner;
    Path path = {0};
    if (!PyArg_ParseTuple(args, "Ui:cut", &string, &enough)) return NULL;
    if (!cut((LatticeObject *)self, string, 0, enough, &text, &inner, &path))
        result = Py_BuildValue("y#i", path.pieces ? (const char *)path.pieces : "",
                               (Py_ssize_t)(path.n_pieces * sizeof *path.pieces), path.done);
    path_free(&path);
    free(text.letters);
    return result;
}

static PyMethodDef lattice_methods[] = {
    {"surfaces", lattice_surfaces, METH_O, "surfaces(text, /)\n--\n\nReturn Janome's surfaces of a text."},
    {"tokens", lattice_tokens, METH_VARARGS,
     "tokens(text, kind, known, /)\n--\n\nReturn Janome's tokens of a text: objects of `kind`, a subclass of tuple with ten\n"
     "columns. known[entry] has base form (or None), reading, part of speech and the last four columns."},
    {"cut", lattice_cut, METH_VARARGS,
     "cut(text, enough, /)\n--\n\nTokenize chunk by chunk until at least `enough` characters are done. Return the tokens,\n"
     "as bytes of int32 pairs (end, entry), and the number of characters done. White space is not stripped."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot lattice_slots[] = {
    {Py_tp_doc, "Lattice(system, user, connections, own, accepts, limits, always, firsts, unknowns, beyond, /)\n--\n\n"
                "Finds the cheapest path through a text. A lexicon is (slots, entries, numbers, codes)."},
    {Py_tp_new, lattice_new},
    {Py_tp_dealloc, lattice_dealloc},
    {Py_tp_methods, lattice_methods},
    {0, NULL}};

PyType_Spec lattice_spec = {"textnb._native.Lattice", sizeof(LatticeObject), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, lattice_slots};
