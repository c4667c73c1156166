"""Titles, labels, names and emoji: one rule each, in every operation and on both faces."""

from __future__ import annotations

from typing import Any, get_args, get_origin

import pytest
from pydantic import BaseModel

from app.api.catalog import OPERATIONS
from app.models.texts import Emoji, Label
from tests import make
from tests.cast import Cast
from tests.factories import collections

BLANK = ["", "   ", "\u200b", "\u3164", "\u2800 \ufeff"]
SEVERAL_LINES = ["two\nlines", "a\tb", "bell\x07", "a\u2028b", "over\u202eride", "mark\u200f"]
NO_EMOJI = ["rocket", ":rocket:", "🚀🚀", "x", "🚀 ", "1f680-x", "\u200d"]


def test_a_label_is_one_line_that_shows_something(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    path = f"/v1/spaces/{space}"
    for wrong in BLANK + SEVERAL_LINES:
        answer = cast.ada.patch(path, {"title": wrong})
        assert answer.status_code == 400, repr(wrong)
        (detail,) = answer.json()["error"]["details"]
        assert detail["path"] == "title"
        (told,) = cast.ada.tried("updateSpace", space=space, title=wrong)["userErrors"]
        if not wrong.strip(" "):
            assert detail["message"] == "Must not be blank"
        assert told == {"code": "BAD_REQUEST", "message": detail["message"], "path": ["title"]}
    assert cast.ada.get(path).json()["title"] == "Handbook"
    for right in ("  Guide \n", "שלום", "👩\u200d🚀 crew", "می\u200cخواهم"):
        assert collections.patched(cast.ada, path, {"title": right})["title"] == right.strip()


def test_an_emoji_is_exactly_one(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    path = f"/v1/spaces/{space}"
    for wrong in NO_EMOJI:
        answer = cast.ada.patch(path, {"emoji": wrong})
        assert answer.status_code == 400, wrong
        assert answer.json()["error"]["details"][0]["path"] == "emoji"
        assert cast.ada.refused("updateSpace", space=space, emoji=wrong) == "BAD_REQUEST"
    for right in ("🚀", "1f680", "👩\u200d🚀", "🇩🇪", "1f9ed"):
        assert collections.patched(cast.ada, path, {"emoji": right})["emoji"] == right
    assert "emoji" not in collections.patched(cast.ada, path, {"emoji": None})


def test_a_collection_without_a_title_gets_one(cast: Cast) -> None:
    made = cast.ada.post(f"/v1/orgs/{cast.organization}/collections", {})
    assert made.json()["title"] == "Untitled collection"


@pytest.mark.parametrize("operation", [row.id for row in OPERATIONS if row.body is not None])
def test_no_body_has_titles_or_emoji_of_another_rule(operation: str) -> None:
    (shape,) = (row.body for row in OPERATIONS if row.id == operation)
    named = ("title", "label", "name", "linkTitle", "displayName", "subject", "emoji")
    for path, metadata, kind in _texts(shape, ""):
        last = path.rpartition(".")[2]
        is_of_file = path.endswith("files.*.name") or operation == "createUpload"
        if last not in named or kind is not str or is_of_file:
            continue
        wanted = type(get_args(Emoji)[1]) if last == "emoji" else Label
        assert any(isinstance(each, wanted) for each in metadata), path


def _texts(kind: Any, path: str, metadata: tuple[Any, ...] = ()) -> list[tuple[str, tuple[Any, ...], Any]]:
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        return [
            found
            for name, field in kind.model_fields.items()
            for found in _texts(
                field.annotation, f"{path}.{field.alias or name}".strip("."), tuple(field.metadata)
            )
        ]
    if not get_args(kind):
        return [(path, metadata, kind)]
    if hasattr(kind, "__metadata__"):
        return _texts(get_args(kind)[0], path, kind.__metadata__)
    inner = f"{path}.*" if get_origin(kind) in (list, dict) else path
    return [found for each in get_args(kind) for found in _texts(each, inner, metadata)]


def test_messages_say_what_is_allowed_in_words(cast: Cast) -> None:
    space = make.space(cast.ada, cast.organization)["id"]
    site = cast.ada.post(f"/v1/orgs/{cast.organization}/sites", {"title": "Docs"}).json()["id"]

    def told(path: str, change: dict[str, Any]) -> str:
        answer = cast.ada.patch(path, change)
        assert answer.status_code == 400, answer.text
        return str(answer.json()["error"]["details"][0]["message"])

    assert told(f"/v1/spaces/{space}", {"defaultLevel": "owner"}).endswith("or 'inherit' or null")
    assert told(f"/v1/spaces/{space}", {"icon": 1}) == "Input should be a valid string or null"
    assert told(f"/v1/spaces/{space}", {"title": None}) == "Input should be a valid string"
    assert "letters, digits and hyphens" in told(f"/v1/orgs/{cast.organization}", {"hostname": "A_B"})
    assert "one part of an address" in told(f"/v1/orgs/{cast.organization}/sites/{site}", {"basename": "a/b"})


def test_no_message_shows_a_pattern() -> None:
    from pydantic.types import StringConstraints

    for row in OPERATIONS:
        for shape in (row.body, row.query):
            for path, metadata, _ in _texts(shape, "") if shape is not None else []:
                patterns = [each.pattern for each in metadata if isinstance(each, StringConstraints)]
                assert not any(patterns), (row.id, path)
