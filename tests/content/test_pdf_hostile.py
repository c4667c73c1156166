"""Texts, pictures and shapes that want to break the book, its process or its margins."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from pypdf import PdfReader

from app.formats.pdf import book, layout_context, renderer
from app.formats.pdf.book import Book, BookPage, BookPicture, Pictures, sniff
from app.formats.pdf.renderer import NotPrinted, PdfLimits, TooMuch, render


def read(pdf: bytes) -> PdfReader:
    return PdfReader(io.BytesIO(pdf))


def words(pdf: bytes) -> str:
    return " ".join(" ".join(page.extract_text() for page in read(pdf).pages).split())


def one(body: str, title: str = "Page") -> bytes:
    return render(Book("Book", [BookPage("a", title, body_markdown=body)]), {})


def longest_line(pdf: bytes) -> int:
    """The characters of the longest line; a line of small type between the margins has about a hundred."""
    return max(len(line) for page in read(pdf).pages for line in page.extract_text().splitlines())


TYPST = [
    '#panic("x")',
    '#read("/etc/passwd")',
    "] #set page(width: 1pt) [",
    "$x$ <label> @ref",
    "\\",
    "/* */ //",
    '"',
]


@pytest.mark.parametrize("source", TYPST)
def test_typst_in_texts_is_text(source: str) -> None:
    page = BookPage(
        "a", source, 0, source, f"```\n{source}\n```\n\n<details><summary>t</summary>{source}</details>"
    )
    pdf = render(Book(source, [page], subtitle=source, author=source, notes=[source]), {})
    metadata = read(pdf).metadata
    assert metadata is not None
    assert metadata.title == source
    assert words(pdf).count(source) >= 5


@pytest.mark.parametrize("source", TYPST)
def test_typst_in_formulas_code_tags_and_names_is_text(source: str) -> None:
    quoted = source.replace('"', "'")
    body = (
        f'$${source}$$\n\n{{% code title="{quoted}" %}}\n```{quoted}\nx\n```\n{{% endcode %}}\n\n'
        f'{{% hint style="{quoted}" %}}\ny\n{{% endhint %}}\n\n![{quoted}](a.png "{quoted}")\n\n'
        f'<mark style="color:{quoted}">z</mark> # {{#{quoted}}}\n'
    )
    assert "Page" in words(one(body))


def test_odd_characters_are_printed_or_replaced() -> None:
    title = "a\0b\ud800c שלום مرحبا 😀✅ e\u0301 \u202eabc"
    shown = words(one("text \x01 שלום 👩‍👩‍👧 1️⃣ 日本", title))
    assert "שלום" in shown or "םולש" in shown
    assert "a\ufffdb\ufffdc" in shown or "ab" in shown.replace("\x00", "")
    assert "grinning_face" in shown


def test_emoji_are_left_to_a_font_where_there_is_one(tmp_path: Path) -> None:
    assert layout_context.printable("😀", pictograms=True) == "😀"
    pdf = render(Book("B", [BookPage("a", "A", body_markdown="😀 x")]), {}, tmp_path)
    assert ":grinning_face:" not in words(pdf)


@pytest.mark.parametrize(
    "body",
    [
        "x" * 10_000,
        "`" + "x" * 10_000 + "`",
        "```\n" + "x" * 10_000 + "\n```",
        "https://example.org/" + "a/" * 3000,
        "| a | b |\n|-|-|\n| " + "y" * 5_000 + " | z |",
        "# " + "h" * 3_000,
        "> * {% hint %}\n>   " + "w" * 3000 + "\n>   {% endhint %}",
        "ж" * 10_000,
    ],
)
def test_long_words_stay_inside_the_margins(body: str) -> None:
    pdf = one(body)
    assert longest_line(pdf) < 120
    assert len(read(pdf).pages) < 40


def test_long_words_are_copied_without_their_breaks() -> None:
    joined = "".join(page.extract_text() for page in read(one("x" * 10_000)).pages)
    assert joined.replace("\n", "").count("x") == 10_000
    assert layout_context.BREAK not in joined


def test_words_break_only_where_they_must() -> None:
    assert layout_context.breakable("short words stay") == "short words stay"
    assert layout_context.breakable("ประเทศไทย" * 20) == "ประเทศไทย" * 20
    broken = layout_context.breakable("https://example.org/one/two/three/four")
    assert broken.replace(layout_context.BREAK, "") == "https://example.org/one/two/three/four"
    assert f"/{layout_context.BREAK}two" in broken


def test_a_table_of_200_columns_is_set_in_bands() -> None:
    head = "|" + "|".join(f"h{n}" for n in range(200)) + "|\n|" + "-|" * 200
    rows = "\n".join("|" + "|".join(f"r{row}c{n}" for n in range(200)) + "|" for row in range(3))
    pdf = one(f"{head}\n{rows}\n")
    shown = words(pdf).split()
    assert {f"r{row}c{n}" for row in range(3) for n in range(200)} <= set(shown)
    assert longest_line(pdf) < 120


@pytest.mark.parametrize(
    "body",
    [
        "".join("  " * depth + f"* level{depth}\n" for depth in range(100)),
        "".join("> " * depth + f"level{depth}\n\n" for depth in range(100)),
        "{% hint %}\n" * 60 + "level99\n" + "{% endhint %}\n" * 60,
        "<details><summary>s</summary>\n\n" * 60 + "level99\n\n" + "</details>\n\n" * 60,
        "{% tabs %}\n{% tab title='a' %}\n" * 30 + "level99\n" + "{% endtab %}\n{% endtabs %}\n" * 30,
        "{% columns %}\n{% column %}\nx\n{% endcolumn %}\n{% column %}\n" * 20 + "level99\n",
        "{% stepper %}\n{% step %}\n" * 30 + "| a |\n|-|\n| level99 |\n",
        "* a\n\n  > b\n  >\n  > 1. c\n  >\n  >    {% hint %}\n  >    | t |\n  >    |-|\n  >    | level99 |\n",
        "x[^1]\n\n[^1]: y[^2]\n\n[^2]: z[^3]\n\n[^3]: level99\n",
        "*_**a" * 500 + " level99",
    ],
)
def test_deep_nesting_is_set_flatter(body: str) -> None:
    shown = words(one(body))
    assert "level99" in shown or "[^3]" in shown


def test_deep_formulas_are_their_source() -> None:
    for depth in (11, 100):
        body = "$$\n" + r"\sqrt{" * depth + "x" + "}" * depth + "\n$$"
        assert "x" in words(one(body))
    assert "frac" in words(one("$$\n" + r"\frac{1}{" * 40 + "x" + "}" * 40 + "\n$$"))


def test_scripts_and_files_are_no_links() -> None:
    body = (
        "[a](javascript:alert) [b](file:///etc/passwd) [c](data:text/html,x) [d](//e.org) [e](HTTPS://ok.org)"
    )
    pages = read(one(body)).pages
    links = [note.get_object() for page in pages for note in page.get("/Annots", [])]
    assert [link["/A"]["/URI"] for link in links] == ["HTTPS://ok.org"]


def test_pages_with_the_same_id_and_headings_with_the_same_anchor_do_not_clash() -> None:
    body = '# A {#x}\n\n# B {#x}\n\n<a id="x"></a>\n\n[go](#x)'
    assert "go" in words(render(Book("B", [BookPage("a", "P", 0, "", body)] * 2), {}))


def test_what_is_too_long_is_cut_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renderer, "ROOM", 3_000)
    pages = [BookPage(str(n), f"Title {n}", body_markdown="word " * 300) for n in range(4)]
    shown = words(render(Book("B", pages), {}))
    assert shown.count(renderer.CUT.upper()) == 3
    assert "Title 3" in shown


NAMES = 'xmlns="http://www.w3.org/2000/svg" xmlns:x="http://www.w3.org/1999/xlink"'
SVG = f'<svg {NAMES} width="9" height="9">{{}}</svg>'


@pytest.mark.parametrize("prefix", ["", "file://", "../../../../../../../.."])
def test_a_drawing_reads_no_files(tmp_path: Path, prefix: str) -> None:
    outside = tmp_path / "secret.svg"
    outside.write_text(SVG.format("<text>secret</text>"))
    drawing = SVG.format(f'<image x:href="{prefix}{outside}" href="{prefix}{outside}" width="9" height="9"/>')
    page = BookPage("a", "P", body_markdown="![d](d.svg)")
    pdf = render(Book("B", [page]), {"d.svg": drawing.encode()})
    assert "Picture: d (broken)" in words(pdf)


def test_a_picture_that_exhausts_typst_costs_only_the_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renderer, "SLOWEST", 100)  # the processor may be needed elsewhere
    layers = "".join(f'<g id="l{n}">' + f'<use x:href="#l{n - 1}"/>' * 10 + "</g>" for n in range(1, 9))
    bomb = SVG.format(f'<defs><g id="l0"><rect width="1" height="1"/></g>{layers}</defs><use x:href="#l8"/>')
    page = BookPage("a", "P", body_markdown="before ![bomb](bomb.svg) after")
    shown = words(render(Book("B", [page]), {"bomb.svg": bomb.encode()}, None, PdfLimits(seconds=5)))
    assert "before Picture: bomb (broken) after" in shown


def picture(data: bytes) -> BookPicture:
    return BookPicture(data.hex()[:100], len(data), lambda: data)


def test_pictures_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = Pictures(tmp_path)
    header = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + (50_000).to_bytes(4, "big") * 2 + b"\x08\0\0\0\0"
    assert kept.keep(picture(header)) == ("", "too large to be printed")
    assert kept.keep(picture(b"<svg " + b" " * (3 << 20))) == ("", "too large to be printed")
    assert kept.keep(picture(b"\x89PNG\r\n\x1a\n")) == ("", "broken")
    assert kept.keep(None) == ("", "not found")
    assert kept.keep(BookPicture("gone", 5, lambda: None)) == ("", "not found")
    monkeypatch.setattr(book, "ALL_BYTES", 10)
    assert kept.keep(picture(b"<svg xmlns='x'/>")) == ("", "too large to be printed")
    assert list(tmp_path.iterdir()) == []


def test_pictures_that_are_too_large_or_too_many_are_not_even_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unread() -> bytes:
        raise AssertionError

    kept = Pictures(tmp_path)
    assert kept.keep(BookPicture("a", 1 << 30, unread)) == ("", "too large to be printed")
    monkeypatch.setattr(book, "MOST_PICTURES", 1)
    assert kept.keep(BookPicture("b", 1, unread)) == ("", "too large to be printed")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"GIF89a", "gif"),
        (b"\xef\xbb\xbf<?xml?>\n<svg>", "svg"),
        (b"RIFF1234WEBP", "webp"),
        (b"<html>", ""),
        (b"", ""),
    ],
)
def test_formats_are_told_by_their_first_bytes(data: bytes, kind: str) -> None:
    assert sniff(data) == kind


@pytest.mark.parametrize(
    ("limits", "length"),
    [(PdfLimits(memory=60 << 20), 10), (PdfLimits(seconds=1), 900_000), (PdfLimits(seconds=0), 10)],
)
def test_a_book_out_of_time_or_memory_is_refused(limits: PdfLimits, length: int) -> None:
    with pytest.raises(NotPrinted):
        render(Book("B", [BookPage("a", "P", body_markdown="x" * length)]), {}, None, limits)


def test_an_empty_book_and_empty_pages_are_printed() -> None:
    assert len(read(render(Book("", []), {})).pages) == 1
    pages = [
        BookPage("a", "", -3),
        BookPage("b", " ", 99, kind="group"),
        BookPage("c", "L", 1, kind="link", href="https://l.org"),
    ]
    assert "https://l.org" in words(render(Book("", pages, language="?"), {}))


def test_reusable_contents_that_include_many_others_end(monkeypatch: pytest.MonkeyPatch) -> None:
    included = {f"{n}.md": f'in {n}\n\n{{% include "{n + 1}.md" %}}\n\n' * 30 for n in range(9)}
    monkeypatch.setattr(renderer, "ROOM", 100_000)
    page = BookPage("a", "P", body_markdown='{% include "0.md" %}\n', path="p.md")
    shown = words(render(Book("B", [page], included=included), {}))
    assert "in 4" in shown
    assert renderer.CUT.upper() in shown


def test_a_body_of_brackets_is_cut() -> None:
    shown = words(one("start\n\n" + "[" * 60_000 + "\n\nend\n"))
    assert "start" in shown
    assert renderer.CUT.upper() in shown


def test_setting_ends_when_it_is_stopped() -> None:
    asked: list[bool] = []

    def stopped() -> bool:
        asked.append(True)
        return len(asked) > 1

    pages = [BookPage(str(n), "P") for n in range(3)]
    with pytest.raises(NotPrinted, match="stopped"):
        render(Book("B", pages), {}, None, PdfLimits(stopped=stopped))
    assert len(asked) == 2


def test_too_many_pages_are_refused() -> None:
    with pytest.raises(TooMuch, match="at most 10,000 pages"):
        render(Book("B", [BookPage("a", "P")] * 10_001), {})
