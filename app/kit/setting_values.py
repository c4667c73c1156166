"""How the values of settings are written: addresses, hosts with ports, logins, and lists of them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from ipaddress import ip_address
from urllib.parse import urlsplit

_HOST = r"(?:\[[0-9A-Fa-f:.]+\]|[^\s:/?#@\[\]]+)"
ADDRESS = re.compile(rf"https?://{_HOST}(?::[0-9]{{1,5}})?(?:/[^\s?#]*)?", re.IGNORECASE)
LOGIN = re.compile(rf"({_HOST})(?::([0-9]{{1,5}}))?((?:/[^\s=/]+)*)/?=([^:\s]+):(\S+)")
HOST_AND_PORT = re.compile(rf"{_HOST}:([0-9]{{1,5}})")
_PORTS = {"http": 80, "https": 443}


def entries(value: str) -> list[str]:
    """Return what stands between the commas of a list."""
    return [entry.strip() for entry in value.split(",") if entry.strip()]


def name_server(entry: str) -> tuple[str, int]:
    """Return the address and port of a name server; raises ValueError."""
    bare = entry.count(":") > 1 and not entry.startswith("[")  # IPv6 without a port
    host, _, port = (entry, "", "") if bare else entry.partition("]:" if "]" in entry else ":")
    number = int(port or 53)
    if not 0 < number < 65_536:
        raise ValueError(entry)
    return str(ip_address(host.strip("[]"))), number


def login_for(logins: Iterable[str], url: str) -> tuple[str, str] | None:
    """Return the user and token for an address: of the logins for it, that with the longest path.

    What names no port is for the port that the scheme has by default, and no other.
    """
    parts = urlsplit(url)
    port, asked = parts.port or _PORTS.get(parts.scheme), f"{parts.path}/"
    found = [
        (login[3], (login[4], login[5]))
        for login in map(LOGIN.fullmatch, logins)
        if login
        and login[1].strip("[]").lower() == parts.hostname
        and int(login[2] or _PORTS.get(parts.scheme, 0)) == port
        and asked.startswith(f"{login[3]}/")
    ]
    return max(found, key=lambda each: len(each[0]), default=("", None))[1]


def host_of(address: str) -> str:
    """Return the host of an address as browsers name it in `Host`: without the usual port of its scheme."""
    return without_usual_port(urlsplit(address).netloc)


def without_usual_port(host: str) -> str:
    """Return a host in lower case, without the port that its scheme has by default."""
    return host.lower().removesuffix(":443").removesuffix(":80")
