"""A browser without script: cookies, pages, and the forms on them."""

from __future__ import annotations

from dataclasses import dataclass
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urljoin

import httpx

from tests.instance import Instance
from tests.timing import TIMEOUT

PAGE = {"Accept": "text/html,application/xhtml+xml"}
OURS = {"Sec-Fetch-Site": "same-origin"}


@dataclass
class Form:
    """A form of a page: where it is sent, and its fields with their values."""

    action: str
    fields: dict[str, str]


class _Forms(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[Form] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.found.append(Form(given.get("action", ""), {}))
        elif tag == "input" and self.found:
            self.found[-1].fields[given["name"]] = given.get("value", "")


def visit(instance: Instance, **headers: str) -> httpx.Client:
    """A browser with its own cookies."""
    return httpx.Client(base_url=instance.base, timeout=TIMEOUT, headers={**PAGE, **headers})


def forms(page: httpx.Response) -> list[Form]:
    """The forms of a page."""
    parser = _Forms()
    parser.feed(page.text)
    return parser.found


def send(browser: httpx.Client, page: httpx.Response, **values: Any) -> httpx.Response:
    """Send the first form of a page, filled in."""
    form = forms(page)[0]
    there = urljoin(str(page.url), form.action)
    return browser.post(there, data={**form.fields, **values}, headers=OURS)


def ask_for_link(browser: httpx.Client, email: str, path: str = "") -> httpx.Response:
    """Ask for a link on the sign-in page."""
    page = browser.get("/sign-in", params={"next": path} if path else {})
    return send(browser, page, email=email)


def who(browser: httpx.Client) -> str | None:
    """The address of who is signed in."""
    answer = browser.get("/v1/user", headers={"Accept": "application/json", **OURS})
    return answer.json().get("email") if answer.status_code == 200 else None
