"""Random writing with links of every kind: what is kept of them equals what reading all texts anew gives.

`DOCYARD_TESTS=full` runs more of it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Set
from itertools import zip_longest
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
)

from app.domain.content.views import Where
from app.kit.database.engines import open_database
from tests import make
from tests.cast import Cast
from tests.engines.link_state import Held, Links, Place, led, seen
from tests.scale import search

PIXEL = "iVBORw0KGgo="

some = st.integers(0, 99)
headings = st.sampled_from(["End", "Part", "Über uns", "Part"])
anchors = st.sampled_from(["", "", "#end", "#part", "#part-1", "#über-uns", "#nope"])
# Paths that are there now and then, in all the ways in which they may be written.
HREFS = (
    "a.md b.md a b /a.md a/b.md ../a.md ./b.md a/ a/README.md / a.html ../b img.png /.gitbook/assets/a.png"
)
paths = st.sampled_from([*HREFS.split(), "#end", "#nope", "https://example.org/", "broken-reference"])
names = st.sampled_from(["A", "B", "a", "Readme"])


@st.composite
def lines(draw: Any) -> list[tuple[str, str, int]]:
    """Return what the lines of a text are to be: kind, words, and which of the things that there are."""
    kinds = st.sampled_from(["heading", "path", "id", "include", "words", "id", "path"])
    made = []
    for _ in range(draw(st.integers(0, 4))):
        kind = draw(kinds)
        words = draw(headings if kind == "heading" else paths if kind == "path" else anchors)
        made.append((kind, words, draw(some)))
    return made


@st.composite
def trees(draw: Any) -> dict[str, list[tuple[str, str, int]]]:
    """A small repository."""
    files = st.sampled_from(["a.md", "b.md", "a/README.md", "a/b.md", "README.md", "b/index.md", "A.md"])
    return {path: draw(lines()) for path in sorted(draw(st.sets(files, min_size=1, max_size=4)))}


class Linking(RuleBasedStateMachine):
    """A space with change requests, whose links are looked at after every step."""

    cast: Cast
    reader: Any

    @initialize(tree=trees())
    def begin(self, tree: dict[str, Any]) -> None:
        self.space: str = make.space(self.cast.ada, self.cast.organization)["id"]
        self.requests: list[int] = []
        self.texts: dict[str, list[str]] = {}  # what pages said once
        self.revisions: list[str] = []
        self.now: dict[int | None, Place] = {}
        self._look()
        make.imported(self.cast, self.space, self._files(tree))
        self._look()

    # -- what is done

    @rule(line=some, name=names, parent=some, text=lines())
    def insert(self, line: int, name: str, parent: int, text: Any) -> None:
        on = self._line(line)
        change = {"operation": "insert_page", "title": name, "document": self._text(on, text)}
        into = self._some(on, parent, "page") if parent % 3 else None
        self._do(on, [{**change, "into": into.id} if into else change])

    @rule(line=some, page=some, text=lines())
    def write(self, line: int, page: int, text: Any) -> None:
        on = self._line(line)
        if found := self._some(on, page, "page"):
            change = {"operation": "update_page", "page": found.id, "document": self._text(on, text)}
            self._do(on, [change], touched={found.id})

    @rule(line=some, page=some, text=some)
    def save_stale_text(self, line: int, page: int, text: int) -> None:
        on = self._line(line)
        found = self._some(on, page, "page")
        if found and (texts := self.texts.get(found.id)):
            document = {"markdown": texts[text % len(texts)]}
            change = {"operation": "update_page", "page": found.id, "document": document}
            self._do(on, [change], touched={found.id})

    @rule(line=some, page=some, slug=st.sampled_from(["a", "b", "c", "index", "readme-2"]))
    def rename(self, line: int, page: int, slug: str) -> None:
        on = self._line(line)
        if found := self._some(on, page, "page"):
            self._do(on, [{"operation": "update_page", "page": found.id, "slug": slug}])

    @rule(line=some, page=some, parent=some, title=st.none() | names)
    def move(self, line: int, page: int, parent: int, title: str | None) -> None:
        on = self._line(line)
        into = self._some(on, parent, "page") if parent % 3 else None
        if found := self._some(on, page, "page"):
            change = {"operation": "update_page", "page": found.id, "into": into and into.id}
            self._do(on, [{**change, **({"title": title} if title else {})}])

    @rule(line=some, page=some)
    def delete(self, line: int, page: int) -> None:
        on = self._line(line)
        if found := self._some(on, page, "page"):
            self._do(on, [{"operation": "delete_page", "page": found.id}])

    @rule(line=some, pages=st.lists(some, min_size=2, max_size=3), slugs=st.permutations(["a", "b", "c"]))
    def exchange(self, line: int, pages: list[int], slugs: list[str]) -> None:
        """Several pages change places in one batch."""
        on = self._line(line)
        found = list(dict.fromkeys(page.id for each in pages if (page := self._some(on, each, "page"))))
        away = [{"operation": "update_page", "page": key, "slug": f"away-{n}"} for n, key in enumerate(found)]
        back = [
            {"operation": "update_page", "page": key, "slug": slug}
            for key, slug in zip(found, slugs, strict=False)
        ]
        self._do(on, [*away, *back])

    @rule(line=some, page=some, revision=some)
    def revert_page(self, line: int, page: int, revision: int) -> None:
        on = self._line(line)
        key = sorted(self.texts)[page % len(self.texts)] if self.texts else None
        if key is not None:
            change: dict[str, Any] = {"operation": "revert_page", "page": key}
            if revision % 4:
                change["revision"] = self.revisions[revision % len(self.revisions)]
            self._do(on, [change], touched={key})

    @rule(line=some, title=names, text=lines(), block=some)
    def write_reusable(self, line: int, title: str, text: Any, block: int) -> None:
        on = self._line(line)
        found = self._some(on, block, "reusable-content") if block % 2 else None
        change: dict[str, Any] = {"operation": "insert_reusable_content", "title": title}
        if found:
            change = {"operation": "update_reusable_content", "reusableContent": found.id}
        document = self._text(on, text)
        self._do(on, [{**change, "document": document}], touched={found.id} if found else set())

    @rule(line=some, block=some)
    def delete_reusable(self, line: int, block: int) -> None:
        on = self._line(line)
        if found := self._some(on, block, "reusable-content"):
            self._do(on, [{"operation": "delete_reusable_content", "reusableContent": found.id}])

    @rule(line=some, file=some)
    def change_files(self, line: int, file: int) -> None:
        on = self._line(line)
        found = self._some(on, file, "file") if file % 2 else None
        new = {
            "operation": "insert_files",
            "files": [{"name": "a.png", "contentType": "image/png", "base64": PIXEL}],
        }
        self._do(on, [{"operation": "delete_file", "file": found.id} if found else new])

    @rule()
    @precondition(lambda self: len(self.requests) < 2)
    def open_request(self) -> None:
        self.requests.append(make.change_request(self.cast.ada, self.space)["number"])
        self._look()

    @rule(request=some, favour=st.sampled_from([None, "main", "change-request"]))
    @precondition(lambda self: self.requests)
    def merge(self, request: int, favour: str | None) -> None:
        number = self.requests[request % len(self.requests)]
        answer = self._post(f"change-requests/{number}/merge", {"onConflict": favour})
        if answer["result"] == "merge":
            self.requests.remove(number)
            del self.now[number]
        self._look()

    @rule(request=some)
    @precondition(lambda self: self.requests)
    def update(self, request: int) -> None:
        self._post(f"change-requests/{self.requests[request % len(self.requests)]}/update", {})
        self._look()

    @rule(revision=some, favour=st.sampled_from([None, "main", "revert"]))
    def go_back(self, revision: int, favour: str | None) -> None:
        name = self.revisions[revision % len(self.revisions)]
        how = "restore" if revision % 2 or name == self.revisions[0] else "revert"
        self._post(f"revisions/{name}/{how}", {"onConflict": favour} if how == "revert" else None)
        self._look()

    @rule(tree=trees(), mirror=st.booleans())
    def import_tree(self, tree: dict[str, Any], mirror: bool) -> None:
        files = self._files(tree)
        make.imported(self.cast, self.space, files, mirror=mirror)
        self._look()
        if mirror:
            pages = {page.source: page.body for page in self.now[None].of("page") if page.source}
            assert pages == files, "what came from outside is not as it came"

    # -- what is looked at

    def _do(
        self,
        on: int | None,
        changes: list[dict[str, Any]],
        *,
        touched: Set[str] = frozenset(),
    ) -> None:
        """Send a batch. Links of texts that nobody wrote lead where they led, as long as that is there."""
        before = self.now[on]
        place = "content" if on is None else f"change-requests/{on}/content"
        answer = self.cast.ada.post(f"/v1/spaces/{self.space}/{place}", {"changes": changes})
        assert answer.status_code in (200, 400, 409), answer.text
        self._look()
        after = self.now[on]
        for key in (before.kept.keys() & after.kept.keys()) - touched:
            for was, now in zip(led(before.kept[key]), led(after.kept[key]), strict=True):
                assert was is None or was.id not in after.held or now == was, "a link leads elsewhere"

    def _look(self) -> None:
        for on in (None, *self.requests):
            where = Where(self.space, str(on) if on is not None else None)
            place = self.now[on] = self.reader(where)
            own = (self.cast.instance.base + "/",)
            scratch = place.from_scratch(self.space, own)
            differing = [*_differing(place.kept, scratch)]
            assert not differing, "\n".join(map(str, (on, *differing, *place.held.values())))
            if on is None:
                assert place.shown == place.shown_from_scratch()
            for page in place.of("page"):
                if page.body is not None and page.body not in self.texts.setdefault(page.id, []):
                    self.texts[page.id].append(page.body)
        if self.now[None].revision not in self.revisions:
            self.revisions.append(self.now[None].revision)

    def _post(self, path: str, json: Any) -> dict[str, Any]:
        answer = self.cast.ada.post(f"/v1/spaces/{self.space}/{path}", json)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def _line(self, index: int) -> int | None:
        every = [None, *self.requests]
        return every[index % len(every)]

    def _some(self, on: int | None, index: int, kind: str) -> Held | None:
        found = self.now[on].of(kind)
        return found[index % len(found)] if found else None

    def _text(self, on: int | None, made: list[tuple[str, str, int]]) -> dict[str, str]:
        return {"markdown": "".join(f"{self._written(on, *line)}\n\n" for line in made)}

    def _written(self, on: int | None, kind: str, words: str, index: int) -> str:
        if kind == "heading":
            return f"## {words}"
        if kind == "path":
            return f"[{index}]({words}{'#end' if index % 5 == 0 and '#' not in words else ''})"
        if kind == "words":
            return f"Words {index % 3}."
        what = "reusable-content" if kind == "include" else ("page", "page", "file")[index % 3]
        found = self._some(on, index, what)
        if found is None:
            return "Nothing."
        href = f"/{what}s/{found.id}"
        if kind == "include":
            return f'{{% include "{href}" %}}'
        return f"[{index % 7}]({href}{words if what == 'page' else ''})"

    def _files(self, tree: dict[str, list[tuple[str, str, int]]]) -> dict[str, str]:
        return {
            path: f"# {path}\n\n" + "".join(f"{self._written(None, *line)}\n\n" for line in made)
            for path, made in tree.items()
        }


def _differing(kept: Links, scratch: Links) -> Iterator[tuple[str, Any, Any]]:
    """The links that are not kept as they come out from scratch."""
    for key in {**kept, **scratch}:
        for was, should in zip_longest(kept.get(key, ()), scratch.get(key, ())):
            if was != should:
                yield key, was, should


@pytest.fixture
def reader(cast: Cast) -> Iterator[Any]:
    """A way to look straight into the database."""
    with asyncio.Runner() as runner:
        db = open_database(cast.instance.settings.database)
        yield lambda where: runner.run(seen(db, where))
        runner.run(db.close())


def test_links_are_what_reading_every_text_anew_gives(cast: Cast, reader: Any) -> None:
    search(Linking, examples=40, steps=12, cast=cast, reader=staticmethod(reader))
