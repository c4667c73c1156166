"""Formulas as MathML, which browsers set by themselves; what is not understood is shown as its source."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from app.formats.pdf import tex
from app.site_reader.rendering.markup import NOTHING, Html, el, joined, text

_CASED = {
    "bb": (0x1D538, 0x1D552), "frak": (0x1D504, 0x1D51E), "cal": (0x1D49C, 0x1D4B6),
    "bold": (0x1D400, 0x1D41A), "strong": (0x1D400, 0x1D41A), "sans": (0x1D5A0, 0x1D5BA),
    "mono": (0x1D670, 0x1D68A),
}  # fmt: skip
# Letters that had their styled forms before the blocks above were made.
_GREEK = {"bold": (0x1D71C, 0x1D736), "strong": (0x1D6A8, 0x1D6C2)}  # the first lean, as in any formula
_EARLIER = {
    "bb": dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True)),
    "frak": dict(zip("CHIRZ", "ℭℌℑℜℨ", strict=True)),
    "cal": dict(zip("BEFHILMRego", "ℬℰℱℋℐℒℳℛℯℊℴ", strict=True)),
}
# Accents as signs of their own, which browsers set in the middle over what they belong to.
_ACCENTS = {
    "\u0300": "`", "\u0301": "´", "\u0302": "ˆ", "\u0303": "˜", "\u0304": "¯", "\u0306": "˘",
    "\u0307": "˙", "\u0308": "¨", "\u030a": "˚", "\u030c": "ˇ", "\u20d7": "→", "\u20d6": "←",
    "\u20db": "⋯",
}  # fmt: skip
_STRETCHED = {"overline": "¯", "underline": "_", "overbrace": "⏞", "underbrace": "⏟"}


@lru_cache(maxsize=500)
def formula(source: str, *, block: bool) -> Html:
    """Render a formula, in a line or in the middle of a line of its own."""
    tree = tex.formula(source)
    if tree is None:
        shown = el("code", {"class": "tex"}, text(source))
        return el("div", {"class": "math", "tabindex": 0}, shown) if block else shown
    said = {"display": "block" if block else None, "alttext": source}
    made = el("math", said, _lines(tree))
    return el("div", {"class": "math", "tabindex": 0}, made) if block else made


def _lines(tree: list[Any]) -> Html:
    """Render a formula, as a table where it is more than one line or is aligned."""
    if not any(part[0] in ("line", "align") for part in tree[1:] if isinstance(part, list)):
        return _set(tree, "")
    rows: list[list[list[Any]]] = [[["row"]]]
    for part in tree[1:]:
        if part[0] == "line":
            rows.append([["row"]])
        elif part[0] == "align":
            rows[-1].append(["row"])
        else:
            rows[-1][-1].append(part)
    return _grid(rows, "aligned")


def _grid(rows: list[list[Any]], kind: str = "") -> Html:
    made = (el("mtr", None, *(el("mtd", None, _set(cell, "")) for cell in row)) for row in rows)
    return el("mtable", {"class": kind or None, "displaystyle": "true" if kind else None}, *made)


def _set(tree: Any, variant: str) -> Html:
    match tree:
        case None:
            return el("mrow")
        case ["row", only]:
            return _set(only, variant)
        case ["row", *parts] if any(part[0] in ("line", "align") for part in parts):
            return _lines(tree)
        case ["row", *parts]:
            return el("mrow", None, *(_set(part, variant) for part in parts))
        case ["num", number]:
            return el("mn", None, text(_styled(number, variant)))
        case ["sym", sign]:
            return _sign(sign, variant)
        case ["text", words, kind]:
            return el("mtext", None, text(_styled(words, variant or kind).replace(" ", "\u00a0")))
        case ["op", name, _]:
            return joined([el("mi", None, text(name)), el("mo", None, text("\u2061"))])
        case ["space", width]:
            return el("mspace", {"width": f"{max(width, 0)}em"})
        case ["variant", kind, inside]:
            is_heavier = variant in ("bold", "strong") and kind not in _CASED
            return _set(inside, variant if is_heavier else kind)
        case ["frac", above, below]:
            return el("mfrac", None, _one(above, variant), _one(below, variant))
        case ["binom", above, below]:
            stacked = el("mfrac", {"linethickness": 0}, _one(above, variant), _one(below, variant))
            return el("mrow", None, _fence("("), stacked, _fence(")"))
        case ["root", inside, None]:
            return el("msqrt", None, _one(inside, variant))
        case ["root", inside, degree]:
            return el("mroot", None, _one(inside, variant), _one(degree, variant))
        case ["attach", base, below, above]:
            return _attached(base, below, above, variant)
        case ["stack", base, below, above]:
            return _scripts("under", base, below, above, variant)
        case ["over", kind, inside]:
            name = "munder" if kind.startswith("under") else "mover"
            return el(
                name, None, _one(inside, variant), el("mo", {"stretchy": "true"}, text(_STRETCHED[kind]))
            )
        case ["accent", sign, inside]:
            wide = {"stretchy": "false", "lspace": 0, "rspace": 0}
            shown = el("mo", wide, text(_ACCENTS.get(sign, sign)))
            return el("mover", {"accent": "true"}, _one(inside, variant), shown)
        case ["fenced", before, inside, after]:
            return el("mrow", None, _fence(before), _set(inside, variant), _fence(after))
        case ["matrix", before, after, rows]:
            return el("mrow", None, _fence(before), _grid(rows), _fence(after))
    return NOTHING


def _one(tree: Any, variant: str) -> Html:
    return el("mrow", None, _set(tree, variant))


def _attached(base: Any, below: Any, above: Any, variant: str) -> Html:
    """Render indices; those of sums and limits stand under and over them."""
    match base:
        case ["op", _, stacked]:
            pass
        case ["sym", sign]:
            stacked = sign in "∑∏∐⋃⋂⨁⨂⋁⋀"
        case _:
            stacked = base[0] == "over"
    return _scripts("under" if stacked else "sub", base, below, above, variant)


def _scripts(kind: str, base: Any, below: Any, above: Any, variant: str) -> Html:
    names = {"under": ("munder", "mover", "munderover"), "sub": ("msub", "msup", "msubsup")}[kind]
    parts = [_one(part, variant) for part in (base, below, above) if part is not None]
    if below is None and above is None:
        return parts[0]
    return el(names[2] if len(parts) == 3 else names[0] if above is None else names[1], None, *parts)


def _sign(sign: str, variant: str) -> Html:
    if sign.isalpha() and sign not in "∂":
        upright = {"mathvariant": "normal"} if variant in ("upright",) and len(sign) == 1 else None
        return el("mi", upright, text(_styled(sign, variant)))
    is_fence = sign in "()[]{}|‖⟨⟩"
    return el("mo", {"stretchy": "false"} if is_fence else None, text(sign))


def _fence(sign: str) -> Html:
    return el("mo", {"stretchy": "true", "fence": "true"}, text(sign)) if sign else NOTHING


def _styled(letters: str, variant: str) -> str:
    """Return letters in the form that mathematics has for them."""
    if variant not in _CASED:
        return letters
    upper, lower = _CASED[variant]
    earlier, greek = _EARLIER.get(variant, {}), _GREEK.get(variant)

    def one(letter: str) -> str:
        if letter in earlier:
            return earlier[letter]
        if greek and ("Α" <= letter <= "Ω" or "α" <= letter <= "ω"):
            first, place = ("Α", greek[0]) if letter <= "Ω" else ("α", greek[1])
            return chr(place + ord(letter) - ord(first))
        if "A" <= letter <= "Z":
            return chr(upper + ord(letter) - 65)
        return chr(lower + ord(letter) - 97) if "a" <= letter <= "z" else letter

    return "".join(map(one, letters))
