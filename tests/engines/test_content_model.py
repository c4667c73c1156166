"""Random writing on several lines at once against a simple model; every revision stays what it was.

`DOCYARD_TESTS=full` runs more of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    initialize,
    precondition,
    rule,
)

from tests import make
from tests.cast import Cast
from tests.engines.content_model import SLOTS, Wanted, body, three_way, with_line
from tests.engines.content_steps import Reader, Steps
from tests.scale import search

MOST_PAGES = 14
PIXEL = "iVBORw0KGgo="

some = st.integers(0, 99)
titles = st.sampled_from(["Alpha", "Beta", "Gamma", "Readme"])
words = st.sampled_from(["wax", "oil", "wick"])
places = st.none() | st.integers(0, 3)


class Writing(Steps):
    """Edits, updates, merges and rollbacks on a space and its change requests."""

    @initialize(imported=st.booleans(), requests=st.integers(1, 2))
    def begin(self, imported: bool, requests: int) -> None:
        self.lay(make.space(self.cast.ada, self.cast.organization)["id"])
        if imported:
            make.imported(self.cast, self.space, _repository())
        self._settle(None, None)
        first = self.now[None]
        self.known += sorted(first.pages, key=lambda page_id: first.pages[page_id].path)
        for _ in range(requests):
            self.open_request()

    # -- writing

    @rule(
        line=some,
        parent=some,
        title=titles,
        at=places,
        kind=st.sampled_from(["document"] * 5 + ["group", "link"]),
        link=st.booleans(),
        to=some,
    )
    @precondition(lambda self: len(self.known) < MOST_PAGES)
    def insert(
        self, line: int, parent: int, title: str, at: int | None, kind: str, link: bool, to: int
    ) -> None:
        on = self._line(line)
        wanted = Wanted.of(self.now[on])
        into = self._parent(on, parent) if kind != "group" else None
        change: dict[str, Any] = {"operation": "insert_page", "type": kind, "title": title, "ref": "new"}
        target = self._page(on, to, "document")
        slots: list[tuple[str, ...]] = [("says", "first")] * SLOTS
        if kind == "document":
            lines = ["first"] * SLOTS
            if link and target is not None:
                lines[0], slots[0] = f"[to](/pages/{target})", ("to", target)
            change["document"] = {"markdown": body(*lines)}
        elif kind == "link":
            change["href"] = "https://example.org/"
        if into is not None:
            change["into"] = into
        if at is not None:
            change["at"] = at
        page_id = str(self._change(on, change)["changes"][0]["page"]["id"])
        self.known.append(page_id)
        wanted.pages[page_id] = {
            "title": title,
            "slug": wanted.free_slug(into, title.lower()),
            "description": None,
            "kind": kind,
            "parent": into,
            "slots": dict(enumerate(slots)) if kind == "document" else {},
        }
        wanted.put(page_id, into, at)
        self._settle(on, wanted)

    @rule(line=some, page=some, slot=st.integers(0, SLOTS - 1), word=words)
    def write_words(self, line: int, page: int, slot: int, word: str) -> None:
        self._write(line, page, slot, word, ("says", word))

    @rule(line=some, page=some, slot=st.integers(0, SLOTS - 1), to=some)
    def write_link(self, line: int, page: int, slot: int, to: int) -> None:
        target = self._page(self._line(line), to, "document")
        if target is not None:
            self._write(line, page, slot, f"[to](/pages/{target})", ("to", target))

    @rule(line=some, page=some, slot=st.integers(0, SLOTS - 1), to=some)
    def write_file_link(self, line: int, page: int, slot: int, to: int) -> None:
        files = [file for file in self.known_files if file in self.now[self._line(line)].files]
        if files:
            target = files[to % len(files)]
            self._write(line, page, slot, f"![a](/files/{target})", ("to", target))

    def _write(self, line: int, page: int, slot: int, text: str, meant: tuple[str, ...]) -> None:
        on = self._line(line)
        page_id = self._page(on, page, "document")
        if page_id is None:
            return
        before = self.now[on].pages[page_id]
        wanted = Wanted.of(self.now[on])
        wanted.pages[page_id]["slots"][slot] = meant
        markdown = with_line(before.body or "", slot, text)
        self._change(on, {"operation": "update_page", "page": page_id, "document": {"markdown": markdown}})
        self._settle(on, wanted)

    @rule(line=some, page=some, title=titles, description=st.none() | words)
    def say(self, line: int, page: int, title: str, description: str | None) -> None:
        on = self._line(line)
        page_id = self._page(on, page)
        if page_id is None:
            return
        wanted = Wanted.of(self.now[on])
        wanted.pages[page_id] |= {"title": title, "description": description}
        self._change(
            on,
            {"operation": "update_page", "page": page_id, "title": title, "description": description},
        )
        self._settle(on, wanted)

    @rule(line=some, page=some, slug=titles)
    def rename(self, line: int, page: int, slug: str) -> None:
        on = self._line(line)
        page_id = self._page(on, page)
        if page_id is None:
            return
        wanted, slug = Wanted.of(self.now[on]), slug.lower()
        is_free = wanted.free_slug(wanted.pages[page_id]["parent"], slug, page_id) == slug
        change = {"operation": "update_page", "page": page_id, "slug": slug}
        self._change(on, change, status=200 if is_free else 409)
        if is_free:
            wanted.pages[page_id]["slug"] = slug
        self._settle(on, wanted)

    @rule(line=some, page=some, parent=some, at=places)
    def move(self, line: int, page: int, parent: int, at: int | None) -> None:
        on = self._line(line)
        page_id, into = self._page(on, page), self._parent(on, parent)
        if page_id is None:
            return
        state = self.now[on]
        wanted = Wanted.of(state)
        change: dict[str, Any] = {"operation": "update_page", "page": page_id, "into": into}
        if at is not None:
            change["at"] = at
        here = state.pages[page_id]
        if into in (page_id, *state.under(page_id)) or (here.kind == "group" and into is not None):
            self._change(on, change, status=400)
        else:
            self._change(on, change)
            if into != here.parent:
                wanted.pages[page_id]["slug"] = wanted.free_slug(into, here.slug, page_id)
            if into != here.parent or at is not None:
                wanted.put(page_id, into, at)
        self._settle(on, wanted)

    @rule(line=some, page=some)
    def delete(self, line: int, page: int) -> None:
        on = self._line(line)
        page_id = self._page(on, page)
        if page_id is None:
            return
        wanted = Wanted.of(self.now[on])
        wanted.delete(page_id)
        self._change(on, {"operation": "delete_page", "page": page_id})
        self._settle(on, wanted)

    @rule(line=some, page=some, revision=some)
    def revert_page(self, line: int, page: int, revision: int) -> None:
        on, page_id = self._line(line), self.known[page % len(self.known)] if self.known else None
        past = [each for each, state in self.made.items() if page_id in state.pages]
        if page_id is None or not past:
            return
        name = past[revision % len(past)]
        was = Wanted.of(self.made[name]).pages[page_id]
        wanted = Wanted.of(self.now[on])
        self._change(on, {"operation": "revert_page", "page": page_id, "revision": name})
        if page_id in wanted.pages:
            wanted.pages[page_id] |= {key: was[key] for key in ("title", "description", "slots")}
        else:
            wanted.pages[page_id] = was
            wanted.placed = False
            if was["parent"] not in wanted.pages:
                was["parent"] = None
        self._settle(on, wanted)

    @rule(line=some, name=st.sampled_from(["a.png", "b.png"]))
    def insert_file(self, line: int, name: str) -> None:
        on = self._line(line)
        file = {"name": name, "contentType": "image/png", "base64": PIXEL}
        made = self._change(on, {"operation": "insert_files", "files": [file]})["insertedFiles"][0]
        self.known_files.append(made["id"])
        wanted = Wanted.of(self.now[on])
        wanted.files.add(made["id"])
        self._settle(on, wanted)

    @rule(line=some, file=some)
    def delete_file(self, line: int, file: int) -> None:
        on = self._line(line)
        files = [each for each in self.known_files if each in self.now[on].files]
        if files:
            wanted = Wanted.of(self.now[on])
            wanted.files.discard(files[file % len(files)])
            self._change(on, {"operation": "delete_file", "file": files[file % len(files)]})
            self._settle(on, wanted)

    @rule(line=some, key=st.sampled_from("xy"), value=words)
    def set_variable(self, line: int, key: str, value: str) -> None:
        on = self._line(line)
        wanted = Wanted.of(self.now[on])
        wanted.variables[key] = value
        self._change(on, {"operation": "update_variables", "variables": wanted.variables})
        self._settle(on, wanted)

    # -- change requests

    @rule()
    @precondition(lambda self: len(self.requests) < 3)
    def open_request(self) -> None:
        made = make.change_request(self.cast.ada, self.space)
        self.statuses["draft"] += 1
        number = made["number"]
        assert number == sum(self.statuses.values())
        self.requests[number], self.ids[number] = self.now[None], made["id"]
        self._settle(number, Wanted.of(self.now[None]))

    @rule(request=some)
    @precondition(lambda self: self.requests)
    def update(self, request: int) -> None:
        number = self._request(request)
        base, main, ours = self.requests[number], self.now[None], self.now[number]
        wanted, conflicts = three_way(base, main, ours, "ours")
        answer = self._post(f"change-requests/{number}/update", {})
        if base.revision == main.revision:
            wanted, conflicts = Wanted.of(ours), Counter()
        self._agree_conflicts(answer, wanted, conflicts)
        self.requests[number] = main
        self._settle(number, wanted)

    @rule(request=some, favour=st.sampled_from([None, "main", "change-request"]), dry=st.booleans())
    @precondition(lambda self: self.requests)
    def merge(self, request: int, favour: str | None, dry: bool) -> None:
        number = self._request(request)
        sides = (self.requests[number], self.now[None], self.now[number])
        named = "ours" if favour == "change-request" else favour
        wanted, conflicts = three_way(*sides, named)
        how = {"onConflict": favour, "dryRun": dry}
        answer = self._post(f"change-requests/{number}/merge", how)
        self._agree_conflicts(answer, wanted, conflicts)
        applied = not dry and (favour is not None or not conflicts)
        assert answer["result"] == ("merge" if favour or not conflicts else "conflicts")
        if applied:
            self.statuses["draft"] -= 1
            self.statuses["merged"] += 1
            del self.requests[number], self.now[number]
            self._settle(None, wanted)
            assert self.now[None].revision == answer["revision"]
        else:
            self._settle(None, Wanted.of(self.now[None]))
            self._settle(number, Wanted.of(self.now[number]))

    # -- going back

    @rule(revision=some)
    def restore(self, revision: int) -> None:
        name = self.main_line[revision % len(self.main_line)]
        self._post(f"revisions/{name}/restore", None)
        self._settle(None, Wanted.of(self.made[name]))
        was, now = self.made[name].pages, self.now[None].pages
        assert {key: (page.body, page.source) for key, page in was.items()} == {
            key: (page.body, page.source) for key, page in now.items()
        }

    @rule(revision=some, favour=st.sampled_from([None, "main", "revert"]))
    @precondition(lambda self: len(self.main_line) > 1)
    def revert(self, revision: int, favour: str | None) -> None:
        index = 1 + revision % (len(self.main_line) - 1)
        base, ours = (self.made[self.main_line[at]] for at in (index, index - 1))
        named = "ours" if favour == "revert" else favour
        wanted, conflicts = three_way(base, self.now[None], ours, named)
        answer = self._post(f"revisions/{self.main_line[index]}/revert", {"onConflict": favour})
        self._agree_conflicts(answer, wanted, conflicts)
        if favour is None and conflicts:
            wanted = Wanted.of(self.now[None])
        self._settle(None, wanted)


def _repository() -> dict[str, str]:
    """A tree with folders of its own layout."""
    first = ["first"] * (SLOTS - 1)
    return {
        "SUMMARY.md": "* [Alpha](README.md)\n* [Notes](notes/README.md)\n  * [Rounds](notes/rounds.md)\n"
        "* [Lamp](elsewhere/lamp.md)\n",
        "README.md": body("[to](notes/README.md)", *first),
        "notes/README.md": body("[to](rounds.md)", *first),
        "notes/rounds.md": body("[to](../elsewhere/lamp.md)", *first),
        "elsewhere/lamp.md": body("[to](../README.md)", *first),
    }


@pytest.fixture
def reader(cast: Cast) -> Iterator[Reader]:
    """A way to look straight into the database."""
    reader = Reader(cast.instance.settings.database)
    yield reader
    reader.close()


def test_nothing_written_is_ever_lost(cast: Cast, reader: Reader) -> None:
    search(Writing, examples=8, steps=25, cast=cast, reader=reader)
