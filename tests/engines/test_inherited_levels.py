"""Levels in random trees: after moves, changes of levels, deletions and grants, each person's level by the
product is that of a simple model, and everybody's at once (`aggregate`) is the same; a deletion changes
nobody's."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests import make
from tests.cast import Cast, Person
from tests.factories import grants
from tests.instance import Instance
from tests.scale import FULL, scaled

LEVELS = [None, "read", "comment", "edit", "review", "create", "admin"]
WATCHED = {"cleo": "create", "ria": "read", "gus": None}  # their roles; Gus is a guest
MOST_NODES = 8
PARTS = ["own grant", "team grant", "grant above", "level of its own", "level above", "organization"]
STEPS = [
    *["grant"] * 6,
    *["move"] * 4,
    *["set_level"] * 3,
    *["come_or_go"] * 2,
    "add",
    "add",
    "delete",
    "withdraw",
    "set_default_role",
]
ENOUGH = 5
EVERY = scaled(6, full=3)  # steps, everybody is asked


@dataclass
class Node:
    """A collection or a space as the model knows it: its parent, its level, what was granted on it."""

    path: str
    parent: Node | None
    level: str | None = "inherit"
    granted: dict[str, str] = field(default_factory=dict)

    @property
    def id(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def is_space(self) -> bool:
        return self.path.startswith("/v1/spaces/")

    def within(self, other: Node) -> bool:
        """Tell whether it is the other, or somewhere in it."""
        return self is other or (self.parent is not None and self.parent.within(other))

    def above(self) -> list[Node]:
        """Itself, and all that it is in."""
        return [self, *(self.parent.above() if self.parent else ())]

    def deciding(self) -> Node:
        """Return what it has its default level from: itself, or the nearest above with a level of its own."""
        if self.level != "inherit" or self.parent is None:
            return self
        return self.parent.deciding()


def highest(*levels: str | None) -> str | None:
    return max(levels, key=LEVELS.index)


def expected(node: Node, name: str, default_role: str | None, in_team: set[str]) -> tuple[str | None, str]:
    """A person's level on content by the rules as they are written, and what gives it."""
    deciding, role = node.deciding(), WATCHED[name]
    found: list[tuple[str | None, str]] = [(None, "nothing")]
    if role is not None and deciding.level == "inherit":
        found.append((highest(role, default_role), "organization"))
    elif role is not None:
        found.append((deciding.level, "level of its own" if deciding is node else "level above"))
    for above in node.above():
        found.append((above.granted.get(name), "own grant" if above is node else "grant above"))
        if name in in_team:
            found.append((above.granted.get("team"), "team grant"))
    return max(found, key=lambda one: LEVELS.index(one[0]))


@dataclass(frozen=True)
class Step:
    """One change at random; each takes of it what it needs."""

    kind: str
    pick: int
    other: int
    level: str | None
    name: str


steps = st.builds(
    Step,
    kind=st.sampled_from(STEPS),
    pick=st.integers(0, 2**16),
    other=st.integers(0, 2**16),
    level=st.sampled_from(LEVELS),
    name=st.sampled_from([*WATCHED, "team", "team"]),
)


