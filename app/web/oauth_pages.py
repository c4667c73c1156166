"""The pages on which people allow an application access, or refuse it: who asks, for what, and as whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any
from urllib.parse import urlsplit

from app.domain.accounts.oauth.consent import Question
from app.domain.accounts.oauth.redirects import host_of, is_claimed
from app.domain.accounts.sessions import SignedIn
from app.models.oauth import DESCRIPTIONS
from app.web.html import page, root

_PARTS = {
    "api": "the content and settings that you can reach here",
    "mcp": "the tools for agents: an agent proposes changes, and people decide",
}


def question(asked: Question, signed: SignedIn, sealed: Mapping[str, str], depth: int) -> str:
    """Ask somebody whether an application, or a device, may have access."""
    row = asked.application
    name = escape(row.name)
    content = f"""      <p><strong>{name}</strong> asks for access to {_PARTS[asked.asked.audience]}.</p>
{_warning(asked)}
      <dl>
        <dt>Who asks</dt><dd>{name}{_about(row)}</dd>
{_way(asked)}
        <dt>Your account</dt><dd>{escape(signed.user.display_name)}
          <span>{escape(signed.user.email)}</span></dd>
      </dl>
      <section>
        <h2>It could</h2>
        <ul>
{_scopes(asked.asked.scopes)}
        </ul>
        <p>It never gets more than you may do yourself. You can take the access back at any time.</p>
      </section>
      <form method="post" action="{root(depth)}oauth/{"device" if asked.device else "authorize"}">
{_hidden(sealed)}
{_places(asked)}
        <p class="choice">
          <button class="main" name="decision" value="allow">Allow</button>
          <button name="decision" value="deny">Refuse</button>
        </p>
      </form>"""
    return page(f"Allow {name}?", content, depth)


def enter_code(code: str, depth: int, complaint: str = "") -> str:
    """Ask for the code that a device shows."""
    told = f'\n      <p role="alert">{escape(complaint)}</p>' if complaint else ""
    content = f"""      <p>Enter the code that your device or command line shows.</p>{told}
      <p>Only go on if you started this yourself. If somebody sent you the code or this address, close the
        page: they would get access to your account.</p>
      <form method="post" action="{root(depth)}oauth/device">
        <p><label>Code <input name="user_code" value="{escape(code)}" required autofocus autocomplete="off"
          autocapitalize="characters" spellcheck="false" maxlength="20"></label></p>
        <p class="choice"><button class="main">Go on</button></p>
      </form>"""
    return page("Sign in a device", content, depth)


def device_answered(allowed: bool, depth: int) -> str:
    """Say that a device may sign in, or may not."""
    if allowed:
        return page("Signed in", "      <p>Your device has access now. You can close this page.</p>", depth)
    return page("Refused", "      <p>The device got no access. You can close this page.</p>", depth)


def refused(message: str, back: str | None, depth: int) -> str:
    """Say that an application asked wrongly, with a way back to it where there is one."""
    content = f"""      <p role="alert">An application sent you here, but what it asks cannot be answered.</p>
      <p>{escape(message)}</p>"""
    if back:
        content += f"""
      <p><a href="{escape(back)}" rel="noreferrer">Go back to {escape(host_of(back))}</a></p>"""
    return page("This cannot be allowed", content, depth)


def problem(message: str, depth: int) -> str:
    """Say what did not work."""
    return page("This did not work", f'      <p role="alert">{escape(message)}</p>', depth)


def _about(row: Any) -> str:
    lines = []
    if row.homepage:
        lines.append(f"says that it belongs to {urlsplit(row.homepage).netloc}")
    if row.document_url:
        lines.append(f"describes itself at {host_of(row.document_url)}, and nobody else vouches for its name")
    elif row.is_dynamic:
        lines.append("registered itself here, so nobody vouches for its name")
    elif row.owner_name:
        lines.append(f"registered here by {row.owner_name} ({row.owner_email})")
    return "".join(f"<span>{escape(line)}</span>" for line in lines)


def _way(asked: Question) -> str:
    if asked.device is not None:
        place = escape(asked.device.address or "an unknown address")
        return (
            f"        <dt>Where</dt><dd>a device or command line<span>asked from {place} at"
            f" {asked.device.created_at:%H:%M} UTC</span></dd>"
        )
    uri = asked.redirect_uri or ""
    local = "" if is_claimed(uri) else "<span>a program on this device, whichever takes this address</span>"
    return f"        <dt>You go on to</dt><dd>{escape(host_of(uri))}{local}</dd>"


def _warning(asked: Question) -> str:
    if asked.device is None:
        return ""
    return (
        '      <p role="alert">Only allow this if you started it yourself just now, on a device in front of'
        " you. Whoever sent you a code would get access to your account.</p>"
    )


def _scopes(names: Sequence[str]) -> str:
    return "\n".join(f"          <li>{escape(DESCRIPTIONS[name])}</li>" for name in names)


def _hidden(sealed: Mapping[str, str]) -> str:
    return "\n".join(
        f'        <input type="hidden" name="{name}" value="{escape(value)}">'
        for name, value in sealed.items()
    )


def _places(asked: Question) -> str:
    every = "" if asked.only else '<option value="">All organizations that you belong to</option>'
    several = "".join(
        f'<option value="{escape(each.id)}">Only {escape(each.title)}</option>'
        for each in asked.organizations
    )
    if not every and not several:
        return '        <input type="hidden" name="organization" value="">'
    return f"""        <p><label>Where it counts
          <select name="organization">{every}{several}</select></label></p>"""
