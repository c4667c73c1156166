"""Markdown to a document: every construct of the dialect becomes structure, and nothing is refused.

The Markdown parser gives flat tokens, `tag_pairing` makes the dialect's tags nest, `build` turns them into
blocks; then headings get their anchors and all nodes their keys.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from markdown_it.token import Token

from app.formats.markdown import blocks, nodes, tables, tag_pairing
from app.formats.markdown import blocks as images
from app.formats.markdown.anchors import give_anchors
from app.formats.markdown.grammar import markdown
from app.formats.markdown.html_syntax import begins_block, whole
from app.formats.markdown.inline_parser import MOST_TOKENS, TOO_MUCH, InlineReading
from app.formats.markdown.nodes import Node
from app.formats.markdown.tags import EndTags, Tag
from app.kit.deadlines import check
from app.kit.errors import OverBudget

DEEPEST_BLOCK = 50
_NOTE_BEGINS_AT = 40
_DEEPEST_NOTE = 2
_DETAILS = re.compile(r"</?(?:details|summary)[\s>]", re.IGNORECASE)
_TASK = re.compile(r"\[([ xX])\][ \t]+(?=\S)")


def build(tokens: list[Token], env: dict[str, object]) -> tuple[list[Node], list[range]]:
    """Return the blocks of a whole body, and the lines, from 0, that each of them is made of.

    Blocks that are made of the same lines, as the branches of a condition, come one after another.
    """
    notes = _Footnotes(env)
    builder = _Builder(notes.reading, 0)
    return builder.build(notes.take_definitions(tokens)), builder.lines


class _Footnotes:
    """Footnotes: each is given once, to the first reference in reading order."""

    def __init__(self, env: dict[str, object]) -> None:
        self.reading = InlineReading(env, self.take)
        self.definitions: dict[str, list[Token]] = {}
        self.given: set[str] = set()
        self.level = 0

    def take_definitions(self, tokens: list[Token]) -> list[Token]:
        """Set the definitions aside and return what is left."""
        rest: list[Token] = []
        targets = [rest]
        for token in tokens:
            if token.type == "footnote_reference_open":
                targets.append(self.definitions.setdefault(token.meta["label"], []))
            elif token.type == "footnote_reference_close":
                targets.pop()
            else:
                targets[-1].append(token)
        return rest

    def take(self, label: str) -> list[Node] | None:
        """Return the blocks of a footnote, or None from the second time on;
        LookupError if it is out of reach.
        """
        if label in self.given:
            return None
        if self.level >= _DEEPEST_NOTE or label not in self.definitions:
            raise LookupError(label)
        self.given.add(label)
        self.level += 1
        made = _Builder(self.reading, _NOTE_BEGINS_AT).build(self.definitions[label])
        self.level -= 1
        return made


@dataclass(slots=True)
class _Frame:
    """A container being read, and what makes its blocks when it ends."""

    close: Callable[[_Frame], list[Node]]
    tag: Tag | None = None
    kind: str = ""
    start: int | None = None
    nodes: list[Node] = field(default_factory=list)
    checked: bool | None = None
    title: list[Node] | None = None
    branches: list[tuple[str, list[Node]]] = field(default_factory=list)
    branching: blocks.Branching | None = None


class _Builder:
    def __init__(self, reading: InlineReading, depth: int) -> None:
        self.reading = reading
        self.frames = [_Frame(lambda frame: frame.nodes)]
        self.depth = depth
        self.tokens: list[Token] = []
        self.position = 0
        self.lines: list[range] = []  # of the outermost blocks

    def build(self, tokens: list[Token]) -> list[Node]:
        """Return the blocks of these tokens."""
        self.tokens, self.position = tokens, 0
        begins = 0
        while self.position < len(tokens):
            check()
            token = tokens[self.position]
            self.position += 1
            self._take(token)
            if len(self.frames) == 1:
                made = len(self.frames[0].nodes) - len(self.lines)
                if made > 0:
                    self.lines += [_lines(tokens[begins : self.position])] * made
                begins = self.position
        return self.frames[0].nodes

    def _take(self, token: Token) -> None:
        here = self.frames[-1]
        match token.type:
            case "heading_open" | "paragraph_open":
                self._text(token, here)
            case "fence" | "code_block":
                here.nodes.extend(blocks.fence(token))
            case "hr":
                here.nodes.append(nodes.block("divider", void=True))
            case "math_block":
                here.nodes.append(nodes.block("math", void=True, formula=token.content))
            case "html_block":
                here.nodes.extend(blocks.html_block(token.content, self.reading))
            case "table_open":
                here.nodes.append(tables.pipe_table(self._until("table_close"), self.reading))
            case "summary":
                self._summary(token, here)
            case "tag_middle":
                self._branch(token.meta["tag"], here)
            case "tag_void":
                here.nodes.append(blocks.void_tag(token.meta["tag"]))
            case "tag_verbatim":
                here.nodes.append(blocks.verbatim(token.meta["tag"].name, token.content))
            case _ if token.type.endswith("_close"):
                self._close()
            case _:
                self._open(token)

    def _until(self, kind: str) -> list[Token]:
        begin = self.position
        while self.tokens[self.position].type != kind:
            self.position += 1
        self.position += 1
        return self.tokens[begin : self.position]

    def _text(self, token: Token, here: _Frame) -> None:
        """Read a heading or a paragraph; a picture or a formula alone in one is a block of its own."""
        inline, _ = self._until(token.type.replace("_open", "_close"))
        if token.type == "heading_open":
            here.nodes.append(self._heading(int(token.tag[1]), inline.content))
            return
        content = inline.content
        if here.kind == "list_item" and not here.nodes and (task := _TASK.match(content)):
            here.checked = task.group(1) != " "
            content = content[task.end() :]
        if inline.meta.get("literal") or _DETAILS.match(content):
            here.nodes.append(nodes.block("paragraph", [nodes.plain(blocks.one_line(content))]))
        elif begins_block(content.partition("\n")[0]) and not content.startswith("<!--"):
            # Only an odd space before the tag had made a paragraph of it.
            here.nodes.extend(blocks.html_block(whole(content), self.reading))
        elif read := self.reading.markdown(content):
            here.nodes.append(_paragraph(read, content))

    def _heading(self, level: int, content: str) -> Node:
        read, anchor = self.reading.heading(content)
        deep = level if level > 3 else None
        return nodes.block(f"heading-{min(level, 3)}", read, id=anchor, level=deep)

    def _summary(self, token: Token, here: _Frame) -> None:
        title = self.reading.html(token.content)
        if here.title is None and here.tag is not None and here.tag.name == "details":
            here.title = title
        elif title:
            here.nodes.append(nodes.block("paragraph", title))

    def _branch(self, tag: Tag, here: _Frame) -> None:
        if here.branching is None:
            return  # the `if` was nested too deep and flattened
        here.branches[-1][1].extend(here.nodes)
        here.branches.append((here.branching.follow(tag), []))
        here.nodes = []

    def _open(self, token: Token) -> None:
        if token.type == "tag_open":
            frame = _tag_frame(token.meta["tag"])
        elif token.type == "list_item_open":
            frame = _Frame(_close_item, kind="list_item")
        elif token.type == "blockquote_open":
            frame = _Frame(lambda frame: [nodes.block("blockquote", frame.nodes)])
        else:
            frame = _Frame(_close_list, kind=token.type, start=int(token.attrs.get("start", 1)))
        room = 2 if token.type.endswith("list_open") else 1  # a list is nothing without its items
        if self.depth + len(self.frames) + room > DEEPEST_BLOCK:
            frame = _Frame(lambda frame: frame.nodes)
        self.frames.append(frame)

    def _close(self) -> None:
        frame = self.frames.pop()
        self.frames[-1].nodes.extend(frame.close(frame))


def _lines(tokens: list[Token]) -> range:
    """Return the lines that tokens come from."""
    maps = [token.map for token in tokens if token.map]
    return range(maps[0][0], max(last for _, last in maps)) if maps else range(0)


def _paragraph(read: list[Node], content: str) -> Node:
    if len(read) == 1 and read[0].get("type") == "inline-image":
        return images.lone_image(read[0])
    if len(read) == 1 and read[0].get("type") == "inline-math":
        return nodes.block("math", void=True, formula=content.strip("$ \t\n"))
    return nodes.block("paragraph", read)


def _tag_frame(tag: Tag) -> _Frame:
    if tag.name == "details":
        return _Frame(_close_details, tag)
    if tag.name == "if":
        branching = blocks.Branching(tag)
        return _Frame(_close_if, tag, branches=[(branching.expression, [])], branching=branching)
    return _Frame(lambda frame: blocks.tag_blocks(tag, frame.nodes), tag)


def _close_details(frame: _Frame) -> list[Node]:
    is_open = True if frame.tag and frame.tag.arguments.lower() == "open" else None
    return [nodes.block("expandable", frame.nodes, title=frame.title or [], open=is_open)]


def _close_if(frame: _Frame) -> list[Node]:
    """Return one `if` block for each branch, its condition complete in itself."""
    frame.branches[-1][1].extend(frame.nodes)
    return [blocks.condition(expression, inside) for expression, inside in frame.branches]


def _close_item(frame: _Frame) -> list[Node]:
    return [nodes.block("list-item", frame.nodes, checked=frame.checked)]


def _close_list(frame: _Frame) -> list[Node]:
    if frame.kind == "ordered_list_open":
        return [nodes.block("list-ordered", frame.nodes, start=frame.start if frame.start != 1 else None)]
    tasks = any("checked" in item["data"] for item in frame.nodes)
    return [nodes.block("list-tasks" if tasks else "list-unordered", frame.nodes)]


_FRONT_MATTER = re.compile(r"---[ \t]*\n(?=[A-Za-z_][\w-]*[ \t]*:)")
_FRONT_MATTER_END = re.compile(r"^---[ \t]*$\n?", re.MULTILINE)


def to_document(source: str) -> Node:
    """Return the document a body of Markdown stands for; raises OverBudget where that has too many parts."""
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
    """Return the lines, from 0, of each block of a body, up to the next block's."""
    text = plain_lines(source)
    body = split_front_matter(text)[1]
    above = text.count("\n", 0, len(text) - len(body))
    starts = [above + lines.start for lines in build(*block_tokens(body))[1]]
    ends = [*starts[1:], text.count("\n") + 1]
    return [range(start, max(end, start + 1)) for start, end in zip(starts, ends, strict=True)]


def plain_lines(source: str) -> str:
    """Return the text with `\\n` as its only line end and without NUL."""
    return source.replace("\r\n", "\n").replace("\r", "\n").replace("\0", "\ufffd")


def split_front_matter(source: str) -> tuple[str, str]:
    """Return the YAML between `---` lines at the very beginning, and the rest."""
    begin = _FRONT_MATTER.match(source)
    end = _FRONT_MATTER_END.search(source, begin.end()) if begin else None
    if begin is None or end is None:
        return "", source
    return source[begin.end() : end.start()], source[end.end() :]


def block_tokens(source: str) -> tuple[list[Token], dict[str, object]]:
    """Return the block tokens of a source, tags paired, with the environment its inlines are read in."""
    env: dict[str, object] = {"ends": EndTags(source)}
    tokens: list[Token] = []
    md = markdown()
    md.block.parse(source, md, env, tokens)
    return tag_pairing.pair_block_tags(tokens, lambda tag: source[tag.start : tag.end]), env
