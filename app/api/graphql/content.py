"""Content: what a space, a change request and a revision have in common, pages with their bodies, and nodes.

A page's body is read with the page where one page is asked for. In lists it is read when it is selected, for
all pages of the list at once (see kit/database/batching).
"""

from __future__ import annotations

from functools import partial

import strawberry

from app.api.catalog import OPERATIONS
from app.api.graphql import content_reads as reads
from app.api.graphql import node_reads, published_reads
from app.api.graphql.declarations import (
    URL,
    Argument,
    Declarations,
    Declared,
    Field,
    Variables,
    list_of,
    optional,
)
from app.api.graphql.fields import connection_type, paging, read_field
from app.api.graphql.inputs import Inputs
from app.api.graphql.nodes import lower, nodes
from app.api.graphql.references import ReferringIfThere
from app.api.graphql.shapes import Shapes
from app.api.graphql.text_reads import editor
from app.api.graphql.texts import add_texts
from app.models.revisions import HistoryEntryOut

CONTENT = ("Space", "ChangeRequest", "Revision")
ID = strawberry.ID


def add_content(declarations: Declarations, shapes: Shapes, inputs: Inputs) -> None:
    """Declare the fields of content and pages, and the interfaces."""
    types = declarations.types
    shapes.output(HistoryEntryOut)
    _add_to_content(declarations, shapes)
    _add_to_pages(declarations, shapes, inputs)
    _add_comments(declarations)
    _add_conflicts(declarations.types)
    _add_redirects(declarations.types)
    _add_readers(declarations.types)
    _add_published_urls(declarations.types)
    add_texts(declarations, shapes)
    node = declarations.type(
        "Node", "An object with an id (Relay, Global Object Identification).", is_interface=True
    )
    node.fields = {"id": types["Space"].fields["id"]}
    content = declarations.type(
        "Content",
        "What can be read in: a space as it is now, a change request, or a revision.",
        is_interface=True,
    )
    content.fields = _shared([types[name].fields for name in CONTENT])
    content.fields.pop("restId", None)
    content.fields.pop("urls", None)
    _add_finders(types)
    for each in nodes().values():
        types[each.type].interfaces.append(node)
        if any(row.method == "GET" for row in each.rows.values()):
            about = "Version of the object for `expectedVersion`. It equals the ETag of the object in REST."
            types[each.type].fields["etag"] = Field(
                optional(str), about, resolve=partial(node_reads.version, each)
            )
    for name in CONTENT:
        types[name].interfaces.append(content)
    _add_node_queries(types["Query"], node)


def _shared(several: list[dict[str, Field]]) -> dict[str, Field]:
    """Return the fields that all of these have alike."""
    first, *others = several
    return {
        name: field
        for name, field in first.items()
        if all(
            name in other
            and other[name].type == field.type
            and other[name].arguments.keys() == field.arguments.keys()
            for other in others
        )
    }


def _add_to_content(declarations: Declarations, shapes: Shapes) -> None:
    types = declarations.types
    page, revision = types["Page"].handle, types["Revision"].handle
    pages = connection_type(declarations, "Page", page, {})
    for name in CONTENT:
        fields = types[name].fields
        fields["pages"].resolve = partial(reads.root_pages, nodes()[name])
        fields["pageList"] = Field(
            optional(pages.handle),
            "All pages in tree order, each after its parent.",
            resolve=partial(reads.page_list, nodes()[name]),
            arguments=paging(),
        )
        fields["reusableContents"] = Field(
            optional(list_of(types["ReusableContent"].handle)),
            "Blocks of content that pages include.",
            resolve=partial(reads.reusable_contents, nodes()[name]),
        )
        fields["variables"] = Field(
            optional(Variables),
            "Variables that expressions on the pages use, by name.",
            resolve=partial(reads.variables, nodes()[name]),
        )
    for name in ("Space", "ChangeRequest"):
        types[name].fields["currentRevision"] = Field(
            optional(revision),
            "The revision that the content is at now.",
            resolve=partial(reads.revision, nodes()[name]),
        )
    types["Space"].fields["revision"] = Field(
        optional(revision),
        "A revision of the space, or of one of its change requests, to read in.",
        resolve=partial(reads.revision, nodes()["Space"]),
        arguments={"id": Argument(ID, "The revision, by its `id` or `restId`.")},
    )
    types["Revision"].fields["space"] = _part(types, "Revision", "Space", "Space that it belongs to.")
    types["Revision"].fields["sourceRevision"] = Field(
        optional(revision), "Revision that computed pages were made from.", resolve=reads.source_revision
    )
    for name in ("Page", "File", "ReusableContent", "Comment", "CommentReply", "Review"):
        fields = types[name].fields
        fields.setdefault("space", _part(types, name, "Space", "Space that it belongs to."))
        about = "Change request that it was read in, or belongs to."
        fields.setdefault("changeRequest", _part(types, name, "ChangeRequest", about))
    for name in ("Page", "File", "ReusableContent"):
        about = "Past revision that it was read in."
        types[name].fields["revision"] = _part(types, name, "Revision", about)


def _part(types: dict[str, Declared], owner: str, type_: str, about: str) -> Field:
    """Return a field for what an object was read in."""
    return Field(
        optional(types[type_].handle), about, resolve=partial(reads.part, nodes()[owner], nodes()[type_])
    )


