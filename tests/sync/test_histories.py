"""Random histories on both sides of a sync: whatever Git accepts comes in, and nothing goes out unasked.

`DOCYARD_TESTS=full` runs more of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
)

from tests import make
from tests.cast import Cast
from tests.factories.git_sync import SyncedSpace
from tests.git_server import Host
from tests.scale import search

FOLDERS = ("", "d/", "d/e/", "руководство/")
NAMES = (
    "a.md",
    "b.md",
    "README.md",
    "café.md",
    "cafe\u0301.md",
    "日本.md",
    "A.md",
    "a b.md",
    "img.png",
    "run.sh",
)
HREFS = [
    *("a.md", "b.md", "d/a.md", "../a.md", "e/b.md", "../d/e/a.md", "README.md", "./b.md#end", "d/", "/a.md"),
    *("#end", "#nope", "dead.md", "img.png", "a%20b.md", "https://example.org/", "руководство/日本.md"),
]
LATIN = b"# Caf\xe9\n\n[a](a.md) caf\xe9\n"

some = st.integers(0, 99)
paths = st.builds(str.__add__, st.sampled_from(FOLDERS), st.sampled_from(NAMES))
hrefs = st.lists(st.sampled_from(HREFS), max_size=3)
words = st.sampled_from(["oil", "rope", "gas", "sail"])


@st.composite
def contents(draw: Any) -> bytes:
    """A file's bytes: mostly Markdown with links, now and then no text at all."""
    if draw(st.integers(0, 7)) == 0:
        odd: bytes = draw(st.sampled_from([LATIN, b"\xff\xfe#\0 \0A\0", b"", b"# Zero\n\nNo \0 here.\n"]))
        return odd
    links = "".join(f"A line about [{href}]({href}) here.\n\n" for href in draw(hrefs))
    mark = draw(some)
    front = "---\ndescription: Some\n---\n\n" if mark % 5 == 0 else ""
    return f"{front}# Title {mark}\n\n{links}Words on {draw(words)}, number {mark}.\n\n## End\n".encode()


