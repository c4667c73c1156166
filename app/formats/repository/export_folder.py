"""An export written to disk: whole or not at all.

Rules: files go into a new folder beside the target, which takes the target's place at the end. A target that
holds anything, or is a link, is refused; so is a path that would lead out.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from app.formats.repository.export_rows import FileRef
from app.formats.repository.file_tree import unfit
from app.kit.errors import Conflict, Invalid


def write_folder(
    items: Iterable[tuple[str, bytes | FileRef]],
    target: Path,
    fetch: Callable[[FileRef], Iterable[bytes]],
) -> int:
    """Write the files to the folder `target`; how many they were. `fetch` gives the bytes behind a FileRef.

    Raises Conflict when the target is not a free place, Invalid when a path is unsafe or used twice.
    """
    _refuse_occupied(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    fresh = Path(tempfile.mkdtemp(prefix=f".{target.name}.", dir=target.parent))
    try:
        count = 0
        for path, content in items:
            _write_file(fresh, path, [content] if isinstance(content, bytes) else fetch(content))
            count += 1
        fresh.chmod(0o755)
        _refuse_occupied(target)
        if target.exists():
            target.rmdir()
        fresh.rename(target)
    except BaseException:
        shutil.rmtree(fresh, ignore_errors=True)
        raise
    return count


def _refuse_occupied(target: Path) -> None:
    if target.is_symlink() or (target.exists() and not target.is_dir()):
        raise Conflict("The target is not a folder.", path=str(target))
    if target.is_dir() and os.listdir(target):
        raise Conflict("The target folder is not empty.", path=str(target))


def _write_file(folder: Path, path: str, chunks: Iterable[bytes]) -> None:
    if reason := unfit(path):
        raise Invalid(f"A file cannot be written: {reason}.", path=path[:200])
    destination = folder / path
    try:
        destination.parent.mkdir(parents=True, exist_ok=True)
        # "x" never opens what is already there, so no link and no other file can be written through.
        with destination.open("xb") as file:
            for chunk in chunks:
                file.write(chunk)
    except (FileExistsError, NotADirectoryError):
        raise Invalid("Two files want the same place.", path=path[:200]) from None
