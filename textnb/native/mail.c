#include "mail.h"
#include "pages.h"

#include <stdlib.h>
#include <string.h>

#define LONGEST_NAME 255
#define LONGEST_WORD 2000
#define LONGEST_PREFIX 400

/* The bytes that bytes.strip() removes. */
static int is_blank(unsigned char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* ---- fields of the message head ---- */

static Word stripped(const char *start, const char *end)
{
    while (start < end && is_blank((unsigned char)*start)) start++;
    while (start < end && is_blank((unsigned char)end[-1])) end--;
    return (Word){start, (size_t)(end - start)};
}

/* Joins the lines of a field: drops CR before LF, replaces a line end and the blank after it by a space. */
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

/* The name of a field in lower case; NULL without an exception if it is not a valid name. */
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

int append(PyObject *list, PyObject *item)
{
    int failed = !item || PyList_Append(list, item);
    Py_XDECREF(item);
    return failed ? -1 : 0;
}

static int append_field(PyObject *fields, PyObject *name, const char *start, const char *end)
{
    const Word value = stripped(start, end);
    PyObject *bytes = PyBytes_FromStringAndSize(value.start, (Py_ssize_t)value.length);
    PyObject *field = bytes ? PyTuple_Pack(2, name, bytes) : NULL;
    Py_XDECREF(bytes);
    return append(fields, field);
}

/* Sorts the lines of a head into fields and strays; if the first line is not a field, ignores the rest. */
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

/* Finds where a head of at most n bytes ends: at the first blank line. */
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

typedef struct {
    const unsigned char *table; /* translation of each byte; words are separated by spaces */
    unsigned char is_edge[256]; /* per translated byte: whether it is stripped from both ends of a word */
    size_t longest, most;       /* limits: bytes of a word, number of words */
    size_t longest_value;       /* limit: bytes of a value that are read */
} Rules;

typedef enum { NOTHING, WORDS, ADDRESSES, RELAYS, WAYS } Way; /* ADDRESSES: hosts after "@" too; RELAYS: only hosts */

int give(PyObject *tokens, PyObject *token)
{
    if (PyList_CheckExact(tokens)) return append(tokens, token);
    int failed = !token || PyDict_SetItem(tokens, token, Py_None);
    Py_XDECREF(token);
    return failed ? -1 : 0;
}

static int give_string(PyObject *tokens, const char *start, size_t length)
{
    return give(tokens, PyUnicode_FromStringAndSize(start, (Py_ssize_t)length));
}

/* Length of the network part (before the last dot) if a name is four numbers of at most three digits; else 0. */
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

/* Gives a host, and its last three, two and one labels. */
static int give_labels(PyObject *tokens, const char *host, size_t length)
{
    size_t starts[3] = {0, 0, 0}, n = 0;
    for (size_t i = length; i > 0 && n < 3; i--)
        if (host[i - 1] == '.') starts[n++] = i;
    if (give_string(tokens, host, length)) return -1;
    while (n--)
        if (give_string(tokens, host + starts[n], length - starts[n])) return -1;
    return 0;
}

/* Gives the host that a word of a Received field is; for an IPv4 address its network. */
static int give_relay(PyObject *tokens, const char *word, size_t length)
{
    if (!memchr(word, '.', length)) return 0;
    const size_t network = network_of(word, length);
    if (network) return give_string(tokens, word, network);
    for (size_t i = 0; i < length; i++)
        if (word[i] != '.' && (word[i] < '0' || word[i] > '9')) return give_labels(tokens, word, length);
    return 0;
}

/* Gives the host after the last "@" of a word, in lower case; for an IPv4 address its network too. */
static int give_host_in(PyObject *tokens, char *word, size_t length)
{
    size_t start = length;
    while (start && word[start - 1] != '@') start--;
    if (!start) return 0;
    char *host = word + start;
    length -= start;
    for (size_t i = 0; i < length; i++)
        if (host[i] >= 'A' && host[i] <= 'Z') host[i] = (char)(host[i] + 32);
    const size_t network = network_of(host, length);
    if (!network) return give_labels(tokens, host, length);
    return give_string(tokens, host, length) || give_string(tokens, host, network) ? -1 : 0;
}

static int is_edge(const Rules *rules, char c)
{
    return rules->is_edge[rules->table[(unsigned char)c]];
}

/* Gives the words of a text. `term` holds a prefix of `n` bytes for each word and has room for a word behind it. */
static int give_words(PyObject *tokens, const char *text, size_t size, const Rules *rules, Way way, char *term, size_t n)
{
    size_t found = 0;
    const char *end = text + size;
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
        if (way == RELAYS ? give_relay(tokens, term + n, length) : give_string(tokens, term, n + length)) return -1;
        if (way == ADDRESSES && give_host_in(tokens, term + n, length)) return -1;
    }
    return 0;
}

