"""Pages about one thing of an API: an operation with its method, or a named schema."""

from __future__ import annotations

from typing import Any

from app.site_reader.page_tree import PageTree
from app.site_reader.rendering.markup import NOTHING, Html, el, text, words
from app.site_reader.texts import say

MOST_LISTED = 1_000  # pages in one index
METHODS = ("get", "post", "put", "patch", "delete")
_SHORT = {"delete": "DEL", "options": "OPT"}
"""Methods that are too long for the narrow column of pages."""


def is_one(row: Any) -> bool:
    """Return whether a page is one of these, so that samples stand beside its text."""
    return _props(row).get("doc") in ("operation", "model")


def body(inside: Html, beside: list[Html] | None) -> Html:
    """Render what a page says, with what stands beside that."""
    if not beside:
        return el("div", {"class": "body", "dir": "auto"}, inside)
    column = el("div", {"class": "column", "dir": "auto"}, inside)
    return el("div", {"class": "body"}, column, *beside)


def index(tree: PageTree, row: Any) -> Html:
    """Render the operations of a tag, or the named schemas, that have pages below a page."""
    if _props(row).get("doc") not in ("tag", "models"):
        return NOTHING
    made, below = [], tree.below(row.page_id)
    for each in below[:MOST_LISTED]:
        verb, is_old = verb_of(each, short=False)
        title = el("span", {"class": "gone" if is_old else None}, text(words(each.title)))
        said = el("span", {"class": "unseen"}, text(f" ({say('api.deprecated')})")) if is_old else NOTHING
        path = str(_props(each).get("path") or "")
        shown = el("code", None, text(words(path))) if path else NOTHING
        made.append(el("li", None, el("a", {"href": tree.href(each)}, verb, title, said, shown)))
    if len(below) > MOST_LISTED:
        made.append(el("li", None, text(say("more-pages", count=len(below) - MOST_LISTED))))
    return el("ul", {"class": "index"}, *made) if made else NOTHING


def signs(row: Any) -> Html:
    """Render the method of an operation, and that it is deprecated, above its title."""
    verb, is_old = verb_of(row, short=False)
    old = el("strong", {"class": "old"}, text(say("api.deprecated"))) if is_old else NOTHING
    return el("p", {"class": "signs"}, verb, old) if verb or old else NOTHING


def verb_of(row: Any, *, short: bool = True) -> tuple[Html, bool]:
    """Render the method of an operation, and return whether the operation is deprecated."""
    props = _props(row)
    method = str(props.get("method") or "").lower()
    if props.get("doc") != "operation" or not method:
        return NOTHING, False
    kind = method if method in METHODS else "other"
    name = _SHORT.get(method, method.upper()) if short else method.upper()
    shown = el("span", {"class": f"verb {kind}"}, text(words(name, 8)))
    return shown, props.get("deprecated") is True


def _props(row: Any) -> dict[str, Any]:
    found = (getattr(row, "computed", None) or {}).get("props")
    return found if isinstance(found, dict) else {}
