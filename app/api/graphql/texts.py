"""The forms of texts of pages, reusable contents and comments: Markdown, documents, typed blocks, HTML."""

from __future__ import annotations

from app.api.graphql import text_reads as reads
from app.api.graphql.declarations import (
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
    shapes.union("Run", alternatives(bare(RunOut)), "What stands inside a line of a document.")
    block = shapes.union("Block", alternatives(bare(BlockOut)), "A block of a document.")
    blocks = optional(list_of(block))
    for name, target in _LINKED.items():
        field = types["LinkTarget"].fields[name]
        field.resolve = ReferringIfThere(nodes()[target], name, None, False)
    types["Page"].fields |= {
        "markdown": _evaluated(optional(Markdown), "Body as Markdown.", reads.body("markdown")),
        "document": _evaluated(optional(Document), "Body as a structured document.", reads.body("document")),
        "blocks": _evaluated(blocks, "Body as typed blocks.", reads.page_blocks),
    }
    types["ReusableContent"].fields |= {
        "markdown": _evaluated(optional(Markdown), "Text as Markdown.", reads.reusable("markdown")),
        "document": _evaluated(
            optional(Document), "Text as a structured document.", reads.reusable("document")
        ),
        "blocks": _evaluated(blocks, "Text as typed blocks.", reads.reusable_blocks),
    }
    _add_bodies(declarations, blocks)


def _evaluated(kind: Kind, description: str, resolve: reads.Resolver) -> Field:
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
            "As typed blocks. Links to content have no `url` here: only what their writing says is known.",
            resolve=reads.text_blocks,
        ),
    }
    for name, field in (
        ("Comment", "body"),
        ("CommentReply", "body"),
        ("Review", "comment"),
        ("ChangeRequest", "description"),
    ):
        was = types[name].fields[field]
        types[name].fields[field] = Field(optional(body.handle), was.description, resolve=reads.text(field))
