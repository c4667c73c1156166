"""The pages that a content source answers with, read from JSON that its script made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from app.domain.revisions.computed_pages import page_id_of
from app.domain.revisions.records import free_slug
from app.domain.revisions.source_files import AnsweredFile, file_id_of, files_of
from app.formats.markdown.hrefs import rewritten
from app.formats.markdown.scanner import ScannedLink
from app.formats.repository.names import clean_title
from app.formats.repository.names import slug as slug_of
from app.kit.errors import BadGateway

MOST_PAGES = 500
DEEPEST = 8
_KINDS = ("document", "group", "link", "computed")


@dataclass(slots=True, kw_only=True)
class AnsweredPage:
    """A page of an answer, with what computes its text, or (of the type `computed`) the pages below it."""

    key: str
    parent: str
    kind: str
    title: str
    slug: str
    description: str | None = None
    emoji: str | None = None
    icon: str | None = None
    href: str | None = None
    computed: dict[str, Any] | None = None


@dataclass(slots=True)
class AnswerReader:
    """Reads answers into pages, parents before their children. `ids` are pages by the ids that answers gave
    them, for links between them."""

    placed_id: str
    type: str
    files: dict[str, AnsweredFile] = field(default_factory=dict)
    found: list[AnsweredPage] = field(default_factory=list)
    ids: dict[str, str] = field(default_factory=dict)
    _slugs: dict[str, set[str]] = field(default_factory=dict)

    @property
    def file_ids(self) -> dict[str, str]:
        """Return the files of the space by the ids that answers gave them."""
        return {key: file_id_of(self.placed_id, key) for key in self.files}

    def read(self, answer: Mapping[str, Any], parent: str = "") -> list[AnsweredPage]:
        """Return the pages of an answer, which are below a page; raises BadGateway, naming what is wrong."""
        begin = len(self.found)
        self.files |= {file.id: file for file in files_of(answer)}
        self._pages(answer.get("pages") or [], parent, "pages", parent.count("/") + 1)
        return self.found[begin:]

    def _pages(self, pages: object, parent: str, path: str, depth: int) -> None:
        if not isinstance(pages, list) or depth > DEEPEST:
            raise _wrong(path, f"must be a list of pages, at most {DEEPEST} levels deep")
        for n, page in enumerate(pages):
            here = f"{path}[{n}]"
            if not isinstance(page, dict):
                raise _wrong(here, "must be an object")
            if len(self.found) >= MOST_PAGES:
                raise BadGateway(f"A source may answer with at most {MOST_PAGES} pages.")
            read = self._page(page, parent, here)
            self.found.append(read)
            if read.kind in ("document", "group"):
                self._pages(page.get("pages") or [], read.key, f"{here}.pages", depth + 1)

    def _page(self, page: dict[str, Any], parent: str, path: str) -> AnsweredPage:
        kind = page.get("type", "document")
        if kind not in _KINDS:
            raise _wrong(f"{path}.type", f"must be one of {', '.join(_KINDS)}")
        title = clean_title(_text(page, "title", path) or "")[:500]
        if not title:
            raise _wrong(f"{path}.title", "needs a visible character")
        taken = self._slugs.setdefault(parent, set())
        slug = free_slug(slug_of(_text(page, "slug", path) or title) or "page", taken)
        taken.add(slug)
        given = _text(page, "id", path)
        key = f"{parent}/{given or slug}"
        if given:
            self.ids[given] = page_id_of(self.placed_id, key)
        return AnsweredPage(
            key=key,
            parent=parent,
            kind=kind,
            title=title,
            slug=slug,
            description=(_text(page, "description", path) or "")[:2000] or None,
            emoji=_short(page, "emoji", path),
            icon=_short(page, "icon", path),
            href=_href(page, path) if kind == "link" else None,
            computed=self._source(page, kind, path),
        )

    def _source(self, page: dict[str, Any], kind: str, path: str) -> dict[str, Any] | None:
        """Return what computes a page: a source of the same integration."""
        said = page.get("computed")
        if said is None and kind != "computed":
            return None
        here = f"{path}.computed"
        if not isinstance(said, dict) or not isinstance(said.get("props", {}), dict):
            raise _wrong(here, "must be an object with a type and props")
        type_ = said.get("type")
        own, _, _ = self.type.rpartition(":")
        if not isinstance(type_, str) or type_.count(":") != 2 or type_.rpartition(":")[0] != own:
            raise _wrong(f"{here}.type", f"must be a source of the same integration: {own}:…")
        return {"type": type_, "props": said.get("props", {})}


def with_references(node: Any, reader: AnswerReader) -> Any:
    """Return a document whose references to pages and files of the answer name what these became."""
    if isinstance(node, list):
        return [with_references(each, reader) for each in node]
    if not isinstance(node, dict):
        return node
    found = {name: with_references(value, reader) for name, value in node.items()}
    if found.get("kind") in ("page", "anchor") and isinstance(found.get("page"), str):
        found["page"] = reader.ids.get(found["page"], found["page"])
    if found.get("kind") == "file" and isinstance(found.get("file"), str):
        found["file"] = reader.file_ids.get(found["file"], found["file"])
    return found


def with_text_references(markdown: str, reader: AnswerReader) -> str:
    """Return a text whose links to pages and files of the answer (`/pages/ID`) lead to what these became."""
    became = {"pages": reader.ids, "files": reader.file_ids}

    def led(link: ScannedLink) -> str | None:
        path, mark, anchor = link.href.partition("#")
        kind, _, named = path.removeprefix("/").partition("/")
        found = became[kind].get(unquote(named)) if path.startswith("/") and kind in became else None
        return found and f"/{kind}/{found}{mark}{anchor}"

    return rewritten(markdown, led)


def _href(page: dict[str, Any], path: str) -> str:
    target = page.get("target")
    url = target.get("url") if isinstance(target, dict) and target.get("kind") == "url" else None
    if not isinstance(url, str) or not url.startswith(("https://", "http://")) or len(url) > 2048:
        raise _wrong(f"{path}.target", "must be a reference of the kind url, to https:// or http://")
    return url


def _text(page: dict[str, Any], name: str, path: str) -> str | None:
    value = page.get(name)
    if value is not None and not isinstance(value, str):
        raise _wrong(f"{path}.{name}", "must be text")
    return value.replace("\0", "") if value else None


def _short(page: dict[str, Any], name: str, path: str) -> str | None:
    return (_text(page, name, path) or "")[:100] or None


def _wrong(path: str, message: str) -> BadGateway:
    return BadGateway(f"The integration answered with pages that cannot be read: {path} {message}.")
