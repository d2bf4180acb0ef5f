"""Headless Chromiums for many pages, driven by the DevTools protocol over a pipe: no network, no packages.

    with Browsers(folder, 2) as browsers:  # as many threads can have a page of their own
        wrong = browsers.provoke(path)     # None, or what a page did that it should not

A page is opened, everything in it gets pointer, mouse, key, focus and toggle events, and real mouse moves and clicks
go over the window. Then it is asked what happened: a mark set by a script (payloads.MARK), an element that came from a name
(payloads.TAG), a handler or address with one of them, a dialog, a request to anywhere, another title or address.
"""
import fcntl
import json
import os
import queue
import shutil
import time

from hostile_cases.payloads import TAG

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


def chromium():
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


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


class Browser:
    def __init__(self, folder):
        folder.mkdir()
        self.number, self.events = 0, []
        (low_in, self.to), (self.back, low_out) = os.pipe(), os.pipe()
        their_in, their_out = (fcntl.fcntl(fd, fcntl.F_DUPFD, 20) for fd in (low_in, low_out))  # not 3 or 4
        arguments = [chromium(), "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
                     "--no-first-run", "--disable-background-networking", "--disable-extensions", "--disable-sync",
                     "--disable-component-update", "--window-size=1200,1000", f"--user-data-dir={folder}/profile",
                     "about:blank"]
        quiet = os.open(os.devnull, os.O_RDWR)
        self.process = os.posix_spawn(arguments[0], arguments, {**os.environ, "HOME": str(folder)}, file_actions=[
            (os.POSIX_SPAWN_DUP2, theirs, ours) for theirs, ours in
            ((quiet, 0), (quiet, 1), (quiet, 2), (their_in, 3), (their_out, 4))])
        os.close(quiet)
        for fd in (low_in, low_out, their_in, their_out):
            os.close(fd)
        self.buffer = b""
        target = self.call("Target.createTarget", {"url": "about:blank"})["targetId"]
        self.session = self.call("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Network", "Log"):
            self.page(f"{domain}.enable")

    def close(self):
        try:
            self.call("Browser.close")
        except OSError:
            pass
        os.waitpid(self.process, 0)
        os.close(self.to)
        os.close(self.back)

    def _read(self):
        while b"\0" not in self.buffer:
            piece = os.read(self.back, 1 << 20)
            if not piece:
                raise OSError("Chromium ended")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, parameters=None, session=None):
        self.number += 1
        number = self.number  # another one is sent while we wait, where a dialog opens
        message = {"id": number, "method": method, "params": parameters or {}}
        if session:
            message["sessionId"] = session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == number:
                if "error" in answer:
                    raise OSError(f"{method}: {answer['error'].get('message')}")
                return answer["result"]
            self._event(answer)

    def page(self, method, **parameters):
        return self.call(method, parameters, self.session)

    def _event(self, message):
        self.events.append(message)
        if message.get("method") == "Page.javascriptDialogOpening":  # else everything waits for it
            self.number += 1
            os.write(self.to, json.dumps({"id": self.number, "method": "Page.handleJavaScriptDialog",
                                          "params": {"accept": True}, "sessionId": self.session}).encode() + b"\0")

    def _open(self, address):
        """Open a page and wait until it is there; where it went instead, or None."""
        self.page("Page.navigate", url=address)
        for _ in range(200):
            try:
                where, state = json.loads(self._evaluate("JSON.stringify([location.href, document.readyState])"))
            except OSError:
                where = state = ""  # it is on its way
            if where.split("#")[0] == address and state == "complete":
                return None
            time.sleep(0.02)
        return f"the page went to {where[:80]}"

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
        self._open("about:blank")
        self.events = []
        wrong = []
        try:
            wrong.append(self._open(address))
            before = json.loads(self._evaluate(TRACES))
            self._evaluate(EVENTS)
            self._mouse(before["height"])
            after = json.loads(self._evaluate(TRACES))
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

    def _evaluate(self, expression):
        result = self.page("Runtime.evaluate", expression=expression)
        if "exceptionDetails" in result:
            raise OSError(f"the page's check failed: {result['exceptionDetails'].get('text')}")
        return result["result"].get("value", "null")
