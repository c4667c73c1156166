"""REST rows of content: of a space as it is, of a change request, of a revision; pages, files, changes."""

from __future__ import annotations

from app.api.operation import family, get, listing, post
from app.domain.content import content, pages
from app.domain.writing import writing
from app.models.content_changes import ContentChanges, ContentChangesQuery
from app.models.queries import BodyQuery, ContentPageQuery, ContentQuery
from app.present.content_changes import content_answer
from app.present.files import file
from app.present.pages import page
from app.present.pages import pages as page_tree
from app.present.revisions import reusable_content, revision

S = "/spaces/{spaceId}/content"
C = "/spaces/{spaceId}/change-requests/{changeRequestId}/content"
R = "/spaces/{spaceId}/revisions/{revisionId}"
PAGE, PATH = "page/{pageId}", "path/{pagePath:path}"
FILE, REUSABLE = "files/{fileId}", "reusable-contents/{reusableContentId}"

OF_SPACE = family(
    "Space content",
    get("getCurrentRevision", S, content.get_revision, query=ContentQuery, show=revision),
    post(
        "changeContent",
        S,
        writing.change_content,
        query=ContentChangesQuery,
        body=ContentChanges,
        prepare=writing.gather,
        show=content_answer,
    ),
    get("listPages", f"{S}/pages", content.list_pages, query=ContentQuery, show=page_tree),
    listing("listFiles", f"{S}/files", content.list_files, query=ContentPageQuery, show=file),
    get("getFileById", f"{S}/{FILE}", content.get_file, query=ContentQuery, show=file),
    get("getPageById", f"{S}/{PAGE}", pages.get, query=BodyQuery, show=page),
    get("getPageByPath", f"{S}/{PATH}", pages.get_by_path, query=BodyQuery, show=page),
    get(
        "getReusableContentById",
        f"{S}/{REUSABLE}",
        content.get_reusable_content,
        query=ContentQuery,
        show=reusable_content,
    ),
)

OF_CHANGE_REQUEST = family(
    "Change request content",
    get("getRevisionOfChangeRequestById", C, content.get_revision, query=ContentQuery, show=revision),
    post(
        "changeContentInChangeRequest",
        C,
        writing.change_content,
        query=ContentChangesQuery,
        body=ContentChanges,
        prepare=writing.gather,
        show=content_answer,
    ),
    get("listPagesInChangeRequest", f"{C}/pages", content.list_pages, query=ContentQuery, show=page_tree),
    listing(
        "listFilesInChangeRequestById",
        f"{C}/files",
        content.list_files,
        query=ContentPageQuery,
        show=file,
    ),
    get("getFileInChangeRequestById", f"{C}/{FILE}", content.get_file, query=ContentQuery, show=file),
    get("getPageInChangeRequestById", f"{C}/{PAGE}", pages.get, query=BodyQuery, show=page),
    get("getPageInChangeRequestByPath", f"{C}/{PATH}", pages.get_by_path, query=BodyQuery, show=page),
    get(
        "getReusableContentInChangeRequestById",
        f"{C}/{REUSABLE}",
        content.get_reusable_content,
        query=ContentQuery,
        show=reusable_content,
    ),
)

OF_REVISION = family(
    "Revisions",
    get("getRevisionById", R, content.get_revision, query=ContentQuery, show=revision),
    get("listPagesInRevisionById", f"{R}/pages", content.list_pages, query=ContentQuery, show=page_tree),
    listing("listFilesInRevisionById", f"{R}/files", content.list_files, query=ContentPageQuery, show=file),
    get("getFileInRevisionById", f"{R}/{FILE}", content.get_file, query=ContentQuery, show=file),
    get("getPageInRevisionById", f"{R}/{PAGE}", pages.get, query=BodyQuery, show=page),
    get("getPageInRevisionByPath", f"{R}/{PATH}", pages.get_by_path, query=BodyQuery, show=page),
    get(
        "getReusableContentInRevisionById",
        f"{R}/{REUSABLE}",
        content.get_reusable_content,
        query=ContentQuery,
        show=reusable_content,
    ),
)

OPERATIONS = [*OF_SPACE, *OF_CHANGE_REQUEST, *OF_REVISION]
