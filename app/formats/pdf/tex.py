"""TeX mathematics to a tree the template can set: fractions, roots, indices, matrices, symbols.

`formula` gives a tree of lists, the first of each its kind, or None where anything is not understood; then
the source is printed as it is. The tree holds characters and structure only, so no formula is ever evaluated.
"""

from __future__ import annotations

import re
from typing import Any

from app.formats.pdf import tex_symbols as names

Tree = list[Any]
LONGEST = 4000
DEEPEST = 12
_TOKEN = re.compile(r"\\(?:[A-Za-z]+\*?|.)|\s+|[0-9]+(?:[.,][0-9]+)*|.", re.DOTALL)
_ARROWS = {"xrightarrow": "→", "xleftarrow": "←"}
_ENDS = ("}", "&", "\\\\", "\\end", "\\right")


class _NotUnderstood(Exception):
    """Something in the formula is not understood."""


def formula(source: str) -> Tree | None:
    """Return the tree of a formula, or None if it is not understood as a whole."""
    if len(source) > LONGEST:
        return None
    try:
        reader = _TexReader(_TOKEN.findall(source))
        rows = reader.rows(("",))
    except _NotUnderstood:
        return None
    return _joined(rows)


def _joined(rows: list[list[Tree]]) -> Tree:
    """Join rows of aligned cells to one row with alignment points and line ends."""
    made: Tree = ["row"]
    for number, row in enumerate(rows):
        if number:
            made.append(["line"])
        for index, cell in enumerate(row):
            made += [["align"], cell] if index else [cell]
    return made


