/* The type Counter: numbers terms and counts them into the rows of a count matrix. */
#include "types.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    PyObject_HEAD
    Counter counter;
    PyThread_type_lock lock;
    Buffers buffers;      /* of packed terms */
    unsigned generation;  /* of the process that made it */
    int is_finished;      /* its terms were taken by sorted(True): it is empty, and counts no more; under the lock */
} CounterObject;

/* Number of forks between the first process and this one; counted by after_fork. */
static unsigned generation;

PyObject *after_fork(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    generation++;
    Py_RETURN_NONE;
}

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

/* Whether lengths of n-grams are possible; none if high is 0. */
static int is_range(Py_ssize_t low, Py_ssize_t high)
{
    return low >= 1 && (!high || high >= low);
}

/* Makes a counter one of packed terms: (bytes, starts, table). */
static int pack(CounterObject *self, PyObject *known)
{
    Packed packed = {0};
    size_t n_starts;
    packed.bytes = borrowed(&self->buffers, PyTuple_GetItem(known, 0), 1, &packed.n_bytes, "bytes");
    packed.starts = packed.bytes ? borrowed(&self->buffers, PyTuple_GetItem(known, 1), 4, &n_starts, "starts") : NULL;
    packed.table = packed.starts ? borrowed(&self->buffers, PyTuple_GetItem(known, 2), 8, &packed.n_table, "table") : NULL;
    if (!packed.table) return -1;
    if (n_starts < 1 || n_starts > INT32_MAX || packed.n_table < 2) {
        PyErr_SetString(PyExc_ValueError, "packed terms need a start more than there are terms, and a table");
        return -1;
    }
    packed.n = n_starts - 1;
    if (!counter_pack(&self->counter, packed)) return 0;
    PyErr_NoMemory();
    return -1;
}

static PyObject *counter_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"seed", "low", "high", "stopped", "known", "chars_low", "chars_high", NULL};
    const char *seed;
    Py_ssize_t n_seed, low, high, chars_low = 1, chars_high = 0;
    PyObject *stopped, *known = Py_None;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "y#nnO|Onn:Counter", names, &seed, &n_seed, &low, &high, &stopped,
                                     &known, &chars_low, &chars_high))
        return NULL;
    if (n_seed != 16 || !is_range(low, high) || !is_range(chars_low, chars_high) || chars_high > MAX_CHARS) {
        PyErr_SetString(PyExc_ValueError, "a Counter needs 16 bytes of seed and 1 <= low <= high, or high 0 for none; chars_high is 3 at most");
        return NULL;
    }
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    CounterObject *self = (CounterObject *)allocate(type, 0);
    if (!self) return NULL;
    uint64_t keys[2];
    memcpy(keys, seed, sizeof keys);
    self->lock = PyThread_allocate_lock();
    self->generation = generation;
    int failed = counter_start(&self->counter, keys[0], keys[1]) || !self->lock;
    self->counter.low = (size_t)low;
    self->counter.high = (size_t)high;
    self->counter.chars_low = (size_t)chars_low;
    self->counter.chars_high = (size_t)chars_high;
    if (failed) PyErr_NoMemory();
    failed = failed || add_strings(&self->counter.stopped, stopped, letters_of);
    if (!failed && PyTuple_Check(known) && PyTuple_Size(known) == 3 && !PyUnicode_Check(PyTuple_GetItem(known, 0)))
        failed = pack(self, known);
    else if (!failed && known != Py_None) {
        /* Unchanged: no document has a lone surrogate, so a known term that has one is never counted. */
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
    if (self->generation == generation) { /* else a thread of the parent may have been at work: its memory is left alone */
        if (self->lock) PyThread_free_lock(self->lock);
        counter_free(&self->counter);
    }
    give_back(&self->buffers);
    freed(object);
}

/* One document of a batch. */
typedef struct {
    const CutterObject *cutter;
    Text text, inner; /* inner: the part that is tokenized */
    Piece *pieces;
    size_t n_pieces, n_extras;
} Document;

typedef struct {
    size_t start, length; /* in the batch's letters */
} Extra;

