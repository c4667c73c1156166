"""A real DNS server for tests, on a free port of 127.0.0.1: what it knows is a dictionary."""

from __future__ import annotations

import socket
import threading
from dataclasses import dataclass, field
from functools import cache

from dnslib import QTYPE, RCODE, RR, TXT, A, DNSRecord
from dnslib.server import BaseResolver, DNSHandler, DNSServer

LONGEST = 255  # bytes of one string of a TXT record


@dataclass
class Zone(BaseResolver):  # type: ignore[misc]
    """What the server knows: texts and addresses by name. It fails for the `broken` names."""

    texts: dict[str, list[str]] = field(default_factory=dict)
    hosts: dict[str, list[str]] = field(default_factory=dict)
    broken: set[str] = field(default_factory=set)
    asked: list[tuple[str, str]] = field(default_factory=list)
    address: str = ""  # host and port, as settings take them

    def resolve(self, request: DNSRecord, handler: DNSHandler) -> DNSRecord:
        """Answer one question, as dnslib's server wants it."""
        reply, kind = request.reply(), QTYPE[request.q.qtype]
        name = str(request.q.qname).removesuffix(".").lower()
        self.asked.append((name, kind))
        if name in self.broken:
            reply.header.rcode = RCODE.SERVFAIL
        elif name not in self.texts and name not in self.hosts:
            reply.header.rcode = RCODE.NXDOMAIN
        for text in self.texts.get(name, []) if kind == "TXT" else []:
            parts = [text[n : n + LONGEST] for n in range(0, len(text), LONGEST)]
            reply.add_answer(RR(name, QTYPE.TXT, rdata=TXT(parts), ttl=0))
        for address in self.hosts.get(name, []) if kind == "A" else []:
            reply.add_answer(RR(name, QTYPE.A, rdata=A(address), ttl=0))
        return reply


class _Quiet:
    """A log for the server that says nothing."""

    def __getattr__(self, name: str) -> object:
        return lambda *_: None


@cache
def zone() -> Zone:
    """The zone that all servers of these tests ask, over UDP and TCP, until the tests end."""
    known = Zone()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    for tcp in (False, True):
        server = DNSServer(known, port=port, address="127.0.0.1", tcp=tcp, logger=_Quiet()).server
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    known.address = f"127.0.0.1:{port}"
    return known
