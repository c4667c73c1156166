"""Query parameters that many operations share (specification, Endpoints; decisions, 1)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field

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


class PageQuery(Shape):
    """`page` is a token from `next.page`; `limit` at most 1000."""

    page: str | None = Field(default=None, max_length=2048, description="token from `next.page`")
    limit: int = Field(default=DEFAULT_LIMIT, ge=0, le=MAX_LIMIT, description="how many items, at most 1000")

    @property
    def paging(self) -> Paging:
        """Return what the list functions take."""
        return Paging(self.limit, self.page)


class ShareKeyQuery(Shape):
    """`shareKey` makes the published addresses of share-link sites work."""

    share_key: str | None = Field(default=None, max_length=256, description="key of a share link")


Order = Literal["asc", "desc"]


def _evaluated(value: Any) -> Any:
    if value == "deterministic-only":
        return value
    try:
        return _boolean(value)
    except ValueError:
        raise ValueError("must be true, false, 1, 0 or deterministic-only") from None


Evaluated = Annotated[bool | Literal["deterministic-only"], BeforeValidator(_evaluated)]


class ContentQuery(Shape):
    """How content is read: `metadata` false leaves git metadata out, `computed` false what is computed."""

    metadata: QueryBool = Field(default=True, description="false leaves git metadata out")
    computed: QueryBool = Field(default=True, description="false leaves computed pages out")


class ContentPageQuery(PageQuery, ContentQuery):
    """A page of a list of content."""


BodyFormat = Literal["markdown", "document"]


class BodyQuery(ContentQuery):
    """How one page is read: its body's format, and whether its expressions are evaluated."""

    format: BodyFormat = Field(default="markdown", description="form of the body")
    evaluated: Evaluated = Field(default=False, description="true evaluates expressions and conditions")


ENUMERATIONS = (
    Enumeration(
        "BodyFormat",
        BodyFormat,
        {
            "markdown": "",
            "document": "",
        },
    ),
    Enumeration(
        "Order",
        Order,
        {
            "asc": "",
            "desc": "",
        },
    ),
)
