#include "mail.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_NAME 255
#define LONGEST_TERM 4096 /* a prefix and a word */

/* What bytes.strip() takes away. */
static int is_blank(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* ---- the fields of a head ---- */

typedef struct {
    const char *start;
    size_t length;
} Span;

static Span stripped(const char *start, const char *end)
{
    while (start < end && is_blank((unsigned char)*start)) start++;
    while (start < end && is_blank((unsigned char)end[-1])) end--;
    return (Span){start, (size_t)(end - start)};
}

/* One line for each field: without CR before LF, and with a space for a line end and the blank that follows it. */
static size_t unfold(const char *from, size_t n, char *to)
{
    size_t length = 0;
    for (size_t i = 0; i < n; i++) {
        if (from[i] == '\r' && i + 1 < n && from[i + 1] == '\n') continue;
        if (from[i] == '\n' && i + 1 < n && (from[i + 1] == ' ' || from[i + 1] == '\t')) {
            to[length++] = ' ';
            i++;
        } else to[length++] = from[i];
    }
    return length;
}

/* The name of a field in lower case; NULL without an exception where it is none. */
static PyObject *name_of(const char *start, const char *end, size_t longest)
{
    while (start < end && (end[-1] == ' ' || end[-1] == '\t')) end--;
    size_t length = (size_t)(end - start);
    if (!length || length > longest) return NULL;
    char name[LONGEST_NAME];
    for (size_t i = 0; i < length; i++) {
        if (start[i] < '!' || start[i] > '~' || start[i] == ':') return NULL;
        name[i] = start[i] >= 'A' && start[i] <= 'Z' ? (char)(start[i] + 32) : start[i];
    }
    return PyBytes_FromStringAndSize(name, (Py_ssize_t)length);
}

/* Appends what `item` is a new reference to; NULL means that there is an exception. */
static int append(PyObject *list, PyObject *item)
{
    int failed = !item || PyList_Append(list, item);
    Py_XDECREF(item);
    return failed ? -1 : 0;
}

static int append_field(PyObject *fields, PyObject *name, const char *start, const char *end)
{
    Span value = stripped(start, end);
    PyObject *bytes = PyBytes_FromStringAndSize(value.start, (Py_ssize_t)value.length);
    PyObject *field = bytes ? PyTuple_Pack(2, name, bytes) : NULL;
    Py_XDECREF(bytes);
    return append(fields, field);
}

/* The lines of a head to fields and to strays; lines after a first one that is no field are not looked at. */
static int read_lines(const char *line, const char *end, size_t longest, PyObject *fields, PyObject *strays)
{
    while (line <= end) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        if (!stop) stop = end;
        const char *colon = memchr(line, ':', (size_t)(stop - line));
        PyObject *name = colon ? name_of(line, colon, longest) : NULL;
        if (name) {
            int failed = append_field(fields, name, colon + 1, stop);
            Py_DECREF(name);
            if (failed) return -1;
        } else if (PyErr_Occurred()) return -1;
        else if (stripped(line, stop).length) {
            if (append(strays, PyBytes_FromStringAndSize(line, stop - line))) return -1;
            if (!PyList_Size(fields)) return 0;
        }
        line = stop + 1;
    }
    return 0;
}

typedef struct {
    size_t stop, body; /* where the fields end and where the body begins */
} Bounds;

/* The bounds of a head of at most n bytes: of blank lines, the first. */
static Bounds bounds_of(const char *data, size_t n)
{
    if (n && data[0] == '\n') return (Bounds){0, 1};
    if (n > 1 && data[0] == '\r' && data[1] == '\n') return (Bounds){0, 2};
    const char *end = data + n;
    for (const char *at = data; at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++) {
        const size_t stop = (size_t)(at - data);
        if (stop + 1 < n && at[1] == '\n') return (Bounds){stop, stop + 2};
        if (stop + 2 < n && at[1] == '\r' && at[2] == '\n') return (Bounds){stop, stop + 3};
    }
    return (Bounds){n, n};
}

