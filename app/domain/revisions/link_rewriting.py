"""Hrefs written for the links of a text, so that they lead where they led: the one place that decides it.

A link means what it led to where its text was kept: in the space before, in a change request, in a revision.
If that is still there, the link leads to it, rewritten where its file is another now. If it is gone the link
stays as it is, and so does one that led nowhere. A new text means what it says; what is nowhere now but was
there once is meant where it is now.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from app.domain.revisions.link_targets import LinkMeanings, TargetRef, Unknown
from app.domain.revisions.target_index import FormerSources, TargetIndex, paths_of
from app.formats.markdown.hrefs import (
    candidates,
    classify,
    named,
    relative,
    replace_hrefs,
    resolve,
    styled_like,
)
from app.formats.markdown.scanner import ScannedLink as Found
from app.kit import workers
from app.kit.deadlines import check

LINK = 10  # characters that a link to be resolved counts for


@dataclass(slots=True)
class RewritableText:
    """A text with its links, kept in the file `source`; `meanings` tell what they led to, None: it is new.

    It may be what is shown of bytes that are no text.
    """

    holder_id: str
    source: str
    body: str
    links: Sequence[Found]
    meanings: LinkMeanings | None
    is_text: bool = True
    meant: list[TargetRef | Unknown | None] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.links = [link for link in self.links if classify(link.href) == "repository"]

    @property
    def meaning(self) -> Iterator[tuple[Found, TargetRef]]:
        """Return the links with what they mean, as far as they mean anything."""
        return (
            (link, ref)
            for link, ref in zip(self.links, self.meant, strict=True)
            if isinstance(ref, TargetRef)
        )

    @property
    def unknown(self) -> list[Found]:
        """Return the links that nobody knows the meaning of."""
        return [link for link, ref in zip(self.links, self.meant, strict=True) if ref is Unknown.UNKNOWN]


async def rewritten(
    index: TargetIndex, texts: Sequence[RewritableText], refs: dict[str, str]
) -> dict[str, str]:
    """Return the bodies of those of these texts that have links, by holder, with every link leading where it
    should.

    What they ask for was looked up. `refs` are ids by the names that new texts may use for them.
    """
    texts = [text for text in texts if text.links]
    if not texts:
        return {}
    size = _size(texts)
    await index.read(await workers.run(size, _all_named, index, texts, refs))
    for text, meant in zip(texts, await workers.run(size, _all_meant, index, texts, refs), strict=True):
        text.meant = meant
    await index.read(ref for text in texts for _, ref in text.meaning)
    await _remember(index, [text for text in texts if text.unknown])
    hrefs = await workers.run(size, _all_hrefs, index, texts)
    await index.look_up(await workers.run(size, _asked_by, texts, hrefs))
    return await workers.run(size, _replaced, index, texts, hrefs)


async def asked(texts: Sequence[RewritableText]) -> list[str]:
    """Return the paths that the links of these texts ask for."""
    size = _size(texts)
    return await workers.run(size, _asked, texts) if size else []


def _size(texts: Sequence[RewritableText]) -> int:
    return LINK * sum(len(text.links) for text in texts)


Hrefs = list[tuple[Found, TargetRef, str]]
"""Links that lead elsewhere than they should, with that and the href to it."""


def _asked(texts: Sequence[RewritableText]) -> list[str]:
    found: list[str] = []
    for text in texts:
        for link in text.links:
            check()
            found += paths_of(link.href, text.source)
    return found


def _asked_by(texts: Sequence[RewritableText], hrefs: Sequence[Hrefs]) -> list[str]:
    found: list[str] = []
    for text, links in zip(texts, hrefs, strict=True):
        for _, _, href in links:
            check()
            found += paths_of(href, text.source)
    return found


def _all_named(index: TargetIndex, texts: Sequence[RewritableText], refs: dict[str, str]) -> list[TargetRef]:
    found = [_named(index, link, refs) for text in texts if text.meanings is None for link in text.links]
    return [ref for ref in found if ref is not None]


def _all_meant(
    index: TargetIndex, texts: Sequence[RewritableText], refs: dict[str, str]
) -> list[list[TargetRef | Unknown | None]]:
    return [[_meant(index, text, link, refs) for link in text.links] for text in texts]


def _all_hrefs(index: TargetIndex, texts: Sequence[RewritableText]) -> list[Hrefs]:
    return [
        [
            (link, ref, _href(index, text, link, ref))
            for link, ref in text.meaning
            if index.is_there(ref) and not _leads_there(index, text, link, ref)
        ]
        for text in texts
    ]


def _replaced(index: TargetIndex, texts: Sequence[RewritableText], hrefs: Sequence[Hrefs]) -> dict[str, str]:
    return {
        text.holder_id: replace_hrefs(
            text.body,
            [(link.start, link.end, _checked(index, text, link, ref, href)) for link, ref, href in found],
        )
        for text, found in zip(texts, hrefs, strict=True)
    }


def _named(index: TargetIndex, link: Found, refs: dict[str, str]) -> TargetRef | None:
    """Return what a link of a new text names by its id, or by a name that stands for one."""
    check()
    name = named(link.href)
    if name is None or name.kind == "space" or name.space not in (None, index.targets.space):
        return None
    return TargetRef(name.kind, refs.get(name.id, name.id))


def _meant(
    index: TargetIndex, text: RewritableText, link: Found, refs: dict[str, str]
) -> TargetRef | Unknown | None:
    check()
    if text.meanings is not None:
        meant = text.meanings.of(link)
        if meant is not Unknown.UNKNOWN:
            return meant
    name = _named(index, link, refs)
    if name is not None and index.is_there(name):
        return name
    return _leads(index, link.href, text.source) or Unknown.UNKNOWN


def _leads(index: TargetIndex, href: str, source: str) -> TargetRef | None:
    target = resolve(href, source)
    return index.targets.find(target.path) if target else None


def _leads_there(index: TargetIndex, text: RewritableText, link: Found, ref: TargetRef) -> bool:
    """Tell whether a link leads to what it means as it is; by an id it does unless the text is new."""
    check()
    if text.meanings is not None and (name := named(link.href)) and name.id == ref.id:
        return True
    return _leads(index, link.href, text.source) == ref


async def _remember(index: TargetIndex, texts: Sequence[RewritableText]) -> None:
    """Find what was there once: under the path of a link, or beside the text where that was kept before."""
    if not texts:
        return
    size, now = _size(texts), {text.holder_id: [text.source] for text in texts}
    former = await index.former(await workers.run(size, _all_files, texts, now), list(now))
    moved = [text for text in texts if former.by_id.get(text.holder_id)]
    if moved:
        was = former.by_id
        await index.look_up(await workers.run(size, _all_paths, moved, was))
        former.add(await index.former(await workers.run(size, _all_files, moved, was), []))
    await index.read(TargetRef("page", key) for key in former.by_source.values())
    for text, meant in zip(texts, await workers.run(size, _all_once, index, texts, former), strict=True):
        text.meant = meant


def _all_once(
    index: TargetIndex, texts: Sequence[RewritableText], former: FormerSources
) -> list[list[TargetRef | Unknown | None]]:
    return [
        [
            _once(index, text, link, former) if ref is Unknown.UNKNOWN else ref
            for link, ref in zip(text.links, text.meant, strict=True)
        ]
        for text in texts
    ]


def _once(index: TargetIndex, text: RewritableText, link: Found, former: FormerSources) -> TargetRef | None:
    """Return what a link of a text that somebody read earlier led to then, if it is still there."""
    for source in (text.source, *former.by_id.get(text.holder_id, ())):
        check()
        target = resolve(link.href, source)
        if target is None:
            continue
        if source != text.source and (found := index.targets.find(target.path)):
            return found
        for file in candidates(target.path):
            key = former.by_source.get(file, "")
            ref = TargetRef(index.targets.named.get(key, "page"), key)
            if index.is_there(ref):
                return ref
    return None


def _all_paths(texts: Sequence[RewritableText], sources: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the paths that the unknown links of texts ask for, seen from their holders' sources."""
    found: list[str] = []
    for link, source in _unknown(texts, sources):
        found += paths_of(link.href, source)
    return found


