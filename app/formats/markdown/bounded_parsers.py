"""Block and inline parsing with bounds: what is nested too deep stays text, brackets are searched for once.

Emphasis is found as CommonMark amended for CJK finds it (`flanking`).
"""

from __future__ import annotations

from collections.abc import Callable

from markdown_it import MarkdownIt, rules_inline
from markdown_it.parser_block import ParserBlock
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Scanned
from markdown_it.token import Token
from markdown_it.utils import EnvType

from app.formats.markdown import tags
from app.formats.markdown.flanking import flanking, is_cjk, is_sign
from app.kit.deadlines import check

DEEPEST_INLINE = 20
"""Inlines nested deeper are text, as in every CommonMark preset of the library."""

InlineRule = Callable[[StateInline, bool], bool]


class BoundedBlocks(ParserBlock):
    """Block parsing that turns what is nested too deep into a paragraph instead of dropping it."""

    def tokenize(self, state: StateBlock, startLine: int, endLine: int) -> None:
        """Read the lines of one container."""
        line, empty_lines = startLine, False
        while line < endLine:
            check()
            state.line = line = state.skipEmptyLines(line)
            if line >= endLine or state.sCount[line] < state.blkIndent:
                break
            if state.level >= state.md.options.maxNesting:
                _as_paragraph(state, line, tags.contained_until(state, line, endLine))
                break
            begin = state.bMarks[line]
            for rule in self.ruler.getRules(""):
                if rule(state, line, endLine, False):
                    break
            if state.line == line and state.bMarks[line] > begin:
                continue  # a tag was read; the rest of its line comes next
            state.tight = not empty_lines
            line = state.line
            if line - 1 < endLine and state.isEmpty(line - 1):
                empty_lines = True
            if line < endLine and state.isEmpty(line):
                empty_lines = True
                line += 1
                state.line = line


class _InlineState(StateInline):
    """The state of reading a leaf in which emphasis may stand beside the punctuation of CJK."""

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:
        """Return how long a run of signs is, and whether it may open and close."""
        found = super().scanDelims(start, canSplitWord)
        end = start + found.length
        before = self.src[start - 1] if start else " "
        after = self.src[end] if end < self.posMax else " "
        if not is_cjk(before) and not is_cjk(after):
            return found
        left, right = flanking(before, after)
        opens = left and (canSplitWord or not right or is_sign(before))
        closes = right and (canSplitWord or not left or is_sign(after))
        return Scanned(opens, closes, found.length)


class BoundedInlines(ParserInline):
    """Inline parsing with a depth of its own."""

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """Append the tokens of a leaf."""
        state = _InlineState(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens

    def skipToken(self, state: StateInline) -> None:
        """Go to the end of the token that begins here, without making one."""
        begin = state.pos
        if begin in state.cache:
            state.pos = state.cache[begin]
            return
        found = False
        if state.level < DEEPEST_INLINE:
            state.level += 1
            found = any(rule(state, True) for rule in self.ruler.getRules(""))
            state.level -= 1
        else:
            state.pos = state.posMax
        if not found:
            state.pos += 1
        state.cache[begin] = state.pos

    def tokenize(self, state: StateInline) -> None:
        """Make the tokens of a range."""
        rules = self.ruler.getRules("") if state.level < DEEPEST_INLINE else ()
        end = state.posMax
        while state.pos < end:
            check()
            for rule in rules:
                if rule(state, False):
                    break
            else:
                state.append_pending(state.src[state.pos])
                state.pos += 1
        if state.pending:
            state.pushPending()


def blocks(standard: ParserBlock) -> ParserBlock:
    """Parse blocks by the rules of another parser, with bounds."""
    made = BoundedBlocks()
    made.ruler = standard.ruler
    return made


def inlines(standard: ParserInline) -> ParserInline:
    """Parse inlines by the rules of another parser, with bounds."""
    made = BoundedInlines()
    made.ruler, made.ruler2 = standard.ruler, standard.ruler2
    return made


def closable(name: str) -> InlineRule:
    """Return the library's rule for a link or an image,
    which is not tried where no bracket closes any more.
    """
    rule: InlineRule = getattr(rules_inline, name)
    sign = {"link": "[", "image": "!"}[name]

    def bounded(state: StateInline, silent: bool) -> bool:
        if state.src[state.pos] != sign or tags.ends(state).after("]", state.pos) < 0:
            return False
        return rule(state, silent)

    return bounded


def _as_paragraph(state: StateBlock, line: int, end: int) -> None:
    state.push("paragraph_open", "p", 1)
    token = state.push("inline", "", 0)
    token.content = state.getLines(line, end, state.blkIndent, False).strip(" \t\n")
    token.map = [line, end]
    token.children = []
    state.push("paragraph_close", "p", -1)
    state.line = end
