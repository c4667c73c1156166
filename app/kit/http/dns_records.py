"""Looking up DNS records.

Loads a library that start-up does not need: import this where records are read.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import dns.asyncresolver
import dns.exception
import dns.inet
import dns.nameserver
import dns.rdatatype
import dns.resolver
from dns.rdtypes.ANY.TXT import TXT
from dns.rdtypes.IN.A import A
from dns.rdtypes.IN.AAAA import AAAA

SECONDS = 5.0  # one look-up may take, all its tries together
NOTHING = (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer, dns.resolver.YXDOMAIN)


class Unanswered(Exception):
    """No name server gave an answer: nothing is known of the records."""


async def texts(name: str, servers: Sequence[tuple[str, int]] = ()) -> list[str]:
    """Return the TXT records of a name, none where there are none; asks the system's resolver by default.

    Raises Unanswered.
    """
    found = await _records(name, "TXT", servers)
    return [b"".join(record.strings).decode("latin-1") for record in found if isinstance(record, TXT)]


async def addresses(name: str, servers: Sequence[tuple[str, int]] = ()) -> set[str]:
    """Return the IPv4 and IPv6 addresses of a name, none where there are none, or the address that it is.

    Raises Unanswered.
    """
    if dns.inet.is_address(name):
        return {name}
    found = await asyncio.gather(*(_records(name, kind, servers) for kind in ("A", "AAAA")))
    return {record.address for records in found for record in records if isinstance(record, A | AAAA)}


async def _records(name: str, kind: str, servers: Sequence[tuple[str, int]]) -> list[dns.rdata.Rdata]:
    try:
        answer = await _resolver(servers).resolve(name, kind, search=False)
    except NOTHING:
        return []
    except dns.exception.DNSException as error:
        raise Unanswered(str(error)) from error
    return list(answer)


def _resolver(servers: Sequence[tuple[str, int]]) -> dns.asyncresolver.Resolver:
    resolver = dns.asyncresolver.Resolver(configure=not servers)
    if servers:
        resolver.nameservers = [dns.nameserver.Do53Nameserver(host, port) for host, port in servers]
    resolver.lifetime, resolver.cache = SECONDS, None
    return resolver