class Trees:
    """One organization's content, changed at random, beside the model of it."""

    def __init__(self, instance: Instance, decided: Counter[str]) -> None:
        self.cast: Cast = make.cast(instance)
        self.decided = decided
        self.team = grants.team(self.cast.ada, self.cast.organization, members=[self.cast.gus])
        self.in_team = {"gus"}
        self.default_role: str | None = "read"
        self.nodes: list[Node] = []
        for n in (0, 1, 2, 3, 3):
            self.add(Step("add", n, n % 2, None, ""))

    def person(self, name: str) -> Person:
        found: Person = getattr(self.cast, name)
        return found

    def did(self, method: str, path: str, body: Any, status: int) -> Any:
        answer = self.cast.ada.call(method, path, json=body)
        assert answer.status_code == status, answer.text
        return answer.json() if answer.content else None

    def collection(self, pick: int) -> Node | None:
        """One of the collections, or the root."""
        known = [None, *(node for node in self.nodes if not node.is_space)]
        return known[pick % len(known)]

    def node(self, pick: int) -> Node:
        return self.nodes[pick % len(self.nodes)]

    def add(self, step: Step) -> None:
        if len(self.nodes) == MOST_NODES:
            return
        parent, kind = self.collection(step.pick), ("collection", "space")[step.other % 2]
        body = {"title": kind, "parent": parent.id if parent else None}
        made = self.did("POST", f"/v1/orgs/{self.cast.organization}/{kind}s", body, 201)
        self.nodes.append(Node(f"/v1/{kind}s/{made['id']}", parent))

    def move(self, step: Step) -> None:
        node, parent = self.node(step.pick), self.collection(step.other)
        cycle = parent is not None and parent.within(node)
        body = {"parent": parent.id if parent else None}
        self.did("POST", f"{node.path}/move", body, 409 if cycle else 200)
        if not cycle:
            node.parent = parent

    def set_level(self, step: Step) -> None:
        """Half of them inherit, so that chains are long."""
        node, level = self.node(step.pick), "inherit" if step.other % 2 else step.level
        self.did("PATCH", node.path, {"defaultLevel": level}, 200)
        node.level = level

    def set_default_role(self, step: Step) -> None:
        self.did("PATCH", f"/v1/orgs/{self.cast.organization}", {"defaultRole": step.level}, 200)
        self.default_role = step.level

    def delete(self, step: Step) -> None:
        node = self.node(step.pick)
        if len(self.nodes) == 1:
            return
        self.did("DELETE", node.path, None, 205)
        self.nodes.remove(node)
        for other in self.nodes:
            if other.parent is node:
                other.parent = node.parent
                other.level = node.level if other.level == "inherit" else other.level
                for name, role in node.granted.items():
                    other.granted[name] = str(highest(role, other.granted.get(name)))

    def grant(self, step: Step) -> None:
        node, role = self.node(step.pick), step.level or "read"
        whom = {"teams": [self.team]} if step.name == "team" else {"users": [self.person(step.name).id]}
        self.did("POST", f"{node.path}/permissions", {"role": role, **whom}, 204)
        node.granted[step.name] = role

    def withdraw(self, step: Step) -> None:
        node = self.node(step.pick)
        known = f"teams/{self.team}" if step.name == "team" else f"users/{self.person(step.name).id}"
        had = node.granted.pop(step.name, None)
        self.did("DELETE", f"{node.path}/permissions/{known}", None, 205 if had else 404)

    def come_or_go(self, step: Step) -> None:
        name = [*WATCHED][step.pick % len(WATCHED)]
        one = f"/v1/orgs/{self.cast.organization}/teams/{self.team}/members/{self.person(name).id}"
        if name in self.in_team:
            self.did("DELETE", one, None, 205)
        else:
            self.did("PUT", one, {}, 204)
        self.in_team ^= {name}

    def compare(self) -> None:
        """Hold every level to the model: what each sees, and the list of everybody."""
        for node in self.nodes:
            shown = self.did("GET", f"{node.path}/permissions/aggregate", None, 200)
            audience = {item["user"]["id"]: item["permission"] for item in shown["items"]}
            for name in WATCHED:
                person = self.person(name)
                level, part = expected(node, name, self.default_role, self.in_team)
                self.decided[part] += 1
                assert audience.get(person.id) == level, (name, node)
                answer = person.get(f"{node.path}/permissions/explain", params={"action": "view"})
                assert answer.status_code == (404 if level is None else 200), (name, node)
                assert level is None or answer.json()["permission"] == level, (name, node)
        for name in WATCHED:
            self.compare_lists(name)

    def compare_lists(self, name: str) -> None:
        """Hold what a person finds in lists to what they see."""
        for kind in ("spaces", "collections"):
            path = f"/v1/orgs/{self.cast.organization}/{kind}"
            listed = {item["id"] for item in grants.items(self.person(name), path, limit=1000)}
            seen = {
                node.id
                for node in self.nodes
                if node.is_space == (kind == "spaces")
                and expected(node, name, self.default_role, self.in_team)[0] is not None
            }
            assert listed == seen, (name, kind)


def test_levels_hold_in_random_trees(instance: Instance) -> None:
    decided: Counter[str] = Counter()

    @settings(
        max_examples=scaled(10, full=200),
        deadline=None,
        derandomize=not FULL,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.lists(steps, min_size=24, max_size=24))
    def hold(changes: list[Step]) -> None:
        trees = Trees(instance, decided)
        for n, step in enumerate(changes):
            getattr(trees, step.kind)(step)
            if n % EVERY == EVERY - 1:
                trees.compare()

    hold()
    for part in [*PARTS, "nothing"]:
        assert decided[part] >= ENOUGH, decided  # else there was nothing to be wrong about
