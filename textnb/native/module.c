/* The Python side of the extension: buffers in, lists and bytes out. Everything long runs without the GIL. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <stdlib.h>
#include <string.h>

#include "hinge.h"
#include "lattice.h"
#include "mail.h"
#include "pages.h"
#include "scan.h"
#include "terms.h"

#define REPLACEMENT 0xFFFD

typedef struct {
    PyTypeObject *lattice, *cutter;
} State;

/* ---- texts ---- */

typedef struct {
    uint32_t *letters;
    int32_t length, skipped; /* skipped: white space at the beginning that is not part of letters */
} Text;

/* How long a str is; -1 sets an exception. */
static Py_ssize_t length_of(PyObject *string)
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

/* The code points of a str; to be freed by the caller. NULL sets an exception. */
static uint32_t *code_points_of(PyObject *string, Py_ssize_t *length)
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

/* Halves of characters become U+FFFD. */
static void without_halves(uint32_t *letters, Py_ssize_t length)
{
    for (Py_ssize_t i = 0; i < length; i++)
        if (letters[i] >= 0xD800 && letters[i] <= 0xDFFF) letters[i] = REPLACEMENT;
}

/* The code points so. */
static uint32_t *letters_of(PyObject *string, Py_ssize_t *length)
{
    uint32_t *letters = code_points_of(string, length);
    if (letters) without_halves(letters, *length);
    return letters;
}

static int text_of(PyObject *string, Text *text)
{
    Py_ssize_t length;
    text->letters = letters_of(string, &length);
    if (!text->letters) return -1;
    text->length = (int32_t)length;
    text->skipped = 0;
    return 0;
}

/* Without the white space at both ends, as str.strip() and so Janome has it. The memory stays the same. */
static Text stripped(Text text)
{
    while (text.length && is_space(text.letters[text.length - 1])) text.length--;
    while (text.length && is_space(text.letters[0])) {
        text.letters++;
        text.length--;
        text.skipped++;
    }
    return text;
}

static PyObject *string_of(const uint32_t *letters, size_t length)
{
    const union { uint16_t number; uint8_t bytes[2]; } one = {1};
    int order = one.bytes[0] ? -1 : 1; /* this machine's */
    return PyUnicode_DecodeUTF32((const char *)letters, (Py_ssize_t)(length * sizeof *letters), NULL, &order);
}

/* ---- buffers ---- */

#define BUFFERS 16

typedef struct {
    Py_buffer views[BUFFERS];
    int n;
} Buffers;

/* The memory of a buffer of items of a size; NULL sets an exception. */
static const void *borrowed(Buffers *buffers, PyObject *object, size_t size, size_t *n, const char *name)
{
    Py_buffer *view = &buffers->views[buffers->n];
    if (PyObject_GetBuffer(object, view, PyBUF_SIMPLE)) return NULL;
    buffers->n++;
    if (view->len % (Py_ssize_t)size || (uintptr_t)view->buf % (size < 8 ? (size & (~size + 1)) : 4)
        || view->len / (Py_ssize_t)size > INT32_MAX) {
        PyErr_Format(PyExc_ValueError, "%s: a buffer of %zd bytes at %p cannot hold items of %zu bytes", name, view->len,
                     view->buf, size);
        return NULL;
    }
    *n = (size_t)view->len / size;
    static const uint64_t nothing = 0;
    return view->len ? view->buf : &nothing;
}

static void give_back(Buffers *buffers)
{
    while (buffers->n) PyBuffer_Release(&buffers->views[--buffers->n]);
}

static int has_length(const char *name, size_t n, size_t expected)
{
    if (n == expected) return 1;
    PyErr_Format(PyExc_ValueError, "%s: %zu items, expected %zu", name, n, expected);
    return 0;
}

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

/* ---- Lattice ---- */

typedef struct {
    PyObject_HEAD
    Dictionary dictionary;
    Buffers buffers;
} LatticeObject;

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

