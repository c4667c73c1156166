"""HTML pages to Markdown: what of a page is its content, what it is called, where it leads.

The content is `main`, or the one `article` in it, or the body; navigation, banners and footers are no
content, but their links tell the order of a site. Scripts never run and nothing is fetched from here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urljoin, urlsplit

from bs4.element import Tag

from app.formats.html_import.escapes import escape
from app.formats.html_import.html_parser import (
    HEADINGS,
    callout_style,
    callout_title,
    parse,
    says_only_its_kind,
)
from app.formats.repository.source_text import MAX_MARKDOWN
from app.kit.errors import TooLarge

MAX_BYTES = 5_000_000
MOST_ADDRESSES = 2_000  # remembered, of each kind
WEB = ("http://", "https://")
SCHEMES = frozenset({"http", "https", "mailto", "tel"})

_CHARSET = re.compile(rb"""<meta[^>]{0,200}?charset\s*=\s*["']?\s*([\w-]{1,40})""", re.IGNORECASE)
# Python knows more encodings than the web does, some of them slow and some of them no encodings of text.
_WEB_CHARSET = re.compile(
    r"utf-?8|utf-?16(?:le|be)?|(?:us-)?ascii|iso-?8859-\d{1,2}|latin-?1|(?:windows-|cp)(?:125\d|874)|koi8-[ru]"
    r"|gbk|gb2312|gb18030|big5(?:-hkscs)?|shift[_-]?jis|euc-(?:jp|kr)|iso-2022-jp|macintosh",
    re.IGNORECASE,
)
_ASIDE_ROLES = frozenset(
    {"navigation", "search", "banner", "contentinfo", "complementary", "dialog", "alertdialog"}
)
_ASIDE_CLASSES = frozenset({
    "headerlink", "hash-link", "anchor-link", "anchorjs-link", "header-anchor", "heading-anchor",
    "breadcrumbs", "breadcrumb", "pagination", "pagination-nav", "toc", "table-of-contents", "page-toc",
    "edit-page",
    "linenos", "linenodiv", "gutter", "line-numbers-rows", "skip-link", "sr-only", "visually-hidden",
    "copy-button", "copybtn", "katex-html", "octicon",
})  # fmt: skip
_NUMBERED_CODE = frozenset({"highlighttable", "rouge-table", "codehilitetable"})


@dataclass(frozen=True, slots=True)
class Converted:
    """A page as Markdown. Addresses are absolute, in order, each once.

    `links` and `images` are those in the content, `navigation` the links beside it.
    """

    title: str
    description: str
    markdown: str
    links: list[str]
    images: list[str]
    navigation: list[str]


def to_markdown(html: bytes | str, *, base_url: str, charset: str | None = None) -> Converted:
    """Convert a page that came from `base_url`.

    Raises TooLarge when the page, or its Markdown, is over 5 MB; anything else is read as well as it can be.
    """
    if len(html) > MAX_BYTES:
        raise TooLarge("The page is larger than 5 MB.", path="url")
    tree = parse(html if isinstance(html, str) else _decode(html, charset))
    base = _base(tree, base_url)
    title, description = _words(tree.find("title")), _description(tree)
    content = _content(tree)
    navigation = _PageAddresses(base)
    for beside in _beside(tree, content):
        for anchor in beside.find_all("a"):
            navigation.link(str(anchor.get("href") or ""))
    _clean(content)
    heading = _words(content.find("h1"))
    links, images, markdown = _write(content, base)
    if title and not heading:
        markdown = f"# {escape(title)}\n\n{markdown}"
    title = heading or title or _words(content.find(list(HEADINGS)))
    return Converted(title, description, markdown, links, images, list(navigation.seen))


@dataclass(frozen=True, slots=True)
class About:
    """The title, description and icon that a page states; `icon` is a whole address."""

    title: str
    description: str
    icon: str | None


def about(html: bytes, base_url: str, charset: str | None = None) -> About:
    """Read what a page that came from `base_url` says of itself."""
    tree = parse(_decode(html, charset))
    titled = tree.find("meta", {"property": "og:title"})
    title = " ".join(str(titled.get("content") or "").split()) if isinstance(titled, Tag) else ""
    icons = (el for el in tree.find_all("link") if "icon" in str(el.get("rel") or "").lower().split())
    base = _base(tree, base_url)
    found = (absolute(base, str(el.get("href") or "")) for el in icons)
    icon = next((address for address in found if address and address.startswith("http")), None)
    return About((title or _words(tree.find("title")))[:500], _description(tree), icon)


def _write(content: Tag, base: str) -> tuple[list[str], list[str], str]:
    from app.formats.html_import.markdown_writer import Writer

    links, images = _PageAddresses(base), _PageAddresses(base)
    text = Writer(links.link, images.image).write(content)
    lines = [
        line if line.endswith("  ") and line.strip() else line.rstrip() for line in text.strip().split("\n")
    ]
    if len(text.encode("utf-8", "replace")) > MAX_MARKDOWN:
        raise TooLarge("The page is larger than 5 MB once it is Markdown.", path="url")
    return list(links.seen), list(images.seen), "\n".join(lines).rstrip() + "\n"


