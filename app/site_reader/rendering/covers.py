"""The picture above a page, in the size and place that its layout gives it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from app.present.html_links import LinkResolver, LinkTarget
from app.site_reader.rendering.images import picture
from app.site_reader.rendering.markup import NOTHING, Html, el
from app.site_reader.rendering.render_context import PageContext, PageState

LARGE = ("hero", "full", "background")  # sizes of a cover that stands above the article
_HEIGHT, _HIDDEN = 320, 240  # pixels of a cover that are shown, and that are not, unless more is known


def cover(row: Any, layout: Mapping[str, Any], links: LinkResolver) -> Html:
    """Render the cover of a page; nothing where it has none."""
    given = row.cover
    if not layout["cover"] or not isinstance(given, dict) or not isinstance(given.get("ref"), dict):
        return NOTHING
    ctx = PageContext(PageState(), links)
    light, dark = _addressed(given["ref"]), _addressed(given.get("refDark"))
    height, size = given.get("height"), layout.get("coverSize")
    shown = picture({"ref": light, "refDark": dark, "alt": "", "height": height}, ctx)
    kind = ["page-cover", f"is-{size}" if size in LARGE else "", "sized" if height else ""]
    if given.get("yPos"):
        kind.append(f"at-{_part_shown(given['yPos'], height, ctx.target(str(light.get('url') or '')))}")
    return el("div", {"class": " ".join(filter(None, kind))}, shown) if shown.startswith("<img") else NOTHING


def _part_shown(y_pos: float, height: int | None, target: LinkTarget) -> int:
    """Return which part of a cover is shown, in steps of 5 %: 0 is its top, 100 its bottom, 50 its middle.

    `y_pos` is how many pixels the picture is moved down where the cover is 1000 pixels wide.
    """
    hidden = 0.0
    if target.width and target.height:
        hidden = 1000 * target.height / target.width - (height or _HEIGHT)
    part = 50 - 100 * y_pos / (hidden if hidden > 0 else _HIDDEN)
    return 5 * round(min(max(part, 0), 100) / 5)


def _addressed(reference: Any) -> Any:
    """Return a reference as blocks have it: to a file of the space by the href that always leads to it."""
    if isinstance(reference, dict) and reference.get("kind") == "file":
        return {"url": f"/files/{reference.get('file')}"}
    return reference