static void freed(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static void lattice_dealloc(PyObject *self)
{
    give_back(&((LatticeObject *)self)->buffers);
    freed(self);
}

/* The path through a text, stripped or not; `text` is for the caller to free. */
static int cut(LatticeObject *self, PyObject *string, int strip, int32_t enough, Text *text, Text *inner, Path *path)
{
    int failed;
    if (text_of(string, text)) return -1;
    *inner = strip ? stripped(*text) : *text;
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
    {"surfaces", lattice_surfaces, METH_O, "surfaces(text, /)\n--\n\nJanome's surfaces of a text."},
    {"cut", lattice_cut, METH_VARARGS,
     "cut(text, enough, /)\n--\n\nPairs of int32 (end, entry) of the tokens of the first chunks, with no white space\n"
     "stripped, until enough characters are done; and how many were."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot lattice_slots[] = {
    {Py_tp_doc, "Lattice(system, user, connections, own, accepts, limits, always, firsts, unknowns, beyond, /)\n--\n\n"
                "The cheapest path through a text. A lexicon is (slots, entries, numbers, codes)."},
    {Py_tp_new, lattice_new},
    {Py_tp_dealloc, lattice_dealloc},
    {Py_tp_methods, lattice_methods},
    {0, NULL}};

static PyType_Spec lattice_spec = {"textnb._native.Lattice", sizeof(LatticeObject), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, lattice_slots};

/* ---- Cutter: how the text of a document becomes tokens ---- */

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
                "How texts become tokens: ('lattice', lattice, strings, offsets, pool), ('runs', kinds),\n"
                "('words', kinds) or ('grams', low, high)."},
    {Py_tp_new, cutter_new},
    {Py_tp_dealloc, cutter_dealloc},
    {0, NULL}};

static PyType_Spec cutter_spec = {"textnb._native.Cutter", sizeof(CutterObject), 0,
                                  Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, cutter_slots};

/* ---- Counter ---- */

typedef struct {
    PyObject_HEAD
    Counter counter;
    PyThread_type_lock lock;
} CounterObject;

typedef uint32_t *(*Reading)(PyObject *string, Py_ssize_t *length);

static int add_strings(Table *table, PyObject *strings, Reading read)
{
    PyObject *items = PySequence_List(strings);
    if (!items) return -1;
    int failed = 0;
    for (Py_ssize_t i = 0; !failed && i < PyList_Size(items); i++) {
        Py_ssize_t length;
        uint32_t *letters = read(PyList_GetItem(items, i), &length);
        if (!letters) failed = -1;
        else if (table_number(table, letters, (size_t)length, 1) == -2) {
            PyErr_NoMemory();
            failed = -1;
        }
        free(letters);
    }
    Py_DECREF(items);
    return failed;
}

static PyObject *counter_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"seed", "low", "high", "stopped", "known", NULL};
    const char *seed;
    Py_ssize_t n_seed;
    Py_ssize_t low, high;
    PyObject *stopped, *known = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y#nnO|O:Counter", names, &seed, &n_seed, &low, &high, &stopped, &known))
        return NULL;
    if (n_seed != 16 || low < 1 || high < low) {
        PyErr_SetString(PyExc_ValueError, "a Counter needs 16 bytes of seed and 1 <= low <= high");
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    CounterObject *self = (CounterObject *)allocate(type, 0);
    if (!self) return NULL;
    uint64_t keys[2];
    memcpy(keys, seed, sizeof keys);
    self->lock = PyThread_allocate_lock();
    int failed = counter_start(&self->counter, keys[0], keys[1], (size_t)low, (size_t)high) || !self->lock;
    if (failed) PyErr_NoMemory();
    failed = failed || add_strings(&self->counter.stopped, stopped, letters_of);
    if (!failed && known != Py_None) {
        /* as they are: half a character is in no document, so that such a term is known and never met */
        failed = add_strings(&self->counter.terms, known, code_points_of);
        self->counter.closed = 1;
    }
    if (!failed) return (PyObject *)self;
    Py_DECREF(self);
    return NULL;
}