/* Reads the rules from a tuple (table, edges, longest, most, longest_value). */
static int rules_of(PyObject *tuple, Rules *rules)
{
    const char *table, *edges;
    Py_ssize_t n_table, n_edges, longest, most, longest_value;
    if (!PyTuple_Check(tuple)) {
        PyErr_SetString(PyExc_TypeError, "rules are a tuple");
        return -1;
    }
    if (!PyArg_ParseTuple(tuple, "y#y#nnn:rules", &table, &n_table, &edges, &n_edges, &longest, &most, &longest_value))
        return -1;
    if (n_table != 256 || longest < 0 || longest > LONGEST_WORD || most < 0 || longest_value < 0) {
        PyErr_SetString(PyExc_ValueError, "rules need a table of 256 bytes, words of at most 2000, and nothing below 0");
        return -1;
    }
    rules->table = (const unsigned char *)table;
    memset(rules->is_edge, 0, sizeof rules->is_edge);
    for (Py_ssize_t i = 0; i < n_edges; i++) rules->is_edge[(unsigned char)edges[i]] = 1;
    rules->longest = (size_t)longest;
    rules->most = (size_t)most;
    rules->longest_value = (size_t)longest_value;
    return 0;
}

PyObject *words(PyObject *module, PyObject *args)
{
    const char *data;
    Py_ssize_t n;
    PyObject *tuple;
    Rules rules;
    char term[LONGEST_WORD];
    (void)module;
    if (!PyArg_ParseTuple(args, "s#O:words", &data, &n, &tuple) || rules_of(tuple, &rules)) return NULL;
    PyObject *list = PyList_New(0);
    if (list && give_words(list, data, (size_t)n, &rules, WORDS, term, 0)) Py_CLEAR(list);
    return list;
}

/* ---- tokens of the message head ---- */

/* How a field becomes tokens: the number of its group, the way, its name if that is a token, the prefix of words. */
typedef struct {
    Py_ssize_t group;
    int way;
    PyObject *name;
    const char *prefix;
    Py_ssize_t n_prefix;
} Told;

static int told_of(PyObject *tuple, Told *told)
{
    if (!PyTuple_Check(tuple) || PyTuple_Size(tuple) != 4) {
        PyErr_SetString(PyExc_TypeError, "how a field is told is a tuple of four");
        return -1;
    }
    told->group = PyLong_AsSsize_t(PyTuple_GetItem(tuple, 0));
    const long way = PyLong_AsLong(PyTuple_GetItem(tuple, 1));
    told->name = PyTuple_GetItem(tuple, 2);
    if (PyErr_Occurred()) return -1;
    if (!PyUnicode_Check(told->name)) {
        PyErr_SetString(PyExc_TypeError, "the name of a field is a str");
        return -1;
    }
    told->prefix = PyUnicode_AsUTF8AndSize(PyTuple_GetItem(tuple, 3), &told->n_prefix);
    if (!told->prefix) return -1;
    told->way = (int)way;
    if (way >= NOTHING && way < WAYS && told->n_prefix <= LONGEST_PREFIX) return 0;
    PyErr_SetString(PyExc_ValueError, "a field is told in no such way, or with too long a prefix");
    return -1;
}

