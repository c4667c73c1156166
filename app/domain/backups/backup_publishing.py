"""The last step of a backup: a complete file gets its name."""

from __future__ import annotations

import os
from pathlib import Path

from app.kit.errors import Problem


class BackupRefused(Problem):
    """A backup cannot be written, read or restored."""


def publish(part: Path, target: Path) -> None:
    """Give a complete backup its name, once it is on the disk."""
    for place in (part, target.parent):
        handle = os.open(place, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
        if place == part:
            part.rename(target)
