"""Headless Chromiums for many pages, driven by the DevTools protocol over a pipe: no network, no packages.

    with Browsers(folder, 2) as browsers:  # as many threads can have a page of their own
        wrong = browsers.provoke(path)     # None, or what a page did that it should not

A page is opened, everything in it gets pointer, mouse, key, focus and toggle events, and real mouse moves and clicks
go over the window. Then it is asked what happened: a mark set by a script (payloads.MARK), an element that came from a name
(payloads.TAG), a handler or address with one of them, a dialog, a request to anywhere, another title or address.
"""
import json
import queue
import sys
from pathlib import Path

from hostile_cases.payloads import TAG

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools"))
from chromium import Chromium, chromium  # noqa: E402, F401

EVENTS = """
  for (const e of document.querySelectorAll('*')) {
    for (const n of ['pointerover','pointerenter','mouseover','mouseenter','mousemove','pointerdown','mousedown','pointerup',
                     'mouseup','click','dblclick','contextmenu','mouseout','mouseleave','keydown','keyup','focus','focusin',
                     'blur','input','change','toggle','wheel','dragstart','copy']) {
      const kind = /^(pointer)/.test(n) ? PointerEvent : /^(mouse|click|dbl|context)/.test(n) ? MouseEvent : Event;
      const box = e.getBoundingClientRect();
      try { e.dispatchEvent(new kind(n, {bubbles: true, cancelable: true, clientX: box.x + box.width / 2,
                                         clientY: box.y + box.height / 2})); } catch (x) {}
    }
    if (e.tagName == 'DETAILS') e.open = !e.open;
    if (e.focus) e.focus();
    /* Links are followed only within the page. */
    if (e.click && !(e.tagName == 'A' && !(e.getAttribute('href') || '').startsWith('#'))) e.click();
  }
"""
# What came of it: a list of sentences, empty where nothing did.
TRACES = """(() => {
  const wrong = [];
  if (document.documentElement.hasAttribute('data-hostile')) wrong.push('a script of a name ran');
  if (document.querySelector('%s')) wrong.push('a name became an element');
  for (const e of document.querySelectorAll('*'))
    for (const a of e.attributes) {
      if (/^on/i.test(a.name) && /data-hostile/.test(a.value)) wrong.push('a name became a handler: ' + a.name);
      if (/^(href|src|action|data|srcdoc|style|content|xlink:href)$/i.test(a.name) &&
          /hostile/.test(a.value) && !/^(file:|#)/.test(a.value)) wrong.push('a name became ' + e.tagName + '.' + a.name);
      if (/^\\s*java\\s*script:/i.test(a.value) && /^(href|src|action|data)$/i.test(a.name)) wrong.push('a script address');
    }
  return JSON.stringify({wrong: [...new Set(wrong)], address: location.href,
                         elements: document.querySelectorAll('*').length,
                         height: document.documentElement.scrollHeight});
})()""" % TAG


class Browsers:
    """Real clicks and moves wait for frames, not for the processor: several pages at once take no longer than one."""

    def __init__(self, folder, n):
        self.all = [Browser(folder / f"browser-{i}") for i in range(n)]
        self.free = queue.Queue()
        for b in self.all:
            self.free.put(b)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for b in self.all:
            b.close()

    def provoke(self, path):
        """Open a page and do everything to it; what it did that it should not, or None."""
        browser = self.free.get()
        try:
            return browser.provoke(path)
        finally:
            self.free.put(browser)


class Browser(Chromium):
    def _mouse(self, height):
        """Real moves and clicks over three windows of the page."""
        for top in sorted({0, max(0, height // 2 - 500), max(0, height - 1000)}):
            self.page("Runtime.evaluate", expression=f"scrollTo(0, {top})")
            for y in range(20, 1000, 190):  # each of them waits for a frame; EVENTS has reached every element before
                for x in range(30, 1200, 230):
                    self.page("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
            for y in range(60, 1000, 300):
                for x in range(100, 1200, 350):
                    for kind in ("mousePressed", "mouseReleased"):
                        self.page("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def provoke(self, path):
        address = path.resolve().as_uri()
        self.open("about:blank")
        self.events = []
        wrong = []
        try:
            wrong.append(self.open(address))
            before = json.loads(self.evaluate(TRACES))
            self.evaluate(EVENTS)
            self._mouse(before["height"])
            after = json.loads(self.evaluate(TRACES))
            wrong += before["wrong"] + after["wrong"]
            if after["address"].split("#")[0] != address:
                wrong.append(f"the page went to {after['address'][:80]}")
        except OSError as e:
            if "navigated" not in str(e):
                raise
            wrong.append("the page went elsewhere")
        for e in self.events:
            wrong += self._told(e, address)
        return "; ".join(dict.fromkeys(w for w in wrong if w)) or None

    @staticmethod
    def _told(event, address):
        if event.get("method") == "Page.javascriptDialogOpening":
            return ["a dialog opened"]
        if event.get("method") == "Network.requestWillBeSent":
            url = event["params"]["request"]["url"]
            return [] if url.split("#")[0] == address or url.startswith("data:") else [f"it asked for {url[:80]}"]
        return []
