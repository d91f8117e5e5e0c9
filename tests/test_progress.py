"""Progress: any function that yields what it is given; the bar of textnb in terminals and notebooks."""

import io
import sys
import types

import pytest
from rich.progress import track
from small_models import BY_EVIDENCE

from textnb import TextClassifier
from textnb.errors import InputError
from textnb.progress import bar

TEXTS, LABELS = ["a b", "c", "a", "c d"], ["x", "y", "x", "y"]
NEW = ["a a b", "c c", "b", "d"]


class Seen:
    """A progress function that notes what it was called with."""

    def __init__(self):
        self.totals, self.n_items = [], 0

    def __call__(self, items, total):
        self.totals.append(total)
        for item in items:
            self.n_items += 1
            yield item


def fitted(**settings):
    return TextClassifier(**BY_EVIDENCE, tokenizer="whitespace").fit(TEXTS, LABELS, **settings)


@pytest.mark.parametrize(
    "ask",
    [
        lambda classifier, progress: classifier.fit(TEXTS, LABELS, progress=progress),
        lambda classifier, progress: classifier.update(TEXTS, LABELS, progress=progress),
        lambda classifier, progress: classifier.forget(TEXTS, LABELS, progress=progress),
        lambda classifier, progress: classifier.calibrate(NEW, LABELS, progress=progress),
        lambda classifier, progress: classifier.predict(TEXTS, progress=progress),
        lambda classifier, progress: classifier.predict_proba(TEXTS, progress=progress),
        lambda classifier, progress: classifier.predict_log_proba(TEXTS, progress=progress),
        lambda classifier, progress: classifier.decide(TEXTS, progress=progress),
        lambda classifier, progress: classifier.evaluate(TEXTS, LABELS, progress=progress),
    ],
)
def test_progress_sees_every_text_once(ask):
    seen = Seen()
    ask(fitted(), seen)
    assert (seen.totals, seen.n_items) == ([4], 4)


def test_the_number_of_an_iterator_is_unknown():
    seen = Seen()
    fitted().predict(iter(TEXTS), progress=seen)
    assert (seen.totals, seen.n_items) == ([None], 4)


def test_what_is_learnt_does_not_depend_on_progress():
    plain = fitted()
    assert fitted(progress=bar).learnt == fitted(progress=Seen()).learnt == plain.learnt
    assert fitted(progress=lambda items, total: track(items, total=total, disable=True)).learnt == plain.learnt
    with pytest.raises(InputError, match=r"progress must be a function such as textnb.progress.bar, not True"):
        fitted(progress=True)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_nothing_is_drawn_where_nobody_looks(monkeypatch):
    monkeypatch.setattr(sys, "stderr", shown := io.StringIO())
    assert list(bar("abc", total=3)) == ["a", "b", "c"]
    assert shown.getvalue() == ""


@pytest.mark.parametrize("total", [3, None])
def test_a_terminal_shows_a_bar(monkeypatch, total):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", shown := Terminal())
    assert list(bar("abc", total=total, title="letters")) == ["a", "b", "c"]
    assert "letters" in shown.getvalue()
    assert f"3/{total or '?'}" in shown.getvalue()


@pytest.mark.parametrize("total", [3, None])
def test_a_notebook_shows_a_progress_element(monkeypatch, total):
    shown = []
    handle = types.SimpleNamespace(update=shown.append)

    def display(html, *, display_id):
        shown.append(html)
        return handle if display_id else None

    module = types.ModuleType("IPython.display")
    module.HTML, module.display = str, display
    monkeypatch.setitem(sys.modules, "ipykernel", types.ModuleType("ipykernel"))
    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    assert list(bar("abc", total=total, title="<letters>")) == ["a", "b", "c"]
    assert shown[0].count("<progress") == 1
    assert ("3 of 3" if total else "3 ") in shown[-1]
    assert ('value="3"' in shown[-1]) == (total == 3)
    assert "&lt;letters&gt;" in shown[-1]
