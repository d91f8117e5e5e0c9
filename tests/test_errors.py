"""Messages of errors: templates with named values, each shortened where it is put in."""

import ast
import pickle
import string
from pathlib import Path

import pytest

import textnb
from textnb.errors import MAX_QUOTED, MAX_SHOWN, InputError, ParameterError, fill_in, parameters_from_file, shortened

ERRORS = {"InputError", "ParameterError", "KindError", "ModelFileError", "NotLearntError", "NotFittedError"}
SOURCES = sorted(Path(textnb.__file__).parent.rglob("*.py"))


def _raised():
    """(file, call) for every error with a message that textnb raises."""
    for path in SOURCES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                name = node.exc.func
                if isinstance(name, ast.Name) and name.id in ERRORS and node.exc.args:
                    yield path, node.exc


RAISED = list(_raised())


def test_no_message_is_put_together_before_its_values_are_shortened():
    assert len(RAISED) > 300
    for path, call in RAISED:
        first = call.args[0]
        is_made = isinstance(first, ast.JoinedStr) or (
            isinstance(first, ast.Call) and ast.unparse(first.func).endswith(".format")
        )
        assert not is_made, f"{path}:{call.lineno}"


TEMPLATES = sorted(
    {
        call.args[0].value
        for _, call in RAISED
        if isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str)
    }
)


@pytest.mark.parametrize("length", [0, 1, MAX_QUOTED, 400, 10_000, 1_000_000])
def test_a_message_is_short_however_long_its_values_are(length):
    for template in TEMPLATES:
        fields = [field for field in string.Formatter().parse(template) if field[1]]
        values = {name: 7 if spec else "x" * length for _, name, spec, _ in fields}
        message = str(InputError(template, **values))
        most = sum(MAX_QUOTED if conversion else MAX_SHOWN for *_, conversion in fields)
        assert len(message) <= len(template) + most
        if length <= MAX_QUOTED - 2:
            assert message == (template.format(**values) if values else template)


@pytest.mark.parametrize("value", ["あ" * 9999, ["a" * 50] * 99, {"key": "b" * 9999}, b"\0" * 9999, 10**3000])
def test_values_of_every_kind_are_shortened(value):
    assert len(fill_in("{value!r}", value=value)) == MAX_QUOTED
    assert len(fill_in("{value}", value=value)) == MAX_SHOWN


def test_an_error_within_an_error_stays_whole():
    inner = InputError("{a!r} {b!r} {c}", a="a" * 999, b="b" * 999, c="c" * 999)
    outer = InputError("file: {error}", error=inner)
    assert str(outer) == f"file: {inner}"
    assert len(shortened("x" * 999)) == MAX_QUOTED and shortened("abc", 3) == "abc"


def test_errors_about_parameters_are_errors_about_input_and_can_be_sent():
    error = pickle.loads(pickle.dumps(ParameterError("bad")))
    assert (type(error), str(error)) == (ParameterError, "bad")
    assert issubclass(ParameterError, InputError)


def test_parameters_of_a_file_are_errors_of_the_input():
    with pytest.raises(InputError, match=r"^bad\.toml: 'x'$") as caught, parameters_from_file():
        raise ParameterError("bad.toml: {x!r}", x="x")
    assert not isinstance(caught.value, ParameterError)
