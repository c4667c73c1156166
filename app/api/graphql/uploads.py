"""GraphQL face of uploads."""

from __future__ import annotations

from typing import Any

import strawberry
from strawberry import ID

from app.api.graphql.calls import Info, body, write, writes
from app.api.graphql.shapes import input_of, output
from app.domain.uploads import uploads
from app.models.uploads import UploadCreate, UploadOut
from app.present.uploads import upload as show

UploadCreateInput: Any = input_of(UploadCreate)


@output(UploadOut)
class Upload:
    """A file to be sent by itself and then used by a change of content or an import."""


@strawberry.type
class UploadMutation:
    @writes(uploads.create)
    async def create_upload(self, info: Info, organization: ID, new: UploadCreateInput) -> Upload | None:
        asked = body(UploadCreate, new)
        return await write(
            info, uploads.create, organization, asked, show=show, prepare=uploads.choose_destination
        )
