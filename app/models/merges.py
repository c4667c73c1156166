"""Merges, updates and rollbacks: how conflicts are settled, and what came of it."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from annotated_types import Len
from pydantic import ConfigDict, StringConstraints, model_validator
from pydantic_core import PydanticCustomError
from sqlmodel import Field

from app.models.base import Change, DescribedAs, Enumeration, Names, Shape
from app.models.page_layouts import Cover, Layout

MergeResult = Literal["merge", "conflicts"]
UpdateResult = Literal["update", "conflicts"]
RollbackResult = Literal["rollback", "conflicts"]
OnConflict = Literal["change-request", "main"]
OnRevertConflict = Literal["revert", "main"]
MergeChoice = Literal["change-request", "main", "both", "text"]
RevertChoice = Literal["revert", "main", "both", "text"]
MOST_WINNERS = 1000
LONGEST_TEXT = 100_000


class ConflictPlace(Shape):
    """The place of a page in a conflict of `position`."""

    parent: Annotated[str, Names("Page")] | None = Field(
        description="Page that it is under; null at the root."
    )


ConflictValue = (
    str
    | bool
    | int
    | float
    | Annotated[dict[str, Any], DescribedAs(Layout, partly=True)]
    | Annotated[dict[str, Any], DescribedAs(Cover)]
    | Annotated[dict[str, Any], DescribedAs(ConflictPlace)]
    | dict[str, str | bool | int | float]
    | None
)
"""The values of a page's field: text, a flag, a layout, a cover, a place, variables."""


_SIDE_WINS: dict[str, Any] = {"properties": {"winner": {"not": {"const": "text"}}, "text": {"type": "null"}}}
_TEXT_WINS: dict[str, Any] = {
    "properties": {
        "winner": {"const": "text"},
        "field": {"const": "document"},
        "passage": {"type": "string"},
        "text": {"type": "string"},
    },
    "required": ["winner", "field", "passage", "text"],
}


class _ConflictPart(Shape):
    """A part of the content that has a conflict."""

    model_config = ConfigDict(json_schema_extra={"anyOf": [_SIDE_WINS, _TEXT_WINS]})

    page: Annotated[str, StringConstraints(max_length=100)] = Field(
        description="`page` of the conflict. Empty for variables and redirects of the space."
    )
    field: Annotated[str, StringConstraints(min_length=1, max_length=2048)] = Field(
        description="`field` of the conflict."
    )
    passage: Annotated[str, StringConstraints(min_length=1, max_length=100)] | None = Field(
        default=None,
        description="`passage` of the conflict, for one conflict in a text. Without it the side wins all "
        "conflicts of the field that have no winner of their own.",
    )
    text: Annotated[str, StringConstraints(max_length=LONGEST_TEXT)] | None = Field(
        default=None,
        description="Markdown that replaces the lines of the conflict, up to 100,000 characters; an empty "
        "text removes them. Required if `winner` is `text`, and allowed only then.",
    )

    @model_validator(mode="after")
    def _has_its_text(self) -> Self:
        is_text = getattr(self, "winner", None) == "text"
        if is_text != (self.text is not None):
            raise PydanticCustomError("text", "`text` belongs to the winner `text`, which requires it")
        if is_text and (self.field != "document" or self.passage is None):
            raise PydanticCustomError("passage", "`text` needs the `passage` of a conflict in a text")
        return self


class MergeWinner(_ConflictPart):
    """The side that wins the conflicts of a part in a merge."""

    winner: MergeChoice = Field(
        description="Side that wins. `both` and `text` settle conflicts in texts only."
    )


class RevertWinner(_ConflictPart):
    """The side that wins the conflicts of a part in a revert."""

    winner: RevertChoice = Field(
        description="Side that wins. `both` and `text` settle conflicts in texts only."
    )


class Merge(Change):
    """The options of merging a change request."""

    on_conflict: OnConflict | None = Field(
        default=None,
        description="Side that wins every other conflict. Without it nothing is merged if there are "
        "conflicts that `winners` does not settle.",
    )
    winners: Annotated[list[MergeWinner], Len(0, MOST_WINNERS)] = Field(
        default=[],
        description="Sides that win single conflicts, up to 1,000. The others are won by `onConflict`.",
    )
    dry_run: bool = Field(
        default=False, description="True answers what the merge would do, and changes nothing."
    )


class Revert(Change):
    """The options of reverting a revision."""

    on_conflict: OnRevertConflict | None = Field(
        default=None,
        description="Side that wins every conflict. Without it nothing is reverted if there are conflicts "
        "that `winners` does not settle.",
    )
    winners: Annotated[list[RevertWinner], Len(0, MOST_WINNERS)] = Field(
        default=[],
        description="Sides that win single conflicts, up to 1,000. The others are won by `onConflict`.",
    )
    dry_run: bool = Field(
        default=False, description="True answers what the revert would do, and changes nothing."
    )


