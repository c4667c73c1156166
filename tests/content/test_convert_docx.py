"""Word documents become a tree of one page and its pictures; broken and hostile ones are refused."""

from __future__ import annotations

import io
import random
import zipfile

import pytest

from app.formats.html_import.docx import to_tree
from app.kit.errors import Invalid

PNG = b"\x89PNG\r\n\x1a\n" + bytes(20)
JPEG = b"\xff\xd8\xff\xe0" + bytes(20)

OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
NAMESPACES = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    f' xmlns:r="{OFFICE}"'
    ' xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing"'
    ' xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
    ' xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"'
)
TYPES = (
    f'<Types xmlns="{PACKAGE}/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Default Extension="xml" ContentType="application/xml"/>'
    '<Default Extension="png" ContentType="image/png"/><Default Extension="jpg" ContentType="image/jpeg"/>'
    '<Default Extension="svg" ContentType="image/svg+xml"/></Types>'
)
START = (
    f'<Relationships xmlns="{PACKAGE}/relationships">'
    f'<Relationship Id="r1" Type="{OFFICE}/officeDocument" Target="word/document.xml"/></Relationships>'
)
STYLES = "".join(
    f'<w:style w:type="paragraph" w:styleId="{name}"><w:name w:val="{title}"/></w:style>'
    for name, title in [("Title", "Title"), ("Heading1", "heading 1"), ("Heading2", "heading 2")]
)
NUMBERING = "".join(
    f'<w:abstractNum w:abstractNumId="{number}">'
    + "".join(f'<w:lvl w:ilvl="{level}"><w:numFmt w:val="{kind}"/></w:lvl>' for level in range(3))
    + f'</w:abstractNum><w:num w:numId="{number}"><w:abstractNumId w:val="{number}"/></w:num>'
    for number, kind in [(1, "bullet"), (2, "decimal")]
)


def paragraph(text: str, style: str = "", properties: str = "") -> str:
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{properties}</w:pPr>{run(text)}</w:p>"


def run(text: str, properties: str = "") -> str:
    return f'<w:r><w:rPr>{properties}</w:rPr><w:t xml:space="preserve">{text}</w:t></w:r>'


