"""What notebooks show: everything is escaped, nothing is loaded, and no style reaches the rest of the page."""

import re
from html.parser import HTMLParser

import pytest
from made_corpora import documents, recipe, tokenised

from textnb import TextClassifier
from textnb.classifier.explanation import Contribution, Explanation
from textnb.comparison import compare
from textnb.counts import counted
from textnb.display import cut, display
from textnb.document import Document
from textnb.markup import Html, element
from textnb.text import Analyzer

HOSTILE = "</style></div><script>alert(1)</script>\"'><img src=x onerror=alert(1)>{}\u202e\x00"
OTHER = "<!--<b onclick='x'>"
VOID = {"meta", "link", "br", "wbr", "input"}


class Reader(HTMLParser):
    """Elements with their attributes, the text outside styles, and the styles; end tags must match."""

    def __init__(self, html):
        super().__init__()
        self.elements, self.open, self.texts, self.styles = [], [], [], []
        self.feed(html)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        (self.styles if "style" in self.open else self.texts).append(data)

    def handle_comment(self, data):
        raise AssertionError(f"a comment: {data}")

    @property
    def text(self):
        return "".join(self.texts)


def classifier():
    return TextClassifier("multinomial", alpha=1.0, tokenizer="words", analyzer=Analyzer())


@pytest.fixture(scope="module")
def fitted():
    return classifier().fit([f"good fun {OTHER}", "good film", "bad fun", "bad day"], [HOSTILE, HOSTILE, OTHER, OTHER])


@pytest.fixture(scope="module")
def shown(fitted):
    compared = compare({HOSTILE: recipe(), OTHER: recipe("complement")}, tokenised(documents(24)), folds=2)
    return {
        "not fitted": classifier()._repr_html_(),
        "classifier": fitted._repr_html_(),
        "explanation": fitted.explain(f"good {HOSTILE} fun")._repr_html_(),
        "evaluation": fitted.evaluate(["good", "bad", "fun"], [HOSTILE, OTHER, f"{OTHER}?"])._repr_html_(),
        "comparison": compared._repr_html_(),
    }


KINDS = ["not fitted", "classifier", "explanation", "evaluation", "comparison"]


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_run_or_loaded(shown, kind):
    read = Reader(shown[kind])
    assert {name for name, _ in read.elements}.isdisjoint({"script", "img", "link", "iframe", "object", "b", "meta"})
    names = {name for _, attributes in read.elements for name in attributes}
    assert not {name for name in names if name.startswith("on")} | (names & {"src", "href", "style", "srcset", "id"})
    assert not re.search(r"url\(|@import|http", "".join(read.styles))


@pytest.mark.parametrize("kind", KINDS)
def test_all_is_in_one_element_with_one_style(shown, kind):
    read = Reader(shown[kind])
    assert read.elements[0] == ("div", {"class": "textnb-display"})
    assert [name for name, _ in read.elements].count("style") == 1


def rules(css):
    """Yield the selectors of the outermost rules, those inside @media included."""
    depth, begin, media = 0, 0, 0
    for i, character in enumerate(css):
        if character == "{":
            if depth == media:
                selector = css[begin:i].strip()
                if selector.startswith("@media"):
                    media += 1
                else:
                    yield selector
            depth, begin = depth + 1, i + 1
        elif character == "}":
            depth, begin = depth - 1, i + 1
            media = min(media, depth)
    assert depth == 0


@pytest.mark.parametrize("kind", KINDS)
def test_no_rule_reaches_the_rest_of_the_page(shown, kind):
    assert set(rules("".join(Reader(shown[kind]).styles))) == {".textnb-display"}


def test_the_check_of_rules_finds_one_outside():
    assert set(rules("a { b {} } @media (x) { p { color: red } } .c {}")) == {"a", "p", ".c"}


