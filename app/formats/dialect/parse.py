"""Markdown to a document: every construct of the dialect becomes structure, and nothing is refused.

The Markdown parser gives flat tokens, `pairs` makes the dialect's tags nest, `build` turns them into blocks;
then headings get their anchors and all nodes their keys.
"""

from __future__ import annotations

import re

from markdown_it.token import Token

from app.formats.dialect import nodes, pairs
from app.formats.dialect.build import build
from app.formats.dialect.headings import give_anchors
from app.formats.dialect.inlines import MOST_TOKENS, TOO_MUCH
from app.formats.dialect.markup import markdown
from app.formats.dialect.nodes import Node
from app.formats.dialect.tags import EndTags
from app.kit.errors import OverBudget

_FRONT_MATTER = re.compile(r"---[ \t]*\n(?=[A-Za-z_][\w-]*[ \t]*:)")
_FRONT_MATTER_END = re.compile(r"^---[ \t]*$\n?", re.MULTILINE)


def to_document(source: str) -> Node:
    """The document a body of Markdown stands for; raises OverBudget where that has too many parts."""
    return to_document_with_lines(source)[0]


def to_document_with_lines(source: str) -> tuple[Node, list[range]]:
    """Read a body as `to_document`, and tell the lines, from 0, that each of its blocks is made of."""
    text = plain_lines(source)
    front, body = split_front_matter(text)
    tokens, env = block_tokens(body)
    if len(tokens) > MOST_TOKENS:
        raise OverBudget(TOO_MUCH)
    blocks, lines = build(tokens, env)
    made = nodes.document(blocks, **({"frontMatter": front} if front else {}))
    give_anchors(made)
    nodes.give_keys(made)
    above = text.count("\n", 0, len(text) - len(body))
    return made, [range(each.start + above, each.stop + above) for each in lines]


def block_lines(source: str) -> list[range]:
    """The lines, from 0, of each block of a body, up to the next block's."""
    text = plain_lines(source)
    body = split_front_matter(text)[1]
    above = text.count("\n", 0, len(text) - len(body))
    starts = [above + lines.start for lines in build(*block_tokens(body))[1]]
    ends = [*starts[1:], text.count("\n") + 1]
    return [range(start, max(end, start + 1)) for start, end in zip(starts, ends, strict=True)]


def plain_lines(source: str) -> str:
    """The text with `\\n` as its only line end and without NUL."""
    return source.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")


def split_front_matter(source: str) -> tuple[str, str]:
    """The YAML between `---` lines at the very beginning, and the rest."""
    begin = _FRONT_MATTER.match(source)
    end = _FRONT_MATTER_END.search(source, begin.end()) if begin else None
    if begin is None or end is None:
        return "", source
    return source[begin.end() : end.start()], source[end.end() :]


def block_tokens(source: str) -> tuple[list[Token], dict[str, object]]:
    """The block tokens of a source, tags paired, with the environment its inlines are read in."""
    env: dict[str, object] = {"ends": EndTags(source)}
    tokens: list[Token] = []
    md = markdown()
    md.block.parse(source, md, env, tokens)
    return pairs.pair(tokens, lambda tag: source[tag.start : tag.end]), env
