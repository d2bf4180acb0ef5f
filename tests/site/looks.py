#!/usr/bin/env python3
"""The pages of a built site at the sizes and in the colours that people have, in Chromium, from disk.

    looks.py SITE [EVERY]

Each page is opened 400 px wide (of folders whose pages are alike, rules, decisions and code, every EVERY-th): it is no wider (but for what scrolls by itself), loads nothing but files of the site, and logs no
error. Some are opened at every size and in light and dark, as reports are (tests/e2e/browser_looks.py).
"""
import json
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TESTS / "tools"), str(TESTS / "e2e")]
from browser_looks import SCHEMES, WIDTHS, look  # noqa: E402
from chromium import Chromium  # noqa: E402

CLOSELY = ["index.html", "docs/analyze.html", "docs/parity.html", "ARCHITECTURE.html"]
WIDE = """(() => {
  const over = [...document.querySelectorAll('body *')].filter(e =>
    !e.closest('.scroll, pre') && e.getBoundingClientRect().right > innerWidth + 1);
  return JSON.stringify({width: document.documentElement.scrollWidth, over: over.slice(0, 2).map(e => e.outerHTML.slice(0, 90)),
    broken: [...document.images].filter(i => !i.naturalWidth).length, text: document.querySelector('main').innerText.length});
})()"""


def narrow(browser, site, page):
    """What is wrong with a page in a window of 400 px."""
    browser.events = []
    gone = browser.open(page.as_uri())
    if gone:
        yield gone
    seen = json.loads(browser.evaluate(WIDE))
    if seen["width"] > 400 or seen["over"]:
        yield f"it is {seen['width']} px wide: {' '.join(seen['over'])}"
    if seen["broken"] or not seen["text"]:
        yield f"{seen['broken']} pictures are not there, {seen['text']} characters of text"
    for event in browser.events:
        if event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
            yield event["params"]["entry"]["text"]
        url = event["params"]["request"]["url"] if event.get("method") == "Network.requestWillBeSent" else ""
        if url and not url.startswith((site.as_uri() + "/", "data:")):
            yield f"it loads {url}"


def chosen(site, every):
    """The pages to open; reports of the gallery have a test of their own."""
    pages = [p for p in sorted(site.rglob("*.html")) if p.parent.name != "gallery"]
    unlike = [p for p in pages if p.parent in (site, site / "docs")]
    return unlike + [p for p in pages if p not in unlike][::every]


def main(site, every):
    failed, pages = 0, chosen(site, every)
    with tempfile.TemporaryDirectory() as work, Chromium(Path(work) / "browser") as browser:
        browser.page("Emulation.setDeviceMetricsOverride", width=400, height=800, deviceScaleFactor=1, mobile=True)
        for page in pages:
            for wrong in narrow(browser, site, page):
                failed += 1
                print(f"{page.relative_to(site)}, 400 px: {wrong}")
        for name in CLOSELY:
            for width, scheme in [(w, s) for w in WIDTHS for s in SCHEMES]:
                for wrong in look(browser, site / name, width, scheme)[0]:
                    failed += 1
                    print(f"{name}, {width} px, {scheme}: {wrong}")
    print(f"looks: {len(pages)} pages at 400 px, {len(CLOSELY)} at every size, {failed} problems")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 1))
