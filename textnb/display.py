"""Frame of what notebooks show: one element with its own style, complete by itself, without scripts, in light and dark.

Every rule is inside ``.textnb-display`` (CSS nesting), so it reaches nothing else on the page. Colours are those of the
report.
"""

from textnb.markup import Html, element

_LEVELS = {1: 0.10, 2: 0.20, 3: 0.32, 4: 0.46}
"""Opacity of the colour of each level of ``shaded`` texts."""

_COLOURS = """.textnb-display { color-scheme: light dark; --ink: #1c2026; --quiet: #5b626c; --edge: #dfe2e6;
  --card: #ffffff; --paper: #fbfbfa; --for: 31 95 168; --against: 196 82 16; --right: 44 122 75; --wrong: 196 62 30; }
@media (prefers-color-scheme: dark) { .textnb-display { --ink: #e6e9ee; --quiet: #a3abb6; --edge: #353b44;
  --card: #1b1f25; --paper: #14171b; --for: 80 150 230; --against: 226 120 50; --right: 90 190 125;
  --wrong: 236 110 80; } }
"""
_RULES = """
  padding: .8rem 1rem; border: 1px solid var(--edge); border-radius: .5rem; background: var(--paper);
  color: var(--ink); line-height: 1.5; overflow-wrap: anywhere;
  font-family: system-ui, "Hiragino Sans", "Noto Sans JP", "Yu Gothic UI", Meiryo, sans-serif;
  & p { margin: 0 0 .6rem; max-width: 46rem; color: inherit; }
  & h4 { margin: 1.2rem 0 .5rem; font-size: 1.05rem; color: inherit; }
  & small, & dt, & caption { color: var(--quiet); }
  & dl { display: flex; flex-wrap: wrap; gap: .3rem 1.5rem; margin: .6rem 0; }
  & dl div { display: flex; gap: .4rem; }
  & dt { font-weight: normal; } & dd { margin: 0; }
  & summary { cursor: pointer; }
  & .scroll { overflow-x: auto; max-width: 100%; }
  & table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 0; color: inherit;
    overflow-wrap: normal; }
  & caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  & tr { background: none; }
  & th, & td { padding: .25rem .6rem; border: 0; border-bottom: 1px solid var(--edge); text-align: left;
    color: inherit; }
  & th { font-weight: 600; } & .number { text-align: right; white-space: nowrap; }
  & ol.steps { display: flex; flex-wrap: wrap; gap: .6rem 1.8rem; margin: .6rem 0; padding: 0; list-style: none; }
  & ol.steps li { position: relative; margin: 0; padding: .3rem .7rem; border: 1px solid var(--edge);
    border-radius: .5rem; background: var(--card); max-width: 16rem; }
  & ol.steps li + li::before { content: "→"; position: absolute; left: -1.45rem; top: .9rem; color: var(--quiet); }
  & ol.steps small, & ol.steps strong { display: block; }
  & .text { white-space: pre-wrap; line-height: 1.9; max-height: 30rem; overflow: auto; padding: .5rem .8rem;
    margin: 0 0 .8rem; border: 1px solid var(--edge); border-radius: .4rem; background: var(--card); }
  & mark { color: inherit; padding: .1em 0; border: 0 solid transparent; border-width: 0 1px 2px 0;
    background-clip: padding-box; }
  & p mark { padding: .1em .4em; }
  & .confusion td { text-align: center; } & .confusion th { white-space: nowrap; }
  & .confusion thead span { writing-mode: vertical-rl; }
  & .confusion thead th { text-align: center; vertical-align: bottom; } & td small { display: block; }
  & .right { background: rgb(var(--right) / var(--shade)); } & .wrong { background: rgb(var(--wrong) / var(--shade)); }
  & .figure { display: flex; flex-wrap: wrap; gap: 1rem 2rem; align-items: flex-start; }
  & .figure > svg { flex: 1 1 20rem; max-width: 30rem; height: auto; }
"""
_MARKS = "\n".join(
    f"  & mark.{kind}{level} {{ background-color: rgb(var(--{kind}) / {opacity:.2f});"
    f" border-bottom: 2px {line if level > 1 else 'none'} rgb(var(--{kind})); }}"
    for kind, line in (("for", "solid"), ("against", "dashed"))
    for level, opacity in _LEVELS.items()
)
_SHADES = "\n".join(f"  & .shade{n} {{ --shade: {n * 0.06:.2f}; }}" for n in range(9))


def display(*parts: str, style: str = "") -> Html:
    """Element with these parts and its style; ``style`` has more rules, which hold inside it alone.

    >>> display("<b>").endswith("&lt;b&gt;</div>")
    True
    """
    rules = f"{_COLOURS}.textnb-display {{{_RULES}{_MARKS}\n{_SHADES}\n{style}}}"
    return element("div", element("style", Html(rules)), *parts, class_="textnb-display")


def cut(text: str, longest: int = 60) -> str:
    """Text of at most so many characters.

    >>> cut("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def pairs(rows: list[tuple[str, str]]) -> Html:
    """List of names and values."""
    return element("dl", *(element("div", element("dt", name), element("dd", value)) for name, value in rows))
