"""A site's colours, type and corners as a stylesheet of its own, readable whatever colours were chosen.

A colour for words is moved towards black or white until it stands out from its ground by 4.5 to 1 (WCAG AA);
words on a colour are black or white, whichever can be read.
"""

from __future__ import annotations

import hashlib
import json
import re
from functools import lru_cache
from typing import Any

from app.formats.markdown import escapes
from app.site_reader.rendering import images
from app.site_reader.rendering.markup import Html, el, text

ENOUGH = 4.5
_HEX = re.compile(r"#[0-9a-fA-F]{6}\Z")
_GROUNDS = {"light": "#ffffff", "dark": "#14161a"}
_SOFT = {"light": "#f4f5f7", "dark": "#1d2026"}
_PRIMARY = {"light": "#346ddb", "dark": "#7aa2f7"}
_TONES = {
    "info": {"light": "#2563eb", "dark": "#7aa2f7"},
    "success": {"light": "#15803d", "dark": "#6cc58a"},
    "warning": {"light": "#a05a00", "dark": "#e5b454"},
    "danger": {"light": "#c42b2b", "dark": "#f28b82"},
}
_CORNERS = {"straight": ("0", "0"), "rounded": ("6px", "10px"), "circular": ("16px", "22px")}
_SANS = (
    'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", Arial, '
    "sans-serif"
)
_FONTS = {
    "sans": _SANS,
    "system": "system-ui, sans-serif",
    "serif": 'ui-serif, Charter, "Iowan Old Style", Georgia, "Noto Serif", "Liberation Serif", serif',
    "mono": 'ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace',
    "rounded": f'ui-rounded, "SF Pro Rounded", "Arial Rounded MT Bold", Quicksand, Nunito, {_SANS}',
}

Looks = dict[str, Any]


def is_on(looks: Looks, name: str) -> bool:
    """Return whether a switch is on; one that is not kept is."""
    return _object(looks, name).get("enabled") is not False


def stylesheet(looks: Looks) -> str:
    """Return the stylesheet of a theme."""
    return _made(_written(looks))[0]


def key(looks: Looks) -> str:
    """Return the key of this stylesheet: it changes whenever the stylesheet does."""
    return _made(_written(looks))[1]


def _written(looks: Looks) -> str:
    """Return the part of the settings that the stylesheet and the icon are made of."""
    header = {name: _object(looks, "header").get(name) for name in ("preset", "backgroundColor", "linkColor")}
    said = {"styling": looks.get("styling"), "header": header, "favicon": looks.get("favicon")}
    return json.dumps(said, sort_keys=True)


@lru_cache(maxsize=256)
def _made(written: str) -> tuple[str, str]:
    made = _stylesheet(json.loads(written))
    return made, hashlib.blake2b(made.encode() + written.encode(), digest_size=8).hexdigest()


def _stylesheet(looks: Looks) -> str:
    styling = _object(looks, "styling")
    corners = _CORNERS.get(str(styling.get("corners")), _CORNERS["rounded"])
    font = _FONTS.get(str(styling.get("font")), _SANS)
    always = {"corner": corners[0], "corner-large": corners[1], "font": font}
    light, dark = _colors(looks, "light"), _colors(looks, "dark")
    return (
        f":root{{{_declared(always)}{_declared(light)}}}\n"
        f"@media (prefers-color-scheme:dark){{:root:not([data-theme=light]){{{_declared(dark)}}}}}\n"
        f":root[data-theme=dark]{{{_declared(dark)}}}\n"
    )


