"""Which Docyard this is: the version people speak of, and the build, which tells two copies apart."""

from __future__ import annotations

from functools import cache
from hashlib import blake2b

VERSION = "0.5.0"


@cache
def build() -> str:
    """Return a short hash of the program's own files: equal code, equal build, wherever it was installed."""
    from importlib.resources import files
    from pathlib import Path

    folder = Path(str(files("app")))
    digest = blake2b(digest_size=6)
    for path in sorted(folder.rglob("*.py")):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
