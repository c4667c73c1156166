"""Operations on uploads."""

from __future__ import annotations

from app.api.operation import family, get, post
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
    get(
        "getUploadById",
        "/orgs/{organizationId}/uploads/{uploadId}",
        uploads.get,
        show=upload,
        field="Organization.upload",
        permission="organization:createContent",
        scope="space:content:write",
        secret=True,
    ),
)
