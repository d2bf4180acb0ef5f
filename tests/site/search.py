#!/usr/bin/env python3
"""The search of a built site, in Chromium, from disk.

    search.py SITE

Questions whose page is known find it first; words of a title come before those of a heading, and these before those of the
text; the keys work; what the index has is never markup.
"""
import json
import shutil
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))
from chromium import Chromium  # noqa: E402

FIRST = {  # what is asked, and where the first answer leads
    "analyze": "docs/analyze.html",
    "gait verify": "docs/verify.html",
    "GT101": "docs/rules/GT101-sync-item.html",
    "input-bound": "docs/rules/input-bound.html",
    "exit codes": "docs/scripts.html#exit-codes",
    "run is an sqlite": "docs/adr/0001-run-is-an-sqlite-file.html",
    "prices were wrong": "docs/truth-worst.html",
    "core2duo": "docs/install.html#what-was-tried",
    "getting started": "docs/start.html",
}
NOTHING = "zzqq xxyy"
PLANTED = """const searchIndex = [
["text.html","S","One",[["","","some wombat here"]]],
["heading.html","S","Two",[["","","x"],["h","About wombats","x"]]],
["middle.html","S","Awombat",[["","","x"]]],
["title.html","S","A wombat",[["","","<img src=x onerror='document.title=1'> <b>bold</b>"]]],
];"""
ORDER = ["title.html", "middle.html", "heading.html#h", "text.html"]

ASK = """(async () => {
  const input = document.querySelector('#search input');
  input.focus();
  input.value = %s;
  input.dispatchEvent(new Event('input'));
  for (let i = 0; i < 200 && !document.querySelector('#found p').textContent; i++) await new Promise(r => setTimeout(r, 20));
  const found = [...document.querySelectorAll('#found a')];
  return JSON.stringify({links: found.map(a => a.href), said: document.querySelector('#found p').textContent,
    texts: found.map(a => a.textContent), tags: [...document.querySelectorAll('#found img, #found script')].length,
    marks: document.querySelectorAll('#found mark').length, shown: !document.getElementById('found').hidden});
})()"""


def ask(browser, question):
    return json.loads(browser.evaluate(ASK % json.dumps(question)))


def press(browser, key, text=""):
    for kind in ("keyDown", "keyUp"):
        browser.page("Input.dispatchKeyEvent", type=kind, key=key, code=key, text=text if kind == "keyDown" else "",
                     windowsVirtualKeyCode={"Enter": 13, "ArrowDown": 40, "Escape": 27}.get(key, ord(key[0])))


def known_questions(browser, site):
    """What is wrong, a sentence each."""
    browser.open((site / "docs/rules/index.html").as_uri())
    for question, address in FIRST.items():
        seen = ask(browser, question)
        first = seen["links"][0] if seen["links"] else "nothing"
        if first != (site / address).as_uri().replace("%23", "#"):
            yield f"{question!r} finds {first} first, not {address}"
        if not seen["marks"] or "found" not in seen["said"]:
            yield f"{question!r}: nothing is marked, or it is not said how many there are"
    seen = ask(browser, NOTHING)
    if seen["links"] or "Nothing" not in seen["said"]:
        yield f"{NOTHING!r} finds something, or it is not said that it finds nothing"


def keys(browser, site):
    browser.open((site / "docs/rules/index.html").as_uri())
    press(browser, "/", "/")
    if browser.evaluate("document.activeElement.type + document.activeElement.value") != "search":
        yield "the key / does not lead to the search"
    ask(browser, "core2duo")
    press(browser, "Escape")
    if browser.evaluate("document.getElementById('found').hidden") is not True:
        yield "Escape does not end the search"
    ask(browser, "core2duo")
    press(browser, "ArrowDown")
    if browser.evaluate("document.activeElement.closest('#found') !== null") is not True:
        yield "the arrow does not lead to the first answer"
    press(browser, "Enter", "\r")
    there = (site / "docs/install.html").as_uri() + "#what-was-tried"
    browser.evaluate("new Promise(r => setTimeout(r, 100))")
    for _ in range(100):
        if browser.evaluate("location.href") == there:
            return
    yield f"Enter leads to {browser.evaluate('location.href')}"


def order(browser, site, folder):
    for name in ("index.html", "site.js", "site.css"):
        shutil.copy(site / name, folder)
    (folder / "search-index.js").write_text(PLANTED)
    browser.open((folder / "index.html").as_uri())
    seen = ask(browser, "wombat")
    found = [link.rsplit("/", 1)[1] for link in seen["links"]]
    if found != ORDER:
        yield f"the order is {found}, not {ORDER}"
    seen = ask(browser, "bold")
    if seen["tags"] or "<img" not in "".join(seen["texts"]) or browser.evaluate("document.title") == "1":
        yield "a text of the index became markup"


def main(site):
    with tempfile.TemporaryDirectory() as work, Chromium(Path(work) / "browser") as browser:
        folder = Path(work) / "planted"
        folder.mkdir()
        wrong = [*known_questions(browser, site), *keys(browser, site), *order(browser, site, folder)]
    for sentence in wrong:
        print(sentence)
    print(f"search: {len(FIRST)} questions find their page first" if not wrong else f"search: {len(wrong)} problems")
    return wrong != []


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
