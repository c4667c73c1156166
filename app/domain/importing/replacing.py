"""One document in the place of a page's body: the plan of a single page made to fit the page that is there.

The page keeps its title, place and address, and stays hidden where it was. What the document shows comes
along: a file whose path another file has gets a number, and the document's links follow.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256

from app.formats.convert.rewrite import rewritten
from app.formats.links import relative, resolve
from app.formats.repository.front_matter import split
from app.formats.repository.plan import Plan
from app.formats.repository.tree import Memory
from app.formats.scan import Link
from app.models.pages import PageVersion


def fit(plan: Plan, page: PageVersion, name: str, held: Mapping[str, str]) -> None:
    """Make a plan of one document that of this page, whose file is called `name`.

    `held` are the files beside it: hashes of their bytes by path.
    """
    document = plan.pages[0]
    assert document.source is not None
    content = plan.tree.read(document.source)
    others = {path: plan.tree.read(path) for path in plan.tree.paths() if path != document.source}
    places = {file.source: _free(file.source, others[file.source], held) for file in plan.files}
    tree = {places.get(path, path): data for path, data in others.items()}
    plan.tree = Memory({**tree, name: _moved(content, document.source, name, places)})
    plan.files = [
        replace(file, source=places[file.source], name=posixpath.basename(places[file.source]))
        for file in plan.files
    ]
    plan.pages = [
        replace(
            document,
            source=name,
            title=page.title,
            link_title=page.link_title,
            slug=page.slug,
            listed=not page.hidden,
        )
    ]


def _free(path: str, data: bytes, held: Mapping[str, str]) -> str:
    """The path, with a number where another file has it."""
    stem, ending = posixpath.splitext(path)
    number, digest, free = 0, sha256(data).hexdigest(), path
    while held.get(free, digest) != digest:
        number += 1
        free = f"{stem}-{number}{ending}"
    return free


def _moved(content: bytes, before: str, after: str, places: Mapping[str, str]) -> bytes:
    """The document with its links leading to where its files are now; to the byte where they do already."""

    def new_href(link: Link) -> str | None:
        was, now = resolve(link.href, before), resolve(link.href, after)
        place = places.get(was.path) if was else None
        if was is None or place is None or (now and now.path == place):
            return None
        return relative(place, after, was.anchor)

    try:
        front_matter, body = split(content.decode())
    except UnicodeDecodeError:
        return content
    return (front_matter + rewritten(body, new_href)).encode()
