"""Pictures of other servers, which agents do not add.

A page may talk an agent into passing on what it has read: in the address of a picture that is fetched by the
browser of everybody who looks at it, without a click. So what an agent writes shows only pictures that are
files here, that the text had before, or that are in the text themselves.
"""

from __future__ import annotations

from app.access.context import Context
from app.formats.markdown.hrefs import plain
from app.formats.markdown.scanner import scan
from app.kit import workers
from app.kit.errors import Invalid

_FETCHED = frozenset({"image", "embed"})
_INSIDE = "data:"


async def refuse_outside_pictures(cx: Context, text: str, path: str, before: str = "") -> None:
    """Raise Invalid where an agent adds a picture of another server to a text, which was another `before`."""
    if not cx.actor.is_agent or not text:
        return
    added = await workers.run(len(text) + len(before), _added, text, before)
    if added:
        raise refusal(added, path)


def refusal(address: str, path: str) -> Invalid:
    """Return the error for a picture of another server that an agent adds."""
    return Invalid(f"Agents may not add images from other servers: {address[:200]}", path=path)


def _added(text: str, before: str) -> str | None:
    found = outside_pictures(text)
    if not found:
        return None
    return next(iter(sorted(found - outside_pictures(before))), None)


def outside_pictures(markdown: str) -> set[str]:
    """Return the addresses on other servers that a text has fetched where it is shown.

    The targets of reference links count, since pictures may refer to them.
    """
    found = set()
    for link in scan(markdown).links:
        is_definition = link.kind == "link" and markdown[: link.start].rstrip(" \t\n<").endswith("]:")
        if link.kind not in _FETCHED and not is_definition:
            continue
        found |= {href for href in map(_as_fetched, (plain(link.href), link.href)) if _is_outside(href)}
    return found


def _as_fetched(href: str) -> str:
    """Return an address as browsers read it; in HTML a backslash escapes nothing."""
    return "".join(href.split()).replace("\\", "/")


def _is_outside(href: str) -> bool:
    names_server = ":" in href.partition("/")[0] or href.startswith("//")
    return names_server and not href.lower().startswith(_INSIDE)
