"""The winners of the conflicts of a merge: a side, both, or a text that somebody wrote instead."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from app.access.context import Context
from app.domain.content.bodies import storable
from app.domain.content.outside_pictures import refuse_outside_pictures
from app.domain.revisions.merge_states import MergeConflict
from app.formats.text.three_way_merge import Choice, Instead, Side
from app.models.merges import Merge, MergeWinner, Revert, RevertWinner


@dataclass(slots=True, frozen=True)
class Winners:
    """The side that wins each conflict: that of its passage, else of its part, else `favour`; None where
    nobody has decided.

    A part is the id of a page, file or reusable content with a field; the conflicts of a text are passages,
    by the key of the text.
    """

    favour: Side | None = None
    parts: Mapping[tuple[str, str], Choice] = field(default_factory=dict)
    passages: Mapping[str, Mapping[str, Choice | Instead]] = field(
        default_factory=dict
    )  # by key, then passage

    @classmethod
    async def chosen(cls, cx: Context, body: Merge | Revert, sides: Mapping[str, Side]) -> Winners:
        """Return the winners that a request names; `sides` are the sides by what it calls them.

        Raises Invalid for a text that cannot be stored, or that an agent may not write.
        """
        parts: dict[tuple[str, str], Choice] = {}
        passages: dict[str, dict[str, Choice | Instead]] = {}
        winners: Sequence[MergeWinner | RevertWinner] = body.winners
        for n, each in enumerate(winners):
            if each.winner == "text":
                path = f"winners.{n}.text"
                text = storable(each.text or "", path)
                await refuse_outside_pictures(cx, text, path)
                passages.setdefault(each.page, {})[each.passage or ""] = Instead(text)
                continue
            choice: Choice = "both" if each.winner == "both" else sides[each.winner]
            if each.passage is None:
                parts[each.page, each.field] = choice
            else:
                passages.setdefault(each.page, {})[each.passage] = choice
        return cls(sides.get(body.on_conflict or ""), parts, passages)

    def of(self, key: str, wire: str) -> Side | None:
        """Return the side that wins the conflict of a part; None for both, which only a text can hold."""
        choice = self.parts.get((key, wire), self.favour)
        return None if choice == "both" else choice

    def of_text(self, key: str) -> Choice | None:
        """Return what is taken of the conflicts of a text that are not settled by their passage."""
        return self.parts.get((key, "document"), self.favour)

    def settle(self, conflicts: Iterable[MergeConflict]) -> bool:
        """Tell whether every one of these conflicts has a winner."""
        return all(map(self._settles, conflicts))

    def _settles(self, conflict: MergeConflict) -> bool:
        key, passage = conflict.page, conflict.passage
        if passage:
            return passage in self.passages.get(key, ()) or self.of_text(key) is not None
        return self.of(key, conflict.field) is not None
