"""A real browser for tests: Debian's Chromium, driven over its own DevTools protocol.

Rules that live here: every page starts with empty, unshared storage; every request that it or one of its
workers makes is noted, and no name outside this machine resolves; every console error, uncaught exception
and refused resource is noted as a complaint. Waiting means asking the page again until it says yes.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urlsplit

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.timing import TIMEOUT, looks

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--hide-scrollbars",
    # A page that reaches out fails here, whatever network the machine has.
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE *.localhost, EXCLUDE 127.0.0.1",
    "--no-proxy-server",
    # Documents that a test changes on their way come from nowhere, and might not ask servers on this machine.
    # Renderers started ahead, for the next page and for Chromium's own, which no test uses.
    "--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests"
    ",SpareRendererForSitePerProcess,PreloadTopChromeWebUI",
    "--remote-debugging-port=0",
]

KEYS = {
    "/": {"key": "/", "code": "Slash", "windowsVirtualKeyCode": 191, "text": "/"},
    "Enter": {"key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"},
    "Tab": {"key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9},
    "Escape": {"key": "Escape", "code": "Escape", "windowsVirtualKeyCode": 27},
    " ": {"key": " ", "code": "Space", "windowsVirtualKeyCode": 32},
    "a": {"key": "a", "code": "KeyA", "windowsVirtualKeyCode": 65},
    "s": {"key": "s", "code": "KeyS", "windowsVirtualKeyCode": 83},
}
CTRL = 2


@dataclass(slots=True)
class Sent:
    """A request the page made, its header names in lower case."""

    method: str
    url: str
    headers: dict[str, str]


Event = Callable[[str, dict[str, Any]], None]

# What Chromium answers to a question that the page left before it could be answered.
LEFT = ("Inspected target navigated or closed", "Execution context was destroyed", "Cannot find context")


# What it answers when a worker or tab has ended before it could be listened to.
ENDED = ("Session with given id not found", "No session with given id", "Target closed")


class Navigated(RuntimeError):
    """The page went elsewhere while it was asked something."""


class Ended(RuntimeError):
    """What was asked is no longer there."""


@dataclass(slots=True)
class Browser:
    """One running Chromium and the wire to it."""

    wire: ClientConnection
    listeners: dict[str, Event] = field(default_factory=dict)
    answers: dict[int, dict[str, Any]] = field(default_factory=dict)
    ended: set[str] = field(default_factory=set)
    calls: int = 0

    @contextmanager
    def page(self, *, width: int = 1280, height: int = 800, dark: bool = False) -> Iterator[Page]:
        """Give an empty page with its own cookies and storage, closed afterwards."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        page.prepare(width, height, dark)
        try:
            yield page
        finally:
            self.call("Target.disposeBrowserContext", browserContextId=context)

    def call(self, method: str, session: str | None = None, **params: Any) -> dict[str, Any]:
        """Send one command and return its result; what happens meanwhile goes to the listeners.

        Raises RuntimeError when the browser refuses the command, Navigated when the page left meanwhile,
        Ended when it is gone, TimeoutError when there is no answer.
        """
        self.calls += 1
        number = self.calls
        command: dict[str, Any] = {"id": number, "method": method, "params": params}
        if session:
            command["sessionId"] = session
        self.wire.send(json.dumps(command))
        deadline = time.monotonic() + TIMEOUT
        while number not in self.answers:
            if session in self.ended:  # what was asked of it is not always answered
                raise Ended(f"{method}: {session} has ended")
            message = json.loads(self.wire.recv(timeout=max(0.0, deadline - time.monotonic())))
            if "id" in message:  # perhaps of a call during which a listener makes this one
                self.answers[message["id"]] = message
                continue
            if message["method"] == "Target.detachedFromTarget":
                self.ended.add(message["params"]["sessionId"])
            listener = self.listeners.get(message.get("sessionId", ""))
            if listener:
                listener(message["method"], message["params"])
        answer = self.answers.pop(number)
        if "error" in answer:
            said = answer["error"]["message"]
            kind = Navigated if said.startswith(LEFT) else Ended if said.startswith(ENDED) else RuntimeError
            raise kind(f"{method}: {said}")
        result: dict[str, Any] = answer["result"]
        return result


def lower(headers: dict[str, str]) -> dict[str, str]:
    """Return headers by their names in lower case."""
    return {name.lower(): value for name, value in headers.items()}


