"""The places that a browser may send requests to, as a content security policy names them.

Only what is written out in full counts, over HTTPS, or without it on the reader's own machine. A variable in
the name of a host counts with the values that it may have, or as any name below the host that follows it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice, product
from urllib.parse import urlsplit

from app.formats.openapi.views import ServerVariableView, ServerView

MOST = 40  # sources of one page
LOCAL = ("localhost", "127.0.0.1")
_ADDRESS = re.compile(r"(https?)://([^/?#\s\\@]+)(/[^?#\s]*)?", re.IGNORECASE)
_AUTHORITY = re.compile(r"(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::[0-9]{1,5})?", re.IGNORECASE)
_PATH = re.compile(r"(?:/[A-Za-z0-9._~-]*)*")
_ANY_NAME = re.compile(r"\{(\w+)\}((?:\.[A-Za-z0-9-]+){2,}(?::[0-9]{1,5})?)")


def is_reachable(server: ServerView) -> bool:
    """Return whether a browser may send requests to a server."""
    return bool(sources([server]))


def sources(servers: Sequence[ServerView]) -> list[str]:
    """Return the sources of a policy that lets a browser reach these servers, and no others."""
    found = dict.fromkeys(source for server in servers for source in _of_server(server))
    return list(islice(found, MOST))


def _of_server(server: ServerView) -> Iterator[str]:
    known = {each.name: each for each in server.variables}
    template = server.template or server.url
    if template.startswith("{"):  # the scheme is chosen; the default counts
        template = server.url
    found = _ADDRESS.fullmatch(template) or _ADDRESS.fullmatch(server.url)
    if found is None:
        return
    scheme, authority, path = found[1].lower(), found[2], found[3] or ""
    for each in islice(_authorities(authority, known), MOST):
        is_local = (urlsplit(f"//{each}").hostname or "") in LOCAL
        if _AUTHORITY.fullmatch(each) and (scheme == "https" or is_local):
            yield f"{scheme}://{each.lower()}{_folder(path)}"


def _authorities(authority: str, known: dict[str, ServerVariableView]) -> Iterator[str]:
    """Yield a host and port with each value that its variables may have."""
    free = _ANY_NAME.fullmatch(authority)
    if free is not None and free[1] in known and not known[free[1]].enum:
        yield f"*{free[2]}"
        return
    used = [each for name, each in known.items() if f"{{{name}}}" in authority]
    for values in product(*(each.enum or [each.default] for each in used)):
        made = authority
        for variable, value in zip(used, values, strict=True):
            made = made.replace(f"{{{variable.name}}}", value)
        if "*" not in made:
            yield made


def _folder(path: str) -> str:
    """Return the path that all requests begin with, as far as it is known."""
    fixed, brace, _ = path.partition("{")
    if brace:
        fixed = fixed.rpartition("/")[0]
    fixed = fixed.rstrip("/")
    return f"{fixed}/" if fixed and _PATH.fullmatch(fixed) else ""