@pytest.mark.parametrize("kind", ["classifier", "explanation", "evaluation", "comparison"])
def test_hostile_names_are_shown_as_text(shown, kind):
    assert "<script>alert(1)</scr" in Reader(shown[kind]).text or "</style></div><script>" in Reader(shown[kind]).text
    assert "\x00" not in shown[kind]


def test_a_classifier_shows_its_recipe_and_what_was_found(shown, fitted):
    text = Reader(shown["classifier"]).text
    for part in ("words", "multinomial", "alpha 1.0", "4 documents of 2 classes", "documents kept"):
        assert part in text
    assert f"{fitted.facts()['terms used']} of {fitted.facts()['terms']} used" in text
    assert "not fitted" in Reader(shown["not fitted"]).text


def test_many_classes_are_folded():
    names = [f"class {i}" for i in range(25)]
    read = Reader(TextClassifier("multinomial", alpha=1.0, tokenizer="words").fit(names, names)._repr_html_())
    assert "5 more classes" in read.text
    assert all(name in read.text for name in names)


def test_an_explanation_holds_its_text_and_shows_all_of_it(fitted):
    text = "good  fun\n<i>bad</i>"
    explanation = fitted.explain(text)
    assert explanation.text == text
    assert text in Reader(explanation._repr_html_()).text
    assert explanation == Explanation(*(getattr(explanation, name) for name in list(vars(explanation))[:-1]))


def test_colours_say_what_a_word_supports():
    words = (Contribution("ab", 0, 2, 1.0), Contribution("cd", 3, 5, -0.5))
    html = Explanation("x", "y", 0.5, 0.0, words, text="ab cd")._repr_html_()
    assert '<mark class="for4" title="+1.000">ab</mark> <mark class="against3" title="−0.500">cd</mark>' in html


def test_an_explanation_without_text_says_why(fitted):
    (part,) = counted([Document("good fun")], fitted.recipe.terms_of)
    explanation = fitted.explain(part)
    assert explanation.text is None
    assert "Only the counts" in explanation._repr_html_()
    assert "The text is empty" in fitted.explain("")._repr_html_()


def test_a_long_text_is_cut():
    text = "ab " * 4000
    html = Explanation("x", "y", 1.0, 0.0, (Contribution("ab", 0, 2, 1.0),), text=text)._repr_html_()
    assert text[:10_000] in Reader(html).text
    assert "2,000 more characters" in html


def test_an_evaluation_has_the_numbers_of_the_report(fitted):
    evaluation = fitted.evaluate(["good", "bad", "bad"], [HOSTILE, OTHER, HOSTILE])
    read = Reader(evaluation._repr_html_())
    for value in (evaluation.accuracy, evaluation.log_loss, evaluation.ece, evaluation.risk_coverage.aurc):
        assert f"{value:.4f}" in read.text
    cells = [attributes["class"] for name, attributes in read.elements if "shade" in attributes.get("class", "")]
    assert cells == ["right shade8", "wrong shade0", "wrong shade6", "right shade6"]
    assert [name for name, _ in read.elements].count("svg") == 2


def test_many_classes_are_shown_by_their_confusions():
    names = [f"class{i}" for i in range(41)]
    fitted = TextClassifier("multinomial", alpha=1.0, tokenizer="words", calibrate=False).fit(names, names)
    read = Reader(fitted.evaluate(names, names[::-1])._repr_html_())
    assert not [attributes for _, attributes in read.elements if attributes.get("class") == "confusion"]
    assert "Most frequent confusions" in read.text


def test_a_comparison_has_a_row_for_each_recipe(shown):
    assert shown["comparison"].count("<tr>") == 3


def test_more_rules_stay_inside():
    assert set(rules("".join(Reader(display("x", style=".a { color: red }")).styles))) == {".textnb-display"}
    assert Reader(display(element("p", "<"), Html("<p>a</p>"))).text == "<a"


@pytest.mark.parametrize(("text", "expected"), [("", ""), ("a" * 60, "a" * 60), ("a" * 61, "a" * 59 + "…")])
def test_long_names_are_cut(text, expected):
    assert cut(text) == expected
