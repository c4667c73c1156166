"""Which network addresses count as public.

The rule is positive where it can be: an IPv6 address must lie in the global unicast block, and a form that
carries an IPv4 address inside (mapped, NAT64, 6to4, Teredo) is either unwrapped or refused, since `ipaddress`
calls several of them global.
"""

from __future__ import annotations

from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

GLOBAL_UNICAST = IPv6Network("2000::/3")

REFUSED_V6 = (
    IPv6Network("2001::/23"),  # protocol assignments, Teredo and ORCHID among them
    IPv6Network("2001:db8::/32"),  # documentation
    IPv6Network("2002::/16"),  # 6to4: an IPv4 address in disguise
    IPv6Network("3fff::/20"),  # documentation
)

REFUSED_V4 = (
    IPv4Network("0.0.0.0/8"),
    IPv4Network("100.64.0.0/10"),  # carrier-grade NAT
    IPv4Network("192.0.0.0/24"),  # protocol assignments
    IPv4Network("192.88.99.0/24"),  # 6to4 relays
    IPv4Network("198.18.0.0/15"),  # benchmarking
    IPv4Network("224.0.0.0/4"),  # multicast
    IPv4Network("240.0.0.0/4"),  # reserved, broadcast
)


def is_public(address: str) -> bool:
    """Whether a numeric address, as a resolver gives it, belongs to the public internet.

    Anything that is not a plain numeric address (a name, an address with a zone) is not public.
    """
    try:
        parsed = ip_address(address)
    except ValueError:
        return False
    if isinstance(parsed, IPv6Address):
        if parsed.ipv4_mapped is not None:
            return _is_public_v4(parsed.ipv4_mapped)
        return _is_public_v6(parsed)
    return _is_public_v4(parsed)


def _is_public_v4(address: IPv4Address) -> bool:
    return address.is_global and not any(address in network for network in REFUSED_V4)


def _is_public_v6(address: IPv6Address) -> bool:
    if address.scope_id is not None or address not in GLOBAL_UNICAST:
        return False
    return not any(address in network for network in REFUSED_V6)
