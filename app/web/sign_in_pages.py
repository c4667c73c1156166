"""The pages of signing in and out: no script, no form but the one that signs out, nothing from elsewhere."""

from __future__ import annotations

from datetime import datetime
from html import escape

from app.domain.sso.sessions import SignedIn
from app.domain.sso.sign_ins import SignInRequest
from app.kit.clock import wire_time
from app.kit.errors import Problem
from app.kit.http.headers import page_policy
from app.kit.settings import Settings
from app.web.pages import static_folder, version

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
_WAYS_ON = """      <nav>
        <a href="{root}graphql">GraphiQL</a>
        <a href="{root}docs">API reference</a>
      </nav>
      <form method="post" action="{root}sso/sign-out"><button>Sign out</button></form>"""


def headers(settings: Settings) -> dict[str, str]:
    """Return the headers of these pages."""
    return {
        "Content-Security-Policy": page_policy(_POLICY, [static_folder(settings)]),
        "Referrer-Policy": "same-origin",  # so that the form to sign out says where it comes from
    }


def signed_in(done: SignedIn, depth: int) -> str:
    """Who has signed in, and the token, which is shown this once."""
    until = _time(done.until)
    content = f"""{_who(done)}
      <section>
        <h2>Your token</h2>
        <p><code class="token">{escape(done.token)}</code></p>
        <p>It is shown only now, works until {until} and opens this organization alone. Send it as</p>
        <p><code>Authorization: Bearer TOKEN</code></p>
      </section>
      <p>This browser is signed in until then too: GraphiQL and the API reference need no token.</p>
{_WAYS_ON.format(root=_root(depth))}"""
    return _page("Signed in", content, depth)


def session(found: SignedIn, depth: int) -> str:
    """Who is signed in in this browser."""
    content = f"""{_who(found)}
      <p>This browser is signed in until {_time(found.until)}.</p>
{_WAYS_ON.format(root=_root(depth))}"""
    return _page("Signed in", content, depth)


def signed_out(depth: int) -> str:
    """Nobody is any more."""
    content = (
        "      <p>This browser is signed out. A token that you took along works until its time is over.</p>"
    )
    return _page("Signed out", content, depth)


def asked(done: SignInRequest, api: str) -> str:
    """What somebody does who has an account here and was invited."""
    return (
        f"{done.email} has to accept first: an invitation to {done.organization} waits."
        f" Accept it with a token of your own, by POST {api}/orgs/{done.organization_id}"
        f"/invites/{done.invite_id}, and sign in here again."
    )


def refusal(problem: Problem, depth: int) -> str:
    """Why not."""
    title = "Not signed in" if problem.status in (400, 401, 403, 409) else "This did not work"
    return _page(title, f'      <p role="alert">{escape(problem.message)}</p>', depth)


def _who(done: SignedIn) -> str:
    name, email, organization = (
        escape(t) for t in (done.user.display_name, done.user.email, done.organization)
    )
    return f"""      <dl>
        <dt>Person</dt><dd>{name}<span>{email}</span></dd>
        <dt>Organization</dt><dd>{organization}</dd>
      </dl>"""


def _time(moment: datetime) -> str:
    return f'<time datetime="{wire_time(moment)}">{moment:%Y-%m-%d %H:%M} UTC</time>'


def _page(title: str, content: str, depth: int) -> str:
    return _PAGE.format(title=title, content=content, static=f"{_root(depth)}static/{version()}")


def _root(depth: int) -> str:
    return "../" * depth
