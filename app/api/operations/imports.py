"""Operations on imports from an address."""

from __future__ import annotations

from app.api.operation import family, post
from app.domain.imports import import_sources
from app.models.imports import ImportBody
from app.present.imports import imported

OF_SPACE = family(
    "Space content",
    post(
        "importContent",
        "/spaces/{spaceId}/content/import",
        import_sources.import_content,
        body=ImportBody,
        prepare=import_sources.gather,
        show=imported,
        status=201,
        field="importContent",
        permission="space:edit",
        scope="space:content:write",
        where=True,
    ),
    post(
        "importContentInPageById",
        "/spaces/{spaceId}/content/page/{pageId}/import",
        import_sources.import_into_page,
        body=ImportBody,
        prepare=import_sources.gather_for_page,
        show=imported,
        status=201,
        field="importContent",
        permission="space:edit",
        scope="space:content:write",
        where=True,
    ),
)

OF_CHANGE_REQUEST = family(
    "Change request content",
    post(
        "importContentInChangeRequest",
        "/spaces/{spaceId}/change-requests/{changeRequestId}/content/import",
        import_sources.import_content,
        body=ImportBody,
        prepare=import_sources.gather,
        show=imported,
        status=201,
        field="importContent",
        permission="space:edit",
        scope="space:content:write",
        where=True,
    ),
)

OPERATIONS = [*OF_SPACE, *OF_CHANGE_REQUEST]
