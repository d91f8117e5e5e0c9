import csv
import io
import math
import re
import xml.etree.ElementTree as ET
from base64 import b64decode
from dataclasses import fields
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pytest
from small_reports import HOSTILE, LABELS, TEXTS, classifier, many_classes_evaluation, whole_report

from textnb.classifier.explanation import Contribution, Explanation
from textnb.evaluation import Evaluation
from textnb.language import translations
from textnb.markup import shown, signed
from textnb.report import Estimate, ExplainedDocument, Report, Table, Word, page
from textnb.report.contents import folded_words

SECTIONS = {"summary", "models", "curves", "learnt", "classes", "confusion", "reliability", "coverage", "words"} | {
    "mistakes",
    "documents",
}
VOID = {"meta", "link", "br", "wbr", "input"}


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
    assert {link.removeprefix("#") for link in links if not link.startswith("data:")} <= set(ids)


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
    ours = {phrase for phrase, japanese in translations().items() if phrase != japanese and "{" not in phrase}
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


def test_many_classes_are_a_heat_map_in_the_order_of_names_and_of_f1():
    evaluation = many_classes_evaluation()
    shown_text = page(Report("t", evaluation=evaluation))
    assert 'class="confusion"' not in shown_text
    by_name, by_f1 = re.findall(r'<svg class="chart heat".*?</svg>', shown_text)
    for heat, order in (
        (by_name, range(54)),
        (by_f1, np.argsort([-row[3] for row in evaluation.per_class()], kind="stable")),
    ):
        rows = re.findall(r'class="y">(.*?)</text>', heat)
        assert rows == [f"宿泊の問い合わせ{k:02}" for k in order]
        assert heat.count('class="right"') == np.count_nonzero(np.diag(evaluation.confusion))
        assert heat.count('class="wrong"') == len(evaluation.confusions())
    assert "<title>宿泊の問い合わせ01 → 宿泊の問い合わせ02: 1 (50.0%)</title>" in by_name
    assert 'fill-opacity="0.71"' in by_name
    assert "Most frequent confusions" in shown_text


def saved(shown_text, name):
    """Content of a file that a link of the page saves."""
    (link,) = [link for link in Read(shown_text).tags("a") if link.get("download") == name]
    return b64decode(link["href"].partition(";base64,")[2]).decode()


def test_every_figure_is_saved_as_svg_and_its_numbers_as_csv():
    shown_text = page(whole_report(), "ja")
    names = [link["download"] for link in Read(shown_text).tags("a") if "download" in link]
    assert len(names) == len(set(names))
    figures = {name.removesuffix(".svg") for name in names if name.endswith(".svg")}
    assert figures >= {
        "confusion",
        "reliability",
        "coverage",
        "curve-accuracy",
        "comparison-accuracy",
        "probabilities-1",
    }
    for name in figures:
        assert ET.fromstring(saved(shown_text, f"{name}.svg")).tag == "{http://www.w3.org/2000/svg}svg"
        assert saved(shown_text, f"{name}.csv").startswith("\ufeff")
    assert (
        saved(shown_text, "comparison-accuracy.csv").splitlines()[0]
        == "\ufeffrecipe,accuracy,accuracy_low,accuracy_high"
    )


def test_saved_numbers_are_the_numbers_of_the_evaluation():
    evaluation = many_classes_evaluation(3)
    rows = list(
        csv.DictReader(io.StringIO(saved(page(Report("t", evaluation=evaluation)), "confusion.csv").lstrip("\ufeff")))
    )
    counts = [int(row["documents"]) for row in rows]
    assert np.array_equal(np.reshape(counts, (3, 3)), evaluation.confusion)


def test_brier_and_ece_of_compared_recipes_are_folded_away_and_the_rest_is_plotted():
    columns = ["recipe", "accuracy", "log loss", "Brier", "ECE", "p, McNemar"]
    rows = [("a", *(Estimate(v, v - 0.1, v + 0.1) for v in (0.8, 0.4, 0.3, 0.2)), 0.5)]
    shown_text = page(Report("t", models=Table(columns, rows, 1000)))
    body = shown_text.partition('id="models"')[2]
    first, folded = body.partition("<details>")[::2]
    assert re.findall("<th scope=.col.*?>(.*?)</th>", first) == ["recipe", "accuracy", "log loss", "p, McNemar"]
    assert re.findall("<th scope=.col.*?>(.*?)</th>", folded) == ["recipe", "Brier", "ECE"]
    assert first.count('<svg class="chart"') == 2
    assert "0.800 <small>0.700–0.900</small>" in first


