"""Redirects of paths: matching sources, wildcards, and detection of loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple
from urllib.parse import unquote

from app.kit.deadlines import check
from app.kit.errors import Invalid

MOST_STEPS = 20  # that browsers follow
NOWHERE = "?"  # part of a path that no source has


class Step(NamedTuple):
    """A redirect within a site: to another path, for all that is below its source too if `wildcard`."""

    path: str
    wildcard: bool


def clean_path(text: str, *, path: str) -> str:
    """Return a path as it is compared: decoded, with a slash at its beginning and none at its end.

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
    """Return the path itself and every path that it is below, nearest first."""
    parts = path.split("/")
    return [path, *("/".join(parts[:n]) or "/" for n in range(len(parts) - 1, 0, -1))]


def looping(steps: Mapping[str, Step]) -> set[str]:
    """Return the sources from which, or from below which, paths lead on without end or `MOST_STEPS` times.

    Every loop passes one of the sources, or goes around in the same way below one where no other source is:
    it is enough to start there.
    """
    deepest = max(map(_depth, steps), default=0)
    found = set()
    for source, step in steps.items():
        starts = [source, f"{source.rstrip('/')}/{NOWHERE}"] if step.wildcard else [source]
        if any(_goes_on(start, steps, deepest) for start in starts):
            found.add(source)
    return found


def _goes_on(path: str, steps: Mapping[str, Step], deepest: int) -> bool:
    for _ in range(MOST_STEPS):
        check()
        found = _next(path, _above(path, deepest), steps)
        if found is None:
            return False
        path = found
    return True


def _depth(path: str) -> int:
    return path.rstrip("/").count("/")


def _above(path: str, deepest: int) -> Iterator[str]:
    """Yield the path itself and what is above it, as far as a source is: paths that grow become long."""
    parts = path.split("/", deepest + 1)
    if len(parts) <= deepest + 1:
        yield path
    for n in range(min(len(parts) - 1, deepest + 1), 0, -1):
        yield "/".join(parts[:n]) or "/"


def following(path: str, steps: Mapping[str, Step]) -> str | None:
    """Return where a path leads next; the nearest source counts."""
    return _next(path, above(path), steps)


def _next(path: str, places: Iterable[str], steps: Mapping[str, Step]) -> str | None:
    for place in places:
        step = steps.get(place)
        if step and (place == path or step.wildcard):
            rest = path[len(place.rstrip("/")) :] if step.wildcard else ""
            return step.path.rstrip("/") + rest or "/"
    return None
