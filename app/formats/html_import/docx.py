"""Word documents to a tree: one `README.md` and the pictures it shows.

A document is a zip of XML from a stranger: its size is judged before anything is unpacked, its XML may
declare no document type (so no entities) and nest only so deep, and pictures outside the file are left out.
"""

from __future__ import annotations

import io
import zipfile
from typing import Any
from xml.parsers import expat

from app.formats.html_import.html_page import to_markdown
from app.formats.html_import.imported_files import picture_kind
from app.formats.markdown.hrefs import rewritten
from app.kit.errors import Invalid, TooLarge

MAX_ENTRIES = 10_000
MAX_EXPANDED = 200_000_000
MAX_XML = 20_000_000
MAX_XML_ELEMENTS = 400_000
MAX_XML_DEPTH = 100
MAX_RATIO = 200
RATIO_FREE = 1_000_000  # smaller entries may compress as well as they like
ASSETS = ".gitbook/assets"
BASE = "https://document.invalid/"

# Besides what the library knows of Word's own styles.
STYLES = """
p[style-name='Title'] => h1:fresh
p[style-name='Code'] => pre:separator('\\n')
p[style-name='Source Code'] => pre:separator('\\n')
p[style-name='HTML Preformatted'] => pre:separator('\\n')
r[style-name='Code'] => code
r[style-name='HTML Code'] => code
"""

NOT_A_DOCUMENT = "The file is not a Word document (.docx) that can be read."


def to_tree(data: bytes) -> dict[str, bytes]:
    """Convert a .docx file to `README.md` and `.gitbook/assets/image1.png`, …

    Raises Invalid (path `url`) for a file that is broken, encrypted, or too large once unpacked.
    """
    try:
        _inspect(data)
        html, pictures = _to_html(data)
    except (Invalid, TooLarge):
        raise
    except Exception:  # the zip, XML and Word libraries fail in more ways than they document
        raise Invalid(NOT_A_DOCUMENT, path="url") from None
    page = to_markdown(html, base_url=BASE)
    markdown = rewritten(page.markdown, lambda link: link.href.removeprefix(BASE))
    return {"README.md": markdown.encode(), **pictures}


def _inspect(data: bytes) -> None:
    """Refuse what should not be unpacked. `zipfile` never gives more bytes than an entry declares."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        entries = archive.infolist()
        if len(entries) > MAX_ENTRIES:
            raise Invalid("The document contains too many files.", path="url")
        if any(entry.flag_bits & 1 for entry in entries):
            raise Invalid("The document is encrypted.", path="url")
        if sum(entry.file_size for entry in entries) > MAX_EXPANDED or any(map(_is_bomb, entries)):
            raise Invalid("The document is too large once unpacked.", path="url")
        parts = [entry for entry in entries if entry.filename.endswith((".xml", ".rels"))]
        if sum(entry.file_size for entry in parts) > MAX_XML:
            raise Invalid("The document's text is too large.", path="url")
        count = _Elements()
        for part in parts:
            count.read(archive.read(part))


def _is_bomb(entry: zipfile.ZipInfo) -> bool:
    return entry.file_size > RATIO_FREE and entry.file_size > MAX_RATIO * max(1, entry.compress_size)


class _Elements:
    """Counts XML elements over all parts, and refuses document types and deep nesting."""

    def __init__(self) -> None:
        self.count = 0
        self.depth = 0

    def read(self, part: bytes) -> None:
        self.depth = 0
        parser = expat.ParserCreate()
        parser.StartDoctypeDeclHandler = self._doctype
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        parser.Parse(part, True)

    def _doctype(self, *_declaration: object) -> None:
        raise Invalid(NOT_A_DOCUMENT, path="url")

    def _start(self, _name: str, _attributes: object) -> None:
        self.count += 1
        self.depth += 1
        if self.count > MAX_XML_ELEMENTS or self.depth > MAX_XML_DEPTH:
            raise Invalid("The document's text is too large or too deeply nested.", path="url")

    def _end(self, _name: str) -> None:
        self.depth -= 1


def _to_html(data: bytes) -> tuple[str, dict[str, bytes]]:
    import mammoth

    pictures: dict[str, bytes] = {}
    names: dict[bytes, str] = {}

    def place(image: Any) -> dict[str, str]:
        """Return where a picture will lie; the same picture twice lies there once."""
        try:
            with image.open() as stream:
                content: bytes = stream.read()
        except (ValueError, KeyError, OSError):  # linked from elsewhere, or missing
            return {}
        kind = picture_kind(content)
        if kind is None:
            return {}
        if content not in names:
            names[content] = f"{ASSETS}/image{len(names) + 1}.{kind}"
            pictures[names[content]] = content
        return {"src": names[content]}

    converted = mammoth.convert_to_html(
        io.BytesIO(data),
        convert_image=mammoth.images.img_element(place),
        style_map=STYLES,
        include_embedded_style_map=False,
        external_file_access=False,
    )
    return converted.value, pictures
