#!/usr/bin/env python3
"""Reports at the sizes and in the colours that people have.

    browser_looks.py PAGE…

Each page is opened 1280 and 400 px wide, light and dark: it must be no wider than the window with everything open, its
colours must be those that were asked for, nothing may be logged as an error, and it must be painted within 2 s.
"""
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))
from chromium import Chromium  # noqa: E402

WIDTHS = (1280, 400)
SCHEMES = ("light", "dark")
PAINTED_WITHIN_MS = 2000

# What a person would see who has opened everything.
LOOK = """new Promise(done => {
  document.querySelectorAll('details').forEach(d => { d.open = true; });
  const rows = document.getElementById('timeline-rows');
  if (rows && !rows.hidden) rows.click();
  setTimeout(() => {
    const width = innerWidth, wide = [...document.querySelectorAll('body *')].filter(e => {
      for (let p = e; p; p = p.parentElement) if (p.matches && p.matches('.scroll, pre')) return false;
      return e.getBoundingClientRect().right > width + 1; });
    const grey = s => s.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + +b, 0) / 3;
    const style = getComputedStyle(document.body);
    done(JSON.stringify({width: document.documentElement.scrollWidth, window: width,
      wide: wide.slice(0, 3).map(e => e.outerHTML.slice(0, 80)),
      page: grey(style.backgroundColor), ink: grey(style.color),
      paint: Math.max(...performance.getEntriesByType('paint').map(e => e.startTime))}));
  }, 200);
})"""


def look(browser, path, width, scheme):
    """What is wrong with it, and when it was painted."""
    browser.page("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=width < 600)
    browser.page("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
    browser.open("about:blank")
    browser.events = []
    gone = browser.open(path.resolve().as_uri())
    seen = json.loads(browser.evaluate(LOOK))
    wrong = [gone] if gone else []
    if seen["window"] != width or seen["width"] > width or seen["wide"]:
        wrong.append(f"it is {seen['width']} px wide: {' '.join(seen['wide'])}")
    if (seen["page"] < seen["ink"]) != (scheme == "dark"):
        wrong.append(f"its colours are not {scheme}")
    if not 0 < seen["paint"] <= PAINTED_WITHIN_MS:
        wrong.append(f"it was painted after {seen['paint']:.0f} ms")
    wrong += [e["params"]["entry"]["text"] for e in browser.events
              if e.get("method") == "Log.entryAdded" and e["params"]["entry"]["level"] == "error"]
    return wrong, seen["paint"]


def main(pages):
    failed = 0
    with tempfile.TemporaryDirectory() as folder, Chromium(Path(folder) / "browser") as browser:
        for path in map(Path, pages):
            paints = []
            for width in WIDTHS:
                for scheme in SCHEMES:
                    wrong, paint = look(browser, path, width, scheme)
                    paints.append(paint)
                    failed += bool(wrong)
                    for w in wrong:
                        print(f"{path.name}, {width} px, {scheme}: {w}")
            print(f"{path.name}: {path.stat().st_size // 1000} kB, painted after at most {max(paints):.0f} ms")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
