"""One fetched page, HTML or Markdown, to a tree: `README.md`, and the pictures of the same site it shows."""

from __future__ import annotations

from functools import partial
from html import unescape

from app.formats.convert.fetching import Fetch
from app.formats.convert.html import absolute, to_markdown
from app.formats.convert.layout import with_front_matter
from app.formats.convert.pictures import bring, pictures_in
from app.formats.convert.rewrite import rewritten
from app.formats.convert.scope import clean, scope_of
from app.formats.repository.reading import MAX_MARKDOWN
from app.formats.scan import Link
from app.kit import workers
from app.kit.errors import Invalid, TooLarge
from app.kit.http.outbound import OutboundResponse

PICTURE_BUDGET = 20_000_000


async def html_tree(
    fetched: OutboundResponse, fetch: Fetch | None = None, *, deadline: float | None = None
) -> dict[str, bytes]:
    """An HTML page as Markdown; without `fetch` its pictures stay where they are. Raises Invalid."""
    convert = partial(to_markdown, fetched.body, base_url=fetched.url, charset=fetched.charset)
    page = await workers.run(len(fetched.body), convert)
    markdown = with_front_matter(page.markdown, page.title, page.description)
    return await _with_pictures(markdown, fetched.url, fetch, deadline)


async def markdown_tree(
    fetched: OutboundResponse, fetch: Fetch | None = None, *, deadline: float | None = None
) -> dict[str, bytes]:
    """A Markdown file as it came, but for the addresses of the pictures brought along.

    Raises TooLarge when it is over 5 MB, Invalid when it is not text.
    """
    if len(fetched.body) > MAX_MARKDOWN:
        raise TooLarge("The file is larger than 5 MB.", path="url")
    try:
        text = fetched.body.decode("utf-8")
    except UnicodeDecodeError:
        raise Invalid("The file is not UTF-8 text.", path="url") from None
    return await _with_pictures(text, fetched.url, fetch, deadline)


async def _with_pictures(
    markdown: str, base_url: str, fetch: Fetch | None, deadline: float | None
) -> dict[str, bytes]:
    if fetch is None:
        return {"README.md": markdown.encode()}
    site = scope_of(clean(base_url) or base_url).origin + "/"
    shown = await workers.run(len(markdown), pictures_in, markdown)
    whole = [absolute(base_url, href) for href in shown]
    ours = [address for address in whole if address and address.startswith(site)]
    brought = await bring(fetch, ours, most_bytes=PICTURE_BUDGET, deadline=deadline)

    def new_href(link: Link) -> str | None:
        address = absolute(base_url, unescape(link.href)) if link.kind == "image" else None
        return brought[address][0] if address in brought else None

    if brought:
        markdown = await workers.run(len(markdown), rewritten, markdown, new_href)
    return {"README.md": markdown.encode(), **dict(brought.values())}