def _all_files(texts: Sequence[RewritableText], sources: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the files that the unknown links of texts may mean, seen from their holders' sources."""
    found: list[str] = []
    for link, source in _unknown(texts, sources):
        if target := resolve(link.href, source):
            found += candidates(target.path)
    return found


def _unknown(
    texts: Sequence[RewritableText], sources: Mapping[str, Sequence[str]]
) -> Iterator[tuple[Found, str]]:
    for text in texts:
        for link in text.unknown:
            for source in sources[text.holder_id]:
                check()
                yield link, source


def _href(index: TargetIndex, text: RewritableText, link: Found, ref: TargetRef) -> str:
    """Return the href to something, in the style of the link."""
    place = index.source(ref)
    if place is None or named(link.href):
        return _plain(index, text, link, ref)
    return styled_like(link.href, place, text.source, _anchor(link.href, text.source))


def _checked(index: TargetIndex, text: RewritableText, link: Found, ref: TargetRef, href: str) -> str:
    """Return the href, or a plain one where in its style it would mean something else."""
    return href if _leads(index, href, text.source) == ref else _plain(index, text, link, ref)


def _plain(index: TargetIndex, text: RewritableText, link: Found, ref: TargetRef) -> str:
    """Return the href to the file of something; to its id where it is in none."""
    place, anchor = index.source(ref), _anchor(link.href, text.source)
    if place is not None:
        return relative(place, text.source, anchor)
    return f"/{ref.kind}s/{ref.id}" + (f"#{anchor}" if anchor else "")


def _anchor(href: str, source: str) -> str | None:
    if name := named(href):
        return name.anchor
    target = resolve(href, source)
    return target.anchor if target else None
