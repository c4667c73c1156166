"""All engines find the same, also without full text: one corpus in each, and every search asked of all."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from tests import make
from tests.cast import Person
from tests.databases import migrated_in, migrated_on, migrated_without_full_text_on, settings_of
from tests.instance import running

WORDS = [
    "anchor", "Anchor", "anchorage", "rope", "ropes", "Käse", "kase", "naïve", "coöperate", "ﬁn", "STRASSE",
    "straße", "snake_case", "_private", "camelCase", "v1.2.3", "1,000", "0x1F", "a-b-c", "don't", "l'été",
    "x²", "C#", "mail@ex.org", "https://ex.org/a/b?c=d#e", "/usr/bin", "<b>", "&amp;", "русский", "Ёлка",
    "ΣΊΣΥΦΟΣ", "ελληνικά", "עברית", "العَرَبِيَّة", "हिन्दी", "தமிழ்", "🙂", "e\u0301te\u0301", "so\u00adft",
    "İzmir", "the", "of", "and", "is", "AND", "OR", "NOT", "NEAR", "null", "a", "b", "c",
    "东京", "東京都", "日本語", "ひらがな", "カタカナ", "ｶﾀｶﾅ", "한국어", "ไทยแลนด์",
]  # fmt: skip
SIGNS = [
    "",
    " ",
    "  ",
    ", ",
    ". ",
    "\n",
    "\n\n",
    " - ",
    "/",
    "_",
    "'",
    '"',
    " (",
    ") ",
    "…",
    "\u200b",
    "、",
    "。",
]


def corpus(dice: random.Random) -> dict[str, str | bytes]:
    """Pages of mixed words, some with sections, some long, some with a description or reusable contents."""
    pages: dict[str, str | bytes] = {}
    for number in range(40):
        sections = []
        for part in range(dice.randint(1, 4)):
            heading = f"## {' '.join(dice.choices(WORDS, k=2))}\n\n" if part else ""
            size = dice.choice((3, 10, 40))
            sections.append(heading + "".join(dice.choice(WORDS) + dice.choice(SIGNS) for _ in range(size)))
        about = f"description: {json.dumps(' '.join(dice.choices(WORDS, k=5)))}\n" if number % 3 == 0 else ""
        if number % 4 == 0:
            sections.append(f'{{% include ".gitbook/includes/b{number % 3}.md" %}}')
        pages[f"p{number}.md"] = f"---\ntitle: Page {number}\n{about}---\n\n" + "\n\n".join(sections) + "\n"
    for number in range(3):
        inside = f'\n\n{{% include "b{number - 1}.md" %}}' if number else ""
        text = "".join(dice.choice(WORDS) + dice.choice(SIGNS) for _ in range(10))
        pages[f".gitbook/includes/b{number}.md"] = f"---\ntitle: Block\n---\n\n{text}{inside}\n"
    pages["long.md"] = "---\ntitle: Long\n---\n\n" + "anchor rope 东京 的 " * 4_000 + "the rarest of all\n"
    return pages


def queries(dice: random.Random) -> Iterator[str]:
    """Each word, beginnings of words, several words, phrases, and signs between them."""
    yield from WORDS
    for _ in range(150):
        words = dice.choices(WORDS, k=dice.randint(1, 3))
        if dice.random() < 0.3:
            words[-1] = words[-1][: dice.randint(1, len(words[-1]))]
        text = dice.choice((" ", " ", "-", "_", "")).join(words)
        yield f'"{text}"' if dice.random() < 0.3 else text
    yield from (
        "rarest",
        '"rarest of all"',
        "的",
        "东京 的",
        "rarest 东京",
        '"anchor rope"',
        "page 7",
        "long",
    )


@pytest.fixture(scope="module")
def engines(
    postgres_server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[list[tuple[Person, str]]]:
    """A reader and a space with the corpus, on each engine, the last without full text."""
    files = corpus(random.Random(7))
    addresses = [
        migrated_in(tmp_path_factory.mktemp("search")),
        migrated_on(postgres_server),
        migrated_without_full_text_on(postgres_server),
    ]
    with ExitStack() as stack:
        instances = [stack.enter_context(running(address, **settings_of(address))) for address in addresses]
        casts = [make.cast(instance) for instance in instances]
        yield [(cast.ria, make.filled_space(cast, files)) for cast in casts]


def found(reader: Person, space: str, query: str) -> dict[str, Any]:
    """Search: the sections of each page by its title, as far as all of them are shown."""
    answer = reader.get(f"/v1/spaces/{space}/search", params={"query": query, "limit": 1000})
    assert answer.status_code == 200, (query, answer.text)
    items = answer.json()["items"]
    assert answer.json()["count"] == len(items)
    return {
        item["title"]: sorted(s["body"] for s in item["sections"]) if len(item["sections"]) < 5 else None
        for item in items
    }


def test_all_engines_find_the_same(engines: list[tuple[Person, str]]) -> None:
    different, hits = [], 0
    for query in queries(random.Random(11)):
        sqlite, *others = (found(reader, space, query) for reader, space in engines)
        hits += len(sqlite)
        different += [(query, sqlite, other) for other in others if other != sqlite]
    assert different == []
    assert hits > 1000


def test_all_engines_put_titles_first(engines: list[tuple[Person, str]]) -> None:
    for reader, space in engines:
        answer = reader.get(f"/v1/spaces/{space}/search", params={"query": "long"}).json()
        assert answer["items"][0]["title"] == "Long"
