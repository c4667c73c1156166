"""Documents have the shape that the API's document says, whatever Markdown they come from."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

import app.demo
from app.domain.content.pages import structured
from app.models.documents import JSONDocument

GUIDE = Path(app.demo.__file__).parent / "guide"
PAGES = sorted(path.relative_to(GUIDE).as_posix() for path in GUIDE.rglob("*.md"))


@pytest.mark.parametrize("page", PAGES)
def test_the_document_of_a_page_has_its_shape(page: str) -> None:
    document = orjson.dumps(structured((GUIDE / page).read_text()))
    JSONDocument.model_validate_json(document, strict=True, extra="forbid", by_alias=True, by_name=False)
