"""REST rows of imports from an address."""

from __future__ import annotations

from app.api.operation import family, post
from app.domain.importing import import_sources
from app.models.imports import ImportBody
from app.present.revisions import imported

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
    ),
    post(
        "importContentInPageById",
        "/spaces/{spaceId}/content/page/{pageId}/import",
        import_sources.import_into_page,
        body=ImportBody,
        prepare=import_sources.gather_for_page,
        show=imported,
        status=201,
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
    ),
)

OPERATIONS = [*OF_SPACE, *OF_CHANGE_REQUEST]
