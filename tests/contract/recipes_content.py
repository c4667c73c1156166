"""Calls about the content of spaces, change requests and revisions, and what they are about (`recipes`)."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from tests import make
from tests.cast import Cast
from tests.contract.faces import Call
from tests.contract.import_sources import PIXEL
from tests.factories import sites

Recipe = Callable[[Cast], Call]
MAP = "map.png"
BLOCK = {"operation": "insert_reusable_content", "title": "Oil", "document": {"markdown": "Whale oil.\n"}}
PAGE_CHANGES: list[dict[str, Any]] = [
    {
        "operation": "insert_files",
        "files": [{"name": "dot.png", "contentType": "image/png", "base64": b64encode(PIXEL).decode()}],
    },
    {"operation": "insert_page", "ref": "new", "title": "Lamp", "document": {"markdown": "It burns.\n"}},
    {"operation": "update_page", "page": "new", "emoji": "1f4a1", "hidden": True, "layout": "landing"},
    {"operation": "update_variables", "variables": {"keeper": "Ada", "height": 40, "lit": True}},
]


def neighbour(cast: Cast, name: str) -> str:
    """An address that the product may import from."""
    return f"http://{cast.instance.settings.outbound_allow}/{name}"


def space(cast: Cast, **fields: Any) -> str:
    """An empty space."""
    return str(make.space(cast.ada, cast.organization, emoji="1f4d8", **fields)["id"])


def filled_space(cast: Cast, **fields: Any) -> str:
    """A space with pages, files and links."""
    made = space(cast, **fields)
    body = {"url": neighbour(cast, "handbook.zip"), "source": "zip"}
    answer = cast.ada.post(f"/v1/spaces/{made}/content/import", body)
    assert answer.status_code == 201, answer.text
    return made


def pages(cast: Cast, space_id: str) -> Iterator[dict[str, Any]]:
    """Every page of a space, parents first."""
    waiting = list(cast.ada.get(f"/v1/spaces/{space_id}/content/pages").json()["pages"])
    while waiting:
        page = waiting.pop(0)
        yield page
        waiting.extend(page.get("pages", ()))


def page(cast: Cast, space_id: str, title: str) -> dict[str, Any]:
    """The page of this title."""
    return next(found for found in pages(cast, space_id) if found["title"] == title)


def _content(cast: Cast, **query: Any) -> Call:
    return Call({"spaceId": filled_space(cast)}, query)


def _import_content(cast: Cast) -> Call:
    return Call({"spaceId": space(cast)}, body={"url": neighbour(cast, "handbook.zip"), "source": "zip"})


def _import_into_request(cast: Cast) -> Call:
    made = _change_content_in_request(cast)
    return Call(made.path, body={"url": neighbour(cast, "handbook.zip"), "source": "zip"})


def _import_into_page(cast: Cast) -> Call:
    body = {"url": neighbour(cast, "document.md"), "source": "markdown"}
    return Call(_page(cast, "Installing").path, body=body)


def _page(cast: Cast, title: str, **query: Any) -> Call:
    filled = filled_space(cast)
    return Call({"spaceId": filled, "pageId": page(cast, filled, title)["id"]}, query)


def _page_by_path(cast: Cast) -> Call:
    filled = filled_space(cast)
    path = {"spaceId": filled, "pagePath": page(cast, filled, "On Linux")["path"]}
    return Call(path, {"format": "markdown", "evaluated": True})


def _file(cast: Cast) -> Call:
    filled = filled_space(cast)
    files = cast.ada.get(f"/v1/spaces/{filled}/content/files").json()["items"]
    return Call({"spaceId": filled, "fileId": next(file["id"] for file in files if file["name"] == MAP)})


def _content_at_url(cast: Cast) -> Call:
    filled = filled_space(cast)
    request = make.change_request(cast.ada, filled)
    return Call(query={"url": f"{request['urls']['app']}/{page(cast, filled, 'Installing')['path']}"})


def _embed_in_space(cast: Cast) -> Call:
    return Call({"spaceId": space(cast)}, {"url": neighbour(cast, "about.html")})


def _whole_space(cast: Cast) -> str:
    """A filled space with a reusable content."""
    filled = filled_space(cast)
    make.changes(cast.ada, filled, BLOCK)
    return filled


def _edited(cast: Cast, space_id: str) -> str:
    """A change request with a page of its own."""
    opened = str(make.change_request(cast.ada, space_id, subject="Lamps")["id"])
    make.changes(cast.ada, space_id, *PAGE_CHANGES, request=opened)
    return opened


def _change_content(cast: Cast) -> Call:
    return Call({"spaceId": space(cast)}, {"compat": False}, {"changes": PAGE_CHANGES})


def _change_request(cast: Cast, **query: Any) -> Call:
    filled = filled_space(cast)
    return Call({"spaceId": filled, "changeRequestId": _edited(cast, filled)}, query)


def _change_content_in_request(cast: Cast) -> Call:
    made = space(cast)
    path = {"spaceId": made, "changeRequestId": make.change_request(cast.ada, made)["id"]}
    return Call(path, {"compat": False}, {"changes": PAGE_CHANGES})


def _list_change_requests(cast: Cast) -> Call:
    made = space(cast)
    for subject in ("One", "Two"):
        make.change_request(cast.ada, made, subject=subject, description={"markdown": "Why."})
    return Call({"spaceId": made}, {"status": ["draft", "open"], "creator": cast.ada.id})


def _list_change_requests_of_organization(cast: Cast) -> Call:
    made = _list_change_requests(cast)
    space_id = made.path["spaceId"]
    site = sites.site(cast.ada, cast.organization, spaces=[space_id])["id"]
    query = {"status": ["draft"], "site": site, "space": space_id, "orderBy": "createdAt"}
    return Call({"organizationId": cast.organization}, query)


def _create_change_request(cast: Cast) -> Call:
    body = {"subject": "Lamps", "description": {"markdown": "They went out.\n"}, "agentTaskId": "task-1"}
    return Call({"spaceId": space(cast)}, body=body)


def _update_change_request(cast: Cast) -> Call:
    made = space(cast)
    path = {"spaceId": made, "changeRequestId": make.change_request(cast.ada, made)["id"]}
    return Call(path, body={"subject": "Lamps", "status": "open", "description": None})


def _in_request(cast: Cast, made: Call) -> Call:
    """Return the same call in a change request of its space."""
    opened = _edited(cast, made.path["spaceId"])
    path = {"spaceId": made.path["spaceId"], "changeRequestId": opened}
    return Call({**path, **made.path}, made.query)


def _at_revision(cast: Cast, made: Call) -> Call:
    """Return the same call at the revision that its space has."""
    path = {"spaceId": made.path["spaceId"]}
    revision = cast.ada.get(f"/v1/spaces/{path['spaceId']}").json()["revision"]
    return Call({**path, "revisionId": revision, **made.path}, made.query)


def _reusable(cast: Cast) -> Call:
    whole = _whole_space(cast)
    (block,) = cast.ada.get(f"/v1/spaces/{whole}/content").json()["reusableContents"]
    return Call({"spaceId": whole, "reusableContentId": block["id"]})


def _history(cast: Cast) -> Call:
    made = _page(cast, "Installing")
    return Call({"spaceId": made.path["spaceId"]}, {"pageId": made.path["pageId"]})


def _page_diff_in_request(cast: Cast) -> Call:
    made = _in_request(cast, _page(cast, "Installing", context=1))
    new = {"markdown": "# Installing\n\nIt installs itself.\n"}
    change = {"operation": "update_page", "page": made.path["pageId"], "document": new}
    make.changes(cast.ada, made.path["spaceId"], change, request=made.path["changeRequestId"])
    return made


def _printed(cast: Cast, **query: Any) -> Call:
    made = _page(cast, "Guide")
    return Call({"spaceId": made.path["spaceId"]}, {"page": made.path["pageId"], **query})


def _document(cast: Cast) -> Call:
    filled = filled_space(cast)
    return Call({"spaceId": filled, "documentId": page(cast, filled, "Installing")["documentId"]})


def _page_at_revision(cast: Cast, **query: Any) -> Call:
    """A page at the revision that made it, together with other things."""
    made = _page(cast, "Installing", **query)
    return _at_revision(cast, made)


CONTENT: dict[str, Recipe] = {
    "listSpaceLinks": _content,
    "searchSpaceContent": partial(_content, query="install"),
    "getCurrentRevision": partial(_content, metadata=False, computed=True),
    "importContent": _import_content,
    "importContentInChangeRequest": _import_into_request,
    "listPages": _content,
    "listFiles": _content,
    "getFileById": _file,
    "listSpaceFileBacklinks": _file,
    "getPageById": partial(_page, title="Installing", format="document"),
    "listPageLinksInSpace": partial(_page, title="Welcome"),
    "listSpacePageBacklinks": partial(_page, title="Installing"),
    "importContentInPageById": _import_into_page,
    "getPageByPath": _page_by_path,
    "getPageTextById": partial(_page, title="Installing", offset=3, length=100),
    "getReusableContentById": _reusable,
    "changeContent": _change_content,
    "listChangeRequestsForSpace": _list_change_requests,
    "createChangeRequest": _create_change_request,
    "getChangeRequestById": _change_request,
    "updateChangeRequestById": _update_change_request,
    "listChangeRequestsForOrganization": _list_change_requests_of_organization,
    "getRevisionOfChangeRequestById": lambda cast: _in_request(cast, _content(cast, metadata=False)),
    "changeContentInChangeRequest": _change_content_in_request,
    "listPagesInChangeRequest": lambda cast: _in_request(cast, _content(cast)),
    "listFilesInChangeRequestById": lambda cast: _in_request(cast, _content(cast)),
    "getFileInChangeRequestById": lambda cast: _in_request(cast, _file(cast)),
    "listChangeRequestFileBacklinks": lambda cast: _in_request(cast, _file(cast)),
    "getPageInChangeRequestById": lambda cast: _in_request(cast, _page(cast, "Guide", format="document")),
    "listPageLinksInChangeRequest": lambda cast: _in_request(cast, _page(cast, "Welcome")),
    "listChangeRequestLinks": lambda cast: _in_request(cast, _content(cast)),
    "listChangeRequestPageBacklinks": lambda cast: _in_request(cast, _page(cast, "Installing")),
    "listRevisionLinks": lambda cast: _at_revision(cast, _content(cast)),
    "listRevisionFileBacklinks": lambda cast: _at_revision(cast, _file(cast)),
    "listPageLinksInRevision": lambda cast: _at_revision(cast, _page(cast, "Welcome")),
    "listRevisionPageBacklinks": lambda cast: _at_revision(cast, _page(cast, "Installing")),
    "getPageInChangeRequestByPath": lambda cast: _in_request(cast, _page_by_path(cast)),
    "getPageTextInChangeRequestById": lambda cast: _in_request(cast, _page(cast, "Installing", length=200)),
    "getReusableContentInChangeRequestById": lambda cast: _in_request(cast, _reusable(cast)),
    "getRevisionById": lambda cast: _at_revision(cast, _content(cast, computed=False)),
    "listPagesInRevisionById": lambda cast: _at_revision(cast, _content(cast)),
    "listFilesInRevisionById": lambda cast: _at_revision(cast, _content(cast)),
    "getFileInRevisionById": lambda cast: _at_revision(cast, _file(cast)),
    "getPageInRevisionById": lambda cast: _at_revision(cast, _page(cast, "Installing")),
    "getPageInRevisionByPath": lambda cast: _at_revision(cast, _page_by_path(cast)),
    "getPageTextInRevisionById": lambda cast: _at_revision(cast, _page(cast, "Installing", length=200)),
    "getReusableContentInRevisionById": lambda cast: _at_revision(cast, _reusable(cast)),
    "listRevisionsInSpace": _history,
    "getRevisionChangesById": lambda cast: _at_revision(cast, _content(cast, limit=100, computed=False)),
    "getPageDiffInRevisionById": partial(_page_at_revision, context=1),
    "getPageDocumentInRevisionById": partial(_page_at_revision, evaluated=True),
    "listRevisionsInChangeRequestById": _change_request,
    "getChangeRequestChangesById": partial(_change_request, limit=100),
    "getPageDiffInChangeRequestById": _page_diff_in_request,
    "exportSpace": lambda cast: Call({"spaceId": filled_space(cast)}),
    "getSpacePDF": partial(_printed, only=True),
    "getChangeRequestPDF": lambda cast: _in_request(cast, _printed(cast)),
    "getDocumentById": _document,
    "getContentByUrl": _content_at_url,
    "getEmbedByUrl": lambda cast: Call(query={"url": neighbour(cast, "about.html")}),
    "getEmbedByUrlInSpace": _embed_in_space,
}
