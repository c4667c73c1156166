"""The pages that the console consists of for the server: its shell, and the frame in which it shows texts.

The shell is one page for all addresses of the console; its script draws what the address names. Who is not
signed in is sent to sign in and back. A text that somebody wrote is shown in a frame without an origin: the
frame has no cookies, may not call the API, and runs no script but its own (`static/frame.js`).
"""

from __future__ import annotations

import json
from base64 import b64encode
from functools import lru_cache
from hashlib import sha256
from html import escape
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from app.console import assets
from app.console.first_queries import first_queries
from app.domain.site_addresses import own_origins
from app.kit import workers
from app.kit.http.headers import page_policy
from app.kit.settings import Settings
from app.runtime import Runtime

LANGUAGES = ("en", "de")
_SHELL = """<!doctype html>
<html lang="{language}" data-base="{base}">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <meta name="docyard-sites" content="{sites}">
    <meta name="docyard-origins" content="{origins}">
    <meta name="docyard-first" content="{asked}">
    <title>Docyard</title>
    <link rel="icon" href="{base}/static/-/icon.svg">
    <script>{early}</script>
    <link rel="stylesheet" href="{static}/style.css">
{preloads}
    <script type="module" src="{static}/main.js"></script>
  </head>
  <body>
    <div id="console">
      <noscript><p>The console needs JavaScript. <a href="{base}/docs">The API</a> does not.</p></noscript>
      <div class="shell" aria-hidden="true">
        <div class="side"></div>
        <div class="body">
          <div class="bar-top"><nav class="crumbs"><ol><li><span>Docyard</span></li></ol></nav></div>
          <main><div class="bones"><i></i><i></i><i></i><i></i><i></i><i></i></div></main>
        </div>
      </div>
    </div>
  </body>
</html>
"""
_FRAME = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>Text</title>
    <link rel="stylesheet" href="{static}/reader.css">
    <link rel="stylesheet" href="{static}/frame.css">
    <script src="{static}/frame-changes.js" defer></script>
    <script src="{static}/frame.js" defer></script>
  </head>
  <body><main><article class="body"></article></main></body>
</html>
"""


def routes(runtime: Runtime) -> list[Route]:
    """Return the routes of the console."""
    settings = runtime.settings

    async def shell_or_sign_in(request: Request) -> Response:
        if not await _is_signed_in(runtime, request):
            from app.web import browsers

            return browsers.on_to_sign_in(runtime, request)
        return shell(request, settings)

    async def start(request: Request) -> Response:
        if not await _is_signed_in(runtime, request):
            await workers.load("app.console.start")
            from app.console.start import start_page

            return await start_page(runtime, request)
        return shell(request, settings)

    async def guide(request: Request) -> Response:
        await workers.load("app.console.guide")
        from app.console.guide import guide_page

        return await guide_page(settings, request)

    def frame(_request: Request) -> Response:
        return _frame(settings)

    return [
        Route("/", start),
        Route("/docs/guide", guide),
        Route("/docs/guide/{path:path}", guide),
        Route("/console/frame", frame),
        Route("/console/new", shell_or_sign_in),
        Route("/console/{version}/{name:path}", assets.asset),
        Route("/integrations/{integration}", shell_or_sign_in),
        Route("/account/{part}", shell_or_sign_in),
        Route("/o/{path:path}", shell_or_sign_in),
    ]


async def _is_signed_in(runtime: Runtime, request: Request) -> bool:
    await workers.load("app.web.browsers")  # a cold start for the API does without it
    from app.web import browsers

    return await browsers.signed_in(runtime, request) is not None


def shell(request: Request, settings: Settings) -> Response:
    """Return the page whose script draws all screens."""
    files, base = assets.current(), _base(settings)
    static, language = f"{base}/console/{files.version}", _language(request)
    path = request.url.path.removeprefix(base)
    first = files.screen(path) or assets.ENTRY
    asked = first_queries(files, path, request.url.query)
    loaded = dict.fromkeys([*files.modules(assets.ENTRY)[1:], f"texts/{language}.js", *files.modules(first)])
    loaded.pop(assets.ENTRY, None)
    preloads = "\n".join(f'    <link rel="modulepreload" href="{static}/{name}">' for name in loaded)
    text = _SHELL.format(
        language=language,
        base=escape(base),
        sites=escape(settings.sites_base),
        origins=escape(own_origins.pattern(settings)),
        static=static,
        early=files.early,
        asked=escape(json.dumps(asked, ensure_ascii=False, separators=(",", ":"))),
        preloads=preloads,
    )
    headers = {
        "Content-Security-Policy": _shell_policy(settings, files.early),
        "Cache-Control": "no-store",  # it says that somebody is signed in
        "Referrer-Policy": "same-origin",
        "Vary": "Accept-Language, Cookie",
    }
    return HTMLResponse(text, headers=headers)


def _frame(settings: Settings) -> Response:
    base = _base(settings)
    text = _FRAME.format(static=f"{base}/console/{assets.current().version}")
    headers = {"Content-Security-Policy": _frame_policy(settings), "Cache-Control": "no-cache"}
    return HTMLResponse(text, headers=headers)


def _shell_policy(settings: Settings, early: str) -> str:
    sites = _origin(settings.sites_base)
    return page_policy(
        {
            "default-src": "'none'",
            "script-src": f"'self' '{_digest(early)}'",
            "style-src": "'self'",
            "connect-src": "'self' https:" if settings.blobs else "'self'",  # a bucket takes uploads itself
            "img-src": f"'self' data: blob: https: {sites}",
            "frame-src": f"'self' {sites} {own_origins.pattern(settings)}".rstrip(),
            "form-action": "'self'",
            "base-uri": "'none'",
            "frame-ancestors": "'none'",
            "require-trusted-types-for": "'script'",
            "trusted-types": "'none'",
        },
        [f"{_base(settings)}/console/"],
    )


@lru_cache(maxsize=2)
def _digest(script: str) -> str:
    """Return a script's digest, with which a policy allows it in the page itself."""
    return f"sha256-{b64encode(sha256(script.encode()).digest()).decode()}"


def _frame_policy(settings: Settings) -> str:
    return page_policy(
        {
            "sandbox": "allow-scripts allow-popups allow-popups-to-escape-sandbox",
            "default-src": "'none'",
            "script-src": "'self'",
            "style-src": "'self'",
            "img-src": f"'self' data: https: {_origin(settings.sites_base)}",
            "media-src": "'self' https:",
            "frame-src": "https:",
            "form-action": "'none'",
            "base-uri": "'none'",
            "frame-ancestors": "'self'",
        },
        [f"{_base(settings)}/console/"],
    )


def _language(request: Request) -> str:
    """Return the first language of the browser that the console speaks."""
    wanted = request.headers.get("accept-language", "").lower().split(",")
    known = (part.partition(";")[0].strip().partition("-")[0] for part in wanted)
    return next((language for language in known if language in LANGUAGES), LANGUAGES[0])


def _base(settings: Settings) -> str:
    return urlsplit(settings.base_url).path.rstrip("/")


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"