static int has_encoded_words(const char *text, const char *end)
{
    while (text < end && (text = memchr(text, '=', (size_t)(end - text))))
        if (++text < end && *text == '?') return 1;
    return 0;
}

PyObject *split_head(PyObject *module, PyObject *args)
{
    PyObject *data, *fields = NULL, *strays = NULL, *result = NULL;
    Py_ssize_t start, end, longest, longest_name;
    (void)module;
    if (!PyArg_ParseTuple(args, "Snnnn:split_head", &data, &start, &end, &longest, &longest_name)) return NULL;
    if (end > PyBytes_Size(data)) end = PyBytes_Size(data);
    if (start < 0 || end < start || longest < 0 || longest_name < 0 || longest_name > LONGEST_NAME) {
        PyErr_SetString(PyExc_ValueError, "split_head needs 0 <= start <= end and names of at most 255 bytes");
        return NULL;
    }
    const char *head = PyBytes_AsString(data) + start;
    const Bounds bounds = bounds_of(head, (size_t)(end - start));
    const size_t n = bounds.stop < (size_t)longest ? bounds.stop : (size_t)longest;
    char *lines = malloc(n + 1);
    if (!lines) return PyErr_NoMemory();
    const size_t length = unfold(head, n, lines);
    if ((fields = PyList_New(0)) && (strays = PyList_New(0))
        && !read_lines(lines, lines + length, (size_t)longest_name, fields, strays))
        result = Py_BuildValue("OOnnO", fields, strays, (Py_ssize_t)bounds.stop, start + (Py_ssize_t)bounds.body,
                               has_encoded_words(head, head + n) ? Py_True : Py_False);
    Py_XDECREF(fields);
    Py_XDECREF(strays);
    free(lines);
    return result;
}

/* ---- words ---- */

typedef enum { WORDS, ADDRESSES, RELAYS } Way; /* ADDRESSES: hosts behind "@" too; RELAYS: hosts and networks alone */

typedef struct {
    const unsigned char *table; /* what each byte becomes; a space parts words */
    const char *edges;          /* what is taken away at both ends of a word */
    size_t n_edges, longest, most;
    Way way;
} Rules;

static int is_edge(const Rules *rules, char c)
{
    return memchr(rules->edges, rules->table[(unsigned char)c], rules->n_edges) != NULL;
}

static int append_string(PyObject *list, const char *start, size_t length)
{
    return append(list, PyUnicode_FromStringAndSize(start, (Py_ssize_t)length));
}

/* The length of what stands before the last dot, where a name is four numbers of at most three digits; else 0. */
static size_t network_of(const char *name, size_t length)
{
    size_t dots = 0, digits = 0, last = 0;
    for (size_t i = 0; i < length; i++) {
        if (name[i] == '.' && digits) {
            dots++;
            digits = 0;
            last = i;
        } else if (name[i] >= '0' && name[i] <= '9' && digits < 3) digits++;
        else return 0;
    }
    return dots == 3 && digits ? last : 0;
}

/* A host, and its last three, two and one labels. */
static int append_labels(PyObject *list, const char *host, size_t length)
{
    size_t starts[3] = {0, 0, 0}, n = 0;
    for (size_t i = length; i > 0 && n < 3; i--)
        if (host[i - 1] == '.') starts[n++] = i;
    if (append_string(list, host, length)) return -1;
    while (n--)
        if (append_string(list, host + starts[n], length - starts[n])) return -1;
    return 0;
}

/* What the host of an address stands for; of a number the network too. */
static int append_host(PyObject *list, const char *host, size_t length)
{
    const size_t network = network_of(host, length);
    if (!network) return append_labels(list, host, length);
    return append_string(list, host, length) || append_string(list, host, network) ? -1 : 0;
}