def item(text: str, number: int, level: int = 0) -> str:
    return paragraph(text, "", f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')


def picture(relation: str, alt: str = "", attribute: str = "embed") -> str:
    return (
        f'<w:r><w:drawing><wp:inline><wp:docPr id="1" name="p" descr="{alt}"/><a:graphic><a:graphicData>'
        f'<pic:pic><pic:blipFill><a:blip r:{attribute}="{relation}"/></pic:blipFill></pic:pic>'
        "</a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )


def table(*rows: tuple[str, ...]) -> str:
    cells = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return "<w:tbl>" + "".join(f"<w:tr>{row}</w:tr>" for row in cells) + "</w:tbl>"


def docx(body: str, *, relations: str = "", files: dict[str, bytes] | None = None, head: str = "") -> bytes:
    parts: dict[str, bytes | str] = {
        "[Content_Types].xml": TYPES,
        "_rels/.rels": START,
        "word/document.xml": f"{head}<w:document {NAMESPACES}><w:body>{body}</w:body></w:document>",
        "word/styles.xml": f"<w:styles {NAMESPACES}>{STYLES}</w:styles>",
        "word/numbering.xml": f"<w:numbering {NAMESPACES}>{NUMBERING}</w:numbering>",
        "word/_rels/document.xml.rels": f'<Relationships xmlns="{PACKAGE}/relationships">'
        f'<Relationship Id="s" Type="{OFFICE}/styles" Target="styles.xml"/>'
        f'<Relationship Id="n" Type="{OFFICE}/numbering" Target="numbering.xml"/>{relations}</Relationships>',
        **(files or {}),
    }
    return zipped(parts)


def zipped(parts: dict[str, bytes | str], compression: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
    return out.getvalue()


def related(name: str, kind: str, target: str, *, outside: bool = False) -> str:
    mode = ' TargetMode="External"' if outside else ""
    return f'<Relationship Id="{name}" Type="{OFFICE}/{kind}" Target="{target}"{mode}/>'


def markdown(body: str, relations: str = "") -> str:
    return to_tree(docx(body, relations=relations))["README.md"].decode()


def refusal(data: bytes) -> str:
    with pytest.raises(Invalid) as caught:
        to_tree(data)
    assert caught.value.path == "url"
    return caught.value.message


def test_a_document_becomes_one_page() -> None:
    link = '<w:hyperlink r:id="l">' + run("site") + "</w:hyperlink>"
    words = [run("plain "), run("bold", "<w:b/>"), run(" "), run("it", "<w:i/>"), run(" "), link]
    body = (
        paragraph("The *title*", "Title")
        + f"<w:p>{''.join(words)}</w:p>"
        + paragraph("Part", "Heading2")
        + item("one", 1)
        + item("inner", 1, 1)
        + item("two", 1)
        + item("first", 2)
        + item("second", 2)
        + table(("A", "B|C"), ("1", "2"))
    )
    assert markdown(body, related("l", "hyperlink", "https://example.test/a?b=1", outside=True)) == (
        "# The \\*title\\*\n\n"
        "plain **bold** *it* [site](https://example.test/a?b=1)\n\n"
        "## Part\n\n"
        "* one\n  * inner\n* two\n\n1. first\n2. second\n\n"
        "| A | B\\|C |\n| --- | --- |\n| 1 | 2 |\n"
    )


def test_pictures_lie_beside_the_page_each_once() -> None:
    body = (
        f"<w:p>{picture('p1', 'a [b]')}</w:p><w:p>{picture('p2')}</w:p><w:p>{picture('p3', 'drawn')}</w:p>"
        f"<w:p>{picture('p4')}</w:p>"
    )
    relations = (
        related("p1", "image", "media/x.png")
        + related("p2", "image", "media/photo.png")
        + related("p3", "image", "media/d.svg")
        + related("p4", "image", "media/same.png")
    )
    files = {
        "word/media/x.png": PNG,
        "word/media/photo.png": JPEG,
        "word/media/d.svg": b"<svg onload='x'/>",
        "word/media/same.png": PNG,
    }
    assert to_tree(docx(body, relations=relations, files=files)) == {
        "README.md": b"![a \\[b\\]](.gitbook/assets/image1.png)\n\n"
        b"![](.gitbook/assets/image2.jpg)\n\ndrawn\n\n"
        b"![](.gitbook/assets/image1.png)\n",
        ".gitbook/assets/image1.png": PNG,
        ".gitbook/assets/image2.jpg": JPEG,
    }


@pytest.mark.parametrize("target", ["file:///etc/passwd", "http://127.0.0.1:1/x.png", "../../../etc/passwd"])
def test_pictures_outside_of_the_document_are_left_out(target: str) -> None:
    body = f"<w:p>{run('x')}{picture('p', '', 'link')}</w:p>"
    relations = related("p", "image", target, outside=True)
    assert to_tree(docx(body, relations=relations)) == {"README.md": b"x\n"}


def test_a_missing_picture_is_left_out() -> None:
    body = f"<w:p>{run('x')}{picture('p')}</w:p>"
    assert to_tree(docx(body, relations=related("p", "image", "media/none.png"))) == {"README.md": b"x\n"}


def test_paragraphs_in_a_code_style_become_one_block() -> None:
    styles = f'<w:style w:type="paragraph" w:styleId="C"><w:name w:val="Source Code"/></w:style>{STYLES}'
    files = {"word/styles.xml": f"<w:styles {NAMESPACES}>{styles}</w:styles>".encode()}
    body = paragraph("a = *b*", "C") + paragraph("  c", "C") + paragraph("after")
    assert to_tree(docx(body, files=files)) == {"README.md": b"```\na = *b*\n  c\n```\n\nafter\n"}


def test_dangerous_links_keep_only_their_text() -> None:
    body = f'<w:p><w:hyperlink r:id="l">{run("x")}</w:hyperlink></w:p>'
    assert markdown(body, related("l", "hyperlink", "javascript:alert(1)", outside=True)) == "x\n"


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04 not a zip",
        b"<html>",
        zipped({}),
        zipped({"a.txt": "x"}),
        zipped({"[Content_Types].xml": TYPES, "_rels/.rels": START}),
        zipped({"[Content_Types].xml": TYPES, "_rels/.rels": START, "word/document.xml": "<w:document"}),
        zipped({"[Content_Types].xml": TYPES, "_rels/.rels": START, "word/document.xml": "<x/>"}),
        docx(paragraph("x"))[:-40],
        docx("<w:p><w:r><w:drawing/><w:fldChar/></w:r><w:hyperlink r:id='none'><w:r/></w:hyperlink></w:p>")[
            40:
        ],
    ],
)
def test_what_is_no_document_is_refused(data: bytes) -> None:
    assert "not a Word document" in refusal(data)


def test_every_cut_off_document_is_refused_or_read() -> None:
    whole = docx(paragraph("words", "Title"))
    for length in range(0, len(whole), 97):
        refusal(whole[:length])


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_a_document_type_is_refused_in_every_encoding(encoding: str) -> None:
    """Entities that refer to files, and entities that grow."""
    text = (
        f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE w [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
        f"<w:document {NAMESPACES}><w:body>{paragraph('&e;')}</w:body></w:document>"
    )
    data = docx("", files={"word/document.xml": text.encode(encoding)})
    assert "not a Word document" in refusal(data)


def test_a_bomb_is_refused_before_it_is_unpacked() -> None:
    assert "too large" in refusal(docx("", files={"word/media/a.png": bytes(20_000_000)}))


def test_too_much_text_is_refused() -> None:
    assert "too large" in refusal(docx("", files={"word/a.xml": b"<a>" + random.randbytes(21_000_000)}))
    assert "too large" in refusal(docx("<w:p/>" * 400_001))


def test_deep_nesting_is_refused_and_less_is_read() -> None:
    open_cell, close_cell = "<w:tbl><w:tr><w:tc>", "</w:tc></w:tr></w:tbl>"
    assert "deeply" in refusal(docx(open_cell * 100 + paragraph("x") + close_cell * 100))
    assert "x" in markdown(open_cell * 30 + paragraph("x") + close_cell * 30)


def test_too_many_files_are_refused() -> None:
    files: dict[str, bytes] = {f"x/{number}": b"" for number in range(10_001)}
    assert "too many" in refusal(docx("", files=files))


def test_an_encrypted_document_is_refused() -> None:
    data = bytearray(docx(paragraph("x")))
    entry = data.index(b"PK\x01\x02")
    data[entry + 8] |= 1
    assert "encrypted" in refusal(bytes(data))
