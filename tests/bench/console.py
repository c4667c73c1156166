"""The console in Chromium: bytes of its first screen, time until it can be used, until a click shows, until
somebody else's change shows; and what Lighthouse says of its main screens.

The server runs in a process of its own, on a new database with the demo. A time is given beside its limit;
where it says so, the processor of the page is slowed down.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import httpx

from app.access.context import Context
from app.domain.accounts import sessions
from app.domain.accounts.sessions import Browser as CallingBrowser
from app.domain.organizations import users
from tests.bench import lighthouse_run
from tests.bench.data import create, inside
from tests.bench.options import Options
from tests.bench.report import Goal, Row
from tests.browser.browser import Browser, Page, chromium
from tests.cli.command import Serving, serving

SLOWER = 4  # times, as a phone beside this machine
ROUNDS = 5
LARGEST_FIRST_SCREEN = 120_000  # bytes as they are sent
USABLE, CLICKED, TOLD = 1.0, 0.1, 1.0  # seconds
LEAST_SCORE = 95
PARTS = ("performance", "accessibility", "best-practices")  # the console asks search engines to stay away

# The frame of a page once it has told how high its content is, which differs from the height before.
SHOWN_FRAME = "iframe.rendered:not([style*='height: 320px'])"
# Notes when the first element that matches is drawn, in milliseconds since the page was asked for.
SHOWN = """
window.shown = new Promise((done) => {
  const look = () => document.querySelector(%s)?.checkVisibility() && (watch.disconnect(), drawn(done));
  const watch = new MutationObserver(look);
  const drawn = (then) => requestAnimationFrame(() => setTimeout(() => then(performance.now())));
  watch.observe(document, { subtree: true, childList: true, attributes: true });
});"""

# Notes how long a click takes until something of the page differs and is drawn.
CLICK = """
(() => {
  window.acknowledged = new Promise((done) => {
    addEventListener("pointerdown", ({ timeStamp }) => {
      const watch = new MutationObserver(() => {
        watch.disconnect();
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - timeStamp)));
      });
      watch.observe(document.body, { subtree: true, childList: true, attributes: true, characterData: true });
    }, { once: true, capture: true });
  });
})()"""


# Notes when a text can be read, in milliseconds of the clock that this process has too.
READ = """
void (window.read = new Promise((done) => {
  const look = () => document.body.textContent.includes(%s) && done(Date.now());
  new MutationObserver(look).observe(document.body, { subtree: true, childList: true, characterData: true });
}))"""


@dataclass(slots=True, frozen=True)
class Place:
    """The demo on a running server, and the session of its administrator."""

    base: str
    token: str
    session: str
    organization: str
    space: str
    page: str
    change: int
    site: str

    def screens(self) -> dict[str, str]:
        """Return the URLs of the screens that Lighthouse looks at."""
        own = f"{self.base}/o/{self.organization}"
        space = f"{own}/s/{self.space}"
        return {
            "home": f"{self.base}/",
            "space": space,
            "page editor": f"{space}/~/edit/{self.page}",
            "change request": f"{space}/~/changes/{self.change}",
            "site": f"{own}/site/{self.site}",
            "people": f"{own}/people",
        }


def run(options: Options) -> list[Row]:
    """Measure it all."""
    rounds = options.rounds_or(ROUNDS)
    with _demo(options.scratch) as place, chromium() as browser:
        rows = [_first_screen(browser, place), *_usable(browser, place, rounds)]
        rows += [*_clicks(browser, place, rounds), _changes(browser, place, rounds)]
    with _demo(options.scratch) as place:
        return rows + [_lighthouse(place, name, url) for name, url in place.screens().items()]


@contextmanager
def _demo(scratch: Path) -> Iterator[Place]:
    database = scratch / "console.db"
    create(database)
    settings = {"DOCYARD_SHARED_ORIGIN": "true", "DOCYARD_REQUESTS_QUOTA": "1000000000"}
    with serving("--demo", database=str(database), log=scratch / "console.log", **settings) as server:
        yield _place(server, database)


def _place(server: Serving, database: Path) -> Place:
    token = server.token("admin")

    def asked(path: str) -> Any:
        return server.get(f"/v1{path}", token).raise_for_status().json()

    email, organization = asked("/user")["email"], asked("/orgs")["items"][0]["id"]
    space = server.first_space.rpartition("/")[2]
    pages = [each for each in asked(f"/spaces/{space}/content/pages")["pages"] if each["type"] == "document"]
    headers = {"Authorization": f"Bearer {token}"}
    opened = httpx.post(
        f"{server.address}/v1/spaces/{space}/change-requests", json={"subject": "Lamps"}, headers=headers
    )
    changed = {"operation": "update_page", "page": pages[0]["id"], "title": "Changed"}
    content = f"{server.address}/v1/spaces/{space}/change-requests/{opened.json()['id']}/content"
    httpx.post(content, json={"changes": [changed]}, headers=headers).raise_for_status()

    async def begin(cx: Context) -> str:
        user = await users.by_email(cx, email)
        assert user is not None
        return (await sessions.begin(cx, user, CallingBrowser("bench", "127.0.0.1"))).session

    session = inside(database, begin)
    site = asked(f"/orgs/{organization}/sites")["items"][0]["id"]
    number = opened.json()["number"]
    return Place(server.address, token, session, organization, space, pages[0]["path"], number, site)


@contextmanager
def _signed_in(browser: Browser, place: Place, *, slower: int = SLOWER) -> Iterator[Page]:
    """Give a page with an empty cache in which the administrator is signed in."""
    with browser.page(width=390, height=844) as page:
        for name, value in _cookies(place).items():
            page.call("Network.setCookie", name=name, value=value, url=place.base)
        page.call("Emulation.setCPUThrottlingRate", rate=slower)
        yield page


def _cookies(place: Place) -> dict[str, str]:
    return {"docyard_session": place.session, "docyard_signed_in": "1"}


def _first_screen(browser: Browser, place: Place) -> Row:
    """The bytes of everything that the home screen loads, as they are sent."""
    with _signed_in(browser, place, slower=1) as page:
        sent: dict[str, int] = {"bytes": 0, "requests": 0}
        note = page.note

        def noted(method: str, params: dict[str, Any]) -> None:
            note(method, params)
            if method == "Network.loadingFinished":
                sent["bytes"] += int(params["encodedDataLength"])
                sent["requests"] += 1

        browser.listeners[page.session] = noted
        page.open(f"{place.base}/")
        page.wait("!!document.querySelector('main section') && !document.querySelector('.bones')")
        page.run("new Promise((quiet) => setTimeout(quiet, 500))")
    ratios = {"bytes": sent["bytes"] / LARGEST_FIRST_SCREEN}
    limit = {"bytes": float(LARGEST_FIRST_SCREEN)}
    return Row("the first screen, everything in it", "its limit", ratios, Goal(most=1), dict(sent), limit)


def _usable(browser: Browser, place: Place, rounds: int) -> list[Row]:
    """From an empty cache until what waits for somebody is shown; until the page of a space is shown."""
    screens = {
        "home": (f"{place.base}/", "main section"),
        "a space": (place.screens()["space"], SHOWN_FRAME),
    }
    rows = []
    for name, (url, shown) in screens.items():
        took = []
        for _ in range(rounds):
            with _signed_in(browser, place) as page:
                page.call("Page.addScriptToEvaluateOnNewDocument", source=SHOWN % json.dumps(shown))
                page.open(url)
                took.append(page.run("window.shown") / 1000)
        rows.append(_within(f"{name} can be used, empty cache, {SLOWER}× slower", took, USABLE))
    return rows


def _clicks(browser: Browser, place: Place, rounds: int) -> list[Row]:
    """From a click until anything on the screen differs."""
    space, screens = f"main a[href$='/s/{place.space}']", place.screens()
    clicks = {
        "another screen": (screens["home"], space),
        "a menu": (screens["home"], ".side > .bottom .switch"),
        "a tab": (
            screens["people"],
            "main [role=tab]:not([aria-selected=true]), main nav a:not([aria-current])",
        ),
        "comments": (screens["space"], ".bar-top .button[aria-pressed]"),
    }
    rows = []
    for name, (url, selector) in clicks.items():
        took = []
        for _ in range(rounds):
            with _signed_in(browser, place) as page:
                page.call(
                    "Emulation.setDeviceMetricsOverride",
                    width=1440,
                    height=900,
                    deviceScaleFactor=1,
                    mobile=False,
                )
                page.open(url)
                page.wait_for(selector)
                page.wait("!document.querySelector('.bones')")
                page.run(CLICK)
                page.click(selector)
                took.append(page.run("window.acknowledged") / 1000)
        rows.append(_within(f"a click on {name} is acknowledged, {SLOWER}× slower", took, CLICKED))
    return rows


def _changes(browser: Browser, place: Place, rounds: int) -> Row:
    """From when somebody begins to save a title until somebody else reads it."""
    took = []
    with _signed_in(browser, place, slower=1) as page:
        page.open(place.screens()["space"])
        page.wait_for("iframe.rendered")
        for n in range(rounds):
            title = f"Renamed {n}"
            page.run(READ % json.dumps(title))
            began = time.time()
            httpx.patch(
                f"{place.base}/v1/spaces/{place.space}",
                json={"title": title},
                headers={"Authorization": f"Bearer {place.token}"},
            ).raise_for_status()
            took.append(page.run("window.read") / 1000 - began)
    return _within("somebody else's change is shown", took, TOLD)


def _within(what: str, took: list[float], limit: float) -> Row:
    ratios = {"time": median(took) / limit}
    ours = {"ms": median(took) * 1000, "ms at best": min(took) * 1000}
    return Row(what, "its limit", ratios, Goal(most=1), ours, {"ms": limit * 1000})


def _lighthouse(place: Place, name: str, url: str) -> Row:
    """The lowest of Lighthouse's scores of a screen, with its own slow phone."""
    cookies = "; ".join(f"{name}={value}" for name, value in _cookies(place).items())
    scores = lighthouse_run.scores(lighthouse_run.report(url, PARTS, {"Cookie": cookies}), PARTS)
    return Row(
        f"Lighthouse: {name}", "100", {"lowest score": min(scores.values())}, Goal(least=LEAST_SCORE), scores
    )
