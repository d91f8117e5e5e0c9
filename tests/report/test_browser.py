"""The page in a real browser, as a person would open it: what it shows, what it asks for, what it runs."""

import json
import re
import shutil
import subprocess
import threading
from functools import partial
from html import unescape
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest
from small_reports import HOSTILE, TEXTS, many_classes_report, whole_report

from textnb.report import page

BROWSER = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needs_browser = pytest.mark.skipif(BROWSER is None, reason="needs the browser chromium, which is not installed")
OPTIONS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
           "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-dev-shm-usage",
           "--enable-logging=stderr", "--virtual-time-budget=2000"]  # fmt: skip

LOOKING = """<!doctype html><meta charset="utf-8"><title>outside</title>
<iframe src="report.html" style="width: 390px; height: 800px"></iframe>
<iframe src="report.html" style="width: 1280px; height: 800px"></iframe>
<iframe src="many.html" style="width: 390px; height: 800px"></iframe>
<iframe src="many.html" style="width: 1280px; height: 800px"></iframe><pre></pre><script>
const narrow = (frame, what) => [...frame.contentDocument.querySelectorAll(what)].filter(each => {
  const range = document.createRange(); range.selectNodeContents(each);
  const lines = new Set([...range.getClientRects()].filter(box => box.width).map(box => Math.round(box.top)));
  return each.textContent.length > 2 && lines.size > each.textContent.length / 2;
}).map(each => each.textContent);
addEventListener("load", () => {
  for (const frame of document.querySelectorAll("iframe"))
    frame.contentDocument.querySelectorAll("details").forEach(each => each.open = true);
  const inside = document.querySelector("iframe").contentDocument, all = what => [...inside.querySelectorAll(what)];
  const style = what => inside.defaultView.getComputedStyle(inside.querySelector(what));
  const found = {
    title: inside.title, scripts: inside.scripts.length, images: inside.images.length,
    widths: [...document.querySelectorAll("iframe")].map(frame =>
      [frame.contentDocument.documentElement.scrollWidth, frame.contentWindow.innerWidth]),
    narrow: [...document.querySelectorAll("iframe")].flatMap(frame => narrow(frame, "th, dt, label, .term, h3")),
    loaded: inside.defaultView.performance.getEntriesByType("resource").map(each => each.name),
    charts: all("svg[role=img]").map(chart => chart.getBoundingClientRect().height),
    cells: all(".confusion td[class]").map(cell => cell.textContent),
    words: all(".words .term").map(word => word.textContent),
    texts: all(".text").map(text => text.textContent),
    marks: all("section.document mark[title]").map(mark => mark.textContent),
    background: style("mark.for4").backgroundColor, margin: style("body").marginTop,
    folded: all("details").length,
  };
  console.log("looked");
  document.querySelector("pre").textContent = JSON.stringify(found);
});
</script>"""


class Quiet(SimpleHTTPRequestHandler):
    """Serves a folder and notes what is asked for."""

    def __init__(self, asked, *arguments, **told):
        self.asked = asked
        super().__init__(*arguments, **told)

    def do_GET(self):
        self.asked.append(self.path)
        super().do_GET()

    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def opened(tmp_path_factory):
    """What the page shows, what was asked of the server, and what the browser said, of one start of it."""
    folder = tmp_path_factory.mktemp("page")
    (folder / "report.html").write_text(page(whole_report(), "ja"), encoding="utf-8")
    (folder / "many.html").write_text(page(many_classes_report(), "ja"), encoding="utf-8")
    (folder / "look.html").write_text(LOOKING, encoding="utf-8")
    asked = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, asked, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/look.html"
    command = [BROWSER, *OPTIONS, f"--user-data-dir={folder / 'user'}", "--dump-dom", address]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=True)
    server.shutdown()
    server.server_close()
    shown = json.loads(unescape(re.search("<pre>(.*?)</pre>", done.stdout, re.DOTALL)[1]))
    return shown, asked, re.findall(r"CONSOLE.*", done.stderr)


@needs_browser
def test_the_page_as_a_browser_shows_it(opened):
    shown, _, _ = opened
    assert len(shown["cells"]) == 2 * (9 + 3)  # in two orders, with the sums of the rows
    assert shown["words"][:3] == ["塩", "塩 油", HOSTILE]
    assert shown["texts"][-1] == TEXTS[0]
    assert "塩" in shown["marks"]
    assert len(shown["charts"]) == 6
    assert min(shown["charts"]) > 30
    assert shown["folded"] > 0


@needs_browser
def test_its_own_style_is_let_through_by_its_policy(opened):
    shown, _, _ = opened
    assert shown["background"].startswith("rgba(31, 95, 168")
    assert shown["margin"] == "0px"


@needs_browser
def test_neither_a_phone_nor_a_desktop_need_scroll_sideways(opened):
    assert [window for _, window in opened[0]["widths"]] == [390, 1280] * 2
    assert all(wide <= window for wide, window in opened[0]["widths"]), opened[0]["widths"]


@needs_browser
def test_no_label_breaks_letter_by_letter(opened):
    assert opened[0]["narrow"] == []


@needs_browser
def test_a_script_in_a_document_does_not_run(opened):
    shown, _, _ = opened
    assert shown["title"] == f"報告 {HOSTILE}"
    assert shown["scripts"] == shown["images"] == 0


@needs_browser
def test_nothing_else_is_asked_for_and_nothing_is_complained_of(opened):
    shown, asked, said = opened
    assert shown["loaded"] == []
    assert {path for path in asked if path != "/favicon.ico"} == {
        "/look.html",
        "/report.html",
        "/many.html",
    }  # the icon of look.html
    assert len(said) == 1  # so what is said is heard
    assert "looked" in said[0]
