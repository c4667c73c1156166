"""Small pictures drawn in the page: our own strokes on a grid of 24, named as icon sets commonly do."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from app.formats.dialect import emoji
from app.site_reader.rendering.markup import NOTHING, Html, el, text


@cache
def _paths() -> dict[str, str]:
    """Each icon's path by its names; a line is a name and its path, or `=` and whose path it shares."""
    lines = (files("app.site_reader") / "static" / "icons.txt").read_text().splitlines()
    found = dict(line.split(" ", 1) for line in lines)
    return {name: found.get(path[1:], "") if path[0] == "=" else path for name, path in found.items()}


def path(name: str) -> str | None:
    """The strokes of the icon of this name; None where there is none."""
    return _paths().get(name.removeprefix("fa-"))


def icon(name: str, size: int = 18) -> Html:
    """The icon of this name; nothing where there is none. It only repeats what stands beside it."""
    strokes = path(name)
    if strokes is None:
        return NOTHING
    drawn = el("path", {"d": strokes})
    return el(
        "svg",
        {"class": "i", "width": size, "height": size, "viewBox": "0 0 24 24", "aria-hidden": "true"},
        drawn,
    )


def pictogram(emoji_code: object, icon_name: object) -> Html:
    """The emoji or icon of a page, a section or a site; nothing where there is neither."""
    if isinstance(emoji_code, str) and emoji_code:
        shown = emoji.characters(emoji_code) or emoji_code
        return el("span", {"class": "emoji", "aria-hidden": "true"}, text(shown[:32]))
    return icon(icon_name) or icon("file") if isinstance(icon_name, str) and icon_name else NOTHING
