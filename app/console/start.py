"""The first page for who is not signed in: the sites that anybody may visit, the way in, and the API."""

from __future__ import annotations

from html import escape

from starlette.requests import Request
from starlette.responses import Response

from app.domain.publishing import published_sites
from app.runtime import Runtime
from app.web.html import answer_page, page, root

_CONTENT = """      <nav>
        <a class="main" href="{root}sign-in">Sign in</a>
        <a href="{root}docs/guide">Guide</a>
      </nav>
{sites}      <nav aria-label="For programs" class="other">
        <a href="{root}docs">API reference</a>
        <a href="{root}graphql">GraphiQL</a>
        <a href="{root}v1/openapi.json">OpenAPI document</a>
      </nav>"""
_SITES = """      <section>
        <h2>Published here</h2>
        <ul>
{items}
        </ul>
      </section>
"""


async def start_page(runtime: Runtime, request: Request) -> Response:
    """Return the first page; raises TooManyRequests for an address that asks too often."""
    runtime.throttle.take("anonymous", request.scope)
    found = await published_sites.list_public(runtime.context_of_nobody())
    items = "\n".join(
        f'          <li><a href="{escape(address)}" dir="auto">{escape(title)}</a></li>'
        for title, address in found
    )
    sites = _SITES.format(items=items) if items else ""
    text = page("Welcome", _CONTENT.format(root=root(0), sites=sites), 0)
    return answer_page(runtime.settings, text)
