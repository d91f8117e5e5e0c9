/* The functions of pages.h for Python. */
#include "arguments.h"
#include "mail.h"
#include "pages.h"

#include <stdlib.h>

#define MOST_WORDS 64

static int word_of(PyObject *bytes, Word *word)
{
    word->start = PyBytes_AsString(bytes);
    if (!word->start) return -1;
    word->length = (size_t)PyBytes_Size(bytes);
    if (word->length >= 2) return 0;
    PyErr_SetString(PyExc_ValueError, "a word to look for has two bytes at least");
    return -1;
}

/* Reads words from a tuple and returns their number; -1 sets an exception. */
static Py_ssize_t words_of(PyObject *tuple, Word *words)
{
    const Py_ssize_t n = PyTuple_Size(tuple);
    if (n > MOST_WORDS) {
        PyErr_Format(PyExc_ValueError, "at most %d words can be looked for", MOST_WORDS);
        return -1;
    }
    for (Py_ssize_t i = 0; i < n; i++)
        if (word_of(PyTuple_GetItem(tuple, i), &words[i])) return -1;
    return n;
}

PyObject *present(PyObject *module, PyObject *args)
{
    PyObject *source, *wanted;
    Word words[MOST_WORDS];
    (void)module;
    if (!PyArg_ParseTuple(args, "SO!:present", &source, &PyTuple_Type, &wanted)) return NULL;
    const Py_ssize_t n = words_of(wanted, words);
    if (n < 0) return NULL;
    const uint64_t found = find_words(PyBytes_AsString(source), (size_t)PyBytes_Size(source), words, (size_t)n);
    PyObject *result = PySet_New(NULL);
    for (Py_ssize_t i = 0; result && i < n; i++)
        if (found >> i & 1 && PySet_Add(result, PyTuple_GetItem(wanted, i))) Py_CLEAR(result);
    return result;
}

static int take_value(void *sets, size_t name, Word value)
{
    PyObject *string = PyUnicode_DecodeUTF8(value.start, (Py_ssize_t)value.length, "replace");
    int failed = !string || PySet_Add(PyList_GetItem(sets, (Py_ssize_t)name), string);
    Py_XDECREF(string);
    return failed ? -1 : 0;
}

PyObject *values_of(PyObject *module, PyObject *args)
{
    PyObject *source, *wanted;
    Word names[MOST_WORDS];
    (void)module;
    if (!PyArg_ParseTuple(args, "SO!:values_of", &source, &PyTuple_Type, &wanted)) return NULL;
    const Py_ssize_t n = words_of(wanted, names);
    PyObject *sets = n < 0 ? NULL : PyList_New(0);
    int failed = !sets;
    for (Py_ssize_t i = 0; !failed && i < n; i++) failed = append(sets, PySet_New(NULL));
    if (failed || each_value(PyBytes_AsString(source), (size_t)PyBytes_Size(source), names, (size_t)n, take_value, sets))
        Py_CLEAR(sets);
    return sets;
}

#define HALVES "surrogatepass" /* keeps lone surrogates, which UTF-8 does not allow */

/* UTF-8 of a str; NULL sets an exception. The caller releases `held`, if it is set, after use. */
static const char *utf8_of(PyObject *text, Py_ssize_t *length, PyObject **held)
{
    const char *written = PyUnicode_AsUTF8AndSize(text, length);
    if (written || !PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return written;
    PyErr_Clear();
    if (!(*held = PyUnicode_AsEncodedString(text, "utf-8", HALVES))) return NULL;
    *length = PyBytes_Size(*held);
    return PyBytes_AsString(*held);
}

PyObject *tidied(PyObject *module, PyObject *text)
{
    Py_ssize_t length;
    PyObject *held = NULL, *result = NULL;
    (void)module;
    const char *written = utf8_of(text, &length, &held);
    char *to = written ? malloc((size_t)length + 1) : NULL;
    if (to) {
        const size_t n = tidy(written, (size_t)length, to);
        result = PyUnicode_DecodeUTF8(to, (Py_ssize_t)n, HALVES);
    } else if (written) PyErr_NoMemory();
    free(to);
    Py_XDECREF(held);
    return result;
}

/* Adds the hosts after a mark to the keys of a dict, with or without the mark. */
static int give_hosts(PyObject *hosts, const char *at, const char *end, Word mark, int with_mark, size_t longest, size_t most)
{
    for (; most && (at = mark_in(at, end, mark)); most--) {
        const char *first = at + mark.length, *last = host_end(first, end, with_mark ? mark : (Word){"", 0}, longest);
        const char *from = with_mark ? at : first;
        if (last > first && give(hosts, PyUnicode_DecodeUTF8(from, last - from, HALVES))) return -1;
        at = first;
    }
    return 0;
}

PyObject *written_hosts(PyObject *module, PyObject *args)
{
    PyObject *text;
    Py_ssize_t length, longest, most;
    (void)module;
    if (!PyArg_ParseTuple(args, "Unn:written_hosts", &text, &longest, &most)) return NULL;
    PyObject *held = NULL, *result = NULL;
    const char *at = utf8_of(text, &length, &held);
    PyObject *hosts = at ? PyDict_New() : NULL;
    const size_t limit = longest < 0 ? 0 : (size_t)longest, times = most < 0 ? 0 : (size_t)most;
    if (hosts && !give_hosts(hosts, at, at + length, (Word){"://", 3}, 0, limit, times)
        && !give_hosts(hosts, at, at + length, (Word){"www.", 4}, 1, limit, times))
        result = PyDict_Keys(hosts);
    Py_XDECREF(hosts);
    Py_XDECREF(held);
    return result;
}

PyObject *with_lines_of(PyObject *module, PyObject *args)
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

PyObject *has_many_attributes_of(PyObject *module, PyObject *args)
{
    const char *source;
    Py_ssize_t length, most;
    (void)module;
    if (!PyArg_ParseTuple(args, "y#n:has_many_attributes", &source, &length, &most)) return NULL;
    return PyBool_FromLong(has_many_attributes(source, (size_t)length, most < 0 ? 0 : (size_t)most));
}
