"""The URLs and host names that callers send.

A URL must be whole, and mean to everybody what it means to us: a pattern, which the API's document shows, and
a check of what no pattern can tell. A host name is kept in one spelling: in ASCII and lower case, without the
dot at its end; letters of other scripts become what DNS asks for (IDNA). What looks like an address in
numbers, in any spelling, is no name.
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
_OWN_PATH = re.compile(r"/(?![/\\])[!-\[\]-~]*")


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


LONGEST_HOST = 240  # characters, so that there is room for a label before it
_HOST_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_HOST_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
# Reserved for other uses than public names (RFC 6761, 6762, 7686, 8375, 9476), or for local networks.
INTERNAL = frozenset(
    ("localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home", "lan", "arpa",
     "invalid", "onion", "alt")
)  # fmt: skip
# What the API's document says of such names; letters of other scripts are taken too.
DOMAIN_PATTERN = r"^([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z][a-zA-Z0-9-]{0,61}[a-zA-Z0-9]$"


def canonical_host(text: str) -> str:
    """Return the one spelling of a name with two labels or more; raises ValueError saying what is wrong."""
    name = text.lower() if text.isascii() and "xn--" not in text.lower() else _in_ascii(text)
    labels = name.removesuffix(".").split(".")
    if not all(_HOST_LABEL.fullmatch(label) for label in labels):
        raise ValueError("This is not the name of a host.")
    if _HOST_NUMBER.fullmatch(labels[-1]):
        raise ValueError("An address in numbers is not a name.")
    if len(labels) < 2 or labels[-1] in INTERNAL:
        raise ValueError("This name means something in a local network only.")
    name = ".".join(labels)
    if len(name) > LONGEST_HOST:
        raise ValueError(f"A name has at most {LONGEST_HOST} characters.")
    return name


def canonical_email(address: str) -> str:
    """Return the one spelling of an e-mail address; one with a domain that is no name is only lowered."""
    local, _, domain = address.strip().lower().rpartition("@")
    try:
        return f"{local}@{canonical_host(domain)}"
    except ValueError:
        return f"{local}@{domain}"


def domain_of(address: str) -> str:
    """Return the domain of an e-mail address in its one spelling."""
    return canonical_email(address).rpartition("@")[2]


def _in_ascii(text: str) -> str:
    import idna  # few names need it

    try:
        return idna.encode(text, uts46=True, std3_rules=True).decode().lower()
    except idna.IDNAError:
        raise ValueError("This is not the name of a host.") from None


def own_path(wanted: str, longest: int = 2000) -> str:
    """Return the path if it is one of ours, or nothing: put behind our own address it leads nowhere else."""
    return wanted if len(wanted) <= longest and _OWN_PATH.fullmatch(wanted) else ""
