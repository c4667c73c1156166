"""Which of a tree's new files are old ones under another name.

A tree does not say what was renamed. So what is gone is compared with what is new, as git does it: first what
is the same to the byte, then what is alike in at least half of what it says.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping

from app.formats.repository.inventory import name_of

ALIKE = 0.5
MOST_PAIRS = 10_000
LONGEST = 200_000  # characters of a text that is compared
# The folders in an address, which change where a file goes to another folder: `](../a/b.md)` says `b.md`.
_FOLDERS = re.compile(r"(?<=[(\"'])(?:[^\s()\"'/]*/)+")


def same(new: Mapping[str, str], gone: Mapping[str, str]) -> dict[str, str]:
    """The old path by the new one of what is the same; both are given with a hash of what is there.

    Where several are the same, those whose name stayed belong together, and what is left only if it is one.
    """
    alone: defaultdict[str, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
    named: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for path, digest in sorted(gone.items(), reverse=True):
        named[digest, name_of(path)].append(path)
    found: dict[str, str] = {}
    for path, digest in sorted(new.items()):
        if namesakes := named[digest, name_of(path)]:
            found[path] = namesakes.pop()
        else:
            alone[digest][0].append(path)
    for (digest, _), paths in named.items():
        alone[digest][1].extend(paths)
    found |= {fresh[0]: old[0] for fresh, old in alone.values() if len(fresh) == len(old) == 1}
    return found


def alike(new: Mapping[str, str], gone: Mapping[str, str]) -> dict[str, str]:
    """The old path by the new one of texts that are alike, those that are most alike first.

    Nothing is compared where that would be too much.
    """
    fresh, old = _lines(new), _lines(gone)
    if len(fresh) * len(old) > MOST_PAIRS:
        return {}
    pairs = []
    for path, lines in fresh.items():
        for other, before in old.items():
            likeness = _likeness(lines, before)
            if likeness >= ALIKE:
                pairs.append((-likeness, name_of(path) != name_of(other), path, other))
    found: dict[str, str] = {}
    taken: set[str] = set()
    for _, _, path, other in sorted(pairs):
        if path not in found and other not in taken:
            found[path] = other
            taken.add(other)
    return found


def _lines(texts: Mapping[str, str]) -> dict[str, Counter[str]]:
    """How often each line stands in each text, without what is too long to be compared."""
    return {
        path: Counter(line for line in (each.strip() for each in _FOLDERS.sub("", text).split("\n")) if line)
        for path, text in texts.items()
        if len(text) <= LONGEST
    }


def _likeness(one: Counter[str], other: Counter[str]) -> float:
    """How much of two texts is in both, by characters: from 0 to 1."""
    whole = _length(one) + _length(other)
    return 2 * _length(one & other) / whole if whole else 0.0


def _length(lines: Counter[str]) -> int:
    return sum(len(line) * count for line, count in lines.items())
