"""The Markdown grammar of the dialect: CommonMark, tables, strikethrough, footnotes, math and our own rules.

Two readers share the inline rules: `markdown()` for bodies, `html_text()` for what stands inside HTML
table cells and captions, where only tags, entities and the dialect's own inlines mean something.
"""

from __future__ import annotations

import html
import re
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.common.html_re import HTML_OPEN_CLOSE_TAG_RE
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.backticks import backtick
from markdown_it.token import Token
from mdit_py_plugins.footnote import footnote_plugin

from app.formats.markdown import escapes, html_syntax, tags
from app.formats.markdown.bounded_parsers import blocks, closable, inlines
from app.formats.markdown.tags import ends

MAX_NESTING = 60
LONGEST_FORMULA = 2000
_EXPRESSION = re.compile(r"<code\s+class=(?:\"expression\"|'expression')\s*>", re.IGNORECASE)


@cache
def markdown() -> MarkdownIt:
    """Return the reader of bodies."""
    md = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING, "html": True})
    md.enable(["table", "strikethrough"])
    md.block = blocks(md.block)
    footnote_plugin(md, inline=False, move_to_end=False)
    everywhere = {"alt": ["paragraph", "reference", "blockquote", "list", "footnote_def"]}
    md.block.ruler.before("table", "block_tag", tags.block_tag, everywhere)  # type: ignore[arg-type]
    md.block.ruler.before("table", "math_block", math_block, everywhere)  # type: ignore[arg-type]
    md.block.ruler.at("html_block", html_syntax.html_block, everywhere)  # type: ignore[arg-type]
    _own_inline_rules(md)
    return md


@cache
def html_text() -> MarkdownIt:
    """Return the reader of text between HTML tags."""
    md = MarkdownIt("commonmark", {"maxNesting": MAX_NESTING, "html": True})
    footnote_plugin(md, inline=False, move_to_end=False)
    _own_inline_rules(md)
    md.inline.ruler.enableOnly(
        ["text", "html_inline", "entity", "footnote_ref", "expression", "math_inline", "emoji"]
    )
    md.inline.ruler2.enableOnly([])
    return md


def _own_inline_rules(md: MarkdownIt) -> None:
    md.inline = inlines(md.inline)
    for name in ("link", "image"):
        md.inline.ruler.at(name, closable(name))
    md.normalizeLink = lambda url: url  # type: ignore[method-assign]
    md.normalizeLinkText = lambda link: link  # type: ignore[method-assign]
    md.inline.ruler.at("backticks", code_span)
    md.inline.ruler.at("html_inline", html_inline)
    md.inline.ruler.before("html_inline", "expression", expression)
    md.inline.ruler.before("html_inline", "math_inline", math_inline)
    md.inline.ruler.before("html_inline", "emoji", emoji_inline)


def math_block(state: StateBlock, line: int, end_line: int, silent: bool) -> bool:
    """Parse `$$` on a line of its own, a formula, and `$$` again; or `$$ formula $$` alone on a line."""
    start = state.bMarks[line] + state.tShift[line]
    if not state.src.startswith("$$", start) or state.is_code_block(line):
        return False
    last = tags.contained_until(state, line, end_line) - 1
    end = ends(state).after("$$", start + 2)
    if end < 0 or end > state.eMarks[last]:
        return False
    last = tags.line_of(state, end)
    opened_alone = not state.src[start + 2 : state.eMarks[line]].strip()
    if state.src[end + 2 : state.eMarks[last]].strip() or not (opened_alone or last == line):
        return False
    formula = state.getLines(line, last + 1, state.blkIndent, False).strip()[2:-2].strip(" \t\n")
    if not formula or "$$" in formula or "$" in (formula[0], formula[-1]):
        return False
    if not silent:
        token = state.push("math_block", "", 0)
        token.content, token.map = formula, [line, last + 1]
        state.line = last + 1
    return True


