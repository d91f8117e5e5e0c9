"""Report as one self-contained HTML page.

The page has no script, font, image or external address. The Content-Security-Policy in its head allows nothing but its
own style, so even markup that escaped the escaping could not load or run anything.
"""

from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from textnb.evaluation.charts import chart_style
from textnb.language import Language
from textnb.markup import Html, element
from textnb.report import documents, sections
from textnb.report.sections import Section
from textnb.report.values import Report
from textnb.version import __version__

_SECTIONS = (
    sections.summary,
    sections.models,
    sections.curves,
    sections.learnt,
    sections.classes,
    sections.confusion,
    sections.reliability,
    sections.coverage,
    documents.mistakes,
    documents.suspects,
    sections.words,
    documents.documents,
)


def page(report: Report, lang: str = "en") -> str:
    """Write a report as one HTML page.

    Parameters
    ----------
    report : Report
        Content of the page; what is left out has no section.
    lang : {"en", "ja"}
        Language of the page.

    Returns
    -------
    str
        The page.

    Examples
    --------
    >>> shown = page(Report("<b>", facts=[("corpus", "news")]), "ja")
    >>> "<title>&lt;b&gt;</title>" in shown, "コーパス" in shown, "混同行列" in shown
    (True, True, False)
    """
    say = Language(lang)
    made = {section.__name__: section(report, say) for section in _SECTIONS}
    shown = {name: section for name, section in made.items() if section is not None}
    body = [_skip(say), _header(report, say), _navigation(shown, say), _main(shown), _footer(say)]
    whole = element("html", _head(report), "\n", element("body", *body), lang=say.code)
    return f"<!doctype html>\n{whole}\n"


def _head(report: Report) -> Html:
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8") + chart_style()
    digest = b64encode(sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; img-src data:; base-uri 'none'; form-action 'none'"
    return element(
        "head",
        element("meta", charset="utf-8"),
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("meta", name="referrer", content="no-referrer"),
        element("title", report.title),
        element("link", rel="icon", href="data:,"),  # otherwise a browser requests one
        element("style", Html(style)),
    )


def _skip(say: Language) -> Html:
    return element("a", say("Skip to the content"), href="#content", class_="skip")


def _header(report: Report, say: Language) -> Html:
    return element("header", element("p", "textnb · ", say("Report"), class_="brand"), element("h1", report.title))


def _navigation(shown: Mapping[str, Section], say: Language) -> Html:
    links = [element("li", element("a", title, href=f"#{name}")) for name, (title, _) in shown.items()]
    return element("nav", element("ul", *links), aria_label=say("Sections"))


def _main(shown: Mapping[str, Section]) -> Html:
    parts = [
        element("section", element("h2", title, id=f"{name}-title"), body, id=name, aria_labelledby=f"{name}-title")
        for name, (title, body) in shown.items()
    ]
    return element("main", *parts, id="content", tabindex="-1")


def _footer(say: Language) -> Html:
    phrase = "Made by textnb {version}. This page is complete: it loads nothing and runs no script."
    return element("footer", element("p", say(phrase, version=__version__)))
