"""The knowledge of a random writer about a space, and the checks after each of its steps."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from hypothesis.stateful import RuleBasedStateMachine
from sqlalchemy import select

from app.domain.content.views import Where
from app.kit.database.engines import open_database
from app.kit.database.interface import Database
from app.kit.database.statements import given, rows, table
from app.models.revisions import Revision
from tests.cast import Cast
from tests.engines.content_model import Conflicts, Wanted, agree
from tests.engines.content_state import State, check, seen, seen_at

REVISIONS = table(Revision)
_NUMBERS = rows(
    lambda: select(REVISIONS.c.line_id, REVISIONS.c.number, REVISIONS.c.id).where(
        REVISIONS.c.space_id == given("space")
    )
)


class Reader:
    """Reads the database in a loop of its own."""

    def __init__(self, address: str) -> None:
        self.runner = asyncio.Runner()
        self.db: Database = open_database(address)

    def at(self, where: Where) -> State:
        """A place."""
        return self.runner.run(seen(self.db, where))

    def revision(self, space: str, revision: str) -> State:
        """A revision."""
        return self.runner.run(seen_at(self.db, space, revision))

    def revisions(self, space: str) -> list[Any]:
        """The lines, numbers and ids of all revisions."""
        return self.runner.run(self.db.all(_NUMBERS, space=space))

    def close(self) -> None:
        """Give the connections back."""
        self.runner.run(self.db.close())
        self.runner.close()


class Steps(RuleBasedStateMachine):
    """A space with change requests; after every step all that it ever held is looked at again."""

    cast: Cast
    reader: Reader

    def lay(self, space: str) -> None:
        """Begin with an empty space."""
        self.space = space
        self.known: list[str] = []  # pages in the order in which they were made
        self.known_files: list[str] = []
        self.made: dict[str, State] = {}  # what each revision was when it was made
        self.main_line: list[str] = []
        self.statuses: Counter[str] = Counter()
        self.requests: dict[int, State] = {}  # open ones, with the main content that they stand on
        self.now: dict[int | None, State] = {}
        self.ids: dict[int, str] = {}

    def teardown(self) -> None:
        if not getattr(self, "settled", False):
            return  # it failed before
        by_line: dict[str, list[int]] = {}
        for row in self.reader.revisions(self.space):
            assert row.id in self.made or row.line_id == self.space
            by_line.setdefault(row.line_id, []).append(row.number)
        for numbers in by_line.values():
            assert sorted(numbers) == list(range(1, len(numbers) + 1))
        for revision, state in self.made.items():
            answer = self.cast.ada.get(f"/v1/spaces/{self.space}/revisions/{revision}")
            assert answer.status_code == 200, answer.text
            assert _tree(answer.json()["pages"]) == _shown(state)
        self._check_search()

    def _settle(self, on: int | None, wanted: Wanted | None) -> None:
        """Look at everything after a step on one line."""
        before = self.now.get(on)
        state = self.now[on] = self.reader.at(Where(self.space, self.ids[on] if on is not None else None))
        check(state)
        if wanted is not None:
            agree(wanted, state)
        if before is None or before.revision != state.revision:
            if state.revision not in self.made:
                self.made[state.revision] = state
                if on is None:
                    self.main_line.append(state.revision)
        else:
            assert state == before, "a line changed without a revision"
        for other, was in self.now.items():
            where = Where(self.space, self.ids[other] if other is not None else None)
            assert self.reader.at(where) == was, "another line changed"
        for revision, was in self.made.items():
            assert self.reader.revision(self.space, revision) == was, "a revision changed"
        self._check_counters()
        self.settled = True

    def _check_counters(self) -> None:
        space = self.cast.ada.get(f"/v1/spaces/{self.space}").json()
        assert space["changeRequests"] == sum(self.statuses.values())
        assert space["changeRequestsDraft"] == self.statuses["draft"]
        assert space["changeRequestsOpen"] == self.statuses["open"]
        assert space["revision"] == self.now[None].revision

    def _check_search(self) -> None:
        query = {"query": "between", "limit": 100}
        answer = self.cast.ada.get(f"/v1/spaces/{self.space}/search", params=query)
        assert answer.status_code == 200, answer.text
        found = sorted(item["id"] for item in answer.json()["items"])
        pages = self.now[None].pages.values()
        assert found == sorted(page.id for page in pages if page.kind == "document")

    def _agree_conflicts(self, answer: dict[str, Any], wanted: Wanted, conflicts: Conflicts) -> None:
        told = Counter((each["page"], each["field"]) for each in answer.get("conflicts", []))
        if wanted.loose:  # pages that went under each other are told besides
            told, conflicts = (
                Counter({key: n for key, n in each.items() if key[1] != "position"})
                for each in (told, conflicts)
            )
        assert told == conflicts

    def _line(self, index: int) -> int | None:
        lines = [None, *self.requests]
        return lines[index % len(lines)]

    def _request(self, index: int) -> int:
        return list(self.requests)[index % len(self.requests)]

    def _page(self, on: int | None, index: int, *kinds: str) -> str | None:
        pages = self.now[on].pages
        there = [each for each in self.known if each in pages and (not kinds or pages[each].kind in kinds)]
        return there[index % len(there)] if there else None

    def _parent(self, on: int | None, index: int) -> str | None:
        return self._page(on, index // 2, "document", "group") if index % 4 else None

    def _change(self, on: int | None, change: dict[str, Any], status: int = 200) -> dict[str, Any]:
        place = "content" if on is None else f"change-requests/{on}/content"
        return self._post(place, {"changes": [change]}, status, compat="false")

    def _post(self, path: str, json: Any, status: int = 200, **params: str) -> dict[str, Any]:
        self.settled = False
        answer = self.cast.ada.post(f"/v1/spaces/{self.space}/{path}", json, params=params)
        assert answer.status_code == status, answer.text
        found: dict[str, Any] = answer.json()
        return found


def _tree(pages: list[dict[str, Any]]) -> list[Any]:
    return [(page["id"], page["title"], page.get("path"), _tree(page.get("pages", []))) for page in pages]


def _shown(state: State, parent: str | None = None) -> list[Any]:
    return [
        (page.id, page.title, page.path if page.kind != "link" else None, _shown(state, page.id))
        for page in (state.pages[each] for each in state.families.get(parent, []))
    ]
