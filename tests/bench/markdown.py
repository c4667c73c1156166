"""A repository of Markdown as large as wanted: the same for the same number of pages, written by nobody.

Folders are up to eight deep; pages have headings, links to each other, lists, code, tables and hints, and
words that are common or rare as words are.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from pathlib import Path
from random import Random

SEED = 20_261
WORDS, DEEPEST, SECTIONS = 6_000, 8, 9
SYLLABLES = [a + b for a in "bdfgklmnprstvz" for b in ("a", "e", "i", "o", "u", "ar", "en", "il", "os")]


def write(folder: Path, pages: int) -> Path:
    """Write the repository, unless it is there; its folder."""
    root = folder / f"markdown-{pages}"
    done = root.with_suffix(".done")
    if not done.exists():
        author = _Author(pages)
        for path, text in author.files():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, encoding="utf-8")
        done.touch()
    return root


def word(rank: int) -> str:
    """The word of this rank: 0 is the most common."""
    first, rest = divmod(rank, len(SYLLABLES))
    return (
        SYLLABLES[rest] + SYLLABLES[(first * 7 + rest * 3) % len(SYLLABLES)] + (f"{first}" if first else "")
    )


class _Author:
    def __init__(self, pages: int) -> None:
        self._chance = Random(SEED)
        self._words = [word(rank) for rank in range(WORDS)]
        self._weights = list(accumulate(1 / (rank + 3) for rank in range(WORDS)))
        self._paths = self._tree(pages)
        self._titles = [f"{self._text(3).title()} {n}" for n in range(pages)]

    def files(self) -> Iterator[tuple[str, str]]:
        """Every file of the repository: path and text."""
        yield "SUMMARY.md", self._summary()
        for number in range(len(self._paths)):
            yield self._paths[number], self._page(number)

    def _tree(self, pages: int) -> list[str]:
        """README.md of each folder comes before what is in it; folders are filled depth first."""
        paths, folder = ["README.md"], [""]
        while len(paths) < pages:
            depth = self._chance.randint(1, DEEPEST)
            folder = folder[:depth]
            while len(folder) < depth and len(paths) < pages - 1:
                folder.append(f"{folder[-1]}{self._word()}-{len(paths)}/")
                paths.append(f"{folder[-1]}README.md")
            for _ in range(min(self._chance.randint(4, 16), pages - len(paths))):
                paths.append(f"{folder[-1]}{self._word()}-{len(paths)}.md")
        return paths

    def _summary(self) -> str:
        lines = ["# Table of contents", ""]
        for path, title in zip(self._paths, self._titles, strict=True):
            depth = path.count("/") - path.endswith("/README.md")
            lines.append(f"{'  ' * depth}* [{title}]({path})")
        return "\n".join(lines) + "\n"

    def _page(self, number: int) -> str:
        about = self._text(8)
        parts = [f"---\ndescription: {about}\n---\n", f"# {self._titles[number]}\n"]
        for section in range(self._chance.randint(SECTIONS - 3, SECTIONS + 4)):
            parts.append(f"{'##' if section % 3 else '###'} {self._text(4).capitalize()}\n")
            parts.append(self._paragraph(number))
            parts.append(self._block(section))
        return "\n".join(parts)

    def _paragraph(self, number: int) -> str:
        sentences = [self._text(self._chance.randint(8, 18)).capitalize() + "." for _ in range(4)]
        other = self._chance.randrange(len(self._paths))
        up = "../" * self._paths[number].count("/")
        sentences.insert(2, f"See [{self._titles[other]}]({up}{self._paths[other]}) and **{self._text(2)}**.")
        return " ".join(sentences) + "\n"

    def _block(self, section: int) -> str:
        kind = section % 4
        if kind == 0:
            return "".join(f"* {self._text(9)}\n" for _ in range(4))
        if kind == 1:
            return f"```python\n{self._word()} = {self._word()}({section})\n```\n"
        if kind == 2:
            return f'{{% hint style="info" %}}\n{self._text(14)}\n{{% endhint %}}\n'
        rows = "".join(f"| {self._text(2)} | {self._text(3)} |\n" for _ in range(3))
        return f"| {self._word()} | {self._word()} |\n| --- | --- |\n{rows}"

    def _word(self) -> str:
        return self._text(1)

    def _text(self, words: int) -> str:
        return " ".join(self._chance.choices(self._words, cum_weights=self._weights, k=words))