class _PageAddresses:
    """Makes addresses absolute, leaves out those no reader should follow, and remembers the rest."""

    def __init__(self, base: str) -> None:
        self.base = base
        self.seen: dict[str, None] = {}

    def link(self, href: str) -> str | None:
        """Return where a link leads; a place on the same page stays `#place`."""
        href = href.strip()
        if href.startswith("#"):
            return href if len(href) > 1 else None
        return self._remember(absolute(self.base, href))

    def image(self, src: str) -> str | None:
        """Return where a picture is; one written into the page itself is left out."""
        address = absolute(self.base, src.strip())
        return self._remember(address) if address and address.startswith(WEB) else None

    def _remember(self, address: str | None) -> str | None:
        if address and address.startswith(WEB) and len(self.seen) < MOST_ADDRESSES:
            self.seen[address] = None
        return address


def absolute(base: str, href: str) -> str | None:
    """Return the whole address of a reference, or None if it is none that may be followed."""
    if not href or len(href) > 4000:
        return None
    try:
        parts = urlsplit(urljoin(base, href))
    except ValueError:
        return None
    if parts.scheme not in SCHEMES or (parts.scheme in ("http", "https") and not parts.netloc):
        return None
    return parts.geturl()


def _decode(data: bytes, charset: str | None) -> str:
    """Decode as the byte order mark says, then the header, then the page itself; else as UTF-8."""
    marks = ((b"\xef\xbb\xbf", "utf-8"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
    by_mark = next((name for mark, name in marks if data.startswith(mark)), None)
    declared = _CHARSET.search(data[:4096])
    by_page = declared.group(1).decode("ascii", "replace") if declared else None
    for name in (by_mark, charset, by_page):
        if name and _WEB_CHARSET.fullmatch(name):
            try:
                return data.decode(name, "replace").removeprefix("\ufeff")
            except LookupError:
                continue
    return data.decode("utf-8", "replace")


def _base(tree: Tag, base_url: str) -> str:
    given = tree.find("base", href=True)
    return (absolute(base_url, str(given["href"])) if isinstance(given, Tag) else None) or base_url


def _description(tree: Tag) -> str:
    for name, value in (("name", "description"), ("property", "og:description")):
        found = tree.find("meta", {name: value})
        if isinstance(found, Tag):
            return " ".join(str(found.get("content") or "").split())[:500]
    return ""


def _content(tree: Tag) -> Tag:
    """Return the innermost element that surely holds all of the content."""
    main = tree.find("main") or tree.find(role="main")
    within = main if isinstance(main, Tag) and _words(main) else tree
    articles = within.find_all("article", limit=2)
    return articles[0] if len(articles) == 1 and _words(articles[0]) else within


def _beside(tree: Tag, content: Tag) -> list[Tag]:
    """Return the page's navigations, outermost only, then whatever is not content."""
    navs = [el for el in tree.find_all(True) if _is_navigation(el)]
    ids = {id(nav) for nav in navs}
    outermost = [nav for nav in navs if not any(id(parent) in ids for parent in nav.parents)]
    return outermost if content is tree else [*outermost, tree]


def _is_navigation(el: Tag) -> bool:
    return el.name == "nav" or el.get("role") == "navigation"


def _clean(content: Tag) -> None:
    """Take out what is no content and bring odd constructions into common ones."""
    for el in content.find_all(True):
        if el.decomposed:
            continue
        if _is_aside(el, content):
            el.decompose()
        elif el.name in ("div", "aside", "section", "blockquote") and callout_style(el):
            _name_callout(el)
        elif el.name == "table" and _classes(el) & _NUMBERED_CODE:
            code = el.find_all("pre")
            if code:
                around = code[-1].parent
                el.replace_with((around if around and around.name == "div" else code[-1]).extract())


def _is_aside(el: Tag, content: Tag) -> bool:
    if el.name in ("title", "meta", "link", "base", "nav", "footer") or el.get("role") in _ASIDE_ROLES:
        return True
    if el.name == "header":
        return el.find(list(HEADINGS)) is None
    if el.name == "aside":
        return callout_style(el) is None
    if el.has_attr("hidden") or (el.get("aria-hidden") == "true" and el.name != "img"):
        return True
    if el.name == "a" and _words(el) in ("", "¶", "#", "§") and el.find("img") is None:
        return True
    return bool(_classes(el) & _ASIDE_CLASSES)


def _name_callout(el: Tag) -> None:
    title = callout_title(el)
    if title is None:
        return
    if says_only_its_kind(_words(title)):
        title.decompose()
    else:
        title.name = "p"
        bold = Tag(name="strong")
        bold.extend(list(title.contents))
        title.append(bold)
    el["class"] = f"{el.get('class')} hint"


def _classes(el: Tag) -> frozenset[str]:
    return frozenset(str(el.get("class") or "").lower().split())


def _words(el: object) -> str:
    return " ".join(el.get_text().split()) if isinstance(el, Tag) else ""
