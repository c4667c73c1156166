"""The pages of signing in and out and of invitations: no script, and nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from html import escape
from urllib.parse import quote

from app.domain.accounts.invitations import Invitation
from app.domain.accounts.sessions import SignedIn
from app.domain.accounts.sign_in_links import OpenLink
from app.domain.sso.sign_ins import SignInRequest
from app.kit.clock import wire_time
from app.kit.errors import Problem
from app.kit.settings import Settings
from app.models.accounts import Passkey
from app.web.html import page, root
from app.web.pages import version

_WAYS_ON = """      <nav>
        <a class="main" href="{root}">Go to Docyard</a>{first}
        <a href="{root}graphql">GraphiQL</a>
        <a href="{root}docs">API reference</a>
      </nav>
      <form method="post" action="{root}sign-out"><button>Sign out</button></form>"""


_FIELD = """        <label for="{name}">{label}</label>
        <input id="{name}" name="{name}" type="{type}" value="{value}" autocomplete="{complete}" required>"""
NO_MAIL = (
    "This server sends no mail. An administrator of your organization has a link for you, or whoever runs the"
    " server makes one with <code>docyard sign-in-link ADDRESS</code>."
)
ROLES = {
    "admin": "an administrator",
    "create": "somebody who creates spaces and sites",
    "review": "a reviewer",
    "edit": "an editor",
    "comment": "a commenter",
    "read": "a reader",
}


def begin(wanted: str, depth: int, settings: Settings) -> str:
    """Return the page that asks for an address, to send a link to it, and names other ways."""
    ways = _with_passkey(wanted, depth)
    if settings.has_oidc:
        there = f"{root(depth)}oidc/server/start{f'?next={quote(wanted)}' if wanted else ''}"
        label = escape(settings.oidc_label)
        ways += f'\n      <nav class="other"><a href="{escape(there)}">Continue with {label}</a></nav>'
    if settings.sends_mail:
        link = f"""      <p>We send you a link that signs you in. There is no password.</p>
      <form method="post" action="{root(depth)}sign-in">
{_field("email", "E-mail address", type="email")}
{_hidden("next", wanted)}
        <button class="main">Send link</button>
      </form>"""
    else:
        link = "" if settings.has_oidc else f"      <p>{NO_MAIL}</p>"
    return page("Sign in", f"{link}\n{ways}", depth)


def account(who: SignedIn, known: Sequence[Passkey], depth: int) -> str:
    """Return the page of an account: who it is, and its passkeys."""
    if who.organization is not None:
        return session(who, depth)
    rows = "".join(
        f"""
          <li>{escape(each.name)} <span>added {each.created_at:%Y-%m-%d}</span>
            <form method="post" action="{root(depth)}account/passkeys/{each.id}/delete">
              <button>Delete</button>
            </form>
          </li>"""
        for each in known
    )
    content = f"""{_who(who)}
      <section>
        <h2>Passkeys</h2>
        <p>A passkey signs you in with your device: your fingerprint, face or PIN instead of a link.</p>
        <ul>{rows}
        </ul>
        <form method="post" action="{root(depth)}account/passkeys" data-passkey="add">
{_field("name", "Name of this device")}
          <button class="main">Add a passkey</button>
          <p role="status"></p>
        </form>
      </section>
{_ways_on(depth)}
{_script(depth)}"""
    return page("Your account", content, depth)


def asked_for_link(address: str, depth: int, *, sends_mail: bool) -> str:
    """Return what is said to everybody who asked for a link, whether the address is known or not."""
    if not sends_mail:
        return page("Sign in", f"      <p>{NO_MAIL}</p>", depth)
    content = f"""      <p>If <strong>{escape(address)}</strong> can sign in here, a link is on its way.</p>
      <p>Open it in this browser within ten minutes. Nothing came? Look among spam, or
        <a href="{root(depth)}sign-in">try again</a>.</p>"""
    return page("Check your mail", content, depth)


def open_link(link: OpenLink, code: str, depth: int) -> str:
    """Return the page of a link, whose form does what the link is for."""
    action = f"{root(depth)}sign-in/link"
    if link.purpose == "set-up":
        content = f"""      <p>Nobody has an account here yet.
        You get the first one, and an organization to administrate.</p>
      <form method="post" action="{action}">
{_hidden("code", code)}
{_field("email", "E-mail address", type="email")}
{_field("name", "Your name")}
{_field("organization", "Name of the organization")}
        <button class="main">Create account</button>
      </form>"""
        return page("Set up Docyard", content, depth)
    name = ""
    if link.is_new:
        name = f"\n{_field('name', 'Your name, as others see it', value=_name_in(link.email))}"
    title, label = ("Create your account", "Create account") if link.is_new else ("Sign in", "Sign in")
    content = f"""      <p>You sign in as <strong>{escape(link.email)}</strong>.</p>
      <form method="post" action="{action}">
{_hidden("code", code)}{name}
        <button class="main">{label}</button>
      </form>"""
    return page(title, content, depth)


def invitation(found: Invitation, who: SignedIn | None, path: str, depth: int, *, sends_mail: bool) -> str:
    """Return the page of an invitation: the form that accepts it, or the one that signs in first."""
    place = f"{found.title} in {found.organization}" if found.title else found.organization
    role = ROLES.get(found.role or "", "a guest")
    by = f"{escape(found.inviter)} invites you" if found.inviter else "You are invited"
    content = f"      <p>{by} to {escape(place)}, as {role}.</p>\n"
    if who is not None and found.email in (None, who.user.email):
        content += f"""{_who(who)}
      <form method="post"><button class="main">Accept</button></form>"""
    elif who is not None:
        content += f"""      <p role="alert">You are signed in as {escape(who.user.email)}, and the invitation
        is for another address.</p>
      <form method="post" action="{root(depth)}sign-out"><button>Sign out</button></form>"""
    elif not sends_mail:
        content += f"      <p>Sign in to accept. {NO_MAIL}</p>"
    else:
        email = (
            f"{_hidden('email', found.email)}\n        <p>We send a link to {escape(found.email)}.</p>"
            if found.email
            else _field("email", "E-mail address", type="email")
        )
        content += f"""      <form method="post" action="{root(depth)}sign-in">
{email}
{_hidden("next", path)}
        <button class="main">Send link</button>
      </form>"""
    return page(f"Join {escape(found.organization)}", content, depth)


def signed_in(done: SignedIn, depth: int) -> str:
    """Return who has signed in, and the token, which is shown this once."""
    until = _time(done.until)
    content = f"""{_who(done)}
      <section>
        <h2>Your token</h2>
        <p><code class="token">{escape(done.token)}</code></p>
        <p>It is shown only now, works until {until} and opens this organization alone. Send it as</p>
        <p><code>Authorization: Bearer TOKEN</code></p>
      </section>
      <p>This browser is signed in until then too: GraphiQL and the API reference need no token.</p>
{_ways_on(depth, account=True)}"""
    return page("Signed in", content, depth)


def session(found: SignedIn, depth: int) -> str:
    """Return who is signed in in this browser."""
    content = f"""{_who(found)}
      <p>This browser is signed in until {_time(found.until)}.</p>
{_ways_on(depth, account=True)}"""
    return page("Signed in", content, depth)


def signed_out(depth: int) -> str:
    """Return the page after signing out."""
    content = (
        "      <p>This browser is signed out. A token that you took along works until its time is over.</p>"
    )
    return page("Signed out", content, depth)


def accepted(found: Invitation, app: str, depth: int) -> str:
    """Return where somebody goes who has accepted."""
    content = f"""      <p>You belong to {escape(found.organization)} now.</p>
      <nav><a href="{escape(app + found.path)}">Open {escape(found.title or found.organization)}</a></nav>"""
    return page("Welcome", content, depth)


def asked(done: SignInRequest, app: str) -> str:
    """Return what somebody does who has an account here and was invited."""
    return (
        f"{done.email} has to accept first: an invitation to {done.organization} waits at"
        f" {app}/o/{done.organization_id}/invite/{done.invite_id}. Accept it, and sign in here again."
    )


def refusal(problem: Problem, depth: int) -> str:
    """Return the page that says why not, with the way back to signing in."""
    title = "Not signed in" if problem.status in (400, 401, 403, 409) else "This did not work"
    content = f"""      <p role="alert">{escape(problem.message)}</p>
      <p><a href="{root(depth)}sign-in">Go to the sign-in page</a></p>"""
    return page(title, content, depth)


def _who(done: SignedIn) -> str:
    name, email = escape(done.user.display_name), escape(done.user.email)
    of = f"\n        <dt>Organization</dt><dd>{escape(done.organization)}</dd>" if done.organization else ""
    return f"""      <dl>
        <dt>Person</dt><dd>{name}<span>{email}</span></dd>{of}
      </dl>"""


def _ways_on(depth: int, *, account: bool = False) -> str:
    first = f'\n        <a href="{root(depth)}account">Your account</a>' if account else ""
    return _WAYS_ON.format(root=root(depth) or "./", first=first)


def _with_passkey(wanted: str, depth: int) -> str:
    return f"""      <form method="post" action="{root(depth)}sign-in/passkey" data-passkey="sign-in">
{_hidden("next", wanted)}
        <button>Sign in with a passkey</button>
        <p role="status"></p>
      </form>
{_script(depth)}"""


def _script(depth: int) -> str:
    return f'      <script type="module" src="{root(depth)}static/{version()}/passkeys.js"></script>'


def _field(name: str, label: str, *, type: str = "text", value: str = "") -> str:
    complete = {"email": "email", "name": "name", "organization": "organization"}[name]
    return _FIELD.format(name=name, label=label, type=type, value=escape(value), complete=complete)


def _hidden(name: str, value: str) -> str:
    return f'        <input type="hidden" name="{name}" value="{escape(value)}">'


def _name_in(email: str) -> str:
    """Return what a person may be called, from their address."""
    words = email.partition("@")[0].replace(".", " ").replace("_", " ").replace("-", " ").split()
    return " ".join(word.capitalize() for word in words)[:64]


def _time(moment: datetime) -> str:
    return f'<time datetime="{wire_time(moment)}">{moment:%Y-%m-%d %H:%M} UTC</time>'
