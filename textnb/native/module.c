/* The module: its types and functions, which live in the files beside. */
#include "hinge.h"
#include "mail.h"
#include "types.h"

void freed(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release(self);
    Py_DECREF(type);
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
