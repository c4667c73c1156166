"""What is answered where there is no page: to people as a page, to programs as a line."""

from __future__ import annotations

from app.kit.errors import NotFound, Problem
from app.site_reader import answers
from app.site_reader.answers import HTML, Answer, Written
from app.site_reader.rendering.view_models import Refusal, SiteView
from app.site_reader.state import State

TITLES = {
    400: "This cannot be answered",
    401: "Sign in",
    403: "Not let in",
    404: "Not found",
    405: "Not done like this",
    413: "Too much",
    503: "Come back shortly",
}


def refused(state: State, status: int, title: str, message: str, site: SiteView | None = None) -> Answer:
    """A page that says why there is none."""
    from app.site_reader.rendering.special_pages import refusal_html

    text = refusal_html(Refusal(status, title, message, site))
    policy = answers.page_policy(state.runtime.settings, site.base if site else None)
    made = Answer(Written.of(text, zipped=False), status, HTML, policy=policy)
    return made.header("x-robots-tag", "noindex")


def problem(state: State, found: Problem) -> Answer:
    """The answer to a request that was refused, or that failed."""
    title = TITLES.get(found.status, "Something went wrong")
    made = refused(state, found.status, title, found.message)
    for name, value in found.headers.items():
        made.header(name.lower(), value)
    return made


def nothing_here(message: str = "There is no page at this address.") -> NotFound:
    """There is none, or none for this visitor: both are the same."""
    return NotFound(message)
