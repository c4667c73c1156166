"""Files that cannot be imported: each is named with its reason, and an import goes on without it.

What can be foreseen is told by the plan of an import. These are the other ones: texts that the scanner or
the database refuses. To find them, texts are written one at a time once writing them together has failed.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TypeVar

from app.kit.errors import Conflict, Problem, Unprocessable

MOST = 20  # files that an import does without
REFUSED = "the database does not take it"
LONGEST = 200  # characters of a name or an href that is told
T = TypeVar("T")
log = logging.getLogger("docyard.import")


class FileFault(Unprocessable):
    """One file, or a link in it, cannot be imported."""

    def __init__(self, file: str, reason: str, href: str | None = None) -> None:
        self.file, self.reason, self.href = file, reason, href
        super().__init__(f"{file[:LONGEST]}: {self.told}", path=file)

    @property
    def told(self) -> str:
        """The reason, with the link where it is one's."""
        return self.reason if self.href is None else f"link “{self.href[:LONGEST]}”: {self.reason}"

    def __reduce__(self) -> tuple[type[FileFault], tuple[str, str, str | None]]:
        return FileFault, (self.file, self.reason, self.href)  # texts are read in other processes too


@dataclass(slots=True)
class SkippedFiles:
    """The files that an import does without, and whether it writes texts one at a time.

    What is held of those that are `kept` stays, since they are too large.
    """

    faults: list[FileFault] = field(default_factory=list)
    one_by_one: bool = False
    kept: frozenset[str] = frozenset()

    @property
    def files(self) -> set[str]:
        """The paths of the files."""
        return {fault.file for fault in self.faults} | self.kept

    @property
    def told(self) -> str:
        """The files with the reasons, as a sentence."""
        reasons = "; ".join(fault.message for fault in self.faults)
        return f"Not imported: {reasons}."


@contextmanager
def blamed(file: str, href: str | None = None, reason: str = "it cannot be read") -> Iterator[None]:
    """Raise FileFault for whatever goes wrong inside, but for a Problem, which has a sentence of its own."""
    try:
        yield
    except Problem:
        raise
    except Exception as error:
        from app.kit.database.interface import Retry  # the processes that read texts should not load it

        if isinstance(error, Retry):
            raise
        log.exception("the file %r cannot be imported", file)
        raise FileFault(file, reason, href) from error


async def around_faults(attempt: Callable[[SkippedFiles], Awaitable[T]]) -> T:
    """Run an import, again and again without the files that it fails at.

    Raises FileFault where they are too many, and whatever else goes wrong.
    """
    from app.kit.database.interface import Clash

    leaving = SkippedFiles()
    while True:
        try:
            return await attempt(leaving)
        except FileFault as fault:
            if len(leaving.faults) == MOST or fault.file in leaving.files:
                raise
            leaving = SkippedFiles([*leaving.faults, fault], leaving.one_by_one)
        except Exception as error:
            is_told = isinstance(error, Problem | TimeoutError)
            is_clash = isinstance(error, Conflict) and isinstance(error.__cause__, Clash)
            if leaving.one_by_one or (is_told and not is_clash):
                raise
            log.warning("an import failed; its texts are written one at a time now", exc_info=error)
            leaving = SkippedFiles(leaving.faults, one_by_one=True)
