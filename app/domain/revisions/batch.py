"""A batch of changes under way: its draft, what its refs mean, and what it did so far."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from app.access.context import Context
from app.domain.revisions.drafts import Draft
from app.domain.revisions.new_files import NewFile
from app.domain.revisions.records import FileRecord, PageRecord
from app.formats.repository.names import clean_title
from app.kit.errors import Invalid
from app.models.base import wire_name
from app.models.content_changes import ChangedKind, ContentChange


@dataclass(slots=True)
class PageOutcome:
    """What one change did to a page."""

    kind: ChangedKind
    page_id: str
    ref: str | None = None


@dataclass(slots=True)
class Batch:
    """Changes that are made in their order on one draft. `new_files` are those that came, by change.

    `files` are those that it made with their refs, `reusable` what callers are told of new contents.
    """

    draft: Draft
    new_files: Mapping[int, Sequence[NewFile]]
    done: list[PageOutcome] = field(default_factory=list)
    files: list[tuple[FileRecord, str | None]] = field(default_factory=list)
    reusable: list[dict[str, str | None]] = field(default_factory=list)

    @property
    def cx(self) -> Context:
        """The call's surroundings."""
        return self.draft.cx

    def id_of(self, name: str) -> str:
        """Return the id that an id or a ref means."""
        return self.draft.refs.get(name, name)

    async def page(self, name: str, path: str) -> PageRecord:
        """Return the page that an id or ref names; raises Invalid where there is none (any more)."""
        page = await self.draft.page(self.id_of(name))
        if page is None:
            raise Invalid("There is no such page.", path=path)
        return page

    async def file(self, name: str, path: str) -> str:
        """The id of the file that an id or ref names; raises Invalid where there is none (any more)."""
        draft, file_id = self.draft, self.id_of(name)
        if file_id not in draft.files:
            await draft.read_files([file_id])
        if draft.file(file_id) is None:
            raise Invalid("There is no such file.", path=path)
        return file_id

    def remember(self, ref: str | None, made_id: str, path: str) -> None:
        """Remember what a ref means; raises Invalid where it means something already."""
        if ref is None:
            return
        if ref in self.draft.refs:
            raise Invalid("Another change of this batch has the same ref.", path=f"{path}.ref")
        self.draft.refs[ref] = made_id


def needs(change: ContentChange, path: str, *names: str) -> None:
    """Refuse a change that lacks one of these fields."""
    for name in names:
        if name not in change.model_fields_set:
            where = f"{path}.{wire_name(name)}"
            raise Invalid(f"{change.operation} needs this field.", path=where)


def title_of(title: str, path: str) -> str:
    """A title as one clean line, as it is in files; raises Invalid where nothing is left of it."""
    clean = clean_title(title)
    if not clean:
        raise Invalid("A title needs something to read.", path=path)
    return clean
