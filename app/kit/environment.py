"""Settings in the environment: `DOCYARD_NAME` has a value, `DOCYARD_NAME_FILE` names a file that has it.

Container platforms hand secrets to programs as files. A variable that belongs to no setting is a mistake,
which would otherwise be noticed only by what does not happen.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path

PREFIX = "DOCYARD_"
FROM_FILE = "_FILE"
LONGEST = 1_000_000  # bytes of a file with a value
# `docyard secret rotate` reads the first; the others say how the tests run.
OTHERS = (f"{PREFIX}NEW_SECRET", f"{PREFIX}TEST", f"{PREFIX}PROOF_")


def variable(name: str) -> str:
    """Return the environment variable of a setting."""
    return f"{PREFIX}{name.upper()}"


def read(names: Iterable[str], environment: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the settings that the environment has.

    Raises ValueError for a variable of no setting, for one that is given twice, and for a file that cannot be
    read.
    """
    variables = {variable(name): name for name in names}
    found: dict[str, str] = {}
    for given, value in environment.items():
        if not given.startswith(PREFIX) or given.startswith(OTHERS):
            continue
        if name := variables.get(given):
            found[name] = value
        elif not (name := variables.get(given.removesuffix(FROM_FILE))):
            raise ValueError(f"There is no setting {given}.{_similar(given, variables)}")
        elif variable(name) in environment:
            raise ValueError(f"Set {variable(name)} or {given}, not both.")
        else:
            found[name] = _content(given, value)
    return found


def _similar(given: str, variables: Iterable[str]) -> str:
    from difflib import get_close_matches  # for a mistake only

    near = get_close_matches(given, variables, 1)
    return f" Did you mean {near[0]}?" if near else ""


def _content(given: str, file: str) -> str:
    try:
        with Path(file).open("rb") as opened:
            content = opened.read(LONGEST + 1)
        if len(content) > LONGEST:
            raise ValueError(f"The file of {given} has more than {LONGEST} bytes.")
        return content.decode().rstrip("\r\n")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not text in UTF-8"
        raise ValueError(f"The file of {given} cannot be read: {reason}.") from None
