"""Blocks of OpenAPI: found by slug, id or URL, only in the organization of the space."""

from __future__ import annotations

from app.domain.openapi import openapi_versions
from app.domain.openapi.openapi_versions import BlockReference, Shown
from app.formats.markdown.parser import to_document
from app.formats.openapi.views import OperationView
from tests.cast import Cast
from tests.factories import openapi


def shown(cast: Cast, *blocks: BlockReference, organization: str = "") -> list[Shown]:
    """Return the operations that the blocks show."""
    where = organization or cast.organization
    return cast.instance.inside(lambda cx: openapi_versions.shown(cx, where, blocks))


def test_blocks_show_the_newest_version(cast: Cast) -> None:
    spec = openapi.spec(cast)
    markdown = (
        '{% openapi-operation spec="kennel" path="/pets" method="get" %}\n{% endopenapi-operation %}\n\n'
        '{% openapi-schemas spec="kennel" schemas="Pet, None" %}\n{% endopenapi-schemas %}\n\nWords.\n'
    )
    nodes = to_document(markdown)["nodes"]
    asked = [block for node in nodes if (block := openapi_versions.reference_of(node))]
    operation, schemas = shown(cast, *asked)
    assert isinstance(operation, OperationView)
    assert operation.summary == "List pets"
    assert isinstance(schemas, list)
    assert [schema.type for schema in schemas] == ["Pet"]
    by_id = BlockReference("openapi-operation", spec["id"], "/pets", "POST")
    (found,) = shown(cast, by_id)
    assert isinstance(found, OperationView)
    changed = openapi.document()
    changed["paths"]["/pets"]["post"]["summary"] = "Take a pet in"
    openapi.spec(cast, value=changed)
    (found,) = shown(cast, by_id)
    assert isinstance(found, OperationView)
    assert found.summary == "Take a pet in"


def test_what_is_not_there_shows_nothing(cast: Cast) -> None:
    openapi.spec(cast)
    operation = BlockReference("openapi-operation", "kennel", "/pets", "get")
    unknown = [
        operation._replace(spec="cattery"),
        operation._replace(path="/dogs"),
        operation._replace(method="trace"),
    ]
    assert shown(cast, *unknown) == [None, None, None]
    assert shown(cast, operation, organization=cast.elsewhere) == [None]
    assert shown(cast) == []
