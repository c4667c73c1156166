"""Patterns of addresses, as integrations name what their blocks show: `https://*.example.org/file/**`.

`*` stands for anything within the host, or within one part of the path; `**` for any number of parts. A
pattern without either is a beginning. Matching takes time that grows with the lengths alone.
"""

from __future__ import annotations

import re

_PARTS = re.compile(r"(https?)://([^/?#]*)(.*)", re.DOTALL)


def matches(pattern: str, url: str) -> bool:
    """Return whether an address is one of those that a pattern names."""
    if "*" not in pattern:
        return _begins(url, pattern)
    wanted, given = _PARTS.fullmatch(pattern), _PARTS.fullmatch(url)
    if wanted is None or given is None or wanted[1] != given[1]:
        return False
    if not _matches_text(wanted[2].lower(), given[2].lower()):
        return False
    path = re.split(r"[?#]", given[3], maxsplit=1)[0]
    return any(_match_parts(_split(wanted[3]), each.split("/")) for each in (given[3], path))


def host_of(pattern: str) -> str:
    """Return the host that a pattern names, or what all of its hosts end with."""
    found = _PARTS.fullmatch(pattern)
    return found[2].rpartition("*")[2].lstrip(".").partition(":")[0].lower() if found else ""


def _begins(url: str, start: str) -> bool:
    """Return whether an address begins with another; the name of a host is not cut."""
    return url.startswith(start) and (
        start[-1] in "/?#=&" or url[len(start) : len(start) + 1] in ("", *"/?#&")
    )


def _split(path: str) -> list[str]:
    """Return the parts of a pattern; `**` is a part of its own."""
    parts: list[str] = []
    for part in path.split("/"):
        before, star, after = part.partition("**")
        if not star:
            parts.append(part)
            continue
        parts += [f"{before}*"] if before else []
        parts.append("**")
        parts += [f"*{after}"] if after else []
    return parts


def _match_parts(wanted: list[str], given: list[str]) -> bool:
    """Return whether parts are those of a pattern: the last `**` seen takes in as much as is needed."""
    at = here = 0
    star, resume = -1, 0
    while here < len(given):
        if at < len(wanted) and wanted[at] == "**":
            star, resume = at, here
            at += 1
        elif at < len(wanted) and _matches_text(wanted[at], given[here]):
            at, here = at + 1, here + 1
        elif star >= 0:
            resume += 1
            at, here = star + 1, resume
        else:
            return False
    return all(part == "**" for part in wanted[at:])


def _matches_text(wanted: str, given: str) -> bool:
    """Return whether a text is what another with `*` stands for."""
    first, *middle = wanted.split("*")
    if not middle:
        return wanted == given
    last = middle.pop()
    at, end = len(first), len(given) - len(last)
    if at > end or not given.startswith(first) or not given.endswith(last):
        return False
    for piece in middle:
        found = given.find(piece, at, end)
        if found < 0:
            return False
        at = found + len(piece)
    return True