class ConflictOut(Shape):
    """A field that both sides of a merge or an update changed to different values."""

    page: Annotated[str, Names("Page")] = Field(
        description="Id of the page, the file or the reusable content that the conflict is in. Empty for "
        "variables and redirects of the space."
    )
    field: str = Field(
        description="Field that both sides changed: a field of the page such as `title`; `document` for "
        "lines of the text; `position`; `page` if one side deleted it; `variables.NAME`; "
        "`redirects.PATH`; `file`; `reusableContent`."
    )
    passage: str | None = Field(
        default=None,
        description="Names the conflict among those of its text. It changes when the lines of the conflict "
        "change. Absent in all fields but `document`.",
    )
    base: ConflictValue = Field(
        default=None, description="Value that both sides began with. Absent if there was none."
    )
    main: ConflictValue = Field(
        default=None, description="Value in the main content. Absent if it has none there."
    )
    change_request: ConflictValue = Field(
        default=None, description="Value in the change request. Absent if it has none there."
    )


class RollbackConflict(Shape):
    """A field that later revisions changed after the revision that is to be undone."""

    page: Annotated[str, Names("Page")] = Field(
        description="Id of the page, the file or the reusable content that the conflict is in. Empty for "
        "variables and redirects of the space."
    )
    field: str = Field(description="Field that was changed twice, named as in a conflict of a merge.")
    passage: str | None = Field(
        default=None,
        description="Names the conflict among those of its text. It changes when the lines of the conflict "
        "change. Absent in all fields but `document`.",
    )
    base: ConflictValue = Field(
        default=None, description="Value that the revision made. Absent if it made none."
    )
    main: ConflictValue = Field(
        default=None, description="Value in the content now. Absent if it has none there."
    )
    before: ConflictValue = Field(
        default=None, description="Value before the revision. Absent if there was none."
    )


class MergeOut(Shape):
    """The outcome of a merge, or of a dry run of one."""

    revision: Annotated[str, Names("Revision")] = Field(
        description="Active revision of the space: the one that the merge made, or the one before if nothing "
        "was merged."
    )
    result: MergeResult = Field(description="Outcome of the merge.")
    conflicts: list[ConflictOut] | None = Field(
        default=None, description="Conflicts, settled or not. Absent if there are none."
    )


class ConflictsOut(Shape):
    """The conflicts that prevent merging a change request."""

    revision: Annotated[str, Names("Revision")] = Field(
        description="Revision of the space that the change request was compared with."
    )
    mergeable: bool = Field(description="Whether it can be merged without settling a conflict.")
    conflicts: list[ConflictOut] = Field(description="Conflicts. Empty if there are none.")


class UpdateOut(Shape):
    """The outcome of bringing newer main content into a change request."""

    revision: Annotated[str, Names("Revision")] = Field(
        description="Active revision of the change request: the one that the update made, or the one before "
        "if it was up to date."
    )
    result: UpdateResult = Field(description="Outcome of the update.")
    conflicts: list[ConflictOut] | None = Field(
        default=None,
        description="Conflicts; the change request keeps its side in each. Absent if there are none.",
    )


class RollbackOut(Shape):
    """The outcome of restoring or reverting a revision, or of a dry run of a revert."""

    revision: Annotated[str, Names("Revision")] = Field(
        description="Active revision of the space: the one that the rollback made, or the one before if "
        "nothing was changed."
    )
    result: RollbackResult = Field(description="Outcome of the rollback.")
    conflicts: list[RollbackConflict] | None = Field(
        default=None, description="Conflicts, settled or not. Absent if there are none."
    )


ENUMERATIONS = (
    Enumeration(
        "MergeResult",
        MergeResult,
        {
            "merge": "The change request is merged, or would be.",
            "conflicts": "There are conflicts, and nothing is merged.",
        },
    ),
    Enumeration(
        "UpdateResult",
        UpdateResult,
        {
            "update": "The change request is up to date.",
            "conflicts": "The change request is up to date, and keeps its side in each conflict.",
        },
    ),
    Enumeration(
        "RollbackResult",
        RollbackResult,
        {
            "rollback": "The content went back, or would.",
            "conflicts": "There are conflicts, and nothing went back.",
        },
    ),
    Enumeration(
        "ConflictWinner",
        OnConflict,
        {
            "change-request": "The change request wins.",
            "main": "The main content wins.",
        },
    ),
    Enumeration(
        "RevertConflictWinner",
        OnRevertConflict,
        {
            "revert": "What later revisions changed is reverted too.",
            "main": "What later revisions changed stays.",
        },
    ),
    Enumeration(
        "MergeChoice",
        MergeChoice,
        {
            "change-request": "The change request wins.",
            "main": "The main content wins.",
            "both": "The lines of the main content stay, followed by those of the change request.",
            "text": "A text of your own replaces the lines.",
        },
    ),
    Enumeration(
        "RevertChoice",
        RevertChoice,
        {
            "revert": "What later revisions changed is reverted too.",
            "main": "What later revisions changed stays.",
            "both": "The lines of the content now stay, followed by those before the revision.",
            "text": "A text of your own replaces the lines.",
        },
    ),
)