class _TexReader:
    def __init__(self, tokens: list[str]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0

    def peek(self) -> str:
        """Return the next token that is not white space, or nothing at the end."""
        while self.at < len(self.tokens) and self.tokens[self.at].isspace():
            self.at += 1
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self) -> str:
        """Return the next token, passed."""
        token = self.peek()
        self.at += 1
        return token

    def expect(self, token: str) -> None:
        """Pass this token."""
        if self.take() != token:
            raise _NotUnderstood

    def rows(self, ends: tuple[str, ...]) -> list[list[Tree]]:
        """Parse cells between `&` and `\\\\` up to one of the ends, which is passed."""
        rows: list[list[Tree]] = [[]]
        while True:
            rows[-1].append(self.row())
            token = self.take()
            if token in ends:
                break
            if token == "\\\\":
                self._skip_brackets()
                rows.append([])
            elif token != "&":
                raise _NotUnderstood
        return rows if len(rows) == 1 or rows[-1] != [["row"]] else rows[:-1]

    def row(self) -> Tree:
        """Parse everything up to what ends a row."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise _NotUnderstood
        made: Tree = ["row"]
        while (token := self.peek()) and token not in _ENDS:
            made.append(self._indexed())
        self.depth -= 1
        return made

    def _indexed(self) -> Tree:
        """Return one thing with what stands below and above it."""
        base = ["row"] if self.peek() in ("_", "^") else self._one()
        below = above = None
        while (token := self.peek()) in ("_", "^", "'", "\\limits", "\\nolimits"):
            self.at += 1
            if token == "'":
                above = ["row", *(above[1:] if above else []), ["sym", "′"]]
            elif token == "_" and below is None:
                below = self.argument()
            elif token == "^":
                above = ["row", *(above[1:] if above else []), self.argument()]
            elif token == "_":
                raise _NotUnderstood
        return base if below is None and above is None else ["attach", base, below, above]

    def argument(self) -> Tree:
        """Return a group in braces, or a single thing."""
        if self.peek() == "{":
            return self._group()
        token = self.peek()
        if token.isdigit() and len(token) > 1:
            self.tokens[self.at : self.at + 1] = [token[0], token[1:]]
        return self._one()

    def _group(self) -> Tree:
        self.expect("{")
        made = self.row()
        self.expect("}")
        return made

    def _one(self) -> Tree:
        token = self.peek()
        if token == "{":
            return self._group()
        self.at += 1
        if token.startswith("\\"):
            return self._command(token[1:])
        if token == "" or token in ("}", "^", "_", "&", "#", "$", "%"):
            raise _NotUnderstood
        if token == "~":
            return ["space", 0.25]
        return ["num", token] if token[0].isdigit() else ["sym", _written(token)]

    def _command(self, name: str) -> Tree:
        self.depth += 1
        if self.depth > DEEPEST:
            raise _NotUnderstood
        made = self._made(name)
        self.depth -= 1
        return made

    def _made(self, name: str) -> Tree:
        if name in names.SYMBOLS:
            return ["sym", names.SYMBOLS[name]]
        if name in names.NOTHING:
            return ["row"]
        if name in names.SPACES:
            return ["space", names.SPACES[name]]
        if name in names.OPERATORS or name in names.LIMITS:
            return ["op", name, name in names.LIMITS]
        if name in names.TEXTS:
            return self._text(name)
        if name in names.LINES:
            return ["over", names.LINES[name], self.argument()]
        if name in names.ACCENTS:
            return ["accent", names.ACCENTS[name], self.argument()]
        if name in names.VARIANTS:
            return ["variant", names.VARIANTS[name], self.argument()]
        return self._structure(name)

    def _structure(self, name: str) -> Tree:
        match name:
            case "frac" | "dfrac" | "tfrac" | "cfrac":
                return ["frac", self.argument(), self.argument()]
            case "binom" | "dbinom":
                return ["binom", self.argument(), self.argument()]
            case "sqrt":
                degree = self._bracketed()
                return ["root", self.argument(), degree]
            case "left":
                return self._fenced()
            case "begin":
                return self._environment(self._word())
            case "overset" | "stackrel":
                above = self.argument()
                return ["stack", self.argument(), None, above]
            case "underset":
                below = self.argument()
                return ["stack", self.argument(), below, None]
            case "xrightarrow" | "xleftarrow":
                return ["stack", ["sym", _ARROWS[name]], None, self.argument()]
            case "tag":
                return ["row", ["space", 2], ["text", f"({self._word()})", ""]]
            case "not":
                return ["sym", self._negated()]
        raise _NotUnderstood

    def _negated(self) -> str:
        base = self._one()
        if base[0] != "sym":
            raise _NotUnderstood
        return {"=": "≠", "∈": "∉", "≡": "≢", "⊂": "⊄", "∼": "≁"}.get(base[1]) or f"{base[1]}\u0338"

    def _text(self, name: str) -> Tree:
        """Words between braces, white space kept; of formulas only `\\mathrm` may hold any."""
        begin = self.at
        content = self._word()
        if name == "operatorname":
            return ["op", "".join(content.split()), False]
        if not any(sign in content for sign in "\\${}_^"):
            return ["text", content, {"textbf": "bold", "textit": "italic", "texttt": "mono"}.get(name, "")]
        if name != "mathrm":
            raise _NotUnderstood
        self.at = begin
        return ["variant", "upright", self.argument()]

    def _word(self) -> str:
        """Return the source between the next pair of braces."""
        self.expect("{")
        begin, level = self.at, 1
        while level and self.at < len(self.tokens):
            level += {"{": 1, "}": -1}.get(self.tokens[self.at], 0)
            self.at += 1
        if level:
            raise _NotUnderstood
        return "".join(self.tokens[begin : self.at - 1])

    def _bracketed(self) -> Tree | None:
        """Return an optional argument in square brackets."""
        if self.peek() != "[":
            return None
        self.at += 1
        made: Tree = ["row"]
        while self.peek() != "]":
            if not self.peek() or self.peek() in _ENDS:
                raise _NotUnderstood
            made.append(self._indexed())
        self.at += 1
        return made

    def _skip_brackets(self) -> None:
        """Pass the extra space a line end may ask for."""
        if self.at < len(self.tokens) and self.tokens[self.at] == "[":
            self._bracketed()

    def _fenced(self) -> Tree:
        before = self._fence()
        inside = self.row()
        self.expect("\\right")
        return ["fenced", before, inside, self._fence()]

    def _fence(self) -> str:
        token = self.take()
        if token == ".":
            return ""
        fence = names.SYMBOLS.get(token[1:], "") if token.startswith("\\") else token
        if len(fence) != 1 or fence.isalnum():
            raise _NotUnderstood
        return fence

    def _environment(self, name: str) -> Tree:
        if name == "array":
            self._word()
        rows = self.rows(("\\end",))
        if self._word() != name:
            raise _NotUnderstood
        if name in names.FENCES:
            before, after = names.FENCES[name]
            return ["matrix", before, after, rows]
        if name in names.ALIGNED:
            return _joined(rows)
        raise _NotUnderstood


def _written(sign: str) -> str:
    return {"-": "−", "*": "∗"}.get(sign, sign)