def _declared(variables: dict[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in variables.items())


def _colors(looks: Looks, mode: str) -> dict[str, str]:
    styling, header = _object(looks, "styling"), _object(looks, "header")
    ground, soft = _GROUNDS[mode], _SOFT[mode]
    primary = _color(styling, "primaryColor", mode, _PRIMARY)
    made = {
        "primary": primary,
        "on-primary": _on(primary),
        "link": readable(primary, soft if mode == "light" else ground),
        "tint": mixed(primary, ground, 0.1),
        "on-tint": readable(primary, mixed(primary, ground, 0.1)),
    }
    for tone, usual in _TONES.items():
        color = _color(styling, f"{tone}Color", mode, usual)
        made[f"{tone}-soft"] = mixed(color, ground, 0.09)
        made[tone] = readable(color, made[f"{tone}-soft"])
    return made | _header(header, mode, primary, ground)


def _header(header: Looks, mode: str, primary: str, ground: str) -> dict[str, str]:
    """Return the colours of a page's header."""
    match header.get("preset"):
        case "bold":
            ground, words = primary, _on(primary)
        case "contrast":
            ground, words = ("#14161a", "#ffffff") if mode == "light" else ("#eef0f3", "#14161a")
        case "custom":
            ground = _color(header, "backgroundColor", mode, {mode: ground})
            words = readable(_color(header, "linkColor", mode, {mode: _on(ground)}), ground)
        case _:
            return {}
    return {"header": ground, "on-header": words, "header-line": mixed(words, ground, 0.18)}


def _object(holder: Looks, name: str) -> Looks:
    found = holder.get(name)
    return found if isinstance(found, dict) else {}


def _color(holder: Looks, name: str, mode: str, usual: dict[str, str]) -> str:
    found = _object(holder, name).get(mode)
    return found.lower() if isinstance(found, str) and _HEX.match(found) else usual[mode]


def _on(ground: str) -> str:
    """Return black or white, whichever is read better on a colour."""
    return max(("#ffffff", "#14161a"), key=lambda words: contrast(words, ground))


def readable(color: str, ground: str) -> str:
    """Return the colour, or the nearest to it towards black or white that can be read on this ground."""
    goal = "#000000" if luminance(ground) > 0.18 else "#ffffff"
    for step in range(21):
        moved = mixed(goal, color, step / 20)
        if contrast(moved, ground) >= ENOUGH:
            return moved
    return goal


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours (WCAG 2.2)."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def luminance(color: str) -> float:
    """Return the relative luminance of a colour (WCAG 2.2), from 0 to 1."""
    parts = (channel / 255 for channel in _channels(color))
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def mixed(color: str, ground: str, share: float) -> str:
    """Mix a colour into a background colour."""
    pairs = zip(_channels(color), _channels(ground), strict=True)
    return "#" + "".join(f"{round(over * share + under * (1 - share)):02x}" for over, under in pairs)


def _channels(color: str) -> tuple[int, int, int]:
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def primary(looks: Looks) -> str:
    """Return the colour of a site on light pages, dark enough to be read there."""
    return readable(_color(_object(looks, "styling"), "primaryColor", "light", _PRIMARY), _GROUNDS["light"])


def favicon(looks: Looks, icon: Any, title: str) -> str:
    """Render the icon of a site that has none of its own: its emoji or icon, or its first letter."""
    shown = _object(looks, "favicon").get("emoji")
    if not shown and isinstance(icon, dict):
        shown = icon.get("emoji")
    box: dict[str, Any] = {"xmlns": "http://www.w3.org/2000/svg", "viewBox": "0 0 32 32"}
    middle: dict[str, Any] = {"x": 16, "text-anchor": "middle", "font-family": "sans-serif"}
    if isinstance(shown, str) and shown:
        characters = escapes.emoji_characters(shown) or shown
        return el("svg", box, el("text", {**middle, "y": 26, "font-size": 26}, text(characters[:16])))
    primary = _color(_object(looks, "styling"), "primaryColor", "light", _PRIMARY)
    drawn = images.icon_path(icon) if isinstance(icon, str) else None
    if drawn is not None:
        stroke = {"fill": "none", "stroke": primary, "stroke-width": 2}
        return el("svg", {**box, "viewBox": "0 0 24 24"}, el("path", {"d": drawn, **stroke}))
    ground = el("rect", {"width": 32, "height": 32, "rx": 7, "fill": primary})
    letter = {**middle, "y": 23, "font-size": 20, "font-weight": 700, "fill": _on(primary)}
    first: Html = text((title.strip() or "D")[:1].upper())
    return el("svg", box, ground, el("text", letter, first))
