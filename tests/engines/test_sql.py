"""SQL that each engine has words of its own for: both find the same with it."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import ColumnElement, Select, Text, literal, select, union_all

from app.kit.database.columns import Instant, Json
from app.kit.database.sql import (
    among,
    below,
    contains_one,
    days_ago,
    each,
    has_item,
    holds,
    nested,
    place_in,
)
from app.kit.database.statements import by_engine, rows
from tests.instance import Instance


def texts(*said: str) -> ColumnElement[str]:
    """Return the column of a table that has these texts."""
    table = union_all(*(select(literal(each, Text()).label("text")) for each in said)).subquery()
    return table.c.text


WORD = texts("one", "one two", "two")
LISTS = select(
    literal(["one", "two"], Json()).label("words"), literal(["one two"], Json()).label("phrases")
).subquery()


def found(instance: Instance, condition: ColumnElement[bool], **given: Any) -> list[str]:
    """Return the words that meet a condition."""
    statement = rows(lambda: select(WORD.label("word")).where(condition).order_by(WORD))
    return [row.word for row in instance.opened(lambda db: db.all(statement, **given))]


def only(instance: Instance, build: Any, **given: Any) -> Any:
    """Return the one row of a statement."""
    [row] = instance.opened(lambda db: db.all(rows(build), **given))
    return row


def test_conditions_find_the_same_words(instance: Instance) -> None:
    assert found(instance, among(WORD, "list"), list=["two", "three"]) == ["two"]
    assert found(instance, among(WORD, "list"), list=[]) == []
    assert found(instance, contains_one(WORD, "list"), list=["tw", "zero"]) == ["one two", "two"]
    assert found(instance, contains_one(WORD, "list"), list=["one two three", "%"]) == []
    assert found(instance, holds(WORD, literal("one", Text()))) == ["one", "one two"]
    assert (
        found(instance, holds(WORD, literal("ONE", Text())))
        == found(instance, holds(WORD, literal("%", Text())))
        == []
    )


def test_what_is_below_a_path_is_no_neighbour(instance: Instance) -> None:
    path = texts("a", "a/b", "a/b/c", "a-b", "ab")

    def build() -> Select[Any]:
        return select(path.label("path")).where(below(path, literal("a", Text()))).order_by(path)

    assert [row.path for row in instance.opened(lambda db: db.all(rows(build)))] == ["a/b", "a/b/c"]


def test_a_place_in_a_list_begins_with_one_and_is_zero_outside(instance: Instance) -> None:
    statement = rows(lambda: select(place_in(WORD, "list").label("place")).order_by(WORD))
    told = instance.opened(lambda db: db.all(statement, list=["two", "one"]))
    assert [row.place for row in told] == [2, 0, 1]


def test_a_list_is_a_table(instance: Instance) -> None:
    def build(engine: str) -> Select[Any]:
        table = each("list", engine)
        return select(table.c.value.label("value")).order_by(table.c.value)

    told = instance.opened(lambda db: db.all(rows(by_engine(build)), list=["two", "one"]))
    assert [row.value for row in told] == ["one", "two"]


@pytest.mark.parametrize(("item", "is_there"), [("one", True), ("on", False), ("one two", False)])
def test_an_item_of_a_list_is_a_whole_one(instance: Instance, item: str, is_there: bool) -> None:
    row = only(instance, lambda: select(has_item(LISTS.c.words, "item").label("has_item")), item=item)
    assert bool(row.has_item) is is_there
    row = only(instance, lambda: select(has_item(LISTS.c.phrases, "item").label("has_item")), item=item)
    assert bool(row.has_item) is (item == "one two")


def test_days_ago_is_before_now(instance: Instance) -> None:
    row = only(instance, lambda: select(days_ago(3).label("then")))
    assert timedelta(days=2, hours=23) < datetime.now(UTC) - row.then < timedelta(days=3, hours=1)


def test_rows_inside_a_row_keep_their_types(instance: Instance) -> None:
    made = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    inner = select(WORD.label("word"), LISTS.c.words, literal(made, Instant()).label("made")).order_by(WORD)
    row = only(instance, lambda: select(nested(inner, "inside")))
    assert [each.word for each in row.inside] == ["one", "one two", "two"]
    assert row.inside[0].words == ["one", "two"]
    assert row.inside[0].made == made
    row = only(instance, lambda: select(nested(inner.where(WORD == "three"), "inside")))
    assert list(row.inside) == []
