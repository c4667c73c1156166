"""The row of an operation: everything that differs between one operation and the next, as data."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import partial
from typing import Any

from app.access.context import Context
from app.access.rights import READ_PUBLISHED
from app.models.base import Shape, for_callers
from app.models.queries import PageQuery

Call = Callable[..., Awaitable[Any]]
Show = Callable[[Context, Any], Any]
Prepare = Callable[..., Awaitable[Any]]


_KEPT = ("SAML", "SSO", "PDF", "UI", "OpenAPI", "Git")
_WORDS = re.compile(rf"{'|'.join(_KEPT)}|[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
PLACE = ("spaceId", "changeRequestId", "revisionId")


@dataclass(frozen=True)
class Operation:
    """One operation of the API, as REST, GraphQL, the API's document, the scopes and the tests read it.

    `call` takes a Context, the path's parameters, then query and body where declared; with `where`, the ids
    of the path that name a space's content (space, change request, revision) reach it as one `Where`.
    `show` presents what it returns, item by item where the operation is `paged`; `extra` is what the
    envelope of a list carries besides its items.

    `field` is the GraphQL field, with the fields on the way to it (`organization.teams`). `permission` is
    what callers need, as `kind:right` on an object of the path (`named kind:right` on one that the body
    names; several are joined by `+`), `anybody` for whoever has a token, `public` for everybody. With the
    right `readPublished` everybody reads what public sites show, without a token too.
    `scope` is the scope that opens the operation to the tokens of installations, `always` where each of
    them opens it, `integration` where only a token of the integration itself does; without one, none does.

    `tool` is the name of the tool that the operation is for agents (see api.mcp); rows of one name are one
    tool, told apart by what their paths name. What an agent may write is what has one.

    `prepare` runs before the transaction, with the same arguments and a reading Context (it may wait for
    other servers); what it returns is handed to `call` last. An operation that `asks` only reads, although
    it is a POST: its question is a body. A `large` one takes bodies of twice the limit. The answers of a
    `secret` one may not be stored.
    """

    id: str
    path: str
    call: Call
    _: KW_ONLY
    method: str
    field: str
    permission: str
    scope: str = ""
    where: bool = False
    show: Show | None = None
    query: type[Shape] | None = None
    body: type[Shape] | None = None
    paged: bool = False
    extra: type[Shape] | None = None
    status: int = 200
    prepare: Prepare | None = None
    deprecated: bool = False
    asks: bool = False
    large: bool = False
    secret: bool = False
    tool: str = ""
    family: str = ""
    title: str = ""
    parameters: tuple[str, ...] = dataclasses.field(init=False)

    def __post_init__(self) -> None:
        names = [s.strip("{}").removesuffix(":path") for s in self.path.split("/") if s.startswith("{")]
        object.__setattr__(self, "parameters", tuple(names))

    def arguments(self, values: list[str]) -> list[Any]:
        """Return the values of the path's parameters as `call` takes them."""
        if not self.where:
            return list(values)
        from app.domain.content.views import Where

        rest = dict(zip(self.parameters, values, strict=True))
        place = [rest.pop(name, None) for name in PLACE]
        return [Where(*place), *rest.values()]  # type: ignore[arg-type]

    def is_at(self, arguments: Sequence[Any]) -> bool:
        """Return whether a call with these arguments is this row's, of those that share a function."""
        if not self.where:
            return True
        return all((name in self.parameters) == (value is not None) for name, value in _parts(arguments[0]))

    def path_of(self, arguments: Sequence[Any]) -> tuple[tuple[str, str], ...]:
        """Return the path's parameters by name, from arguments as `call` takes them."""
        if not self.where:
            return tuple(zip(self.parameters, arguments, strict=False))
        place = [(name, value) for name, value in _parts(arguments[0]) if value is not None]
        rest = [name for name in self.parameters if name not in PLACE]
        return (*place, *zip(rest, arguments[1:], strict=False))

    @property
    def public(self) -> bool:
        """Return whether nobody is asked for a token."""
        return self.permission == "public"

    @property
    def is_published(self) -> bool:
        """Return whether it reads what public sites show, for which no token is needed."""
        return self.permission.endswith(READ_PUBLISHED)

    @property
    def writes(self) -> bool:
        """Return whether the operation runs in a transaction."""
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
    """Return rows as those of one family, by which the API's document groups them."""
    return [replace(row, family=name) for row in rows]


get = partial(Operation, method="GET")
"""Reads one object."""

listing = partial(Operation, method="GET", paged=True, query=PageQuery)
"""Reads one page of a list; its query is PageQuery or a filter on top of it."""

post = partial(Operation, method="POST")
"""Creates, or does something that is not a plain change."""

ask = partial(Operation, method="POST", asks=True)
"""Reads what a body asks for."""

patch = partial(Operation, method="PATCH")
"""Changes what the body names."""

put = partial(Operation, method="PUT")
"""Creates or replaces."""

remove = partial(Operation, method="DELETE", status=205)
"""Deletes; the answer is empty."""