static void counter_dealloc(PyObject *object)
{
    CounterObject *self = (CounterObject *)object;
    if (self->lock) PyThread_free_lock(self->lock);
    counter_free(&self->counter);
    freed(object);
}

/* What a batch of documents is made of. */
typedef struct {
    const CutterObject *cutter;
    Text text, inner; /* inner: what is cut */
    Piece *pieces;
    size_t n_pieces, n_extras;
} Document;

typedef struct {
    size_t start, length; /* in the batch's letters */
} Extra;

typedef struct {
    Document *documents;
    Extra *extras; /* terms that are added as they are, those of all documents */
    uint32_t *letters;
    size_t n, n_extras, room_for_extras, n_letters, room_for_letters;
} Batch;

static void batch_free(Batch *batch)
{
    for (size_t i = 0; batch->documents && i < batch->n; i++) {
        free(batch->documents[i].text.letters);
        free(batch->documents[i].pieces);
    }
    free(batch->documents);
    free(batch->extras);
    free(batch->letters);
}

/* The letters of a str behind those that are there. */
static int batch_write(Batch *batch, PyObject *string)
{
    Py_ssize_t length = length_of(string);
    if (length < 0) return -1;
    if (grown(&batch->letters, &batch->room_for_letters, batch->n_letters + (size_t)length + 1, sizeof *batch->letters)) {
        PyErr_NoMemory();
        return -1;
    }
    uint32_t *letters = batch->letters + batch->n_letters;
    if (!PyUnicode_AsUCS4(string, letters, length + 1, 1)) return -1;
    without_halves(letters, length);
    batch->n_letters += (size_t)length;
    return 0;
}

/* One more term: n letters that stand at `prefix` among the batch's, and a str. */
static int batch_add_extra(Batch *batch, size_t prefix, size_t n, PyObject *string, Document *document)
{
    const size_t start = batch->n_letters;
    if (grown(&batch->letters, &batch->room_for_letters, start + n + 1, sizeof *batch->letters)
        || grown(&batch->extras, &batch->room_for_extras, batch->n_extras + 1, sizeof *batch->extras)) {
        PyErr_NoMemory();
        return -1;
    }
    for (size_t i = 0; i < n; i++) batch->letters[start + i] = batch->letters[prefix + i];
    batch->n_letters += n;
    if (batch_write(batch, string)) return -1;
    batch->extras[batch->n_extras++] = (Extra){.start = start, .length = batch->n_letters - start};
    document->n_extras++;
    return 0;
}

/* A sequence of str and of groups: tuples of a prefix, here NULL, and a sequence of str. */
static int batch_add_extras(Batch *batch, PyObject *prefix, PyObject *terms, Document *document)
{
    const size_t start = batch->n_letters;
    if (prefix && batch_write(batch, prefix)) return -1;
    const size_t n = batch->n_letters - start;
    PyObject *items = PyList_CheckExact(terms) ? Py_NewRef(terms) : PySequence_List(terms);
    if (!items) return -1;
    int failed = 0;
    for (Py_ssize_t i = 0; !failed && i < PyList_Size(items); i++) {
        PyObject *item = PyList_GetItem(items, i);
        if (!prefix && PyTuple_Check(item) && PyTuple_Size(item) == 2)
            failed = batch_add_extras(batch, PyTuple_GetItem(item, 0), PyTuple_GetItem(item, 1), document);
        else
            failed = batch_add_extra(batch, start, n, item, document);
    }
    Py_DECREF(items);
    return failed;
}

