"""The program that draws one diagram: `python -I drawing_process.py LIBRARY SECONDS BYTES < text > picture`.

Nothing of the application is imported; limits on time and memory are set before the library is loaded from
the folder LIBRARY. What is no diagram ends the program with a sentence.
"""

from __future__ import annotations

import sys


def limit(seconds: int, memory: int) -> None:
    """Bound this process: CPU in seconds, memory in bytes; no core file, and others go first."""
    if sys.platform == "win32":
        return
    import os
    import resource

    os.nice(5)
    bounds = ((resource.RLIMIT_CPU, seconds), (resource.RLIMIT_AS, memory), (resource.RLIMIT_CORE, 0))
    for kind, most in bounds:
        try:
            resource.setrlimit(kind, (most, most))
        except (ValueError, OSError):  # a platform that knows no such limit
            continue


def main(library: str, seconds: int, memory: int) -> None:
    """Read the text, write the picture."""
    limit(seconds, memory)
    source = sys.stdin.buffer.read().decode("utf-8", "replace")
    sys.path.append(library)
    import mmdr

    try:
        made = mmdr.render(source, backend="merman").svg()
    except BaseException as refused:  # a panic inside the library is no Exception
        sys.exit(f"This diagram cannot be drawn: {refused}"[:300])
    sys.stdout.buffer.write(made.encode("utf-8", "replace"))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
