"""Whole repositories in and out, as the command line does it: large, from a path, with progress."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from app.access.context import Context
from app.domain.importing.import_reading import Progress, prepare_here
from app.domain.importing.importing import Imported, into_line
from app.domain.importing.parallel import prepare_in_processes
from app.domain.writing.file_faults import Leaving
from app.domain.writing.line import Line
from app.formats.repository.archive import Zip
from app.formats.repository.plan import Plan, read_plan
from app.formats.repository.tree import Folder
from app.kit.errors import Invalid
from app.models.spaces import Space

MANY = 2_000  # pages from which processes of their own pay


@contextmanager
def plan(path: Path) -> Iterator[Plan]:
    """What an import of the folder or zip at a path would make; raises Invalid for anything else."""
    if path.is_dir():
        yield read_plan(Folder(path))
    elif path.is_file():
        with closing(Zip(path)) as packed:
            yield read_plan(packed)
    else:
        raise Invalid(f"{path} is neither a folder nor a zip file.", path="PATH")


async def import_plan(
    cx: Context,
    space: Space,
    plan: Plan,
    *,
    mirror: bool = False,
    leaving: Leaving | None = None,
    progress: Progress = lambda _done: None,
) -> Imported:
    """Import a plan into a space, but for the files it is `leaving`; with all cores where it is large."""
    preparing = prepare_in_processes if len(plan.pages) >= MANY else prepare_here
    return await into_line(
        cx, Line(space), plan, mirror=mirror, leaving=leaving, preparing=preparing, progress=progress
    )


def steps(plan: Plan) -> int:
    """How many steps of progress an import of this plan takes."""
    return len(plan.pages) + len(plan.files) + len(plan.reusable)
