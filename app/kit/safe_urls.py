"""Addresses that we send people and secrets to: whole, and meaning to everybody what they mean to us."""

from __future__ import annotations

from collections.abc import Container
from urllib.parse import urlsplit

from app.kit.errors import Invalid

WEB = ("https", "http")


def safe_url(text: str, *, path: str, schemes: tuple[str, ...] = WEB) -> str:
    """The address, or Invalid for one that is not whole, has a login in it, or may be read in two ways."""
    try:
        parts = urlsplit(text)
        whole = parts.scheme in schemes and bool(parts.hostname) and text.startswith(f"{parts.scheme}://")
        odd = any(c.isspace() or ord(c) < 32 or c in '\\<>"`' or ord(c) == 127 for c in text)
        good = whole and not odd and parts.username is None and parts.password is None
        good = good and (parts.port is None or parts.port > 0)
    except ValueError:
        good = False
    if not good:
        raise Invalid("This must be a whole address, such as https://example.org/start.", path=path)
    return text


def safe_link(text: str, *, path: str) -> str:
    """The same for a link that people see; it may lead to a mailbox."""
    address = text.removeprefix("mailto:")
    if address != text and address.count("@") == 1 and not set(address) & set(" \t\r\n\\<>\"'`?&"):
        return text
    return safe_url(text, path=path)


def safe_server(text: str, allowed: Container[tuple[str, int]], *, path: str) -> str:
    """An address that secrets go to, or Invalid: encrypted, unless settings allow the host and port."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    except ValueError:
        host, port = "", 0
    if not host or parts.username is not None or parts.password is not None or "\\" in text:
        raise Invalid("This is not an address of a server.", path=path)
    if parts.scheme != "https" and (parts.scheme != "http" or (host, port) not in allowed):
        raise Invalid("The address must begin with https://.", path=path)
    return text
