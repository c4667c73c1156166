"""What one REST operation is (a row of data) and how every one of them is answered (the adapter).

path + query + body -> typed arguments -> one Context -> the domain function -> its shape -> JSON.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from app.access.context import Context
from app.models.base import Shape, for_callers
from app.models.queries import PageQuery

Call = Callable[..., Awaitable[Any]]
Show = Callable[[Context, Any], Any]
Prepare = Callable[..., Awaitable[Any]]


_KEPT = ("SAML", "SSO", "PDF", "UI", "OpenAPI", "Git")
_WORDS = re.compile(rf"{'|'.join(_KEPT)}|[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
PLACE = ("spaceId", "changeRequestId", "revisionId")


@dataclass(frozen=True, kw_only=True)
class Operation:
    """One row. `call` takes a Context, the path's parameters, then query, paging and body where declared.

    `prepare` runs before the transaction, with the same arguments and a reading Context (it may wait for the
    outside world); what it returns is handed to `call` last. `extra` is what the envelope of a list carries
    besides its items; a `public` operation asks nobody for a token. One that `asks` only reads, although it
    is a POST: its question is a body. A `large` one takes bodies of twice the limit. What a `secret` one
    reads opens something, so nobody may store it.
    """

    id: str
    method: str
    path: str
    call: Call
    show: Show | None = None
    query: type[Shape] | None = None
    body: type[Shape] | None = None
    paged: bool = False
    extra: type[Shape] | None = None
    status: int = 200
    prepare: Prepare | None = None
    deprecated: bool = False
    public: bool = False
    asks: bool = False
    large: bool = False
    secret: bool = False
    family: str = ""
    title: str = ""
    parameters: tuple[str, ...] = field(init=False)

    def __post_init__(self) -> None:
        names = [s.strip("{}").removesuffix(":path") for s in self.path.split("/") if s.startswith("{")]
        object.__setattr__(self, "parameters", tuple(names))

    def arguments(self, values: list[str]) -> list[Any]:
        """The path's parameters as `call` takes them: what names a place of content is one `where`."""
        if not self._has_where:
            return list(values)
        from app.domain.content.views import Where

        rest = dict(zip(self.parameters, values, strict=True))
        place = [rest.pop(name, None) for name in PLACE]
        return [Where(*place), *rest.values()]  # type: ignore[arg-type]

    def is_at(self, arguments: Sequence[Any]) -> bool:
        """Whether it is this row, of those that share a function, that is called with these arguments."""
        if not self._has_where:
            return True
        return all((name in self.parameters) == (value is not None) for name, value in _parts(arguments[0]))

    def path_of(self, arguments: Sequence[Any]) -> tuple[tuple[str, str], ...]:
        """The path's parameters by name, of arguments as `call` takes them."""
        if not self._has_where:
            return tuple(zip(self.parameters, arguments, strict=False))
        place = [(name, value) for name, value in _parts(arguments[0]) if value is not None]
        rest = [name for name in self.parameters if name not in PLACE]
        return (*place, *zip(rest, arguments[1:], strict=False))

    @property
    def _has_where(self) -> bool:
        return self.call.__code__.co_varnames[1:2] == ("where",)

    @property
    def writes(self) -> bool:
        """Whether the operation runs in a transaction."""
        return self.method != "GET" and not self.asks

    @property
    def summary(self) -> str:
        """Return the title: the words of the operationId, unless the row has another."""
        if self.title:
            return self.title
        words = _WORDS.findall(self.id.removesuffix("ById"))
        text = " ".join(word if word in _KEPT else word.lower() for word in words)
        return text[0].upper() + text[1:]

    @property
    def description(self) -> str:
        """Return the docstring of the domain function."""
        return for_callers(self.call.__doc__)


def _parts(where: Any) -> zip[tuple[str, str | None]]:
    return zip(PLACE, (where.space, where.change_request, where.revision), strict=True)


def family(name: str, *rows: Operation) -> list[Operation]:
    """The rows of one family, which is how the API's document groups them."""
    return [replace(row, family=name) for row in rows]


def get(
    id: str,
    path: str,
    call: Call,
    *,
    show: Show,
    query: type[Shape] | None = None,
    public: bool = False,
    secret: bool = False,
) -> Operation:
    """Reads one object."""
    return Operation(
        id=id, method="GET", path=path, call=call, show=show, query=query, public=public, secret=secret
    )


def listing(
    id: str,
    path: str,
    call: Call,
    *,
    show: Show,
    query: type[Shape] = PageQuery,
    extra: type[Shape] | None = None,
) -> Operation:
    """Reads one page of a list; its query is PageQuery or a filter on top of it."""
    return Operation(
        id=id, method="GET", path=path, call=call, show=show, query=query, paged=True, extra=extra
    )


def post(
    id: str,
    path: str,
    call: Call,
    *,
    show: Show | None = None,
    query: type[Shape] | None = None,
    body: type[Shape] | None = None,
    status: int = 200,
    prepare: Prepare | None = None,
    deprecated: bool = False,
    large: bool = False,
    title: str = "",
) -> Operation:
    """Creates, or does something that is not a plain change."""
    return Operation(
        id=id,
        method="POST",
        path=path,
        call=call,
        show=show,
        query=query,
        body=body,
        status=status,
        prepare=prepare,
        deprecated=deprecated,
        large=large,
        title=title,
    )


def ask(
    id: str,
    path: str,
    call: Call,
    *,
    show: Show,
    body: type[Shape],
    query: type[Shape] | None = None,
    paged: bool = False,
) -> Operation:
    """Reads what a body asks for."""
    return Operation(
        id=id, method="POST", path=path, call=call, show=show, body=body, query=query, paged=paged, asks=True
    )


def patch(
    id: str, path: str, call: Call, *, body: type[Shape], show: Show | None = None, status: int = 200
) -> Operation:
    """Changes what the body names."""
    return Operation(id=id, method="PATCH", path=path, call=call, show=show, body=body, status=status)


def put(
    id: str, path: str, call: Call, *, body: type[Shape], show: Show | None = None, status: int = 200
) -> Operation:
    """Sets."""
    return Operation(id=id, method="PUT", path=path, call=call, show=show, body=body, status=status)


def remove(id: str, path: str, call: Call, *, status: int = 205) -> Operation:
    """Deletes; the answer is empty."""
    return Operation(id=id, method="DELETE", path=path, call=call, status=status)