/* Three tuples of the same length: of Cutter, of str, of what batch_add_extras takes. They outlive the batch. */
static int batch_of(PyObject *cutters, PyObject *texts, PyObject *extras, PyTypeObject *cutter_type, Batch *batch)
{
    Py_ssize_t n = PyTuple_Size(texts);
    if (PyTuple_Size(cutters) != n || PyTuple_Size(extras) != n) {
        PyErr_SetString(PyExc_ValueError, "cutters, texts and extras must be of one length");
        return -1;
    }
    batch->documents = calloc((size_t)n + 1, sizeof *batch->documents);
    if (!batch->documents) {
        PyErr_NoMemory();
        return -1;
    }
    batch->n = (size_t)n;
    for (Py_ssize_t i = 0; i < n; i++) {
        Document *document = &batch->documents[i];
        PyObject *cutter = PyTuple_GetItem(cutters, i);
        if (!PyObject_TypeCheck(cutter, cutter_type)) {
            PyErr_SetString(PyExc_TypeError, "count needs a Cutter for each text");
            return -1;
        }
        document->cutter = (const CutterObject *)cutter;
        if (text_of(PyTuple_GetItem(texts, i), &document->text)) return -1;
        document->inner = document->text;
        if (batch_add_extras(batch, NULL, PyTuple_GetItem(extras, i), document)) return -1;
    }
    return 0;
}

/* The paths of a batch's texts; 0, or -1 without memory. Needs no GIL. */
static int batch_cut(Batch *batch)
{
    Path path = {0};
    int failed = 0;
    for (size_t i = 0; !failed && i < batch->n; i++) {
        Document *document = &batch->documents[i];
        if (!document->cutter->lattice) continue;
        document->inner = stripped(document->text);
        failed = path_of(&document->cutter->lattice->dictionary, document->inner.letters, document->inner.length, INT32_MAX, &path);
        document->pieces = path.pieces; /* handed over */
        document->n_pieces = path.n_pieces;
        path.pieces = NULL;
        path.room_for_pieces = 0;
    }
    path_free(&path);
    return failed;
}

static int batch_count(const Batch *batch, Counter *counter, Rows *rows)
{
    const Extra *extra = batch->extras;
    counter->row_start = 0;
    for (size_t i = 0; i < batch->n; i++) {
        const Document *document = &batch->documents[i];
        const CutterObject *cutter = document->cutter;
        if (cutter->cut(cutter, document->inner, document->pieces, document->n_pieces, counter, rows)) return -1;
        for (size_t k = 0; k < document->n_extras; k++, extra++)
            if (counter_term(counter, rows, batch->letters + extra->start, extra->length)) return -1;
        if (counter_end_row(counter, rows)) return -1;
    }
    return 0;
}

static PyObject *counter_count(PyObject *object, PyObject *args)
{
    CounterObject *self = (CounterObject *)object;
    PyObject *cutters, *texts, *extras, *result = NULL;
    if (!PyArg_ParseTuple(args, "O!O!O!:count", &PyTuple_Type, &cutters, &PyTuple_Type, &texts, &PyTuple_Type, &extras))
        return NULL;
    const State *state = PyType_GetModuleState(Py_TYPE(object));
    Batch batch = {0};
    Rows rows = {0};
    int failed = batch_of(cutters, texts, extras, state->cutter, &batch);
    if (!failed) {
        Py_BEGIN_ALLOW_THREADS
        failed = batch_cut(&batch);
        PyThread_acquire_lock(self->lock, WAIT_LOCK);
        failed = failed || batch_count(&batch, &self->counter, &rows);
        if (failed) counter_abandon_row(&self->counter);
        PyThread_release_lock(self->lock);
        Py_END_ALLOW_THREADS
        if (failed) PyErr_NoMemory();
    }
    if (!failed)
        result = Py_BuildValue("y#y#y#", rows.n_rows ? (const char *)rows.lengths : "",
                               (Py_ssize_t)(rows.n_rows * sizeof *rows.lengths), rows.n ? (const char *)rows.ids : "",
                               (Py_ssize_t)(rows.n * sizeof *rows.ids), rows.n ? (const char *)rows.counts : "",
                               (Py_ssize_t)(rows.n * sizeof *rows.counts));
    batch_free(&batch);
    rows_free(&rows);
    return result;
}