def _add_to_pages(declarations: Declarations, shapes: Shapes, inputs: Inputs) -> None:
    types = declarations.types
    page = types["Page"]
    page.fields |= {
        "pages": Field(
            optional(list_of(page.handle)),
            "Pages in the page, in their order. Null for links.",
            resolve=reads.children,
            arguments={"computed": types["Space"].fields["pages"].arguments["computed"]},
        ),
        "parent": Field(optional(page.handle), "Parent page. Null at the root.", resolve=reads.parent),
        "ancestors": Field(
            optional(list_of(page.handle)),
            "Parent pages, from the root down.",
            resolve=reads.ancestors,
        ),
        "comments": _preset(
            declarations, shapes, inputs, "Space.comments", "ChangeRequest.comments", "targetPage"
        ),
        "revisions": _preset(
            declarations, shapes, inputs, "Space.revisions", "ChangeRequest.revisions", "pageId"
        ),
        "lastEditedBy": Field(
            optional(types["User"].handle),
            "Person who last edited the page, as it is read here: in a space, a change request or a past "
            "revision. Null if that was no person, such as a sync or a specification, and to visitors.",
            resolve=editor,
        ),
    }


def _preset(
    declarations: Declarations, shapes: Shapes, inputs: Inputs, first: str, second: str, name: str
) -> Field:
    """Return a list of a space and its change requests as that of a page; `name` is its filter by pages."""
    rows = [row for field in (first, second) for row in OPERATIONS if row.field == field]
    return read_field(declarations, shapes, inputs, nodes()["Page"], rows, {name: "pageId"})


def _add_comments(declarations: Declarations) -> None:
    types = declarations.types
    types["Comment"].fields["page"] = Field(
        optional(types["Page"].handle),
        "Page that it is about. Null if it is about the whole space or change request, or if the page was "
        "deleted.",
        resolve=reads.PageOfComment(nodes()["Page"], "target", nodes()["Comment"], False),
    )


def _add_redirects(types: dict[str, Declared]) -> None:
    types["ToPage"].fields["page"] = Field(
        optional(types["Page"].handle),
        "Page of that space, wherever it is moved to. Null if it was deleted or is hidden from the caller.",
        resolve=reads.PageOfRedirect(nodes()["Page"], "page", None, False),
    )


def _add_readers(types: dict[str, Declared]) -> None:
    for name in ("PageFeedback", "PageViews"):
        types[name].fields["page"] = Field(
            optional(types["Page"].handle),
            "Page. Null if it is gone, hidden from the caller, or not known.",
            resolve=reads.ReadPage(nodes()["Page"], "page", None, False),
        )


def _add_conflicts(types: dict[str, Declared]) -> None:
    """Declare what conflicts are in: they name a page, a file or a reusable content by its id alone."""
    for name in ("Conflict", "RollbackConflict", "UndoConflict"):
        fields = types[name].fields
        fields["pageId"].description = fields["page"].description
        for target, called in (("Page", "page"), ("File", "file"), ("ReusableContent", "reusable content")):
            fields[lower(target)] = Field(
                optional(types[target].handle),
                f"The {called} with the conflict. Null if the conflict is elsewhere or it was deleted.",
                resolve=ReferringIfThere(nodes()[target], "page", None, False),
            )


def _add_published_urls(types: dict[str, Declared]) -> None:
    """Declare the addresses for visitors, which contain the key of a share link where it is asked for."""
    about = "Key of a share link; ignored if it is no active key of the site."
    for name in ("Site", "SiteSection", "SiteSpace", "Space"):
        own = partial(published_reads.published_url, nodes()[name])
        types[name].fields["publishedUrl"] = Field(
            optional(URL),
            "Address for visitors, the same as `urls.published`; with `shareKey` as the share link has it.",
            resolve=published_reads.space_url if name == "Space" else own,
            arguments={"shareKey": Argument(optional(str), about)},
        )


def _add_finders(types: dict[str, Declared]) -> None:
    """Declare a field for each kind of object that REST only lists, on the object that it belongs to."""
    for node in nodes().values():
        for parameters, row in node.rows.items():
            owner = next((each for each in nodes().values() if parameters[:-1] in each.rows), None)
            if row.method == "GET" or owner is None:
                continue
            name = lower(node.type)
            if name in types[owner.type].fields:
                name = f"{lower(owner.type)}{node.type}"
            if name not in types[owner.type].fields:
                types[owner.type].fields[name] = Field(
                    optional(types[node.type].handle),
                    f"The {node.type} with this ID.",
                    resolve=partial(node_reads.listed_object, owner, node),
                    arguments={"id": Argument(ID, f"The {node.type}, by its `id` or `restId`.")},
                )


def _add_node_queries(query: Declared, node: Declared) -> None:
    query.fields["node"] = Field(
        optional(node.handle),
        "The object with an id (Relay, Global Object Identification).",
        resolve=node_reads.node,
        arguments={"id": Argument(ID, "Id of an object in GraphQL.")},
    )
    query.fields["nodes"] = Field(
        list_of(optional(node.handle)),
        "The objects with these ids, in their order; null for those that cannot be read.",
        resolve=node_reads.several_nodes,
        arguments={"ids": Argument(list_of(ID), "Ids of objects in GraphQL, at most 100.")},
    )
