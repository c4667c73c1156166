"""A bounded tree of HTML as Markdown of the house dialect.

Text is escaped where it would otherwise become markup, and no further; `{%` never opens a block of the
dialect. Callouts become hints, collapsible parts `<details>`, captioned pictures `<figure>`, definition
lists lists of terms. What Markdown cannot say (a list in a table cell, a merged cell) is flattened and
keeps its text.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable
from typing import Any

from bs4.element import NavigableString, Tag
from markdownify import MarkdownConverter

from app.formats.html_import.escapes import as_code, destination, escape, fence, label, pipes
from app.formats.html_import.html_parser import BLOCKS, HEADINGS, callout_style, language_of
from app.formats.markdown.scanner import slug
from app.kit.deadlines import check

# Noncharacters, which the parser has taken out of the page's own text.
CELL_END, ROW_END = "\ufdd0", "\ufdd1"
MAX_COLUMNS = 100

Address = Callable[[str], str | None]
Parents = set[str]

_SPACES = re.compile(r"[ \t\r\n\f]+")
_ANCHOR = re.compile(r"[^\s{}#]{1,200}")
_PARTS = ("section", "div", "article")
_DONE = re.compile(r"\A(\[[x ]\]) +")


def _anchor_of(heading: Tag) -> str | None:
    """Return the id of a heading, or of the part that begins with it, unless it is what the words suggest."""
    parent = heading.parent
    begins = parent is not None and parent.name in _PARTS and parent.find(True, recursive=False) is heading
    found = str(heading.get("id") or (begins and parent and parent.get("id")) or "")
    suggested = slug(" ".join(heading.get_text().split()))
    return found if _ANCHOR.fullmatch(found) and found != suggested else None


class Writer(MarkdownConverter):
    """Writes a tree from `parse`.

    `link` and `image` give an address as it shall stand in the Markdown, or None to leave the link out.
    """

    def __init__(self, link: Address, image: Address) -> None:
        super().__init__(heading_style="atx", bullets="*", sub_symbol="<sub>", sup_symbol="<sup>")
        self._link = link
        self._image = image
        self._numbers: dict[int, int] = {}

    def write(self, content: Tag) -> str:
        """Return the Markdown of an element and all within."""
        text = str(self.convert_soup(content))
        return text.replace(CELL_END, " ").replace(ROW_END, "\n\n")  # cells that are in no table

    def process_text(self, el: NavigableString, parent_tags: Parents | None = None) -> str:
        """Return text with white space collapsed and markup escaped, or as it is inside preformatted text."""
        check()
        parents = parent_tags or set()
        if "pre" in parents:
            return str(el)
        before, after = el.previous_sibling, el.next_sibling
        text = _SPACES.sub(" ", str(el))
        if _is_block(before or el.parent):
            text = text.lstrip(" ")
        if _is_block(after or el.parent):
            text = text.rstrip(" ")
        if "_noformat" in parents:
            return text
        starts_line = before is None or (isinstance(before, Tag) and before.name == "br")
        return escape(text, starts_line=starts_line, in_cell=_in_cell(parents))

    def convert_a(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Return a link, or its text where it leads nowhere a reader may go."""
        words = " ".join(text.split())
        href = el.get("href")
        if "_noformat" in parent_tags or not words or not isinstance(href, str):
            return text
        target = self._link(href)
        if target is None:
            return text
        before, after = (" " if text[:1] == " " else ""), (" " if text[-1:] == " " else "")
        return f"{before}[{words}]({destination(target)}{_title(el)}){after}"

    def convert_img(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Return an image; in code, its alternative text."""
        alt = " ".join(str(el.get("alt") or "").split())
        source = self._image_source(el)
        if "_noformat" in parent_tags or source is None:
            return alt if "pre" in parent_tags else escape(alt, in_cell=_in_cell(parent_tags))
        return f"![{label(alt, in_cell=_in_cell(parent_tags))}]({destination(source)}{_title(el)})"

    def _image_source(self, el: Tag) -> str | None:
        """Return the first address of the image that can be used:
        lazy pages keep the real one in `data-src`.
        """
        for name in ("data-src", "src"):
            given = el.get(name)
            if isinstance(given, str) and given and (source := self._image(given)) is not None:
                return source
        return None

    def convert_figure(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Return a captioned picture as HTML, as the dialect has it; anything else as what it holds."""
        images = el.find_all("img", limit=2)
        caption = el.find("figcaption")
        source = self._image_source(images[0]) if len(images) == 1 else None
        words = _words(caption)
        if source is None or not words or "_inline" in parent_tags or el.find(["pre", "table"]):
            return str(self.convert_div(el, text, parent_tags))
        alt = html.escape(str(images[0].get("alt") or ""))
        picture = f'<img src="{html.escape(source)}" alt="{alt}">'
        return f"\n\n<figure>{picture}<figcaption>{html.escape(words)}</figcaption></figure>\n\n"

    def convert_video(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Return a link to the film."""
        source = el.get("src") or next((child.get("src") for child in el.find_all("source", limit=1)), None)
        target = self._link(source) if isinstance(source, str) else None
        return text if target is None or "_noformat" in parent_tags else f"[Video]({destination(target)})"

    def convert_br(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Return a line break, as far as the place allows one."""
        if "pre" in parent_tags:
            return "\n"
        if _in_cell(parent_tags):
            return "<br>"
        return " " if "_inline" in parent_tags or "_noformat" in parent_tags else "  \n"

    def _marked(self, mark: str, text: str, parent_tags: Parents) -> str:
        inner = text.strip()
        if "_noformat" in parent_tags or not inner or "\n\n" in inner:
            return text
        before, after = (" " if text[:1] == " " else ""), (" " if text[-1:] == " " else "")
        return f"{before}{mark}{inner}{mark}{after}"

    def convert_b(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Write bold text once: nested bold and bold headings say nothing more."""
        twice = {"b", "strong"} & parent_tags or HEADINGS & parent_tags
        return text if twice else self._marked("**", text, parent_tags)

    def convert_em(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Write italics once."""
        return (
            text if {"em", "i", "cite", "var", "dfn"} & parent_tags else self._marked("*", text, parent_tags)
        )

    def convert_del(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Write struck out text."""
        return text if {"del", "s"} & parent_tags else self._marked("~~", text, parent_tags)

    convert_strong = convert_b
    convert_i = convert_cite = convert_var = convert_dfn = convert_em
    convert_s = convert_del

    def convert_code(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Write inline code. In a table cell a bar must be escaped even there."""
        if "_noformat" in parent_tags:
            return text
        return as_code(" ".join(text.split()), in_cell=_in_cell(parent_tags))

    convert_kbd = convert_samp = convert_tt = convert_code

    def convert_math(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Return a formula by its source, where the page has it."""
        source = _words(el.find("annotation"))
        return f"$${source}$$" if source and "_noformat" not in parent_tags else " ".join(text.split())

    def convert_pre(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Return a fenced block with its language; in a table cell, code line by line."""
        code = text.strip("\n").rstrip()
        if not code:
            return ""
        if "_inline" in parent_tags:
            lines = [line for line in code.split("\n") if line.strip()]
            joint = "<br>" if _in_cell(parent_tags) else " "
            return joint.join(as_code(line.strip(), in_cell=_in_cell(parent_tags)) for line in lines)
        return f"\n\n{fence(code, language_of(el))}\n\n"

    def convert_hN(self, n: int, el: Tag, text: str, parent_tags: Parents) -> str:
        """Return a heading with words in it, and with its anchor where that does not follow from them."""
        words = " ".join(text.split())
        if "_inline" in parent_tags or not words:
            return words
        anchor = _anchor_of(el)
        given = f" {{#{anchor}}}" if anchor else ""
        return f"\n\n{'#' * max(1, min(6, n))} {words}{given}\n\n"

    def convert_p(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Return a paragraph; in a table cell, a line."""
        inner = text.strip()
        if "_inline" in parent_tags:
            return f"\n{inner}\n" if _in_cell(parent_tags) else f" {inner} "
        return f"\n\n{inner}\n\n" if inner else ""

    def convert_div(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Return a part of the page; a hint if it is set apart as one."""
        inner = text.strip()
        style = callout_style(el)
        if "_inline" in parent_tags:
            return f" {inner} "
        if not inner:
            return ""
        return (
            f'\n\n{{% hint style="{style}" %}}\n{inner}\n{{% endhint %}}\n\n' if style else f"\n\n{inner}\n\n"
        )

    convert_aside = convert_article = convert_section = convert_main = convert_header = convert_div
    convert_figcaption = convert_footer = convert_nav = convert_address = convert_div

    def convert_details(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Return a part that opens when asked."""
        if "_inline" in parent_tags:
            return f" {text.strip()} "
        summary = html.escape(_words(el.find("summary")) or "Details", quote=False)
        return f"\n\n<details>\n\n<summary>{summary}</summary>\n\n{text.strip()}\n\n</details>\n\n"

    def convert_summary(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Write nothing: `details` does."""
        return ""

    def convert_dt(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Return a term, as the head of a list item."""
        words = " ".join(text.split())
        if "_inline" in parent_tags or not words:
            return f" {words} "
        return f"\n\n* {words if '**' in words else f'**{words}**'}\n\n"

    def convert_dd(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Return what the term means, inside the same list item."""
        inner = text.strip()
        if "_inline" in parent_tags or not inner:
            return f" {inner} "
        lines = [f"  {line}" if line else "" for line in inner.split("\n")]
        return "\n\n" + "\n".join(lines) + "\n\n"

    def convert_li(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Return one item, numbered from the list's own start."""
        inner = _DONE.sub(r"\1 ", text.strip())
        if "_inline" in parent_tags:
            return f"\n{inner}\n"
        bullet = self._bullet(el.parent)
        if not inner:
            return ""
        first, *rest = inner.split("\n")
        indent = " " * len(bullet)
        return "\n".join([bullet + first, *(indent + line if line else "" for line in rest)]).rstrip() + "\n"

    def _bullet(self, parent: Tag | None) -> str:
        if parent is None or parent.name != "ol":
            return "* "
        start = str(parent.get("start") or "1")
        number = self._numbers.get(id(parent), int(start) if start.isdecimal() and len(start) < 7 else 1)
        self._numbers[id(parent)] = number + 1
        return f"{number}. "

    def convert_input(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Return the box of a task."""
        if el.get("type") != "checkbox" or "li" not in parent_tags:
            return ""
        return "[x] " if el.has_attr("checked") else "[ ] "

    def convert_td(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Return a cell, for `convert_table` to place; merged cells are followed by empty ones."""
        span = str(el.get("colspan") or "1")
        width = max(1, min(MAX_COLUMNS, int(span))) if span.isdecimal() and len(span) < 7 else 1
        lines = [" ".join(line.split()) for line in text.split("\n") if line.strip()]
        return "<br>".join(lines) + CELL_END * width

    convert_th = convert_td

    def convert_tr(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Return a row, for `convert_table`."""
        return text + ROW_END

    def convert_caption(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Write nothing: `convert_table` does."""
        return ""

    def convert_table(self, el: Tag, text: str, parent_tags: Parents) -> str:
        """Return a table whose first row is the header; inside another table's cell, its words."""
        # What stands after a row's last cell is text outside of all cells: it goes before the table.
        pieces = [row.split(CELL_END) for row in text.split(ROW_END)]
        loose = [_words(el.find("caption")), *(" ".join(row.pop().split()) for row in pieces)]
        rows = [row[:MAX_COLUMNS] for row in pieces if any(row)]
        before = " ".join(words for words in loose if words)
        if "_inline" in parent_tags:
            return " ".join(["", before, *(cell for row in rows for cell in row if cell), ""])
        return f"\n\n{escape(before, starts_line=True)}\n\n{pipes(rows)}\n\n"


def _is_block(el: object) -> bool:
    return isinstance(el, Tag) and el.name in BLOCKS


def _in_cell(parents: Parents) -> bool:
    return "td" in parents or "th" in parents


def _words(el: Any) -> str:
    return " ".join(el.get_text().split()) if isinstance(el, Tag) else ""


def _title(el: Tag) -> str:
    words = " ".join(str(el.get("title") or "").split())
    return f' "{label(words, in_cell=True, quotes=True)}"' if words else ""
