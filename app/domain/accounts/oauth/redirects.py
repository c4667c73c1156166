"""Redirect addresses: which ones an application may register, and which of them a request may name."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from app.models.oauth import REDIRECT

_FORM = re.compile(REDIRECT)
_ANY_PORT = re.compile(r"http://(127\.0\.0\.1|\[::1\])(?::[0-9]{1,5})?((?:[/?].*)?)")


def is_acceptable(uri: str) -> bool:
    """Tell whether an application may register an address."""
    return _FORM.fullmatch(uri) is not None


def is_allowed(asked: str, registered: list[str]) -> bool:
    """Tell whether a request may name this address.

    It has to be registered, character by character. Programs on people's machines get a port from the system,
    so it may differ at a loopback address in numbers (RFC 8252, section 7.3).
    """
    if asked in registered:
        return True
    found = _ANY_PORT.fullmatch(asked)
    if found is None or not is_acceptable(asked):
        return False
    known = (_ANY_PORT.fullmatch(each) for each in registered)
    return any(each is not None and each.groups() == found.groups() for each in known)


def host_of(uri: str) -> str:
    """Return the host and port of an acceptable address."""
    return urlsplit(uri).netloc


def origin_of(uri: str) -> str:
    """Return the origin of an acceptable address."""
    found = urlsplit(uri)
    return f"{found.scheme}://{found.netloc}"


def is_claimed(uri: str) -> bool:
    """Tell whether only whoever holds a host can receive what is sent to this address."""
    return uri.startswith("https://")
