"""Recognition and normal form of emoji."""

from __future__ import annotations

import pytest

from app.formats.markdown import escapes
from app.models.texts import emoji_code

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


@pytest.mark.parametrize(
    ("written", "code"),
    [
        ("\U0001f44d", "1f44d"),
        ("1f44d", "1f44d"),
        ("1F44D", "1f44d"),
        ("\U0001f44d\U0001f3fd", "1f44d-1f3fd"),
        ("\u2764\ufe0f", "2764"),
        ("2764-fe0f", "2764"),
        ("\u2764", "2764"),
        (FAMILY, "1f468-200d-1f469-200d-1f467"),
        (ENGLAND, "1f3f4-e0067-e0062-e0065-e006e-e0067-e007f"),
        ("\U0001f1e9\U0001f1ea", "1f1e9-1f1ea"),
        ("1\ufe0f\u20e3", "31-20e3"),
        ("31-20e3", "31-20e3"),
        ("\u00a9", "a9"),
    ],
)
def test_an_emoji_is_kept_by_its_code(written: str, code: str) -> None:
    assert emoji_code(written) == code
    assert emoji_code(code) == code


@pytest.mark.parametrize(
    "written",
    ["", " ", "a", "A1", "1", "31", "#", ":thumbsup:", "\U0001f44d\U0001f44d", "\U0001f44d ", "1f44d-1f44d",
     "<b>", "ffffff", "110000", "d800", "200d", "\ufe0f", "\u200d", "\U0001f1e9", "-", "1f44d-", "\0",
     "\U0001f600" * 60, FAMILY * 9, "\u2764" + "\ufe0f" * 200],
)  # fmt: skip
def test_anything_else_is_none(written: str) -> None:
    assert emoji_code(written) is None


def test_every_emoji_of_the_dialect_is_one() -> None:
    assert [code for code in escapes.emoji_codes().values() if emoji_code(code) != code] == []