typedef struct {
    Document *documents;
    Extra *extras; /* of all documents: terms that are counted unchanged */
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

/* Appends the letters of a str. */
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

/* Adds a term: n letters of the batch, from position `prefix` on, followed by a str. */
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

/* Adds a sequence of str and groups (prefix NULL), or the str of one group. A group is (prefix, sequence of str). */
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

/* Reads three tuples of the same length: Cutters, str, and sequences for batch_add_extras. They outlive the batch. */
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

/* Finds the paths through the texts of a batch; -1 if memory ran out. Needs no GIL. */
static int batch_cut(Batch *batch)
{
    Path path = {0};
    int failed = 0;
    for (size_t i = 0; !failed && i < batch->n; i++) {
        Document *document = &batch->documents[i];
        if (!document->cutter->lattice) continue;
        document->inner = stripped_text(document->text);
        failed = path_of(&document->cutter->lattice->dictionary, document->inner.letters, document->inner.length, INT32_MAX, &path);
        document->pieces = path.pieces; /* the document owns them now */
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
        if (counter->high && cutter->cut(cutter, document->inner, document->pieces, document->n_pieces, counter, rows)) return -1;
        if (counter->chars_high && counter_chars(counter, rows, document->text.letters, (size_t)document->text.length)) return -1;
        for (size_t k = 0; k < document->n_extras; k++, extra++)
            if (counter_term(counter, rows, batch->letters + extra->start, extra->length)) return -1;
        if (counter_end_row(counter, rows)) return -1;
    }
    return 0;
}

static void finished_error(void)
{
    PyErr_SetString(PyExc_ValueError, "the terms of this Counter have been taken by sorted(True)");
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
    int failed = batch_of(cutters, texts, extras, state->cutter, &batch), is_finished = 0;
    if (!failed) {
        Py_BEGIN_ALLOW_THREADS
        failed = self->counter.high ? batch_cut(&batch) : 0;
        PyThread_acquire_lock(self->lock, WAIT_LOCK);
        is_finished = self->is_finished;
        failed = failed || is_finished || batch_count(&batch, &self->counter, &rows);
        if (failed) counter_abandon_row(&self->counter);
        PyThread_release_lock(self->lock);
        Py_END_ALLOW_THREADS
        if (is_finished) finished_error();
        else if (failed) PyErr_NoMemory();
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

/* Waits for the lock without the GIL. No Python code may run while the lock is held. */
static void counter_lock(CounterObject *self)
{
    Py_BEGIN_ALLOW_THREADS
    PyThread_acquire_lock(self->lock, WAIT_LOCK);
    Py_END_ALLOW_THREADS
}

/* The first n terms in the order of their numbers. */
static PyObject *string_list(CounterObject *self, size_t n)
{
    const Table *table = &self->counter.terms;
    size_t i = 0;
    PyObject *list = PyList_New((Py_ssize_t)n); /* not under the lock: it may collect garbage, which runs any code */
    if (!list) return NULL;
    counter_lock(self);
    for (; i < n; i++) {
        PyObject *string = string_of(table->letters + table->terms[i].start, table->terms[i].length);
        if (!string || PyList_SetItem(list, (Py_ssize_t)i, string)) break;
    }
    PyThread_release_lock(self->lock);
    if (i == n) return list;
    Py_DECREF(list);
    return NULL;
}

static int check_not_packed(const CounterObject *self)
{
    if (!self->counter.packed.starts) return 0;
    PyErr_SetString(PyExc_ValueError, "the terms of this Counter are packed; the caller has them");
    return -1;
}

static PyObject *counter_strings(PyObject *object, PyObject *unused)
{
    (void)unused;
    CounterObject *self = (CounterObject *)object;
    if (check_not_packed(self)) return NULL;
    counter_lock(self);
    const size_t n = self->counter.terms.n;
    PyThread_release_lock(self->lock);
    return string_list(self, n);
}

/* Terms as UTF-8, one after the other, and where each starts, n + 1 numbers. */
typedef struct {
    uint32_t *order, *starts;
    unsigned char *bytes;
    size_t n;
    int too_long; /* more than UINT32_MAX bytes */
} SortedTerms;

/* Sorts all terms and writes them as UTF-8; -1 if memory ran out, or they are too long. */
static int terms_sorted(const Table *table, SortedTerms *sorted)
{
    size_t room = 0, end = 0;
    sorted->n = table->n;
    if (!(sorted->order = table_sorted(table))) return -1;
    if (!(sorted->starts = malloc((table->n + 1) * sizeof *sorted->starts))) return -1;
    for (size_t i = 0; i < table->n; i++) {
        const Term *term = &table->terms[sorted->order[i]];
        if (table->n - i > 16) {
            SOON(&table->terms[sorted->order[i + 16]]);
            SOON(&table->letters[table->terms[sorted->order[i + 8]].start]);
        }
        if (term->length > SIZE_MAX / 8 || grown(&sorted->bytes, &room, end + (size_t)term->length * 4 + 1, 1)) return -1;
        sorted->starts[i] = (uint32_t)end;
        end += write_utf8(sorted->bytes + end, table->letters + term->start, term->length);
        if (end > UINT32_MAX) {
            sorted->too_long = 1;
            return -1;
        }
    }
    sorted->starts[table->n] = (uint32_t)end;
    return 0;
}

/* Sorts the terms; last: in less memory, and leaves the counter empty. */
static int counter_terms_sorted(CounterObject *self, int last, SortedTerms *sorted)
{
    PyThread_acquire_lock(self->lock, WAIT_LOCK);
    Counter counter = self->counter;
    if (last) {
        self->is_finished = 1;
        self->counter = (Counter){.row = 1};
        counter_finish(&counter);
    }
    const int failed = terms_sorted(&counter.terms, sorted);
    if (last) counter_free(&counter);
    PyThread_release_lock(self->lock);
    return failed;
}

static PyObject *counter_sorted(PyObject *object, PyObject *args)
{
    CounterObject *self = (CounterObject *)object;
    int last = 0, failed;
    if (!PyArg_ParseTuple(args, "|p:sorted", &last) || check_not_packed(self)) return NULL;
    SortedTerms sorted = {0};
    Py_BEGIN_ALLOW_THREADS
    failed = counter_terms_sorted(self, last, &sorted);
    Py_END_ALLOW_THREADS
    PyObject *result = NULL;
    if (!failed)
        result = Py_BuildValue("y#y#y#", sorted.bytes ? (const char *)sorted.bytes : "", (Py_ssize_t)sorted.starts[sorted.n],
                               (const char *)sorted.starts, (Py_ssize_t)((sorted.n + 1) * sizeof *sorted.starts),
                               (const char *)sorted.order, (Py_ssize_t)(sorted.n * sizeof *sorted.order));
    else if (sorted.too_long) PyErr_SetString(PyExc_OverflowError, "the terms have more than 4,294,967,295 bytes");
    else PyErr_NoMemory();
    free(sorted.order);
    free(sorted.starts);
    free(sorted.bytes);
    return result;
}

static PyMethodDef counter_methods[] = {
    {"count", counter_count, METH_VARARGS,
     "count(cutters, texts, extras, /)\n--\n\nReturn rows of a count matrix as bytes of int32: the length of each row, the\n"
     "numbers of its terms, and their counts. The arguments are tuples: for each text its Cutter, the text, and more\n"
     "terms; among these, a tuple (prefix, tokens) means prefix + token for each token."},
    {"strings", counter_strings, METH_NOARGS, "strings()\n--\n\nReturn the terms in the order of their numbers."},
    {"sorted", counter_sorted, METH_VARARGS,
     "sorted(last=False, /)\n--\n\nReturn the terms sorted by code points: their UTF-8, one after the other, where each starts and\n"
     "the last ends, and their numbers in this order, the latter two as bytes of int32. last: in less memory; the Counter\n"
     "has no terms afterwards, and counts no more."},
    {NULL, NULL, 0, NULL}};

static PyType_Slot counter_slots[] = {
    {Py_tp_doc, "Counter(seed, low, high, stopped, known=None, chars_low=1, chars_high=0)\n--\n\n"
                "Numbers terms and counts them: n-grams of tokens with low <= n <= high, and 'chars:' with n-grams of\n"
                "characters, chars_low <= n <= chars_high; a high of 0 means none. known: distinct terms that are numbered\n"
                "in their order, or the three buffers of packed terms; with it, all other terms are left out."},
    {Py_tp_new, counter_new},
    {Py_tp_dealloc, counter_dealloc},
    {Py_tp_methods, counter_methods},
    {0, NULL}};

PyType_Spec counter_spec = {"textnb._native.Counter", sizeof(CounterObject), 0,
                                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_IMMUTABLETYPE, counter_slots};
