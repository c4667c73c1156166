"""The one rule for addresses of the web that callers send: whole, and meaning to everybody what they mean to
us.

The rule is a pattern, which the API's document shows, and a check of what no pattern can tell.
"""

from __future__ import annotations

import re
from collections.abc import Container
from urllib.parse import urlsplit

from app.kit.errors import Invalid

_NAME = r"""[^\s/?#@\\:\[\]<>"`%^|{}\x00-\x20\x7f-\xa0.-][^\s/?#@\\:\[\]<>"`%^|{}\x00-\x20\x7f-\xa0]*"""
_HEX = "[0-9a-fA-F]{1,4}"
_V6 = (
    rf"\[(({_HEX}:){{7}}{_HEX}|({_HEX}(:{_HEX}){{0,3}})?::({_HEX}(:{_HEX}){{0,2}})?"
    rf"|{_HEX}(:{_HEX})?::{_HEX}(:{_HEX}){{3,4}})\]"
)
_PORT = "(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6([0-4][0-9]{3}|5([0-4][0-9]{2}|5([0-2][0-9]|3[0-5])))))?"
URL_PATTERN = rf"""^https?://({_V6}|{_NAME}){_PORT}([/?#][^\s\\<>"`\x00-\x20\x7f-\xa0]*)?$"""
LINK_PATTERN = (
    rf"""{URL_PATTERN}|^mailto:[^\s@\\<>"'`?&\x00-\x20\x7f-\xa0]+@[^\s@\\<>"'`?&\x00-\x20\x7f-\xa0]+$"""
)
NO_URL = "This must be a whole address, such as https://example.org/start."
_URL, _LINK = re.compile(URL_PATTERN), re.compile(LINK_PATTERN)


def is_url(text: str) -> bool:
    """Tell whether this is a whole address of http or https, without a login and read by all in one way."""
    try:
        # urlsplit raises ValueError for a host with letters that some programs read as signs.
        return bool(_URL.fullmatch(text)) and bool(urlsplit(text).hostname)
    except ValueError:
        return False


def is_link(text: str) -> bool:
    """Tell whether this is such an address, or one of a mailbox, without fields of the message."""
    return is_url(text) or (not text.startswith("http") and bool(_LINK.fullmatch(text)))


def safe_url(text: str, *, path: str) -> str:
    """Return the address; raises Invalid for what is none (see `is_url`)."""
    if not is_url(text):
        raise Invalid(NO_URL, path=path)
    return text


def safe_server(text: str, allowed: Container[tuple[str, int]], *, path: str) -> str:
    """Return an address that secrets go to; raises Invalid for one that is not encrypted, unless settings
    allow its host and port."""
    if not is_url(text):
        raise Invalid(NO_URL, path=path)
    parts = urlsplit(text)
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    if parts.scheme != "https" and (host, port) not in allowed:
        raise Invalid("The address must begin with https://.", path=path)
    return text
