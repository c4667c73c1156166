"""Where paths lead: redirects by their source, with wildcards, and the loops that they must not make."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple
from urllib.parse import unquote

from app.kit.errors import Invalid

MOST_STEPS = 20


class Step(NamedTuple):
    """A redirect within a site: to another path, for all that is below its source too if `wildcard`."""

    path: str
    wildcard: bool


def clean_path(text: str, *, path: str) -> str:
    """A path as it is compared: decoded, with a slash at its beginning and none at its end.

    Raises Invalid for what a browser might read as an address elsewhere, or as another path.
    """
    found = unquote(text)
    if found != "/":
        found = found.removesuffix("/")
    parts = found.split("/")
    odd = any(ord(c) < 32 or ord(c) == 127 or c in "\\?#%" for c in found)
    odd = odd or any(part != part.strip() for part in parts)
    if odd or parts[0] or not found or ("" in parts[1:] and found != "/") or {".", ".."} & set(parts):
        raise Invalid("This must be a path of the site, such as /guide/start.", path=path)
    return found


def above(path: str) -> list[str]:
    """The path itself and every path that it is below, nearest first."""
    parts = path.split("/")
    return [path, *("/".join(parts[:n]) or "/" for n in range(len(parts) - 1, 0, -1))]


def loops(source: str, steps: Mapping[str, Step]) -> bool:
    """Whether who starts at this source, or below it, is sent around without end."""
    starts = [source, f"{source.rstrip('/')}/x"] if steps[source].wildcard else [source]
    return any(len(list(_way(start, steps))) >= MOST_STEPS for start in starts)


def _way(path: str, steps: Mapping[str, Step]) -> Iterator[str]:
    for _ in range(MOST_STEPS):
        found = following(path, steps)
        if found is None:
            return
        yield found
        path = found


def following(path: str, steps: Mapping[str, Step]) -> str | None:
    """Where a path leads next; the nearest source counts."""
    for place in above(path):
        step = steps.get(place)
        if step and (place == path or step.wildcard):
            rest = path[len(place.rstrip("/")) :] if step.wildcard else ""
            return step.path.rstrip("/") + rest or "/"
    return None
