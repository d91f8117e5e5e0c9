/* Registers the types and functions of textnb._native. Everything long runs without the GIL. */
#include "hinge.h"
#include "mail.h"
#include "rows.h"
#include "types.h"

#ifdef __linux__
#include <stdlib.h>
#endif
#ifdef __GLIBC__
#include <malloc.h>
#endif

/* return_memory(): freed memory goes back to the system; else glibc keeps what lies between blocks in use. */
static PyObject *return_memory(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(unused))
{
    int returned = 0;
#ifdef __GLIBC__
    Py_BEGIN_ALLOW_THREADS
    returned = malloc_trim(0);
    Py_END_ALLOW_THREADS
#endif
    return PyBool_FromLong(returned);
}

void freed(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
}

static PyMethodDef module_methods[] = {
    {"split_head", split_head, METH_VARARGS,
     "split_head(data, start, end, longest, longest_name, /)\n--\n\nReturn the header fields as (name, value), the lines that are not\n"
     "fields (only the first if the head begins with one), the length of the head, where the body begins, and whether\n"
     "the head contains =?."},
    {"head_tokens", head_tokens, METH_VARARGS,
     "head_tokens(fields, told, rules, n, otherwise, /)\n--\n\nReturn the distinct tokens of n groups of header fields. told: by field name,\n"
     "how it becomes tokens, (group, way, name, prefix) or None. rules: for words, addresses and relays.\n"
     "otherwise(told, value): the tokens of a value that must be decoded first."},
    {"present", present, METH_VARARGS,
     "present(source, words, /)\n--\n\nReturn the words that the source contains in any case. The words are lower-case bytes;\n"
     "the source may have white space before a colon."},
    {"values_of", values_of, METH_VARARGS,
     "values_of(source, names, /)\n--\n\nReturn for each name the set of values that follow it and : or =. The names are\n"
     "lower-case bytes; a name inside a longer name does not count."},
    {"written_hosts", written_hosts, METH_VARARGS,
     "written_hosts(text, longest, most, /)\n--\n\nReturn the distinct hosts after :// and www. in a text, from at most `most` places of each."},
    {"tidied", tidied, METH_O,
     "tidied(text, /)\n--\n\nReturn the words of a text, separated by a line end where there was one, else by a space."},
    {"words", words, METH_VARARGS,
     "words(data, rules, /)\n--\n\nReturn the words of data. rules: a translation table of 256 bytes, the bytes to strip from both ends of\n"
     "a word, and limits: bytes of a word, words, bytes of data."},
    {"has_many_attributes", has_many_attributes_of, METH_VARARGS,
     "has_many_attributes(source, most, /)\n--\n\nReturn whether a tag in the source of a page, UTF-8, has more than `most` attributes."},
    {"with_lines", with_lines_of, METH_VARARGS,
     "with_lines(source, tags, /)\n--\n\nReturn the source of a page with a line end before every tag that begins with one of\n"
     "`tags`: ascending uint32, two to four bytes each, the first byte highest."},
    {"hinge_pass", hinge_pass_of, METH_VARARGS,
     "hinge_pass(starts, columns, values, targets, slack, curvature, order, alpha, theta, n_columns, n_targets, size,\n"
     "           scale=None, norms=None, /)\n--\n\n"
     "Run one pass of dual coordinate descent over the rows in `order`; changes alpha and theta."},
    {"hinge_product", hinge_product_of, METH_VARARGS,
     "hinge_product(starts, columns, values, scale, norms, factors, product, n_columns, n_targets, size, transposed, /)\n--\n\n"
     "Add X factors to product, or X' factors if transposed, for rows X as hinge_pass takes them."},
    {"after_fork", after_fork, METH_NOARGS,
     "after_fork()\n--\n\nTell a child process that it is one: a Counter that its parent made must not be used here, and is not freed."},
    {"return_memory", return_memory, METH_NOARGS,
     "return_memory()\n--\n\nGive freed memory back to the system, where the C library can; return whether there was any."},
    {"class_sums", class_sums, METH_VARARGS,
     "class_sums(starts, columns, values, codes, weight, table, first, last, n_columns, n_classes, /)\n--\n\n"
     "Add the rows of the classes from first to last - 1 to their rows of the table (n_classes, n_columns). codes: the\n"
     "class of each row; weight: of each row, or None."},
    {"table_logs", table_logs, METH_VARARGS,
     "table_logs(table, logs, log_totals, out, others, n_classes, n_columns, /)\n--\n\n"
     "Fill out (n_columns, n_classes) with logs[n] - log_totals for the whole numbers n of the table (n_classes,\n"
     "n_columns) that logs has; list the places of the others and return their number, -1 if they do not fit."},
    {"row_scores", row_scores, METH_VARARGS,
     "row_scores(starts, columns, values, weights, bias, scores, first, last, n_columns, n_classes, /)\n--\n\n"
     "Fill the scores (n_rows, n_classes) of the rows from first to last - 1: row times weights (n_columns, n_classes),\n"
     "plus bias."},
    {"row_classes", row_classes, METH_VARARGS,
     "row_classes(starts, columns, values, weights, bias, classes, first, last, n_columns, n_classes, /)\n--\n\n"
     "Fill the class with the largest score of the rows from first to last - 1, that of the bias if all are -inf."},
    {"term_union", term_union, METH_VARARGS,
     "term_union(data, starts, places, others, their_starts, their_places, out, out_starts, /)\n--\n\n"
     "Fill out and out_starts with the union of two lists of packed terms, UTF-8, distinct and sorted; places: of each\n"
     "term in it, int64. Return the number of terms in the union."},
    {NULL, NULL, 0, NULL}};

/* Adds a type to the module; NULL sets an exception. */
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
                                               .m_doc = "Fast versions of Janome's tokenizer, counting, sums and scores of rows, the squared hinge and the reading of mail.",
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
