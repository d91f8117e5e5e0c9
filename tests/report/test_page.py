import math
import re
from dataclasses import fields
from html.parser import HTMLParser

import numpy as np
import pytest
from small_reports import HOSTILE, LABELS, TEXTS, classifier, whole_report

from textnb.classifier.explanation import Contribution, Explanation
from textnb.evaluation import Evaluation
from textnb.language import _JAPANESE
from textnb.markup import shown, signed
from textnb.report import ExplainedDocument, Report, page

SECTIONS = {"summary", "models", "curves", "learnt", "classes", "confusion", "reliability", "coverage", "words"} | {
    "mistakes",
    "documents",
}
VOID = {"meta", "link", "br", "wbr"}


class Read(HTMLParser):
    """A page as a list of (tag, attributes) and the text of each element; elements that are not closed are an error."""

    def __init__(self, markup):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.text = [], [], []
        self.feed(markup)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        self.elements.append((tag, dict(attributes)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "style" not in self.open:
            self.text.append(data)

    def tags(self, name):
        return [attributes for tag, attributes in self.elements if tag == name]

    def all_of(self, name):
        return [attributes[name] for _, attributes in self.elements if name in attributes]


@pytest.fixture(scope="module", params=["en", "ja"])
def read(request):
    return Read(page(whole_report(), request.param))


def test_every_section_is_there_and_the_navigation_leads_to_it(read):
    ids = read.all_of("id")
    assert len(ids) == len(set(ids))
    links = [link["href"] for link in read.tags("a")]
    assert links[1:12] == [f"#{name}" for name in ids if name in SECTIONS]
    assert len(SECTIONS) == 11
    assert {link.removeprefix("#") for link in links} <= set(ids)


def test_numbers_of_the_confusion_matrix_lead_to_their_mistakes(read):
    assert any(link["href"].startswith("#mistakes-") for link in read.tags("a"))


def test_nothing_runs_and_nothing_is_loaded(read):
    tags = {tag for tag, _ in read.elements}
    assert not tags & {"script", "img", "iframe", "object", "embed", "form", "base"}
    assert not any(name.startswith("on") or name in ("src", "style") for _, told in read.elements for name in told)
    assert [link["href"] for link in read.tags("link")] == ["data:,"]
    (policy,) = [meta["content"] for meta in read.tags("meta") if "http-equiv" in meta]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy


def test_what_a_document_holds_is_shown_as_text(read):
    assert "".join(read.text).count(HOSTILE) >= 10
    assert TEXTS[0] in "".join(read.text)


def test_every_header_says_what_it_heads_and_every_chart_what_it_shows(read):
    assert {header.get("scope") for header in read.tags("th")} == {"col", "row", "colgroup"}
    assert all("aria-label" in chart or chart.get("aria-hidden") for chart in read.tags("svg"))
    assert all("tabindex" in part and "aria-label" in part for part in read.tags("div") if part.get("role") == "region")
    assert {tag for tag, _ in read.elements} >= {"header", "nav", "main", "footer", "h1", "h2", "h3", "caption"}
    assert read.tags("html")[0]["lang"] in ("en", "ja")


def test_a_japanese_page_says_nothing_in_english():
    whole = Read(page(whole_report(), "ja"))
    ours = {phrase for phrase, japanese in _JAPANESE.items() if phrase != japanese and "{" not in phrase}
    assert not ours & {*map(str.strip, whole.text), *whole.all_of("aria-label"), *whole.all_of("title")}


def test_japanese_text_on_an_english_page_says_that_it_is_japanese():
    texts = [part for part in Read(page(whole_report(), "en")).tags("div") if part.get("class") == "text"]
    assert texts[0]["lang"] == "ja"


@pytest.mark.parametrize("left_out", [field.name for field in fields(Report) if field.name != "title"])
def test_whatever_is_left_out_the_rest_is_shown(left_out):
    whole = whole_report()
    kept = {f.name: getattr(whole, f.name) for f in fields(Report) if f.name != left_out}
    Read(page(Report(**kept)))
    assert Read(page(Report(whole.title, **{left_out: getattr(whole, left_out)}))).tags("h1") == [{}]


def test_words_are_highlighted_where_they_stand():
    text = "ｶﾞｽ <i>"
    explanation = Explanation("x", "y", 1.0, 0.0, (Contribution("ガス", 0, 3, 1.0), Contribution("i", 5, 6, -0.5)))
    shown_text = page(Report("t", documents=[ExplainedDocument("1", text, explanation)]))
    assert (
        '<mark class="for4" title="+1.000">ｶﾞｽ</mark> &lt;<mark class="against3" title="−0.500">i</mark>&gt;'
        in shown_text
    )


def of_mistakes(*documents):
    evaluation = Evaluation.of(["a"], np.log([[0.1, 0.9]]), ("a", "b"))
    return page(Report("t", evaluation=evaluation, mistakes=documents))


def test_a_mistake_is_cut_where_it_is_very_long_and_says_so():
    mistake = whole_report().mistakes[0].mistake._replace(true="a", predicted="b")
    shown_text = of_mistakes(ExplainedDocument("1", "x" * 10_007, None, mistake))
    assert "x" * 10_000 + "</div>" in shown_text
    assert "7 more characters" in shown_text


def test_a_mistake_without_text_or_with_an_empty_one_says_so():
    mistake = whole_report().mistakes[0].mistake._replace(true="a", predicted="b")
    assert "Only the word counts" in of_mistakes(ExplainedDocument("1", None, None, mistake))
    assert "The text is empty" in of_mistakes(ExplainedDocument("1", "", None, mistake))


def test_no_mistakes_are_said_to_be_none():
    evaluation = Evaluation.of(["a"], np.log([[0.9, 0.1]]), ("a", "b"))
    assert "There are no mistakes." in page(Report("t", evaluation=evaluation))


def test_very_many_classes_are_shown_by_their_confusions():
    classes = [f"class{k:02}" for k in range(50)]
    logs = np.log(np.full((2, 50), 0.5 / 49) + 0.5 * np.eye(50)[:2])
    shown_text = page(Report("t", evaluation=Evaluation.of(["class00", "class07"], logs, classes)))
    assert "Most frequent confusions" in shown_text
    assert 'class="confusion"' not in shown_text


def test_a_class_that_bears_the_name_of_a_phrase_keeps_it():
    labels = ["none", "accuracy"]
    evaluation = Evaluation.of(labels, np.log([[0.9, 0.1], [0.1, 0.9]]), ("accuracy", "none"))
    assert '<th scope="row">accuracy</th>' in page(Report("t", evaluation=evaluation), "ja")


def test_a_share_shades_its_cell_and_the_rows_of_the_matrix_are_the_true_classes():
    logs = np.log([[0.9, 0.1], [0.2, 0.8], [0.3, 0.7], [0.1, 0.9]])
    shown_text = page(Report("t", evaluation=Evaluation.of(["a", "a", "a", "a"], logs, ("a", "b"))))
    row = re.search(r'<tbody><tr><th scope="row">a</th>(<td class="(?:right|wrong).*?)</tr>', shown_text)[1]
    assert row == '<td class="right shade4" title="25.0%">1</td><td class="wrong shade7" title="75.0%">3</td>'


def test_numbers_that_are_none_are_shown_all_the_same():
    assert [shown(value) for value in (math.inf, -math.inf, math.nan, None, 0.5, 7)] == [
        "∞",
        "−∞",
        "?",
        "",
        "0.5000",
        "7",
    ]
    assert [signed(value) for value in (0.0, -1.25, -math.inf)] == ["+0.000", "−1.250", "−∞"]


def test_equal_reports_are_equal_pages():
    assert page(whole_report()) == page(whole_report())
    assert set(LABELS) == set(classifier().classes_)