def math_inline(state: StateInline, silent: bool) -> bool:
    """Parse `$$formula$$`, or `$formula$` where it cannot be money or a shell variable."""
    if not state.src.startswith("$", state.pos):
        return False
    double = state.src.startswith("$$", state.pos)
    begin = state.pos + (2 if double else 1)
    end = _double_end(state, begin) if double else _single_end(state, begin)
    formula = state.src[begin:end].strip() if end > 0 else ""
    if not formula or "$" in (formula[0], formula[-1]):
        return False
    if not silent:
        _push_inline(state, "math_inline", formula)
    state.pos = end + (2 if double else 1)
    return True


def _double_end(state: StateInline, begin: int) -> int:
    end = ends(state).after("$$", begin)
    return end if 0 < end <= min(state.posMax - 2, begin + LONGEST_FORMULA) else -1


def _single_end(state: StateInline, begin: int) -> int:
    """Return the closing `$`: not behind a space, and nothing like a word or another variable after it."""
    source, limit = state.src, min(state.posMax, begin + LONGEST_FORMULA)
    if begin >= limit or source[begin].isspace() or source[begin].isdigit():
        return -1
    if begin > 1 and (source[begin - 2].isalnum() or source[begin - 2] in "$\\"):
        return -1
    end = source.find("$", begin, limit)
    if end < 0 or source[end - 1].isspace() or source[end - 1] == "\\":
        return -1
    follows = source[end + 1 : end + 2]
    return -1 if follows.isalnum() or (follows and follows in "${_(") else end


def code_span(state: StateInline, silent: bool) -> bool:
    """Return a code span, which notes where it stands."""
    start, known = state.pos, len(state.tokens)
    if not backtick(state, silent):
        return False
    if len(state.tokens) > known and state.tokens[-1].type == "code_inline":
        state.tokens[-1].meta = {"start": start, "end": state.pos}
    return True


def expression(state: StateInline, silent: bool) -> bool:
    """Parse `<code class="expression">…</code>`, whose inside is not Markdown."""
    if state.src[state.pos : state.pos + 2] != "<c":
        return False
    match = _EXPRESSION.match(state.src, state.pos)
    end = ends(state).after("</code>", match.end()) if match else -1
    if match is None or end < 0 or end > state.posMax:
        return False
    if not silent:
        token = _push_inline(state, "expression", html.unescape(state.src[match.end() : end]).strip())
        token.meta = {"start": state.pos, "end": end + len("</code>")}
    state.pos = end + len("</code>")
    return True


def emoji_inline(state: StateInline, silent: bool) -> bool:
    """Parse `:name:` where the name is known."""
    if not state.src.startswith(":", state.pos):
        return False
    match = escapes.SHORTCODE.match(state.src, state.pos, state.posMax)
    if match is None or match.group(1) not in escapes.emoji_codes():
        return False
    if not silent:
        _push_inline(state, "emoji", match.group(1))
    state.pos = match.end()
    return True


def html_inline(state: StateInline, silent: bool) -> bool:
    """Parse tags, and `<!-- -->`, `<? ?>`, `<!X >`, `<![CDATA[ ]]>`, each searched for its end only once."""
    start = state.pos
    if not state.src.startswith("<", start):
        return False
    end = -1
    for opening, closing in (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>"), ("<!", ">")):
        if state.src.startswith(opening, start):
            found = ends(state).after(closing, start + 2)
            end = found + len(closing) if found >= 0 else -1
            break
    else:
        match = HTML_OPEN_CLOSE_TAG_RE.match(state.src[start : start + tags.LONGEST_TAG])
        end = start + match.end() if match else -1
    if end < 0 or end > state.posMax:
        return False
    if not silent:
        _push_inline(state, "html_inline", state.src[start:end])
    state.pos = end
    return True


def _push_inline(state: StateInline, kind: str, content: str) -> Token:
    token = state.push(kind, "", 0)
    token.content = content
    return token
