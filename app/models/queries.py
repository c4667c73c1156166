"""Query parameters that many operations share (specification, Endpoints; decisions, 1)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field, PrivateAttr

from app.kit.database.paging import DEFAULT_LIMIT, MAX_LIMIT, Paging
from app.models.base import Enumeration, Shape

_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


def _boolean(value: Any) -> Any:
    if isinstance(value, str) and value in _BOOLEANS:
        return _BOOLEANS[value]
    if isinstance(value, bool):
        return value
    raise ValueError("must be true, false, 1 or 0")


QueryBool = Annotated[bool, BeforeValidator(_boolean)]


def _written(value: Any) -> Any:
    if isinstance(value, str) and "-" not in value.strip("-"):  # a number is a time too, to who reads it
        raise ValueError("must be a time like 2026-03-14T09:26:53Z")
    return value


def _universal(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:  # before the year 1 or after 9999, seen from Greenwich
        raise ValueError("must be a time between the years 1 and 9999") from None


QueryTime = Annotated[AwareDatetime, BeforeValidator(_written), AfterValidator(_universal)]


def _parsed(value: Any) -> Any:
    if isinstance(value, datetime):
        return value
    try:
        return datetime.fromisoformat(value)  # bodies are read strictly: no text is a time there
    except (TypeError, ValueError):
        raise ValueError("must be a time like 2026-03-14T09:26:53Z") from None


BodyTime = Annotated[AwareDatetime, BeforeValidator(_parsed), AfterValidator(_universal)]
"""A time in a body."""


class PageQuery(Shape):
    """Query parameters that select the page of a list to return."""

    page: str | None = Field(
        default=None,
        max_length=2048,
        description="Page of the list to return: the token from `next.page` of the page before. The first "
        "page if left out.",
    )
    limit: int = Field(
        default=DEFAULT_LIMIT, ge=0, le=MAX_LIMIT, description="How many items to return, from 0 to 1000."
    )
    _backward: bool = PrivateAttr(default=False)  # no parameter: only GraphQL pages backward

    def reversed(self) -> Self:
        """Return the same query for the items before `page`, or for the last ones of the list."""
        query = self.model_copy()
        query._backward = True
        return query

    @property
    def paging(self) -> Paging:
        """Return what the list functions take."""
        private = self.__pydantic_private__ or {}  # to read one by its name takes as long as all the rest
        return Paging(self.limit, self.page, private.get("_backward", False))


class ShareKeyQuery(Shape):
    """Share link through which a site is read."""

    share_key: str | None = Field(
        default=None,
        max_length=256,
        description="Key of a share link, which the published addresses of its site contain then. Ignored "
        "if it is not an active key.",
    )


Order = Literal["asc", "desc"]


def _evaluated(value: Any) -> Any:
    if value == "deterministic-only":
        return value
    try:
        return _boolean(value)
    except ValueError:
        raise ValueError("must be true, false, 1, 0 or deterministic-only") from None


Evaluated = Annotated[
    bool | Literal["deterministic-only"],
    BeforeValidator(_evaluated),
    Field(
        description="True replaces expressions by their values and settles conditions. "
        "`deterministic-only` leaves those that depend on the visitor or on the time as they are."
    ),
]


class ContentQuery(Shape):
    """Query parameters that select the parts of the content to return."""

    metadata: QueryBool = Field(
        default=True,
        description="False leaves out where pages and files came from in a Git repository (`git`).",
    )
    computed: QueryBool = Field(default=True, description="False leaves out computed pages.")


class ContentPageQuery(PageQuery, ContentQuery):
    """A page of a list of content."""


BodyFormat = Literal["markdown", "document"]


class BodyQuery(ContentQuery):
    """Query parameters for one page: the form of its body, and the parts beside it."""

    format: BodyFormat = Field(default="markdown", description="Form in which to return the body.")
    evaluated: Evaluated = False


ENUMERATIONS = (
    Enumeration(
        "BodyFormat",
        BodyFormat,
        {
            "markdown": "Markdown source.",
            "document": "Structured document: a tree of blocks.",
        },
    ),
    Enumeration(
        "OrderDirection",
        Order,
        {
            "asc": "Ascending: the oldest or smallest first.",
            "desc": "Descending: the latest or largest first.",
        },
    ),
)
