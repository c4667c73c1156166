"""The program that runs typst, in a process of its own: `python -I typst_process.py FOLDER TYPST [FONTS]`.

It reads the template and the data in FOLDER and writes `book.pdf` there, or the
picture that OUTPUT names. First each picture is set alone, and
those typst cannot read are listed in `broken.json`. Nothing of the application is imported; limits on time
and memory are set before typst is loaded from the folder TYPST, and there is no cache of packages to read.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import typst


PICTURE_DOTS = 144.0  # per inch


def limit(seconds: int, memory: int) -> None:
    """Bound this process: CPU in seconds, memory and files in bytes; no core file."""
    if sys.platform == "win32":
        return
    import resource

    bounds = ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, memory), (resource.RLIMIT_CORE, 0))
    for kind, most in bounds:
        try:
            resource.setrlimit(kind, (most, most))
        except (ValueError, OSError):  # a platform that knows no such limit
            continue


def unreadable(compiler: typst.Compiler, folder: Path) -> list[str]:
    """Return the names of the pictures that cannot be set."""
    broken = []
    for picture in sorted(folder.glob("picture-*")):
        source = f'#set page(width: 1cm, height: 1cm)\n#image("{picture.name}", width: 1cm, height: 1cm)'
        try:
            compiler.compile(source.encode(), format="pdf")
        except BaseException as refused:  # a panic inside typst is no Exception
            if isinstance(refused, KeyboardInterrupt | SystemExit):
                raise
            broken.append(picture.name)
    return broken


def main(folder: Path, library: str, fonts: list[str]) -> None:
    """Set the book in the folder."""
    limit(int(os.environ["SECONDS"]), int(os.environ["MEMORY"]))
    sys.path.append(library)
    import typst

    compiler = typst.Compiler(
        root=folder,
        font_paths=typst.Fonts(include_system_fonts=False, font_paths=[Path(path) for path in fonts]),
        ignore_system_fonts=True,
        package_path=folder / "packages",
        package_cache_path=folder / "packages",
    )
    (folder / "broken.json").write_text(json.dumps(unreadable(compiler, folder)))
    output = folder / os.environ.get("OUTPUT", "book.pdf")
    source = output.with_suffix(".typ")
    if output.suffix == ".png":
        compiler.compile(source, output=output, format="png", ppi=PICTURE_DOTS)
    else:
        compiler.compile(source, output=output, format="pdf")


if __name__ == "__main__":
    try:
        main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:])
    except Exception as refused:
        print(str(getattr(refused, "diagnostic", ""))[:4000], file=sys.stderr)
        sys.exit(f"{type(refused).__name__}: {refused}"[:1000])
