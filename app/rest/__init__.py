"""The REST face: every operation is one row of data, in the module of its family."""

from __future__ import annotations

# Where the rows of an address are: the longest prefix wins, `{}` is any one segment. A module is loaded when
# one of its addresses is first asked for, so that starting costs what one request needs and not what there
# is. A new family is a module with `OPERATIONS`, and a line here for every prefix that its rows begin with.
FAMILIES = {
    "/": "service",
    "/user": "users",
    "/orgs": "organizations",
    "/orgs/{}/collections": "collections",
    "/collections": "collections",
    "/orgs/{}/spaces": "spaces",
    "/spaces": "spaces",
    "/spaces/{}/links": "links",
    "/spaces/{}/content": "content",
    "/spaces/{}/change-requests": "change_requests",
    "/orgs/{}/change-requests": "change_requests",
    "/spaces/{}/change-requests/{}/content": "content",
    "/spaces/{}/change-requests/{}/reviews": "reviews",
    "/spaces/{}/change-requests/{}/requested-reviewers": "reviews",
    "/spaces/{}/change-requests/{}/contributors": "reviews",
    "/spaces/{}/change-requests/{}/content/import": "imports",
    "/spaces/{}/change-requests/{}/merge": "merges",
    "/spaces/{}/change-requests/{}/update": "merges",
    "/spaces/{}/revisions/{}/restore": "merges",
    "/spaces/{}/revisions/{}/revert": "merges",
    "/spaces/{}/revisions": "revisions",
    "/spaces/{}/revisions/{}": "content",
    "/spaces/{}/revisions/{}/changes": "revisions",
    "/spaces/{}/revisions/{}/page/{}/diff": "revisions",
    "/spaces/{}/revisions/{}/page/{}/document": "revisions",
    "/spaces/{}/change-requests/{}/changes": "revisions",
    "/spaces/{}/change-requests/{}/revisions": "revisions",
    "/spaces/{}/change-requests/{}/content/page/{}/diff": "revisions",
    "/spaces/{}/documents": "revisions",
    "/spaces/{}/content/page/{}/links": "links",
    "/spaces/{}/content/page/{}/backlinks": "links",
    "/spaces/{}/change-requests/{}/content/page/{}/links": "links",
    "/spaces/{}/change-requests/{}/content/files/{}/backlinks": "links",
    "/spaces/{}/content/files/{}/backlinks": "links",
    "/spaces/{}/content/import": "imports",
    "/spaces/{}/content/page/{}/import": "imports",
    "/spaces/{}/search": "searches",
    "/orgs/{}/search": "searches",
}
