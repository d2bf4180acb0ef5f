"""A headless Chromium, driven by the DevTools protocol over a pipe: no network, no packages.

    with Chromium(folder) as browser:          # folder: a new one, for its profile
        browser.open(path.as_uri())
        width = browser.evaluate("innerWidth")
"""
import fcntl
import json
import os
import shutil
import time


def chromium():
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Chromium:
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

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

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

    def open(self, address):
        """Open a page and wait until it is there; where it went instead, or None."""
        self.page("Page.navigate", url=address)
        for _ in range(200):
            try:
                where, state = json.loads(self.evaluate("JSON.stringify([location.href, document.readyState])"))
            except OSError:
                where = state = ""  # it is on its way
            if where.split("#")[0] == address and state == "complete":
                return None
            time.sleep(0.02)
        return f"the page went to {where[:80]}"

    def evaluate(self, expression):
        """What an expression gives; of a promise, what it comes to."""
        result = self.page("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            raise OSError(f"the page's check failed: {result['exceptionDetails'].get('text')}")
        return result["result"].get("value", "null")