class Histories(RuleBasedStateMachine):
    """A space and a repository, changed on either side and synchronised."""

    cast: Cast
    host: Host

    @initialize(files=st.dictionaries(paths, contents(), min_size=1, max_size=5))
    def begin(self, files: dict[str, bytes]) -> None:
        self.docs = SyncedSpace(self.cast, self.host, _possible(files))
        self.docs.ok("import")
        self.here = False  # whether the space changed since the last sync
        self._note_synced()
        self._check_repository()

    # -- in the repository

    def _files(self) -> dict[str, bytes]:
        return self.docs.origin.files(mode="100644")

    def _commit(self, files: Mapping[str, bytes], links: Mapping[str, bytes] = MappingProxyType({})) -> None:
        """Commit these files beside the symbolic links that are there."""
        links = {**self.docs.origin.files(mode="120000"), **links}
        kept = _possible({path: content for path, content in files.items() if not _below(path, links)})
        if kept and (kept, links) != (self._files(), self.docs.origin.files(mode="120000")):
            self.docs.origin.commit(kept, links=links)

    @rule(path=paths, content=contents())
    def write_there(self, path: str, content: bytes) -> None:
        files = self._files()
        self._commit({**{each: was for each, was in files.items() if each != path}, path: content})

    @rule(index=some, extra=words)
    def edit_there(self, index: int, extra: str) -> None:
        files = self._files()
        path = sorted(files)[index % len(files)]
        self._commit({**files, path: files[path] + f"\nAnd {extra}.\n".encode()})

    @rule(index=some)
    def delete_there(self, index: int) -> None:
        files = self._files()
        del files[sorted(files)[index % len(files)]]
        self._commit(files)

    @rule(index=some, to=paths, at_once=st.booleans())
    def rename_there(self, index: int, to: str, at_once: bool) -> None:
        files = self._files()
        was = sorted(files)[index % len(files)]
        if was.endswith(".md") and to.endswith(".md") and to not in files:
            content = files.pop(was)
            self._commit({**files, to: content})
            self._renamed({was: to}, at_once=at_once)

    @rule(index=some, to=paths, extra=words, at_once=st.booleans())
    def rename_and_edit_there(self, index: int, to: str, extra: str, at_once: bool) -> None:
        files = self._files()
        was = sorted(files)[index % len(files)]
        if was.endswith(".md") and to.endswith(".md") and to not in files:
            content = files.pop(was)
            self._commit({**files, to: content + f"\nAnd {extra}.\n".encode()})
            self._renamed({was: to}, at_once=at_once)

    @rule(
        was=st.sampled_from(["d", "d/e", "руководство"]),
        to=st.sampled_from(["d", "x", "d/x", "x/y"]),
        at_once=st.booleans(),
    )
    def move_folder_there(self, was: str, to: str, at_once: bool) -> None:
        files = self._files()
        if not to.startswith(was):
            moved = {
                path: to + path.removeprefix(was) if path.startswith(f"{was}/") else path for path in files
            }
            self._commit({moved[path]: content for path, content in files.items()})
            self._renamed({path: now for path, now in moved.items() if path != now}, at_once=at_once)

    @rule(name=st.sampled_from(["link.md", "a.md", "d"]), leads=st.sampled_from(["a.md", "d", "/etc/passwd"]))
    def link_there(self, name: str, leads: str) -> None:
        """A symbolic link, in the place of whatever has its name."""
        self._commit(self._files(), {name: leads.encode()})

    def _note_synced(self) -> None:
        """Both sides are the same: the pages, and where each file of then is now."""
        self.synced_ids = self.docs.ids()
        self.synced_files = self._files()
        self.names = {path: path for path in self.synced_files}

    def _renamed(self, moved: Mapping[str, str], *, at_once: bool) -> None:
        """Files have other names now; `at_once`, they are synchronised before anything else happens."""
        self.names = {was: moved.get(now, now) for was, now in self.names.items()}
        if at_once:
            self.sync_in()

    def _check_ids(self) -> None:
        """Pages are the same whose files have another name, and say what nothing else says."""
        ids, files = self.docs.ids(), self._files()
        for was, now in self.names.items():
            before, after = self.synced_files[was], files.get(now)
            if was not in self.synced_ids or now not in ids or not _is_told_apart(was, self.synced_files):
                continue
            if after is not None and after.startswith(before) and _is_told_apart(now, files):
                assert ids[now] == self.synced_ids[was], f"{was} is another page as {now}"

    # -- in the space

    def _change(self, change: dict[str, Any]) -> None:
        answer = self.cast.ada.post(f"{self.docs.path}/content", {"changes": [change]})
        assert answer.status_code in (200, 400, 409), answer.text
        self.here = self.here or answer.status_code == 200

    @rule(title=words, links=hrefs)
    def insert_here(self, title: str, links: list[str]) -> None:
        text = "".join(f"[{href}]({href})\n\n" for href in links)
        self._change(
            {"operation": "insert_page", "title": title, "document": {"markdown": f"Our {title}.\n\n{text}"}}
        )

    @rule(index=some, extra=words)
    @precondition(lambda self: self._pages())
    def edit_here(self, index: int, extra: str) -> None:
        page = self._page(index)
        text = self.cast.ada.get(
            f"{self.docs.path}/content/page/{page}", params={"format": "markdown"}
        ).json()
        document = {"markdown": f"{text.get('markdown', '')}\nOurs: {extra}.\n"}
        self._change({"operation": "update_page", "page": page, "document": document})

    @rule(index=some, slug=st.sampled_from(["a", "b", "c", "readme"]))
    @precondition(lambda self: self._pages())
    def rename_here(self, index: int, slug: str) -> None:
        self._change({"operation": "update_page", "page": self._page(index), "slug": slug})

    @rule(index=some, parent=some)
    @precondition(lambda self: self._pages())
    def move_here(self, index: int, parent: int) -> None:
        into = self._page(parent) if parent % 3 else None
        self._change({"operation": "update_page", "page": self._page(index), "into": into})

    @rule(index=some)
    @precondition(lambda self: self._pages())
    def delete_here(self, index: int) -> None:
        self._change({"operation": "delete_page", "page": self._page(index)})

    # -- both

    @rule()
    def sync_in(self) -> None:
        """An import; of a space that nobody changed the repository is what there is."""
        alone = not self.here and not self.docs.requests()
        before = self.docs.origin.tip()
        self.docs.ok("import")
        assert self.docs.origin.tip() == before
        if alone:
            self._check_ids()
            self._note_synced()
            self._check_links()
            self._check_repository()

    @rule()
    def sync(self) -> None:
        """Both ways. Then the repository has what the space has, and nothing is to be done."""
        links, before = self.docs.origin.files(mode="120000"), self.docs.origin.files()
        alone = not self.here and not self.docs.requests()
        self.docs.ok("export")
        if alone:
            assert self.docs.origin.files() == before, "something was pushed that nobody changed"
            self._check_ids()
        self._note_synced()
        self.here = False
        assert self.docs.origin.files(mode="120000") == links, "a symbolic link was replaced"
        if not self.docs.requests():
            self._check_links()
        self._check_repository()

    def _check_repository(self) -> None:
        """Another export changes nothing, and pages that are synchronised keep their ids."""
        tip, ids, revision = self.docs.origin.tip(), self.docs.ids(), self.docs.revision["id"]
        self.docs.ok("export")
        assert self.docs.origin.tip() == tip, "an export without changes pushed something"
        self.docs.ok("import")
        assert self.docs.revision["id"] == revision, "an import without changes made a revision"
        assert self.docs.ids() == ids

    def _check_links(self) -> None:
        """The links of the space are those of a fresh import of the repository."""
        space = make.filled_space(self.cast, self._files())
        fresh = self.cast.ada.get(f"/v1/spaces/{space}/links").json()["stats"]
        assert self.docs.links == fresh

    def _pages(self) -> list[str]:
        return sorted(self.docs.ids().values())

    def _page(self, index: int) -> str:
        pages = self._pages()
        return pages[index % len(pages)]


