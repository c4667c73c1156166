"""The question below a page whether it helped, that for what is missing, and what is shown after an answer.

All are forms that work without a script; the reader's own script sends them and shows the answer in their
place, as it does with blocks of integrations.
"""

from __future__ import annotations

from app.models.page_feedback import LONGEST_COMMENT, LONGEST_PATH, FeedbackRating
from app.site_reader.rendering.markup import NOTHING, Html, el, joined, text, void
from app.site_reader.rendering.ui_controls import DO
from app.site_reader.texts import say

RATINGS: tuple[FeedbackRating, ...] = ("good", "ok", "bad")
COMMENT, QUERY, PATH = "comment", "query", "path"


def question(href: str | None) -> Html:
    """Ask whether a page helped; without an address to send the answer to, the buttons do nothing."""
    asked = el("p", {"id": "~helpful"}, text(say("feedback.question")))
    buttons = (
        el(
            "button",
            {"class": "button", "name": DO, "value": rating, "disabled": not href},
            text(say(f"feedback.{rating}")),
        )
        for rating in RATINGS
    )
    return _form(href, "~helpful", asked, el("div", {"class": "buttons"}, *buttons))


def missing(href: str | None, **known: str) -> Html:
    """Ask what is missing, with a `query` that found nothing or a `path` where there is no page.

    Nothing is asked without an address to send the answer to.
    """
    if href is None or not any(known.values()):
        return NOTHING
    about = (
        void("input", {"type": "hidden", "name": name, "value": value[:LONGEST_PATH]})
        for name, value in known.items()
    )
    return _form(href, "~missing", *about, _comment_field(None, "~missing"))


def thanks(href: str, rating: FeedbackRating | None, *, has_comment: bool) -> Html:
    """Thank for a rating and ask for a comment, unless there is one already; or thank for a report."""
    said = el("p", {"id": "~thanks", "role": "status"}, text(say("feedback.thanks")))
    asks = rating is not None and not has_comment
    return _form(href, "~thanks", said, _comment_field(rating, "~asked") if asks else NOTHING)


def _comment_field(rating: FeedbackRating | None, name: str) -> Html:
    """Render the field, whose label is called `name`: a search may ask on a page that does so itself."""
    asked = say("feedback.helped" if rating == "good" else "feedback.missing")
    label = el("label", {"for": f"{name}-comment", "id": name}, text(asked))
    field = {
        "id": f"{name}-comment",
        "name": COMMENT,
        "rows": 3,
        "maxlength": LONGEST_COMMENT,
        "required": True,
    }
    send = el("button", {"class": "button", "name": DO, "value": rating}, text(say("send")))
    return joined([label, el("textarea", field), el("div", {"class": "buttons"}, send)])


def _form(href: str | None, labelled_by: str, *inside: Html) -> Html:
    named = {"class": "filled", "aria-labelledby": labelled_by}
    if href is None:
        made = el("div", {"role": "group", **named}, *inside)
    else:
        made = el("form", {**named, "method": "post", "action": href}, *inside)
    return el("div", {"class": "feedback"}, made)
