/* Union of two sorted lists of packed terms, and the place of every term in it. Terms are UTF-8, whose order by bytes is
 * that by code points. */
#include "types.h"

#include <string.h>

/* Term i is bytes[starts[i]] to bytes[starts[i + 1] - 1]; places[i] is its place in the union. */
typedef struct {
    const unsigned char *bytes;
    const uint32_t *starts;
    int64_t *places;
    size_t n, n_bytes;
} Sorted;

typedef struct {
    unsigned char *bytes;
    uint32_t *starts;
    size_t n, room; /* terms, and bytes that fit */
} Union;

typedef struct {
    const unsigned char *bytes;
    size_t length;
} Part;

/* Whether there is a term i; it is in `part` then, or its bytes are NULL if its starts are out of range. */
static int term_at(const Sorted *packed, size_t i, Part *part)
{
    if (i >= packed->n) return 0;
    const size_t start = packed->starts[i], end = packed->starts[i + 1];
    *part = start <= end && end <= packed->n_bytes ? (Part){packed->bytes + start, end - start} : (Part){NULL, 0};
    return 1;
}

static int order_of(const Part *a, const Part *b)
{
    const int order = memcmp(a->bytes, b->bytes, a->length < b->length ? a->length : b->length);
    return order ? order : (a->length > b->length) - (a->length < b->length);
}

/* Fills the union and both places; returns NULL or what is wrong. */
static const char *united(const Sorted *a, const Sorted *b, Union *all)
{
    Part first, second, last = {NULL, 0};
    size_t i = 0, j = 0, n = 0, end = 0;
    all->starts[0] = 0;
    for (;;) {
        const int in_a = term_at(a, i, &first), in_b = term_at(b, j, &second);
        if (!in_a && !in_b) break;
        if ((in_a && !first.bytes) || (in_b && !second.bytes)) return "a start is out of range";
        const int order = !in_b ? -1 : !in_a ? 1 : order_of(&first, &second);
        const Part *next = order <= 0 ? &first : &second;
        if (n && order_of(&last, next) >= 0) return "the terms are not distinct and sorted";
        if (n >= all->n || next->length > all->room - end) return "there is no room for the union";
        memcpy(all->bytes + end, next->bytes, next->length);
        last = (Part){all->bytes + end, next->length};
        end += next->length;
        if (order <= 0) a->places[i++] = (int64_t)n;
        if (order >= 0) b->places[j++] = (int64_t)n;
        all->starts[++n] = (uint32_t)end;
    }
    all->n = n;
    return NULL;
}

/* Reads one list: its bytes, starts and places. */
static int packed_of(Buffers *buffers, PyObject *bytes, PyObject *starts, PyObject *places, Sorted *packed)
{
    size_t n_starts, n_places;
    if (!(packed->bytes = borrowed(buffers, bytes, 1, &packed->n_bytes, "bytes"))
        || !(packed->starts = borrowed(buffers, starts, sizeof *packed->starts, &n_starts, "starts"))
        || !(packed->places = writable(buffers, places, sizeof *packed->places, &n_places, "places")))
        return 0;
    packed->n = n_places;
    return has_length("starts", n_starts, n_places + 1);
}

PyObject *term_union(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *bytes, *starts, *places, *others, *their_starts, *their_places, *out, *out_starts, *result = NULL;
    if (!PyArg_ParseTuple(args, "OOOOOOOO:term_union", &bytes, &starts, &places, &others, &their_starts, &their_places, &out,
                          &out_starts))
        return NULL;
    Buffers buffers = {.n = 0};
    Sorted a, b;
    Union all;
    size_t n_starts;
    if (packed_of(&buffers, bytes, starts, places, &a) && packed_of(&buffers, others, their_starts, their_places, &b)
        && (all.bytes = writable(&buffers, out, 1, &all.room, "out"))
        && (all.starts = writable(&buffers, out_starts, sizeof *all.starts, &n_starts, "out_starts"))
        && has_length("out_starts", n_starts, a.n + b.n + 1)) {
        const char *wrong;
        all.n = a.n + b.n;
        Py_BEGIN_ALLOW_THREADS
        wrong = united(&a, &b, &all);
        Py_END_ALLOW_THREADS
        if (wrong) PyErr_SetString(PyExc_ValueError, wrong);
        else result = PyLong_FromSize_t(all.n);
    }
    give_back(&buffers);
    return result;
}
