"""A headless Chromium, spoken to over two pipes in the DevTools protocol: JSON messages that end with a zero byte.

Only the standard library is needed. A page counts its own console errors, exceptions and requests, since the protocol
tells them as events between the answers.
"""

import base64
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time

SECONDS = 60  # for one answer; a browser that hangs must not hang the test


def program():
    for name in ["chromium", "chromium-browser", "google-chrome"]:
        if found := shutil.which(name):
            return found
    raise SystemExit("chromium is needed")


class Browser:
    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="lariat-page-")
        theirs_in, self.out = os.pipe()
        self.input, theirs_out = os.pipe()
        options = ["--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu",
                   "--disable-extensions", "--disable-background-networking", "--disable-component-update",
                   "--hide-scrollbars", "--disable-dev-shm-usage", f"--user-data-dir={self.home}"]
        if os.geteuid() == 0:
            options.append("--no-sandbox")  # Chromium has none for root
        # The browser reads from descriptor 3 and writes to 4.
        shell = 'exec 3<&"$1" 4>&"$2"; shift 2; exec "$@"'
        self.process = subprocess.Popen(
            ["bash", "-c", shell, "browser", str(theirs_in), str(theirs_out), program(), *options],
            pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        os.set_blocking(self.input, False)
        self.pending = b""
        self.number = 0
        self.events = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.ask("Browser.close")
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired, TimeoutError):
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def message(self, until):
        while b"\0" not in self.pending:
            try:
                got = os.read(self.input, 1 << 20)
                if not got:
                    raise OSError("the browser has gone")
                self.pending += got
            except BlockingIOError:
                if time.monotonic() > until:
                    raise TimeoutError("the browser does not answer") from None
                time.sleep(0.002)
        text, self.pending = self.pending.split(b"\0", 1)
        return json.loads(text)

    def ask(self, method, session=None, **parameters):
        self.number += 1
        question = {"id": self.number, "method": method, "params": parameters}
        if session:
            question["sessionId"] = session
        data = json.dumps(question).encode() + b"\0"
        while data:
            data = data[os.write(self.out, data):]
        until = time.monotonic() + SECONDS
        while True:
            message = self.message(until)
            if message.get("id") == self.number:
                if "error" in message:
                    raise RuntimeError(f"{method}: {message['error']}")
                return message["result"]
            if "method" in message:
                self.events.append(message)

    def page(self, width=1280, height=900, dark=False):
        return Page(self, width, height, dark)


class Page:
    def __init__(self, browser, width, height, dark):
        self.browser = browser
        self.target = browser.ask("Target.createTarget", url="about:blank")["targetId"]
        attached = browser.ask("Target.attachToTarget", targetId=self.target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ["Page", "Runtime", "Log", "Network"]:
            self.ask(f"{domain}.enable")
        self.resize(width, height)
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.browser.ask("Target.closeTarget", targetId=self.target)

    def ask(self, method, **parameters):
        return self.browser.ask(method, self.session, **parameters)

    def resize(self, width, height=900):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1,
                 mobile=width < 600)

    def open(self, file, fragment=""):
        address = pathlib.Path(file).resolve().as_uri() + (f"#{fragment}" if fragment else "")
        # Another fragment alone would not load the page again.
        self.ask("Page.navigate", url="about:blank")
        self.ask("Page.navigate", url=address)
        self.wait("document.readyState === 'complete' && document.querySelector('#count')?.textContent !== ''")

    def evaluate(self, expression):
        result = self.ask("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in result:
            details = result["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]) + f"\nin: {expression}")
        return result["result"].get("value")

    def wait(self, condition, timeout=20):
        until = time.monotonic() + timeout
        while not self.evaluate(f"Boolean({condition})"):
            if time.monotonic() > until:
                raise TimeoutError(f"never: {condition}; complaints: {self.complaints()}")
            time.sleep(0.03)

    def press(self, name, key):
        """A key on the element of this name, as a keyboard would: what is not focusable does not hear it."""
        self.evaluate(f"document.getElementById({name!r}).focus()")
        focused = self.evaluate("document.activeElement.id")
        if focused != name:
            raise RuntimeError(f"{name} cannot be focused; {focused!r} is")
        code = {"Enter": 13, " ": 32}[key]
        for kind in ["keyDown", "keyUp"]:
            self.ask("Input.dispatchKeyEvent", type=kind, key=key, windowsVirtualKeyCode=code,
                     code="Enter" if key == "Enter" else "Space", text="\r" if key == "Enter" else key)

    def own_events(self, *methods):
        own = [event for event in self.browser.events if event.get("sessionId") == self.session]
        return [event["params"] for event in own if event["method"] in methods]

    def complaints(self):
        """Exceptions, errors and warnings on the console, and what the browser itself logs."""
        self.evaluate("1")  # so that what was said before has arrived
        found = [event["exceptionDetails"].get("exception", {}).get("description", "exception")
                 for event in self.own_events("Runtime.exceptionThrown")]
        found += [f"console.{event['type']}: {[a.get('value') for a in event['args']]}"
                  for event in self.own_events("Runtime.consoleAPICalled")
                  if event["type"] in ("error", "warning", "assert")]
        found += [event["entry"]["text"] for event in self.own_events("Log.entryAdded")
                  if event["entry"]["level"] in ("error", "warning")]
        return found

    def requests(self):
        return [event["request"]["url"] for event in self.own_events("Network.requestWillBeSent")]

    def screenshot(self, file, whole=False):
        picture = self.ask("Page.captureScreenshot", captureBeyondViewport=whole)["data"]
        pathlib.Path(file).write_bytes(base64.b64decode(picture))
