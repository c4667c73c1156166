"""Operations on uploads."""

from __future__ import annotations

from app.api.operation import family, post
from app.domain.uploads import uploads
from app.models.uploads import UploadCreate
from app.present.uploads import upload

OPERATIONS = family(
    "Uploads",
    post(
        "createUpload",
        "/orgs/{organizationId}/uploads",
        uploads.create,
        body=UploadCreate,
        prepare=uploads.choose_destination,
        show=upload,
        status=201,
        field="createUpload",
        permission="organization:createContent",
        scope="space:content:write",
    ),
)
