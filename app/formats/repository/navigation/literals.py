"""The data in a JavaScript or TypeScript file, read without running it.

Rules: objects, lists, texts, numbers, true, false and null are read; a name is what a `const` of the file
gives it, a call of a function of the file is what this returns, and any other call is its first argument
(`defineConfig({…})`). Everything else is UNKNOWN. Nothing raises on any text, and work is bounded.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

MOST_NESTED = 64
MOST_VALUES = 50_000
MOST_TOKENS = 100_000

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?(?:\*/|\Z))
    |(?P<text>"(?:[^"\\\n]|\\.)*+"?|'(?:[^'\\\n]|\\.)*+'?|`(?:[^`\\]|\\.)*+`?)
    |(?P<number>-?(?:0[xX][0-9a-fA-F]+|[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?))
    |(?P<name>[A-Za-z_$][\w$]*)
    |(?P<mark>\.\.\.|=>|[\s\S])""",
    re.VERBOSE | re.DOTALL,
)
_ESCAPE = re.compile(r"\\(u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}
_OPENING, _CLOSING = {"{": "}", "[": "]", "(": ")"}, {"}", "]", ")"}
_STATEMENTS = {"const", "let", "var", "export", "module", "function"}
_WORDS = {"true": True, "false": False, "null": None, "undefined": None}


class NotData:
    """The value of what is no plain data; it is false, so that it is passed over like nothing."""

    def __bool__(self) -> bool:
        return False


UNKNOWN = NotData()


def exported(text: str) -> Any:
    """Return what a module exports: by `export default`, by `module.exports`, or as a file of JSON."""
    return _LiteralReader(text).exported()


class _LiteralReader:
    """Reads tokens one after another; `at` is the next one."""

    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str]] = [
            (found.lastgroup or "", found[0])
            for found in islice(_TOKEN.finditer(text), MOST_TOKENS)
            if found.lastgroup != "space"
        ]
        self._left = MOST_VALUES
        self._names: dict[str, int] = {}
        self._functions: dict[str, int] = {}
        self._exported: int | None = None
        self._note_names()

    def exported(self) -> Any:
        if self._exported is None:
            begins_data = bool(self._tokens) and self._tokens[0][1] in ("{", "[")
            return self._value(0, 0)[0] if begins_data else UNKNOWN
        return self._value(self._exported, 0)[0]

    def _is(self, at: int, *words: str) -> bool:
        return all(at + i < len(self._tokens) and self._tokens[at + i][1] == w for i, w in enumerate(words))

    def _note_names(self) -> None:
        """Note where the values of the file's own names begin, and of what it exports."""
        depth = 0
        for at, (kind, word) in enumerate(self._tokens):
            depth += (word in _OPENING) - (word in _CLOSING) if kind == "mark" else 0
            if depth or kind != "name":
                continue
            if word in ("const", "let", "var") and at + 1 < len(self._tokens):
                if (start := self._assigned(at + 2)) is not None:
                    self._names.setdefault(self._tokens[at + 1][1], start)
            elif word == "function" and at + 1 < len(self._tokens):
                self._functions.setdefault(self._tokens[at + 1][1], at + 2)
            elif word == "export" and self._is(at + 1, "default"):
                self._exported = at + 2
            elif word == "module" and self._is(at + 1, ".", "exports", "="):
                self._exported = at + 4

    def _assigned(self, at: int) -> int | None:
        """Return where the value begins that a declaration gives, after the type that it may name."""
        depth = 0
        while at < len(self._tokens):
            word = self._tokens[at][1]
            if word == "=" and not depth:
                return at + 1
            if word == ";" and not depth:
                return None
            depth += (word in _OPENING) - (word in _CLOSING)
            if depth < 0:
                return None
            at += 1
        return None

    def _value(self, at: int, depth: int) -> tuple[Any, int]:
        """Return the value that begins at a token, and the token after the expression."""
        self._left -= 1
        if depth > MOST_NESTED or self._left < 0 or at >= len(self._tokens):
            return UNKNOWN, self._after(at)
        kind, word = self._tokens[at]
        found: Any
        if word == "{" and kind == "mark":
            found, end = self._object(at + 1, depth)
        elif word == "[" and kind == "mark":
            found, end = self._list(at + 1, depth)
        elif kind == "text":
            found, end = _text(word), at + 1
        elif kind == "number":
            found, end = _number(word), at + 1
        elif kind == "name":
            found, end = self._named(at, depth)
        elif word == "(":
            found, end = self._value(at + 1, depth + 1)
            end = self._closed(at)
            if self._is(end, "=>"):
                found, end = self._value(end + 1, depth + 1)
        else:
            found, end = UNKNOWN, at + 1
        return self._whole(found, end)

    def _whole(self, found: Any, at: int) -> tuple[Any, int]:
        """Return a value as it is where nothing follows it but a type, else UNKNOWN."""
        if self._is(at, "as") or self._is(at, "satisfies"):
            return found, self._after(at)
        end = self._after(at)
        return (found if end == at else UNKNOWN), end

    def _after(self, at: int) -> int:
        """Return the token at which an expression ends that is being read."""
        depth = 0
        while at < len(self._tokens):
            kind, word = self._tokens[at]
            if kind == "mark" and not depth and (word in (",", ";") or word in _CLOSING):
                return at
            if kind == "name" and not depth and word in _STATEMENTS:
                return at
            depth += (word in _OPENING) - (word in _CLOSING) if kind == "mark" else 0
            at += 1
        return at

    def _closed(self, at: int) -> int:
        """Return the token after the bracket that closes the one at a token."""
        depth = 0
        while at < len(self._tokens):
            kind, word = self._tokens[at]
            depth += (word in _OPENING) - (word in _CLOSING) if kind == "mark" else 0
            at += 1
            if not depth:
                break
        return at

    def _list(self, at: int, depth: int) -> tuple[list[Any], int]:
        items: list[Any] = []
        while at < len(self._tokens) and not self._is(at, "]"):
            if self._is(at, ","):
                at += 1
                continue
            is_spread = self._is(at, "...")
            before = at
            found, at = self._value(at + is_spread, depth + 1)
            if is_spread:
                items += found if isinstance(found, list) else [UNKNOWN]
            else:
                items.append(found)
            if at == before or self._is(at, ")") or self._is(at, "}"):
                break
        return items, at + 1

    def _object(self, at: int, depth: int) -> tuple[dict[str, Any], int]:
        made: dict[str, Any] = {}
        while at < len(self._tokens) and not self._is(at, "}"):
            kind, word = self._tokens[at]
            if word == ",":
                at += 1
                continue
            before = at
            if word == "...":
                found, at = self._value(at + 1, depth + 1)
                made |= found if isinstance(found, dict) else {}
            elif kind in ("name", "text", "number") and self._is(at + 1, ":"):
                made[_text(word) if kind == "text" else word], at = self._value(at + 2, depth + 1)
            elif kind == "name" and (self._is(at + 1, ",") or self._is(at + 1, "}")):
                made[word], at = self._value(at, depth + 1)
            elif kind == "name" and self._is(at + 1, "("):  # a method
                at = self._closed(self._closed(at + 1))
            else:
                at = self._after(at)
            if at == before or self._is(at, ")") or self._is(at, "]"):
                break
        return made, at + 1

    def _named(self, at: int, depth: int) -> tuple[Any, int]:
        word = self._tokens[at][1]
        if word in _WORDS:
            return _WORDS[word], at + 1
        if self._is(at + 1, "("):
            end = self._closed(at + 1)
            if word == "require":
                return UNKNOWN, end
            if word in self._functions:
                return self._returned(self._functions[word], depth), end
            if word in self._names:
                return self._value(self._names[word], depth + 1)[0], end
            return self._value(at + 2, depth + 1)[0], end
        if self._is(at + 1, "=>"):
            return self._value(at + 2, depth + 1)
        if word in self._names:
            return self._value(self._names[word], depth + 1)[0], at + 1
        return UNKNOWN, at + 1

    def _returned(self, at: int, depth: int) -> Any:
        """Return what a function returns whose parameters begin at a token."""
        while at < len(self._tokens) and not self._is(at, "("):
            at += 1
        at = self._closed(at)
        while at < len(self._tokens) and not self._is(at, "{"):
            at += 1
        end = self._closed(at)
        level = 0
        for inner in range(at, end):
            kind, word = self._tokens[inner]
            level += (word in _OPENING) - (word in _CLOSING) if kind == "mark" else 0
            if kind == "name" and word == "return" and level == 1:
                return self._value(inner + 1, depth + 1)[0]
        return UNKNOWN


def _text(written: str) -> Any:
    inner = written[1:-1]
    if written[0] == "`" and "${" in inner:
        return UNKNOWN
    return _ESCAPE.sub(_unescaped, inner) if "\\" in inner else inner


def _unescaped(found: re.Match[str]) -> str:
    said = found[1]
    if said[0] in "ux" and len(said) > 1:
        code = int(said.strip("ux{}"), 16)
        return chr(code) if code < 0xD800 or 0xDFFF < code <= 0x10FFFF else "�"
    return _ESCAPED.get(said, said)


def _number(written: str) -> int | float:
    if written.lower().lstrip("-").startswith("0x"):
        return int(written, 16)
    if len(written) > 32:
        return 0
    return float(written) if set(".eE") & set(written) else int(written)