/* What a word of a Received field stands for: of a number the network, or nothing. */
static int append_relay(PyObject *list, const char *word, size_t length)
{
    if (!memchr(word, '.', length)) return 0;
    const size_t network = network_of(word, length);
    if (network) return append_string(list, word, network);
    for (size_t i = 0; i < length; i++)
        if (word[i] != '.' && (word[i] < '0' || word[i] > '9')) return append_labels(list, word, length);
    return 0;
}

/* The host behind the last "@" of a word, in lower case. */
static int append_host_in(PyObject *list, char *word, size_t length)
{
    size_t start = length;
    while (start && word[start - 1] != '@') start--;
    if (!start) return 0;
    for (size_t i = start; i < length; i++)
        if (word[i] >= 'A' && word[i] <= 'Z') word[i] = (char)(word[i] + 32);
    return append_host(list, word + start, length - start);
}

/* The words of a text as str; `term` holds `n` bytes that stand before each, and has room for a word more. */
static int append_words(PyObject *list, const char *text, const char *end, const Rules *rules, char *term, size_t n)
{
    size_t found = 0;
    while (text < end && found < rules->most) {
        const char *stop = text;
        while (stop < end && rules->table[(unsigned char)*stop] != ' ') stop++;
        const char *first = text, *last = stop;
        text = stop + 1;
        found += first < last;
        while (first < last && is_edge(rules, *first)) first++;
        while (first < last && is_edge(rules, last[-1])) last--;
        const size_t length = (size_t)(last - first);
        if (!length || length > rules->longest) continue;
        for (size_t i = 0; i < length; i++) term[n + i] = (char)rules->table[(unsigned char)first[i]];
        if (rules->way == RELAYS ? append_relay(list, term + n, length) : append_string(list, term, n + length)) return -1;
        if (rules->way == ADDRESSES && append_host_in(list, term + n, length)) return -1;
    }
    return 0;
}

/* Whether bytes are their own text: ASCII, without escapes and encoded words. */
static int is_plain(const char *text, size_t n)
{
    unsigned char all = 0;
    for (size_t i = 0; i < n; i++) all |= (unsigned char)text[i];
    if (all & 0x80 || memchr(text, 0x1B, n)) return 0;
    return !has_encoded_words(text, text + n);
}

/* (data, table, edges, longest, most, prefix); None where the data should be plain and are not. */
static PyObject *words_of(PyObject *args, Way way, int only_plain)
{
    const char *data, *table, *edges, *prefix;
    Py_ssize_t n_data, n_table, n_edges, longest, most, n_prefix;
    if (!PyArg_ParseTuple(args, "s#y#y#nns#:words", &data, &n_data, &table, &n_table, &edges, &n_edges, &longest, &most,
                          &prefix, &n_prefix)) return NULL;
    if (n_table != 256 || longest < 0 || most < 0 || n_prefix > LONGEST_TERM || longest > LONGEST_TERM - n_prefix) {
        PyErr_SetString(PyExc_ValueError, "words needs a table of 256 bytes, and terms of at most 4096");
        return NULL;
    }
    if (only_plain && !is_plain(data, (size_t)n_data)) return Py_NewRef(Py_None);
    char term[LONGEST_TERM];
    memcpy(term, prefix, (size_t)n_prefix);
    const Rules rules = {(const unsigned char *)table, edges, (size_t)n_edges, (size_t)longest, (size_t)most, way};
    PyObject *list = PyList_New(0);
    if (list && append_words(list, data, data + n_data, &rules, term, (size_t)n_prefix)) Py_CLEAR(list);
    return list;
}

PyObject *words(PyObject *module, PyObject *args)
{
    (void)module;
    return words_of(args, WORDS, 0);
}

PyObject *plain_words(PyObject *module, PyObject *args)
{
    (void)module;
    return words_of(args, WORDS, 1);
}

PyObject *plain_addresses(PyObject *module, PyObject *args)
{
    (void)module;
    return words_of(args, ADDRESSES, 1);
}

PyObject *relays(PyObject *module, PyObject *args)
{
    (void)module;
    return words_of(args, RELAYS, 0);
}
