"""Code by its language: words, texts, numbers and remarks get a class, and the stylesheet its colours.

The rules of a language are somebody else's patterns, and of the hundreds that the library has some take
minutes for lines made to that end. So the list is closed: these were tried with such, the rest is plain; and
of what still takes long, whatever the reason, one block of a page is the most.
"""

from __future__ import annotations

import re
from functools import lru_cache
from time import thread_time
from typing import Any

from app.kit.deadlines import leave_loop
from app.site_reader.rendering.markup import Html, el, joined, text

MOST = 10_000  # characters of one block that are read by a language's rules
LONGEST_LINE = 2_000
PATIENCE = 0.25  # seconds of a processor; what takes longer is the last block of its page to be tried
_NAME = re.compile(r"[A-Za-z0-9_+#.-]{1,40}")
_SAME = {
    "plaintext": "text", "txt": "text", "c++": "cpp", "golang": "go", "yml": "yaml", "jsonc": "json",
    "vue": "html", "proto": "protobuf",
}  # fmt: skip
_NAMES = """
    javascript typescript jsx tsx python pycon html xml css scss sass less json json5 jsonld yaml toml
    bash console fish powershell batch sql mysql postgresql psql plpgsql sqlite3 go rust java kotlin
    swift c cpp csharp vb.net fsharp php ruby perl lua splus scala groovy haskell elixir erlang clojure
    ocaml dart julia matlab nimrod zig cr d objective-c graphql docker nginx apacheconf ini properties
    diff markdown restructuredtext tex make cmake http protobuf thrift terraform django html+django twig
    handlebars html+handlebars liquid erb html+php vue solidity gas nasm llvm wast awk sed vim tcl
    scheme common-lisp racket emacs-lisp prolog fortran cobol delphi ada coffeescript pug haml cypher
    sparql kql promql puppet nixos meson systemverilog verilog vhdl gdscript glsl hlsl cuda qml abnf
    ebnf bnf antlr rego jsonnet applescript actionscript smalltalk robotframework
"""
_TRIED = frozenset(_NAMES.split())
# The first of these that a token's type is part of gives its class; the longer names come first.
_CLASSES = {
    "Comment.Preproc": "p", "Comment": "c", "Keyword": "k", "Operator.Word": "k", "Name.Tag": "k",
    "Name.Builtin": "b", "Name.Function": "f", "Name.Class": "f", "Name.Decorator": "f",
    "Name.Attribute": "a", "Name.Variable": "v", "Name.Constant": "v", "Literal.String": "s",
    "Literal.Number": "n", "Generic.Deleted": "d", "Generic.Inserted": "s", "Generic.Heading": "k",
    "Generic.Subheading": "k", "Generic.Prompt": "c", "Generic.Output": "c",
}  # fmt: skip


def lines(content: list[str], syntax: str, room: int) -> tuple[list[Html], int]:
    """Highlight the lines of a block of code; also returns how many characters that took."""
    size = sum(map(len, content)) + len(content)
    name = syntax.lower().strip()
    plain = size > min(MOST, room) or max(map(len, content), default=0) > LONGEST_LINE
    if plain or not name or _NAME.fullmatch(name) is None:
        return [text(line) for line in content], 0
    made = _highlighted("\n".join(content), _SAME.get(name, name))
    if made and len(made) == len(content):
        return list(made), size
    return [text(line) for line in content], room if made == () else 0


@lru_cache(maxsize=512)
def _highlighted(content: str, name: str) -> tuple[Html, ...] | None:
    """Mark the tokens of lines; returns None for an unknown language, () where it takes too long."""
    lexer = _lexer(name)
    if lexer is None:
        return None
    made: list[Html] = []
    line: list[Html] = []
    held, pending = "", ""

    def flush() -> None:
        if pending:
            shown = text(pending)
            line.append(el("i", {"class": held}, shown) if held and not pending.isspace() else shown)

    until = thread_time() + PATIENCE
    for _, token, value in lexer.get_tokens_unprocessed(f"{content}\n"):  # some rules want whole lines
        if thread_time() > until:
            return ()
        kind = _class(token)
        for number, part in enumerate(value.split("\n")):
            if number:
                flush()
                made.append(joined(line))
                line, pending = [], ""
            if kind != held:
                flush()
                pending, held = "", kind
            pending += part
    flush()
    last = [joined(line)] if line else []
    return (*made, *last)


@lru_cache(maxsize=100)
def _lexer(name: str) -> Any | None:
    leave_loop()
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        found = get_lexer_by_name(name)
    except ClassNotFound:
        return None
    return found if found.aliases[0] in _TRIED else None


@lru_cache(maxsize=500)
def _class(token: Any) -> str:
    while token:
        found = _CLASSES.get(".".join(token))
        if found:
            return found
        token = token.parent
    return ""