/* Nobody waits for the lock with the GIL in hand, and nobody runs Python code with the lock in hand. */
static void counter_lock(CounterObject *self)
{
    Py_BEGIN_ALLOW_THREADS
    PyThread_acquire_lock(self->lock, WAIT_LOCK);
    Py_END_ALLOW_THREADS
}

static PyObject *counter_strings(PyObject *object, PyObject *unused)
{
    (void)unused;
    CounterObject *self = (CounterObject *)object;
    const Table *terms = &self->counter.terms;
    counter_lock(self);
    size_t n = terms->n, i = 0;
    PyThread_release_lock(self->lock);
    PyObject *list = PyList_New((Py_ssize_t)n); /* not under the lock: it may collect garbage, and so run any code */
    if (!list) return NULL;
    counter_lock(self);
    for (; i < n; i++) {
        PyObject *string = string_of(terms->letters + terms->terms[i].start, terms->terms[i].length);
        if (!string || PyList_SetItem(list, (Py_ssize_t)i, string)) break;
    }
    PyThread_release_lock(self->lock);
    if (i == n) return list;
    Py_DECREF(list);
    return NULL;
}

static PyMethodDef counter_methods[] = {
    {"count", counter_count, METH_VARARGS,
     "count(cutters, texts, extras, /)\n--\n\nThe rows of a count matrix, as bytes of int32: the length of each row, the\n"
     "numbers of its terms, and their counts. Tuples: the Cutter of each text, the text, more terms for it, where a\n"
     "tuple (prefix, tokens) stands for prefix + token of each."},
    {"strings", counter_strings, METH_NOARGS, "strings()\n--\n\nThe terms in the order of their numbers."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot counter_slots[] = {
    {Py_tp_doc, "Counter(seed, low, high, stopped, known=None)\n--\n\n"
                "Numbers terms, n-grams of tokens from low to high, and counts them. known: distinct terms that have\n"
                "their numbers already; any other is left out then."},
    {Py_tp_new, counter_new},
    {Py_tp_dealloc, counter_dealloc},
    {Py_tp_methods, counter_methods},
    {0, NULL}};

static PyType_Spec counter_spec = {"textnb._native.Counter", sizeof(CounterObject), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, counter_slots};

/* ---- squared hinge ---- */

#define MOST_TARGETS (1 << 20)

/* The memory of a buffer of n doubles, n below 2^60; NULL sets an exception. */
static double *doubles(Buffers *buffers, PyObject *object, int flags, size_t n, const char *name)
{
    Py_buffer *view = &buffers->views[buffers->n];
    if (PyObject_GetBuffer(object, view, flags)) return NULL;
    buffers->n++;
    if (view->len != (Py_ssize_t)(n * sizeof(double)) || (uintptr_t)view->buf % sizeof(double)) {
        PyErr_Format(PyExc_ValueError, "%s: %zd bytes at %p are not %zu numbers", name, view->len, view->buf, n);
        return NULL;
    }
    static double nothing;
    return n ? view->buf : &nothing;
}

static PyObject *hinge_pass_of(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *starts, *columns, *values, *targets, *slack, *curvature, *order, *alpha, *theta, *result = NULL;
    Py_ssize_t n_columns, n_targets;
    if (!PyArg_ParseTuple(args, "OOOOOOOOOnn:hinge_pass", &starts, &columns, &values, &targets, &slack, &curvature, &order,
                          &alpha, &theta, &n_columns, &n_targets))
        return NULL;
    if (n_columns < 0 || n_columns > INT32_MAX || n_targets < 1 || n_targets > MOST_TARGETS) {
        PyErr_SetString(PyExc_ValueError, "the number of columns or targets is out of range");
        return NULL;
    }
    Buffers buffers = {.n = 0};
    HingeRows rows = {.n_columns = (size_t)n_columns, .n_targets = (size_t)n_targets};
    size_t n_starts, n_order;
    const int32_t *sequence = NULL;
    double *dual = NULL, *primal = NULL, *room = NULL;
    int ready = (rows.starts = borrowed(&buffers, starts, sizeof(int32_t), &n_starts, "starts")) != NULL;
    if (ready && !n_starts) {
        PyErr_SetString(PyExc_ValueError, "starts: there must be one more than rows");
        ready = 0;
    }
    rows.n_rows = ready ? n_starts - 1 : 0;
    const size_t cells = rows.n_rows * rows.n_targets; /* below 2^51 */
    ready = ready && (rows.columns = borrowed(&buffers, columns, sizeof(int32_t), &rows.n_values, "columns"))
            && (rows.values = doubles(&buffers, values, PyBUF_SIMPLE, rows.n_values, "values"))
            && (rows.targets = doubles(&buffers, targets, PyBUF_SIMPLE, cells, "targets"))
            && (rows.slack = doubles(&buffers, slack, PyBUF_SIMPLE, rows.n_rows, "slack"))
            && (rows.curvature = doubles(&buffers, curvature, PyBUF_SIMPLE, rows.n_rows, "curvature"))
            && (sequence = borrowed(&buffers, order, sizeof(int32_t), &n_order, "order"))
            && (dual = doubles(&buffers, alpha, PyBUF_WRITABLE, cells, "alpha"))
            && (primal = doubles(&buffers, theta, PyBUF_WRITABLE, (rows.n_columns + 1) * rows.n_targets, "theta"));
    if (ready && !(room = malloc(2 * rows.n_targets * sizeof *room))) PyErr_NoMemory();
    if (room) {
        int outside;
        Py_BEGIN_ALLOW_THREADS
        outside = hinge_pass(&rows, sequence, n_order, dual, primal, room);
        Py_END_ALLOW_THREADS
        if (outside) PyErr_SetString(PyExc_ValueError, "a row, a start or a column is out of range");
        else result = Py_NewRef(Py_None);
    }
    free(room);
    give_back(&buffers);
    return result;
}

/* ---- pages ---- */

static PyObject *with_lines_of(PyObject *module, PyObject *args)
{
    PyObject *source, *tags, *result = NULL;
    (void)module;
    if (!PyArg_ParseTuple(args, "SS:with_lines", &source, &tags)) return NULL;
    Buffers buffers = {0};
    size_t n;
    const uint32_t *numbers = borrowed(&buffers, tags, sizeof *numbers, &n, "tags");
    if (numbers) {
        const size_t length = (size_t)PyBytes_Size(source);
        char *lined = malloc(2 * length + 1);
        if (lined) {
            const size_t longer = with_lines(PyBytes_AsString(source), length, numbers, n, lined);
            result = PyBytes_FromStringAndSize(lined, (Py_ssize_t)longer);
        } else PyErr_NoMemory();
        free(lined);
    }
    give_back(&buffers);
    return result;
}

static PyObject *has_many_attributes_of(PyObject *module, PyObject *args)
{
    const char *source;
    Py_ssize_t length, most;
    (void)module;
    if (!PyArg_ParseTuple(args, "y#n:has_many_attributes", &source, &length, &most)) return NULL;
    return PyBool_FromLong(has_many_attributes(source, (size_t)length, most < 0 ? 0 : (size_t)most));
}

static PyMethodDef module_methods[] = {
    {"split_head", split_head, METH_VARARGS,
     "split_head(data, start, end, longest, longest_name, /)\n--\n\nThe fields of a head, (name, value), its lines that are none (one alone\n"
     "where it comes first), its length, where the body begins, and whether =? stands in it."},
    {"head_tokens", head_tokens, METH_VARARGS,
     "head_tokens(fields, told, rules, n, otherwise, /)\n--\n\nThe tokens of n groups of fields, each once. told: how a field is told, by its\n"
     "name, (group, way, name, prefix) or None. rules: of words, addresses and relays. otherwise(told, value): the\n"
     "tokens of a value that must be decoded first."},
    {"present", present, METH_VARARGS,
     "present(source, words, /)\n--\n\nThose of some words, lower-case bytes, that a source holds, whatever its case. White\n"
     "space may stand before a colon."},
    {"values_of", values_of, METH_VARARGS,
     "values_of(source, names, /)\n--\n\nThe values that stand behind : or = after each of some names, lower-case bytes, that\n"
     "are not part of longer ones: a set for each."},
    {"written_hosts", written_hosts, METH_VARARGS,
     "written_hosts(text, longest, most, /)\n--\n\nWhat stands after :// and www. in a text, each once, of the first so many of each."},
    {"tidied", tidied, METH_O,
     "tidied(text, /)\n--\n\nThe words of a text, a line end between two where there was one, else a space."},
    {"words", words, METH_VARARGS,
     "words(data, rules, /)\n--\n\nThe words of data. rules: a table of 256 bytes that translates them, what is taken away at the edges\n"
     "of a word, the longest word, the most words, the longest value."},
    {"has_many_attributes", has_many_attributes_of, METH_VARARGS,
     "has_many_attributes(source, most, /)\n--\n\nWhether a tag in a page's source, UTF-8, has more attributes than that."},
    {"with_lines", with_lines_of, METH_VARARGS,
     "with_lines(source, tags, /)\n--\n\nA page's source with a line end before every tag that begins in one of these ways:\n"
     "uint32, ascending, of two to four bytes each, the first the highest."},
    {"hinge_pass", hinge_pass_of, METH_VARARGS,
     "hinge_pass(starts, columns, values, targets, slack, curvature, order, alpha, theta, n_columns, n_targets, /)\n--\n\n"
     "One pass of dual coordinate descent over rows in an order; alpha and theta are changed."},
    {NULL, NULL, 0, NULL}};

/* ---- module ---- */

/* A type that the module has from now on; NULL sets an exception. */
static PyTypeObject *added(PyObject *module, PyType_Spec *spec)
{
    PyObject *type = PyType_FromModuleAndSpec(module, spec, NULL);
    if (type && PyModule_AddType(module, (PyTypeObject *)type)) Py_CLEAR(type);
    return (PyTypeObject *)type;
}

static int module_exec(PyObject *module)
{
    State *state = PyModule_GetState(module);
    if (!(state->lattice = added(module, &lattice_spec)) || !(state->cutter = added(module, &cutter_spec))) return -1;
    PyTypeObject *counter = added(module, &counter_spec);
    Py_XDECREF((PyObject *)counter);
    return counter ? 0 : -1;
}

static int module_traverse(PyObject *module, visitproc visit, void *arg)
{
    State *state = PyModule_GetState(module);
    Py_VISIT(state->lattice);
    Py_VISIT(state->cutter);
    return 0;
}

static int module_clear(PyObject *module)
{
    State *state = PyModule_GetState(module);
    Py_CLEAR(state->lattice);
    Py_CLEAR(state->cutter);
    return 0;
}

static void module_free(void *module)
{
    module_clear(module);
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, module_exec}, {0, NULL}};

static struct PyModuleDef module_definition = {PyModuleDef_HEAD_INIT,
                                               .m_name = "textnb._native",
                                               .m_doc = "Janome's tokens, counting, and the squared hinge, at the speed of C.",
                                               .m_size = sizeof(State),
                                               .m_methods = module_methods,
                                               .m_slots = module_slots,
                                               .m_traverse = module_traverse,
                                               .m_clear = module_clear,
                                               .m_free = module_free};

PyMODINIT_FUNC PyInit__native(void)
{
    return PyModuleDef_Init(&module_definition);
}