/* Whether bytes need no decoding: ASCII without escapes and encoded words. */
static int is_plain(const char *text, size_t n)
{
    unsigned char all = 0;
    for (size_t i = 0; i < n; i++) all |= (unsigned char)text[i];
    return !(all & 0x80) && !memchr(text, 0x1B, n) && !has_encoded_words(text, text + n);
}

/* Gives the tokens that the Python function `otherwise` returns for a value. */
static int give_otherwise(PyObject *tokens, PyObject *otherwise, PyObject *tuple, PyObject *value)
{
    PyObject *found = PyObject_CallFunctionObjArgs(otherwise, tuple, value, NULL);
    PyObject *list = found ? PySequence_List(found) : NULL;
    int failed = !list;
    for (Py_ssize_t i = 0; !failed && i < PyList_Size(list); i++) failed = give(tokens, Py_NewRef(PyList_GetItem(list, i)));
    Py_XDECREF(found);
    Py_XDECREF(list);
    return failed ? -1 : 0;
}

static int give_field(PyObject *groups, PyObject *value, PyObject *tuple, const Rules *by_way, PyObject *otherwise)
{
    Told told;
    char term[LONGEST_PREFIX + LONGEST_WORD];
    if (told_of(tuple, &told)) return -1;
    PyObject *tokens = PyList_GetItem(groups, told.group);
    if (!tokens || (PyUnicode_GetLength(told.name) && give(tokens, Py_NewRef(told.name)))) return -1;
    if (told.way == NOTHING) return 0;
    const Rules *rules = &by_way[told.way - WORDS];
    const char *data = PyBytes_AsString(value);
    if (!data) return -1;
    size_t n = (size_t)PyBytes_Size(value);
    if (told.way == RELAYS) n = n < rules->longest_value ? n : rules->longest_value;
    else if (n > rules->longest_value || !is_plain(data, n)) return give_otherwise(tokens, otherwise, tuple, value);
    memcpy(term, told.prefix, (size_t)told.n_prefix);
    return give_words(tokens, data, n, rules, (Way)told.way, term, (size_t)told.n_prefix);
}

static int give_fields(PyObject *groups, PyObject *fields, PyObject *told, const Rules *by_way, PyObject *otherwise)
{
    for (Py_ssize_t i = 0; i < PyList_Size(fields); i++) {
        PyObject *field = Py_NewRef(PyList_GetItem(fields, i)), *tuple = NULL;
        int failed = -1;
        if (!PyTuple_Check(field) || PyTuple_Size(field) != 2) PyErr_SetString(PyExc_TypeError, "a field is a pair");
        else if ((tuple = PyObject_GetItem(told, PyTuple_GetItem(field, 0))))
            failed = tuple == Py_None ? 0 : give_field(groups, PyTuple_GetItem(field, 1), tuple, by_way, otherwise);
        Py_XDECREF(tuple);
        Py_DECREF(field);
        if (failed) return -1;
    }
    return 0;
}

PyObject *head_tokens(PyObject *module, PyObject *args)
{
    PyObject *fields, *told, *ways[WAYS - WORDS], *otherwise;
    Rules by_way[WAYS - WORDS];
    Py_ssize_t n;
    (void)module;
    if (!PyArg_ParseTuple(args, "O!O(OOO)nO:head_tokens", &PyList_Type, &fields, &told, &ways[0], &ways[1], &ways[2], &n,
                          &otherwise)) return NULL;
    for (int i = 0; i < WAYS - WORDS; i++)
        if (rules_of(ways[i], &by_way[i])) return NULL;
    PyObject *groups = PyList_New(0);
    int failed = !groups;
    for (Py_ssize_t i = 0; !failed && i < n; i++) failed = append(groups, PyDict_New());
    failed = failed || give_fields(groups, fields, told, by_way, otherwise);
    for (Py_ssize_t i = 0; !failed && i < n; i++) {
        PyObject *tokens = PyDict_Keys(PyList_GetItem(groups, i));
        failed = !tokens || PyList_SetItem(groups, i, tokens);
    }
    if (failed) Py_CLEAR(groups);
    return groups;
}