@dataclass(slots=True)
class Page:
    """One tab: what a person does in it, and what it did behind their back."""

    browser: Browser
    session: str
    requests: list[Sent] = field(default_factory=list)
    told: dict[str, list[Sent]] = field(default_factory=dict)  # the same, by the ids of requests
    added: dict[str, list[dict[str, str]]] = field(default_factory=dict)  # headers of the network, by those
    complaints: list[str] = field(default_factory=list)

    def prepare(self, width: int, height: int, dark: bool) -> None:
        """Start noting what happens and set the screen: size in CSS pixels, color scheme."""
        self.listen(self.session)
        self.call("Page.enable")
        self.call("Log.enable")
        self.resize(width, height)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def resize(self, width: int, height: int = 800) -> None:
        """Give the screen another size, in CSS pixels."""
        screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.call("Emulation.setDeviceMetricsOverride", **screen)

    def listen(self, session: str) -> None:
        """Note requests and errors of the page itself or of one of its workers."""
        self.browser.listeners[session] = self.note
        for domain in ("Network", "Runtime"):
            self.browser.call(f"{domain}.enable", session)
        self.browser.call(
            "Target.setAutoAttach", session, autoAttach=True, waitForDebuggerOnStart=True, flatten=True
        )

    def note(self, method: str, params: dict[str, Any]) -> None:
        """Write down one event of the page."""
        if method == "Network.requestWillBeSent":
            request = params["request"]
            if not request["url"].startswith("data:"):
                sent = Sent(request["method"], request["url"], lower(request["headers"]))
                self.requests.append(sent)
                self.told.setdefault(params["requestId"], []).append(sent)
                self.complete(params["requestId"])
        elif method == "Network.requestWillBeSentExtraInfo":
            self.added.setdefault(params["requestId"], []).append(params["headers"])
            self.complete(params["requestId"])
        elif method == "Runtime.consoleAPICalled" and params["type"] == "error":
            self.complaints.append(" ".join(str(given.get("value", given)) for given in params["args"]))
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.complaints.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.complaints.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")
        elif method == "Target.attachedToTarget":
            with suppress(Ended):
                if params["targetInfo"]["type"] != "service_worker":  # which answers nothing before it runs
                    self.listen(params["sessionId"])
                self.browser.call("Runtime.runIfWaitingForDebugger", params["sessionId"])

    def complete(self, request: str) -> None:
        """Add to the headers that a page sets those that the network adds to them, such as cookies.

        They come in events of their own, before or after, one for each redirect.
        """
        for sent, added in zip(self.told.get(request, ()), self.added.get(request, ()), strict=False):
            sent.headers.update(lower(added))

    def open(self, url: str) -> None:
        """Go to an address and wait until its document and scripts are loaded.

        A script that then shows another address may be quicker than we are asking.
        """
        self.go(url)
        self.wait("document.readyState === 'complete'")

    def go(self, url: str) -> None:
        """Leave for an address, wherever that leads; the page that was there answers no more."""
        before = self.wait("performance.timeOrigin")
        answer = self.call("Page.navigate", url=url)
        if "errorText" in answer:
            raise RuntimeError(f"{url}: {answer['errorText']}")
        self.wait(f"performance.timeOrigin !== {before}")

    def run(self, script: str) -> Any:
        """Evaluate an expression in the page, awaiting promises, and return its JSON value."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise RuntimeError(details.get("exception", {}).get("description", details["text"]))
        return answer["result"].get("value")

    def ask(self, script: str) -> Any:
        """Evaluate an expression as `run` does; None from a page that leaves meanwhile."""
        try:
            return self.run(script)
        except Navigated:
            return None

    def wait(self, script: str) -> Any:
        """Evaluate an expression until it is true and return its value; AssertionError when it never is.

        A page that is on its way elsewhere has not answered yet.
        """
        for _ in looks():
            if value := self.ask(script):
                return value
        shown = str(self.ask("document.body?.innerText"))[:2000]
        raise AssertionError(f"never true: {script}\ncomplaints: {self.complaints}\npage: {shown}")

    def wait_for(self, selector: str) -> None:
        """Wait until something matches the selector and is visible."""
        self.wait(f"!!document.querySelector({json.dumps(selector)})?.checkVisibility()")

    def wait_for_text(self, text: str, within: str = "body") -> None:
        """Wait until the text can be read on the page, or in the element the selector names."""
        self.wait(f"!!document.querySelector({json.dumps(within)})?.innerText.includes({json.dumps(text)})")

    def wait_for_complaint(self, text: str) -> None:
        """Wait until the page has complained in these words."""
        deadline = time.monotonic() + TIMEOUT
        while not any(text in said for said in self.complaints):
            assert time.monotonic() < deadline, f"never said: {text}\ncomplaints: {self.complaints}"
            self.ask("0")
            time.sleep(0.05)

    def text(self, selector: str = "body") -> str:
        """Return the visible text of an element, once it is there."""
        found = self.wait(
            f"(e => e && {{ text: e.innerText }})(document.querySelector({json.dumps(selector)}))"
        )
        return str(found["text"])

    def click(self, selector: str) -> None:
        """Click the middle of the first element that matches, once it is visible and stands still."""
        x, y = self.wait(
            f"""(async () => {{
                const element = document.querySelector({json.dumps(selector)});
                if (!element?.checkVisibility()) return null;
                element.scrollIntoView({{ block: "center", behavior: "instant" }});
                const middle = () => {{
                    const box = element.getBoundingClientRect();
                    return [box.x + box.width / 2, box.y + box.height / 2];
                }};
                const [x, y] = middle();
                await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
                return element.isConnected && String(middle()) === String([x, y]) ? [x, y] : null;
            }})()"""
        )
        for kind in ("mousePressed", "mouseReleased"):
            self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def press_found(self, element: str) -> None:
        """Press what an expression finds, in the step that finds it: it may be drawn anew after that."""
        self.wait(f"((element) => element && (element.click(), true))({element})")

    def type(self, text: str) -> None:
        """Put text in where the cursor is, as a paste would, once it is where text can be put in."""
        self.wait("!!document.activeElement?.matches('input, textarea, [contenteditable]')")
        self.call("Input.insertText", text=text)

    def press(self, key: str, *, ctrl: bool = False) -> None:
        """Press and release one of `KEYS`, with Control if wanted."""
        held = {"modifiers": CTRL if ctrl else 0}
        named = {**KEYS[key], **({"commands": ["selectAll"]} if ctrl and key == "a" else {})}
        self.call("Input.dispatchKeyEvent", type="keyDown", **named, **held)
        released = {name: value for name, value in KEYS[key].items() if name != "text"}
        self.call("Input.dispatchKeyEvent", type="keyUp", **released, **held)

    def picture(self, path: Path) -> None:
        """Save what is on the screen as PNG."""
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

    def outside(self, base: str) -> list[str]:
        """Return the addresses this page asked for that are not on the server at `base`."""
        home = urlsplit(base).netloc
        asked = (urlsplit(sent.url) for sent in self.requests)
        return [url.geturl() for url in asked if url.scheme not in {"blob", "about"} and url.netloc != home]

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        """Send one command to this tab."""
        return self.browser.call(method, self.session, **params)


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start Chromium with an empty profile and stop it afterwards.

    Raises RuntimeError when the program is not installed (`.ci/install` installs it).
    """
    program = shutil.which("chromium")
    if program is None:
        raise RuntimeError("no chromium here: run .ci/install")
    with TemporaryDirectory(prefix="chromium-", ignore_cleanup_errors=True) as profile:
        process = subprocess.Popen(
            [program, *FLAGS, f"--user-data-dir={profile}", "about:blank"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            address = debugging_address(Path(profile), process)
            # Neither side has to answer at once: a page may keep the machine busy.
            limits: dict[str, Any] = {"max_size": None, "open_timeout": TIMEOUT, "ping_interval": None}
            with connect(address, compression=None, proxy=None, **limits) as wire:
                browser = Browser(wire)
                try:
                    yield browser
                finally:
                    leave(browser)
        finally:
            stop(process)


def debugging_address(profile: Path, process: subprocess.Popen[bytes]) -> str:
    """Return the address Chromium listens on, which it writes into its profile once it is up."""
    note = profile / "DevToolsActivePort"
    deadline = time.monotonic() + TIMEOUT
    while time.monotonic() < deadline and process.poll() is None:
        lines = note.read_text().split() if note.exists() else []
        if len(lines) == 2:
            port, path = lines
            return f"ws://127.0.0.1:{port}{path}"
        time.sleep(0.05)
    raise RuntimeError(f"chromium did not start (exit status {process.poll()})")


def leave(browser: Browser) -> None:
    """Ask Chromium to close; it may hang up before it answers."""
    with suppress(ConnectionClosed, TimeoutError):
        browser.call("Browser.close")


def stop(process: subprocess.Popen[bytes]) -> None:
    """Wait for Chromium to end, and end it when it does not."""
    try:
        process.wait(timeout=30)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
