"""Good words that a spam hides from its reader: what they would do to a filter, and that they do not."""

import time

import pytest

from textnb import TextClassifier
from textnb.readers import read_message
from textnb.readers.message import html

TOPICS = ["meeting agenda budget report", "patch kernel compile branch", "lunch garden weekend train"]
GOOD = [f"{topic} notes {chr(97 + i)}{chr(97 + j)}" for i, topic in enumerate(TOPICS) for j in range(8)]
BAD = [f"cheap pills winner casino offer click {chr(97 + j)}z" for j in range(24)]
SPAM = "<p>cheap pills winner casino offer click</p>"
SALT = " ".join(TOPICS * 4)


def mail(page, kind="html"):
    return f"From: a@b.example\nSubject: news\nContent-Type: text/{kind}; charset=utf-8\n\n{page}".encode()


@pytest.fixture(scope="module")
def clf():
    raws = [mail(text, "plain") for text in GOOD + BAD]
    return TextClassifier("mail").fit([read_message(raw) for raw in raws], ["good"] * 24 + ["spam"] * 24)


def probability_of_spam(clf, page):
    return clf.predict_proba([read_message(mail(page))])[0, clf.classes_.tolist().index("spam")]


HIDDEN = {
    "not displayed": f'<div style="display:none">{SALT}</div>',
    "displayed by nobody": f'<div style="visibility:hidden">{SALT}</div>',
    "transparent": f'<div style="opacity:0">{SALT}</div>',
    "letters without size": f'<span style="font-size:0px">{SALT}</span>',
    "letters of a pixel": f'<span style="font-size:1px;line-height:1px">{SALT}</span>',
    "white on white": f'<font color="#FFFFFF">{SALT}</font>',
    "nearly white on white": f'<span style="color:#fefefd">{SALT}</span>',
    "black on black": f'<div style="background:#000000"><span style="color:#010101">{SALT}</span></div>',
    "off the page": f'<div style="position:absolute;left:-9999px">{SALT}</div>',
    "in a box without height": f'<div style="height:0;max-height:0;overflow:hidden">{SALT}</div>',
    "by an attribute": f"<div hidden>{SALT}</div>",
    "by a class": f"<style>.k7 {{ display: none }}</style><div class=k7>{SALT}</div>",
    "by one of two classes": f"<style>b{{}} .k7, .k8 {{font-size:0}}</style><div class='a k8'>{SALT}</div>",
    "by an id": f"<style><!-- /* x */ #z{{visibility:hidden}} --></style><div id=z>{SALT}</div>",
    "by a name": f"<style>@import url(x); ins{{display:none!important}}</style><ins>{SALT}</ins>",
}


@pytest.mark.parametrize("how", HIDDEN)
def test_hidden_good_words_do_not_make_a_spam_good(clf, how, monkeypatch):
    plain = probability_of_spam(clf, SPAM)
    assert plain > 0.9
    assert probability_of_spam(clf, SPAM + HIDDEN[how]) == pytest.approx(plain, abs=0.02)
    monkeypatch.setattr(html, "remove_hidden_texts", lambda *_: [])
    assert probability_of_spam(clf, SPAM + HIDDEN[how]) < 0.5  # if the words counted as text, it would be good mail


@pytest.mark.parametrize("how", HIDDEN)
def test_hidden_words_are_tokens_of_their_own_group(how):
    read = read_message(mail(SPAM + HIDDEN[how]))
    assert read.text == "news\ncheap pills winner casino offer click"
    assert read.fields["hidden"] == list(dict.fromkeys(SALT.split()))


def test_words_that_are_always_hidden_in_spam_speak_for_spam():
    good = [read_message(mail(text)) for text in GOOD]
    bad = [read_message(mail(f"<p>news from us {i}</p><p style='display:none'>{TOPICS[i % 3]}</p>")) for i in range(24)]
    clf = TextClassifier("mail").fit(good + bad, ["good"] * 24 + ["spam"] * 24)
    assert probability_of_spam(clf, "<p>news</p><p style='display:none'>lunch garden budget</p>") > 0.9
    assert probability_of_spam(clf, "<p>news</p><p>lunch garden budget</p>") < 0.5


@pytest.mark.parametrize(
    "page",
    [
        "<style>@media (max-width:600px) { .k {display:none} }</style><p class=k>x</p>",
        "<style>.k {display:none} .k {display:block}</style><p class=k>x</p>",
        "<style>.k {display:none}</style><p class=k style='display:block'>x</p>",
        "<style>.k {display:none}</style><p class=kk>x</p>",
        "<style>/* .k {display:none} */</style><p class=k>x</p>",
        "<style>.dark {background:#036} .k {color:#fff}</style><div class=dark><p class=k>x</p></div>",
        "<style>div > .k:hover {display:none}</style><p class=k>x</p>",
        "<style>.k {font-size:0}</style><div class=k><b style='font-size:12px'>x</b></div>",
    ],
)
def test_a_rule_hides_nothing_that_its_reader_may_see(page):
    read = html.read_html(page)
    assert (read.visible, read.hidden) == ("x", "")


@pytest.mark.parametrize(
    "sheet",
    [
        "@" * 190_000,
        "/*" * 90_000,
        "{" * 190_000,
        "}" * 190_000,
        "a" * 190_000,
        "a," * 95_000,
        "<!-" * 60_000,
        "@x{" * 60_000,
        "@x{b{}" * 30_000,
        "a,b{display:none}" * 11_000,
        "".join(f"p.a{i}{{display:none}}" for i in range(40)) + "p{display:none}</style>" + "<p>x" * 30_000,
    ],
    ids=lambda sheet: sheet[:6],
)
def test_no_style_sheet_takes_long(sheet):
    begun = time.process_time()
    html.read_html(f"<style>color: display:none {sheet}{{display:none}}")
    assert time.process_time() - begun < 2
