"""The forms of texts of pages, reusable contents and comments: Markdown, documents, typed blocks, HTML."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import strawberry

from app.api.graphql import text_reads as reads
from app.api.graphql.declarations import (
    HTML,
    Argument,
    Declarations,
    Document,
    Field,
    Kind,
    Markdown,
    list_of,
    optional,
)
from app.api.graphql.nodes import nodes
from app.api.graphql.references import ReferringIfThere
from app.api.graphql.shapes import Shapes
from app.api.graphql.unions import alternatives, bare
from app.models.blocks import BlockOut
from app.models.runs import RunOut

_LINKED = {"page": "Page", "file": "File", "space": "Space", "reusableContent": "ReusableContent"}


def add_texts(declarations: Declarations, shapes: Shapes) -> None:
    """Declare the fields that show texts."""
    types = declarations.types
    shapes.union("Run", alternatives(bare(RunOut)), "Inline content of a document.")
    block = shapes.union("Block", alternatives(bare(BlockOut)), "A block of a document.")
    blocks = optional(list_of(block))
    for name, target in _LINKED.items():
        field = types["LinkTarget"].fields[name]
        field.resolve = ReferringIfThere(nodes()[target], name, None, False)
    types["Page"].fields |= {
        "markdown": _evaluated(optional(Markdown), "Body as Markdown.", partial(reads.body, "markdown")),
        "document": _evaluated(
            optional(Document), "Body as a structured document.", partial(reads.body, "document")
        ),
        "blocks": _evaluated(blocks, "Body as typed blocks.", reads.page_blocks),
        "html": Field(
            optional(HTML),
            "Body as sanitized HTML, as sites show it to an anonymous reader: conditions and expressions are "
            "evaluated, reusable content is inserted, and a first heading that only repeats the title is "
            "left out. Links point to the application; files have signed URLs.",
            resolve=partial(reads.html, "page_html"),
        ),
    }
    for name in ("Space", "ChangeRequest"):
        types[name].fields["preview"] = Field(
            optional(HTML),
            "Renders unsaved text as sanitized HTML, as sites would show it in the body of a page to an "
            "anonymous reader. Needs permission to edit the content.",
            resolve=partial(reads.preview, nodes()[name]),
            arguments={
                "markdown": Argument(Markdown, "The text, up to 1,000,000 characters."),
                "page": Argument(
                    optional(strawberry.ID),
                    "Page that relative links start from, by its `id` or `restId`. Leave it out for a new "
                    "page.",
                    None,
                ),
            },
        )
    types["ReusableContent"].fields |= {
        "markdown": _evaluated(optional(Markdown), "Text as Markdown.", partial(reads.reusable, "markdown")),
        "document": _evaluated(
            optional(Document), "Text as a structured document.", partial(reads.reusable, "document")
        ),
        "blocks": _evaluated(blocks, "Text as typed blocks.", reads.reusable_blocks),
        "html": Field(
            optional(HTML),
            "Text as sanitized HTML, as sites show it to a reader who is not known.",
            resolve=partial(reads.html, "reusable_html"),
        ),
    }
    _add_bodies(declarations, blocks)


def _evaluated(kind: Kind, description: str, resolve: Callable[..., Any]) -> Field:
    about = "Whether conditions and expressions are evaluated, for a reader who is not known."
    return Field(kind, description, resolve=resolve, arguments={"evaluated": Argument(bool, about, False)})


def _add_bodies(declarations: Declarations, blocks: Kind) -> None:
    types = declarations.types
    body = declarations.type(
        "Body", "A text that people wrote: of a comment, a reply, a review or a description."
    )
    body.fields = {
        "markdown": Field(optional(Markdown), "As Markdown.", resolve=reads.text_markdown),
        "document": Field(optional(Document), "As a structured document.", resolve=reads.text_document),
        "blocks": Field(
            blocks,
            "As typed blocks. Links to content have no `url` here, because only their source text is known.",
            resolve=reads.text_blocks,
        ),
        "html": Field(
            optional(HTML),
            "As sanitized HTML. Up to 100 links by ID point to the pages and files that the caller may see; "
            "other links to content are broken.",
            resolve=partial(reads.html, "text_html"),
        ),
    }
    for name, field in (
        ("Comment", "body"),
        ("CommentReply", "body"),
        ("Review", "comment"),
        ("ChangeRequest", "description"),
    ):
        was = types[name].fields[field]
        types[name].fields[field] = Field(
            optional(body.handle), was.description, resolve=partial(reads.text, nodes()[name], field)
        )
