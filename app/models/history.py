"""The history of a line: its revisions without their content."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from app.models.base import Shape
from app.models.queries import PageQuery
from app.models.revisions import RevisionGit, RevisionType, RevisionUrls
from app.models.users import UserOut


class HistoryQuery(PageQuery):
    """Which revisions are told."""

    page_id: str | None = Field(default=None, max_length=100, description="only those that changed this page")


class HistoryEntryOut(Shape):
    """A revision without its content: when it was made, by whom, and out of what.

    `author` made the revision; of a merge that is who merged. `contributors` wrote what it brings: of a merge
    those who edited its change request, at most fifty. What came from a
    repository names its commit instead.
    """

    object: Literal["revision"]
    id: str
    number: int
    type: RevisionType
    parents: list[str]
    merged_from: str | None = None
    author: UserOut | None = None
    contributors: list[UserOut]
    created_at: datetime
    git: RevisionGit | None = None
    urls: RevisionUrls