def _possible(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """The files without those whose name is a folder of others."""
    folders = {path[:n] for path in files for n, char in enumerate(path) if char == "/"}
    return {path: content for path, content in files.items() if path not in folders}


def _is_told_apart(path: str, files: Mapping[str, bytes]) -> bool:
    """Tell whether a file says much, and most of its lines stand in no other one."""
    text = files[path]
    lines = {line for line in text.split(b"\n") if line}
    others = {line for each, content in files.items() if each != path for line in content.split(b"\n")}
    return len(text) > 40 and sum(map(len, lines - others)) * 3 > 2 * len(text)


def _below(path: str, links: Mapping[str, bytes]) -> bool:
    return any(path == link or path.startswith(f"{link}/") for link in links)


def test_files_of_another_name_stay_the_same_pages(cast: Cast, host: Host) -> None:
    """One history of all kinds of renames, which random ones need not have."""
    histories = Histories()
    histories.cast, histories.host = cast, host
    texts = {"a.md": "oil", "b.md": "rope", "d/a.md": "gas", "d/e/a.md": "sail"}
    long = {path: f"# Title {word}\n\n{f'Words on {word} alone. ' * 9}\n" for path, word in texts.items()}
    histories.begin(files={path: text.encode() for path, text in long.items()})
    ids = histories.docs.ids()
    histories.rename_there(index=0, to="d/b.md", at_once=True)
    histories.rename_and_edit_there(index=0, to="日本.md", extra="oil", at_once=True)
    histories.move_folder_there(was="d", to="x/y", at_once=True)
    histories.insert_here(title="gas", links=[])
    histories.rename_there(index=0, to="руководство/a b.md", at_once=True)
    histories.sync()
    moved = {"a.md": "x/y/b.md", "b.md": "日本.md", "d/a.md": "руководство/a b.md", "d/e/a.md": "x/y/e/a.md"}
    now = histories.docs.ids()
    assert {was: now[place] for was, place in moved.items()} == ids


def test_any_histories_are_synchronised(cast: Cast, host: Host) -> None:
    search(Histories, examples=3, steps=8, cast=cast, host=host)
