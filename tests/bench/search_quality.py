"""Which share of the titles of real documentation a search finds, as they are and with a slip of the pen.

The documentation is in the folders that the variable `BENCH_DOCUMENTATION` names, divided by colons;
each becomes a space. A title counts as found where a page that is called just that is the first of the hits,
and with a slip, where it is among the first five. `python -m tests.bench.search_quality` prints the shares.
"""

from __future__ import annotations

import os
import random
import statistics
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from app import migrations
from app.formats.text.search_text import indexable
from tests import make
from tests.cast import Person
from tests.instance import running

FIRST = 5
LEAST = 4  # characters of a word that gets a slip
LETTERS, CHARACTERS = "abcdefghijklmnopqrstuvwxyz", "的一是不了在人有我他"


@dataclass
class Shares:
    """Titles that were asked for and found, and the processor time of each search, in seconds."""

    asked: int = 0
    found: int = 0
    missed: list[tuple[str, str]] = field(default_factory=list)
    times: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        median = statistics.median(self.times) * 1000
        return f"{self.found} of {self.asked} ({self.found / self.asked:.1%}), {median:.1f} ms of processor"


def misspelled(title: str, dice: random.Random) -> str | None:
    """Return the title with one slip in one of its longer words; None where it has no such word."""
    words = title.split()
    longer = [n for n, word in enumerate(words) if len(word) >= LEAST and word.isalpha()]
    if not longer:
        return None
    place = dice.choice(longer)
    word, at = words[place], dice.randrange(1, len(words[place]) - 1)
    letters = LETTERS if word.isascii() else CHARACTERS
    slips = {
        "swapped": word[:at] + word[at + 1] + word[at] + word[at + 2 :],
        "missing": word[:at] + word[at + 1 :],
        "another": word[:at] + dice.choice(letters) + word[at + 1 :],
        "one more": word[:at] + dice.choice(letters) + word[at:],
    }
    words[place] = slips[dice.choice(sorted(slips))]
    return " ".join(words)


def measured(reader: Person, space: str, titles: list[str]) -> tuple[Shares, Shares]:
    """Search for every title, and for it with a slip."""
    dice = random.Random(19)
    exact, slipped = Shares(), Shares()
    for title in titles:
        _ask(reader, space, title, title, 1, exact)
        if written := misspelled(title, dice):
            _ask(reader, space, title, written, FIRST, slipped)
    return exact, slipped


def _ask(reader: Person, space: str, title: str, written: str, first: int, shares: Shares) -> None:
    began = time.process_time()
    answer = reader.get(f"/v1/spaces/{space}/search", params={"query": written[:512], "limit": first})
    shares.times.append(time.process_time() - began)
    names = [indexable(item["title"]) for item in answer.json()["items"]]
    shares.asked += 1
    if indexable(title) in names:
        shares.found += 1
    else:
        shares.missed.append((title, written))


def titles_in(reader: Person, space: str) -> list[str]:
    """Return the titles of the pages of a space, without those of signs only."""
    pages = reader.get(f"/v1/spaces/{space}/content/pages").json()["pages"]
    return [title for title in _titles(pages) if indexable(title)]


def _titles(pages: list[dict[str, object]]) -> Iterator[str]:
    for page in pages:
        if page.get("type") != "link":
            yield str(page["title"])
        below = page.get("pages")
        yield from _titles(below if isinstance(below, list) else [])


def main() -> None:
    """Print the shares of each folder."""
    with ExitStack() as stack:
        scratch = Path(stack.enter_context(TemporaryDirectory()))
        migrations.upgrade(str(scratch / "docyard.db"))
        cast = make.cast(stack.enter_context(running(str(scratch / "docyard.db"))))
        for folder in os.environ["BENCH_DOCUMENTATION"].split(":"):
            files: dict[str, str | bytes] = {
                str(path.relative_to(folder)): path.read_text()
                for path in sorted(Path(folder).rglob("*.md"))
                if path.name not in ("LANGS.md",)
            }
            space = make.filled_space(cast, files)
            exact, slipped = measured(cast.ria, space, titles_in(cast.ria, space))
            print(f"{folder}: {exact}; with a slip {slipped}")
            for title, written in [*exact.missed, *slipped.missed]:
                print(f"  missed: {title!r} as {written!r}")


if __name__ == "__main__":
    main()
