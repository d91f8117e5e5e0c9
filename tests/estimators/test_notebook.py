"""Estimators as a notebook shows them."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest
from found_estimators import DEFAULT, data_for, fresh

from textnb.estimators import MultinomialNB


class Page(HTMLParser):
    """Text of a piece of HTML, the tags that are open at its end, and the attributes that load something."""

    def __init__(self, source):
        super().__init__()
        self.text, self.open, self.loaded = "", [], []
        self.feed(source)

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.loaded += [name for name, _ in attrs if name in ("src", "href") or name.startswith("on")]
        self.loaded += [tag] if tag in ("script", "link", "iframe", "img") else []

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


@pytest.mark.parametrize("estimator", DEFAULT, ids=repr)
def test_every_estimator_shows_its_parameters_and_what_it_was_fitted_to(estimator):
    before = Page(estimator._repr_html_())
    assert "not fitted" in before.text
    assert all(name in before.text for name in estimator.get_params())
    X, y = data_for(estimator)
    after = Page(fresh(estimator).fit(X, np.array(["猫", "犬", "<b>"])[y])._repr_html_())
    assert re.search(r"fitted: 6 columns, 3 classes \(.*<b>.*\)", after.text)
    assert before.open == after.open == before.loaded == after.loaded == []


def test_changed_parameters_are_bold_and_long_values_are_short():
    shown = MultinomialNB(alpha=np.arange(1000) + 1.0, prior="<script>")._repr_html_()
    assert shown.count('class="changed"') == 2
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert len(shown) < 3000


def test_many_classes_are_shown_in_part():
    fitted = MultinomialNB().fit(np.eye(50), [f"class {k}" for k in range(50)])
    assert "50 classes" in fitted._repr_html_()
    assert "…" in fitted._repr_html_()
    assert "class 49" not in fitted._repr_html_()
