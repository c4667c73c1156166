"""Pages for people with a browser that need no script: their layout, their headers, the forms they send."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from app import cookies
from app.bodies import body_bytes
from app.kit.errors import Forbidden, Invalid, NotJson
from app.kit.http.headers import page_policy
from app.kit.settings import Settings
from app.web.pages import static_folder, version

LARGEST = 300_000  # bytes of a form: the response of an identity provider has some ten thousand
MOST_FIELDS = 50
_POLICY = {
    "default-src": "'none'",
    "style-src": "'self'",
    "img-src": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
}
_PAGE = """<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>{title} · Docyard</title>
    <link rel="icon" href="{static}/icon.svg">
    <link rel="stylesheet" href="{static}/sign-in.css">
  </head>
  <body>
    <main>
      <p class="brand"><img src="{static}/icon.svg" alt="" width="24" height="24"> Docyard</p>
      <h1>{title}</h1>
{content}
    </main>
  </body>
</html>
"""


def page(title: str, content: str, depth: int) -> str:
    """Return a page with a title and the HTML of its content, `depth` folders below the first."""
    return _PAGE.format(title=title, content=content, static=f"{root(depth)}static/{version()}")


def root(depth: int) -> str:
    """Return the way from a page to the server's root: addresses in pages are relative."""
    return "../" * depth


def depth_of(request: Request) -> int:
    """Return how many folders below the first the address of a request is."""
    path: str = request.scope["path"]
    return path.count("/") - 1


def answer_page(
    settings: Settings, text: str, status: int = 200, onward: str = "", *, scripts: bool = False
) -> Response:
    """Return a page as the answer of a request, with the headers that keep it to itself.

    `onward` is the origin to which the answer of its form may redirect; `scripts` are those of this server.
    """
    policy = {**_POLICY, "form-action": f"'self' {onward}".rstrip()}
    if scripts:
        policy |= {"script-src": "'self'", "connect-src": "'self'"}
    headers = {
        "Content-Security-Policy": page_policy(policy, [static_folder(settings)]),
        "Referrer-Policy": "same-origin",  # so that a form says where it comes from
        "Cache-Control": "no-store",
    }
    return HTMLResponse(text, status, headers)


def wants_page(request: Request) -> bool:
    """Tell whether the caller reads pages."""
    return "text/html" in request.headers.get("accept", "")


def refuse_foreign_form(request: Request, settings: Settings) -> None:
    """Raise Forbidden for a form that no page of this origin sent, as far as browsers tell."""
    ours = urlsplit(settings.base_url)
    silent = "sec-fetch-site" not in request.headers
    is_own = silent and request.headers.get("origin") == f"{ours.scheme}://{ours.netloc}"
    if not (cookies.comes_from_us(request) or is_own):
        raise Forbidden("Only a page of this server may send this form.")


async def form_of(request: Request) -> dict[str, list[str]]:
    """Return the fields of a form; raises NotJson for another media type, Invalid for what is none."""
    media = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != "application/x-www-form-urlencoded":
        raise NotJson("Send the form as application/x-www-form-urlencoded.")
    raw = await body_bytes(request, LARGEST)
    try:
        pairs = parse_qsl(
            raw.decode("ascii"), keep_blank_values=True, max_num_fields=MOST_FIELDS, errors="strict"
        )
    except ValueError:
        raise Invalid("The form cannot be read.", path="body") from None
    form: dict[str, list[str]] = {}
    for name, value in pairs:
        form.setdefault(name, []).append(value)
    return form


def one(form: dict[str, list[str]], name: str) -> str:
    """Return the value of a field that is sent once; raises Invalid."""
    found = form.get(name, [])
    if len(found) != 1:
        raise Invalid(f"Send {name} once.", path=name)
    return found[0]
