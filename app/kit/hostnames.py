"""Names of hosts and domains: one spelling for each, and which are none that the public internet knows.

A name is kept in ASCII, in lower case, without the dot at its end; letters of other scripts become what DNS
asks for (IDNA). What looks like an address in numbers, in any spelling, is no name.
"""

from __future__ import annotations

import re

LONGEST = 240  # characters, so that there is room for a label before it
_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
# Reserved for other uses than public names (RFC 6761, 6762, 7686, 8375, 9476), or for local networks.
INTERNAL = frozenset(
    ("localhost", "localdomain", "local", "internal", "intranet", "private", "corp", "home", "lan", "arpa",
     "invalid", "onion", "alt")
)  # fmt: skip
# What the API's document says of such names; letters of other scripts are taken too.
DOMAIN_PATTERN = r"^([a-zA-Z0-9]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?\.)+[a-zA-Z][a-zA-Z0-9-]{0,61}[a-zA-Z0-9]$"


def canonical(text: str) -> str:
    """Return the one spelling of a name with two labels or more; raises ValueError saying what is wrong."""
    name = text.lower() if text.isascii() and "xn--" not in text.lower() else _in_ascii(text)
    labels = name.removesuffix(".").split(".")
    if not all(_LABEL.fullmatch(label) for label in labels):
        raise ValueError("This is not the name of a host.")
    if _NUMBER.fullmatch(labels[-1]):
        raise ValueError("An address in numbers is not a name.")
    if len(labels) < 2 or labels[-1] in INTERNAL:
        raise ValueError("This name means something in a local network only.")
    name = ".".join(labels)
    if len(name) > LONGEST:
        raise ValueError(f"A name has at most {LONGEST} characters.")
    return name


def canonical_email(address: str) -> str:
    """Return the one spelling of an e-mail address; one with a domain that is no name is only lowered."""
    local, _, domain = address.strip().lower().rpartition("@")
    try:
        return f"{local}@{canonical(domain)}"
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
