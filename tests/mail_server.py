"""A real SMTP server on this machine, whose messages are read."""

from __future__ import annotations

import asyncio
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email import message_from_bytes, policy
from email.message import EmailMessage
from typing import Any

from aiosmtpd.smtp import SMTP

from tests.timing import TIMEOUT, until

SENDER = "Docyard <docs@example.org>"


@dataclass
class Mailbox:
    """All that was sent, whoever it is to; `refuses` is how often the server refuses before it takes one."""

    address: str
    messages: list[EmailMessage] = field(default_factory=list)
    refuses: int = 0

    def to(self, email: str) -> list[EmailMessage]:
        """Return the mails that somebody got, the first one first."""
        return [each for each in self.messages if each["To"] == email]

    def newest(self, email: str, count: int = 1) -> EmailMessage:
        """The last mail to somebody, once so many have arrived."""
        until(lambda: len(self.to(email)) >= count, f"no mail to {email}")
        return self.to(email)[-1]

    def settings(self) -> dict[str, str]:
        """The settings of a product that sends its mail here."""
        return {"smtp": self.address, "mail_from": SENDER}


def text_of(mail: EmailMessage) -> str:
    """Return the plain text of a mail."""
    part: Any = mail.get_body(("plain",))
    text: str = part.get_content()
    return text


def link_in(mail: EmailMessage) -> str:
    """The first address in a mail."""
    found = re.search(r"https?://\S+", text_of(mail))
    assert found, text_of(mail)
    return found[0]


class _Handler:
    def __init__(self) -> None:
        self.box: Mailbox | None = None

    async def handle_DATA(self, server: Any, session: Any, envelope: Any) -> str:
        assert self.box is not None
        if self.box.refuses:
            self.box.refuses -= 1
            return "451 try again later"
        parsed: Any = message_from_bytes(envelope.content, policy=policy.default)
        self.box.messages.append(parsed)
        return "250 taken"


@contextmanager
def mail_server() -> Iterator[Mailbox]:
    """A server that takes all mail, until the block ends."""
    handler, loop = _Handler(), asyncio.new_event_loop()
    server = loop.run_until_complete(loop.create_server(lambda: SMTP(handler, loop=loop), "127.0.0.1", 0))
    handler.box = Mailbox(f"smtp://127.0.0.1:{server.sockets[0].getsockname()[1]}")
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        yield handler.box
    finally:
        loop.call_soon_threadsafe(server.close)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(TIMEOUT)
        loop.close()
