"""The front matter of a page as values, and those values as front matter again.

Rules: every field has one main key and may have older ones. `layout` is held in the wire's shape, complete,
with the field's defaults filled in; a preset's name stands for its parts. What is not understood is told.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

MAX_VARIABLE = 256

DEFAULT_LAYOUT: dict[str, Any] = {
    "cover": True,
    "coverSize": "hero",
    "title": True,
    "description": True,
    "tableOfContents": True,
    "outline": True,
    "pagination": True,
}
PRESETS: dict[str, dict[str, Any]] = {
    "docs": DEFAULT_LAYOUT,
    "editorial": DEFAULT_LAYOUT | {"outline": False, "width": "wide"},
    "landing": DEFAULT_LAYOUT
    | {"coverSize": "full", "tableOfContents": False, "outline": False, "pagination": False, "width": "wide"},
}
_OPTIONAL_PARTS = ("metadata", "tags", "actions", "anchors")
_CHOICES = {
    "coverSize": ("hero", "full", "background"),
    "coverMask": ("none", "radial"),
    "width": ("default", "wide"),
}

# Field -> its keys in front matter; the first is the one we write.
KEYS: dict[str, tuple[str, ...]] = {
    "title": ("title",),
    "icon": ("icon",),
    "emoji": ("emoji",),
    "description": ("description",),
    "hidden": ("hidden",),
    "no_index": ("noIndex", "noindex"),
    "no_robots_index": ("noRobotsIndex", "norobotsindex"),
    "condition": ("if", "condition"),
    "slug": ("slug",),
    "variables": ("vars", "variables"),
    "cover": ("cover",),
    "cover_dark": ("coverDark",),
    "cover_y": ("coverY",),
    "cover_height": ("coverHeight",),
    "layout": ("layout",),
}
_TEXTS = ("title", "icon", "emoji", "description", "condition", "slug", "cover", "cover_dark")
_FLAGS = ("hidden", "no_index", "no_robots_index")


@dataclass(frozen=True, slots=True)
class Metadata:
    """A page's front matter. None (or False, or empty) means that it says nothing of the kind."""

    title: str | None = None
    icon: str | None = None
    emoji: str | None = None
    description: str | None = None
    hidden: bool = False
    no_index: bool = False
    no_robots_index: bool = False
    condition: str | None = None
    slug: str | None = None
    variables: dict[str, str | int | float | bool] = field(default_factory=dict)
    cover: str | None = None
    cover_dark: str | None = None
    cover_y: int | float | None = None
    cover_height: int | None = None
    layout: dict[str, Any] | None = None


def metadata_from(values: dict[str, Any]) -> tuple[Metadata, list[str]]:
    """Return the metadata in parsed front matter, and a sentence for each part that is not understood."""
    problems: list[str] = []
    known = {key for keys in KEYS.values() for key in keys}
    problems += [f"The key “{key[:100]}” is not known." for key in values if key not in known]
    said = {name: next((values[key] for key in keys if key in values), None) for name, keys in KEYS.items()}
    found: dict[str, Any] = {}
    found |= {name: _text(said[name], name, problems) for name in _TEXTS}
    found |= {name: _flag(said[name], name, problems) for name in _FLAGS}
    found["variables"] = variables_from(said["variables"], problems)
    found["cover_y"] = _number(said["cover_y"], "coverY", problems)
    height = _number(said["cover_height"], "coverHeight", problems)
    if height is not None and not (isinstance(height, int) and 10 <= height <= 700):
        problems.append("`coverHeight` is not a whole number from 10 to 700.")
        height = None
    found["cover_height"] = height
    found["layout"] = _layout(said["layout"], problems)
    return Metadata(**found), problems


def value_for(name: str, metadata: Metadata) -> Any:
    """Return what front matter says for a field, None when it need not say anything."""
    value = getattr(metadata, name)
    if name == "layout" and value is not None:
        return _layout_lines(value)
    return None if value is False or value == {} else value


def variables_from(value: object, problems: list[str]) -> dict[str, str | int | float | bool]:
    """Return variables by name: text (at most 256 characters), number or boolean; others are reported."""
    if value is None:
        return {}
    if not isinstance(value, dict):
        problems.append("The variables are not a list of `name: value` lines.")
        return {}
    variables: dict[str, str | int | float | bool] = {}
    for name, said in value.items():
        if isinstance(said, bool | int | float) or (isinstance(said, str) and len(said) <= MAX_VARIABLE):
            variables[name] = said
        else:
            problems.append(f"The variable “{name[:100]}” is no number, and no text up to 256 characters.")
    return variables


def _text(value: object, name: str, problems: list[str]) -> str | None:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, dict | list):
        problems.append(f"`{KEYS[name][0]}` is not text.")
        return None
    return str(value) if value not in (None, "") else None


def _flag(value: object, name: str, problems: list[str]) -> bool:
    word = str(value).lower() if isinstance(value, str | bool | int) else ""
    if word in ("true", "yes", "on", "1"):
        return True
    if value is not None and word not in ("false", "no", "off", "0", ""):
        problems.append(f"`{KEYS[name][0]}` is neither true nor false.")
    return False


def _number(value: object, key: str, problems: list[str]) -> int | float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if value is not None:
        problems.append(f"`{key}` is not a number.")
    return None


def _layout(value: object, problems: list[str]) -> dict[str, Any] | None:
    if value is None:
        return None
    if isinstance(value, str) and value in PRESETS:
        return dict(PRESETS[value])
    if not isinstance(value, dict):
        problems.append("`layout` is neither docs, editorial, landing nor a list of parts.")
        return None
    layout = dict(DEFAULT_LAYOUT)
    for part, said in value.items():
        if part == "cover" and isinstance(said, dict):
            _choose(layout, "coverSize", said.get("size"), problems)
            _choose(layout, "coverMask", said.get("mask"), problems)
        if part in _CHOICES:
            _choose(layout, part, said, problems)
        elif part in DEFAULT_LAYOUT or part in _OPTIONAL_PARTS:
            visible = said.get("visible", True) if isinstance(said, dict) else said
            if isinstance(visible, bool):
                layout[part] = visible
            else:
                problems.append(f"`layout.{part}` is neither shown nor hidden by a true or false.")
        else:
            problems.append(f"`layout.{part[:100]}` is not known.")
    return layout


def _choose(layout: dict[str, Any], part: str, said: object, problems: list[str]) -> None:
    if isinstance(said, str) and said in _CHOICES[part]:
        layout[part] = said
    elif said is not None:
        problems.append(f"`layout.{part}` is none of {', '.join(_CHOICES[part])}.")


def _layout_lines(layout: dict[str, Any]) -> dict[str, Any]:
    lines: dict[str, Any] = {"width": layout["width"]} if "width" in layout else {}
    cover = {"visible": layout.get("cover", True), "size": layout.get("coverSize", "hero")}
    lines["cover"] = cover | ({"mask": layout["coverMask"]} if "coverMask" in layout else {})
    for part in ("title", "description", "tableOfContents", "outline", "pagination", *_OPTIONAL_PARTS):
        if part in layout or part in DEFAULT_LAYOUT:
            lines[part] = {"visible": layout.get(part, True)}
    return lines
