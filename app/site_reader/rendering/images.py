"""Pictures: with their words, their size, and another for dark pages where there is one."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

from app.formats.markdown import escapes
from app.formats.markdown.html_syntax import length
from app.formats.markdown.nodes import Node
from app.formats.markdown.safe_html import followed
from app.site_reader.rendering.markup import NOTHING, Html, el, joined, text, void, words
from app.site_reader.rendering.render_context import PageContext

_FIRST = 2  # pictures at the top of a page that are loaded at once


def picture(data: Node, ctx: PageContext, *, size: str = "") -> Html:
    """Render a picture, or its words where it cannot be shown."""
    source = _url(data, "ref")
    target = ctx.target(source)
    label = str(data.get("alt") or "")
    if target.href is None or target.href.startswith("#") or target.kind == "page":
        named = words(label or data.get("title") or source.rpartition("/")[2] or "Picture")
        return el("span", {"class": "no-picture"}, text(named))
    given: dict[str, Any] = {
        "alt": label,
        "title": data.get("title"),
        "width": _length(data.get("width")),
        "height": _length(data.get("height")),
        "class": size or None,
    }
    if given["width"] is None and given["height"] is None and target.width and target.height and not size:
        given |= {"width": target.width, "height": target.height}
    ctx.page.pictures += 1
    given |= {"loading": "lazy" if ctx.page.pictures > _FIRST else None, "decoding": "async"}
    dark = ctx.target(_url(data, "refDark")) if data.get("refDark") else None
    if dark is None or dark.href is None or dark.href == target.href:
        return void("img", {"src": followed(target.href), **given})
    light_class, dark_class = (" ".join(filter(None, (size, name))) for name in ("on-light", "on-dark"))
    return joined(
        [
            void("img", {"src": followed(target.href), **given, "class": light_class, "loading": "lazy"}),
            void("img", {"src": followed(dark.href), **given, "class": dark_class, "loading": "lazy"}),
        ]
    )


def _url(data: Node, name: str) -> str:
    reference = data.get(name)
    return str(reference.get("url", "")) if isinstance(reference, dict) else ""


def _length(written: object) -> str | None:
    """Return a width or height as an attribute may have it: pixels, or a percentage."""
    found = length(written)
    if found is None:
        return None
    number, is_share = found
    return f"{min(int(number), 100)}%" if is_share else f"{int(number)}"


@cache
def _paths() -> dict[str, str]:
    """Read each icon's path by its names; a line is a name and its path, or `=` and whose path it shares."""
    lines = (files("app.site_reader") / "static" / "icons.txt").read_text().splitlines()
    found = dict(line.split(" ", 1) for line in lines)
    return {name: found.get(path[1:], "") if path[0] == "=" else path for name, path in found.items()}


def icon_path(name: str) -> str | None:
    """Return the strokes of the icon of this name; None where there is none."""
    return _paths().get(name.removeprefix("fa-"))


def icon(name: str, size: int = 18) -> Html:
    """Render the icon of this name, if there is one. It only repeats what stands beside it."""
    strokes = icon_path(name)
    if strokes is None:
        return NOTHING
    drawn = el("path", {"d": strokes})
    return el(
        "svg",
        {"class": "i", "width": size, "height": size, "viewBox": "0 0 24 24", "aria-hidden": "true"},
        drawn,
    )


def pictogram(emoji_code: object, icon_name: object) -> Html:
    """Render the emoji or icon of a page, a section or a site; nothing where there is neither."""
    if isinstance(emoji_code, str) and emoji_code:
        shown = escapes.emoji_characters(emoji_code) or emoji_code
        return el("span", {"class": "emoji", "aria-hidden": "true"}, text(shown[:32]))
    return icon(icon_name) or icon("file") if isinstance(icon_name, str) and icon_name else NOTHING