def test_the_baseline_is_the_proportion_of_the_most_frequent_class():
    logs = np.log(np.tile([0.9, 0.1], (8, 1)))
    shown_text = page(Report("t", evaluation=Evaluation.of(["a"] * 3 + ["b"] * 5, logs, ("a", "b"))))
    assert re.search(
        r"<dt>baseline</dt><dd><strong>0\.62</strong></dd><dd class=.meaning.>[^<]*always answering b", shown_text
    )


def test_a_class_table_ends_with_means_and_the_number_of_documents():
    evaluation = many_classes_evaluation(3)
    foot = re.findall("<tfoot>(.*?)</tfoot>", page(Report("t", evaluation=evaluation)))[0]
    cells = re.findall("<td[^>]*>([^<]*)</td>", foot)
    means = np.mean([row[1:4] for row in evaluation.per_class()], axis=0)
    assert cells == [*(f"{mean:.2f}" for mean in means), "6"]


def test_mistakes_come_before_words_and_show_how_their_text_begins():
    report = whole_report()
    shown_text = page(report)
    assert shown_text.index('id="mistakes"') < shown_text.index('id="words"')
    excerpts = re.findall('<span class="excerpt"[^>]*>(.*?)</span>', shown_text.partition('id="mistakes"')[2])
    begin = {text if len(text) <= 40 else text[:40] + "…" for text in (each.text for each in report.mistakes)}
    assert set(map(unescape, excerpts)) == begin
    assert any(text.endswith("…") for text in begin)


def test_the_page_of_a_document_begins_with_its_title_and_the_probabilities():
    probabilities = [(f"class{k}", (k + 1) / 78) for k in range(12)]
    document = ExplainedDocument("folder/1.eml", "会議の件\n本文", None, title="会議の件", probabilities=probabilities)
    shown_text = page(Report("t", documents=[document]))
    bars = re.search('<h3 title="folder/1.eml">会議の件</h3><figure>(<svg.*?</svg>)', shown_text)[1]
    names = re.findall('class="y">(.*?)</text>', bars)
    assert names == [f"class{k}" for k in range(11, 3, -1)] + ["4 other classes"]
    widths = [float(width) for width in re.findall('width="([0-9.]+)" height="14" class="bar"', bars)]
    room = float(re.search('width="([0-9.]+)" height="14" class="rail"', bars)[1])
    np.testing.assert_allclose(np.array(widths) / room, [*(k / 78 for k in range(12, 4, -1)), 10 / 78], atol=1e-4)


def test_an_ngram_is_folded_below_a_listed_word_and_stands_alone_without_one():
    ranked = ["a b", "c", "x y", "c d", "a", "chars:c", "e", "e f"]
    words = [Word(term, 9.0 - i, 1) for i, term in enumerate(ranked)]
    shown_words = {word.term: [each.term for each in word.longer] for word in folded_words(words, 3)}
    assert shown_words == {"c": ["c d", "chars:c"], "x y": [], "a": ["a b"]}
    assert [word.term for word in folded_words(words, 2)] == ["a b", "c"]  # "a" would be the third


def test_words_of_many_classes_are_folded_and_longer_terms_below_their_word():
    words = {f"c{k}": [Word("塩", 2.5, 3, [Word("塩 胡椒", 1.5, 2)])] for k in range(13)}
    one, many = (page(Report("t", words=dict(list(words.items())[:n]))) for n in (1, 13))
    assert "<details><summary>c0</summary>" in many
    assert "<h3>c0</h3>" in one
    assert re.search(r"<details><summary class=.word.>.*塩</span>.*</summary><ol>.*塩 胡椒", one)


def test_a_class_that_bears_the_name_of_a_phrase_keeps_it():
    labels = ["none", "accuracy"]
    evaluation = Evaluation.of(labels, np.log([[0.9, 0.1], [0.1, 0.9]]), ("accuracy", "none"))
    assert '<th scope="row">accuracy</th>' in page(Report("t", evaluation=evaluation), "ja")


def test_a_share_shades_its_cell_and_the_rows_of_the_matrix_are_the_true_classes():
    logs = np.log([[0.9, 0.1], [0.2, 0.8], [0.3, 0.7], [0.1, 0.9]])
    shown_text = page(Report("t", evaluation=Evaluation.of(["a", "a", "a", "a"], logs, ("a", "b"))))
    row = re.search(
        r'<tbody><tr><th scope="row">a</th>(<td class="(?:right|wrong).*?)<td class="sum">4</td></tr>', shown_text
    )
    assert row[1] == '<td class="right shade4" title="25.0%">1</td><td class="wrong shade7" title="75.0%">3</td>'


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
