"""Pictures of links to pages, as other services show them: typst sets them, as it sets PDFs."""

from __future__ import annotations

import json
import shutil
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path

WIDTH, HEIGHT = 1200, 630
_HERE = Path(__file__).parent
SECONDS, MEMORY = 10, 1 << 30


@dataclass(slots=True, frozen=True)
class LinkCard:
    """The words and the colour on the picture of a link; `color` is in hexadecimal."""

    title: str
    about: str
    place: str
    site: str
    color: str
    language: str
    rtl: bool


def draw(card: LinkCard, fonts: Path | None) -> bytes:
    """Return the picture as PNG; blocks until it is done. Raises NotPrinted."""
    from app.formats.pdf.renderer import PdfLimits, picture  # large; every page has the key of its card

    with tempfile.TemporaryDirectory(prefix="docyard-card-") as name:
        folder = Path(name)
        shutil.copy(_HERE / "cards" / "card.typ", folder)
        (folder / "card.json").write_text(json.dumps(asdict(card), ensure_ascii=False), encoding="utf-8")
        return picture(folder, "card", fonts, PdfLimits(seconds=SECONDS, memory=MEMORY))
