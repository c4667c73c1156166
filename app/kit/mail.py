"""Sending mail to an SMTP server: plain text, with the same as simple HTML beside it.

The connection is encrypted, by TLS from its start (`smtps`) or by STARTTLS (`smtp`), and the server's
certificate is checked; a server on this machine is spoken to as it is.
"""

from __future__ import annotations

import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.headerregistry import Address
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid, parseaddr
from urllib.parse import unquote, urlsplit

from app.kit.clock import utc_now

TIMEOUT = 20.0  # seconds for each step
LOCAL = ("localhost", "127.0.0.1", "::1")


class MailRefused(Exception):
    """The server did not take the mail; the message says why and names no secret."""


@dataclass(frozen=True, slots=True)
class MailServer:
    """The server that mail is handed to."""

    host: str
    port: int
    tls: bool
    user: str | None
    password: str | None

    @classmethod
    def parse(cls, address: str) -> MailServer:
        """Return the server at an address; raises ValueError."""
        parts = urlsplit(address)
        if parts.scheme not in ("smtp", "smtps") or not parts.hostname or parts.path.strip("/"):
            raise ValueError("must be smtp://user:password@host:port or smtps://user:password@host:port")
        tls = parts.scheme == "smtps"
        return cls(
            host=parts.hostname,
            port=parts.port or (465 if tls else 587),
            tls=tls,
            user=parts.username and unquote(parts.username),
            password=parts.password and unquote(parts.password),
        )


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail to one person; `headers` are those besides the usual ones."""

    to: str
    subject: str
    text: str
    html: str
    headers: Mapping[str, str] = field(default_factory=dict)


def message_of(mail: Mail, sender: str) -> EmailMessage:
    """Return the mail as it is sent."""
    name, address = parseaddr(sender)
    local, _, domain = address.rpartition("@")
    message = EmailMessage()
    message["From"] = Address(name, local, domain)
    message["To"] = mail.to
    message["Subject"] = " ".join(mail.subject.split())
    message["Date"] = format_datetime(utc_now())
    message["Message-ID"] = make_msgid(domain=domain)
    message["Auto-Submitted"] = "auto-generated"  # RFC 3834: nobody's absence notice answers it
    for key, value in mail.headers.items():
        message[key] = value
    message.set_content(mail.text)
    message.add_alternative(mail.html, subtype="html")
    return message


async def send(server: MailServer, sender: str, mail: Mail) -> None:
    """Hand a mail in; raises MailRefused."""
    import aiosmtplib

    is_local = server.host in LOCAL
    try:
        refused, _ = await aiosmtplib.send(
            message_of(mail, sender),
            hostname=server.host,
            port=server.port,
            username=server.user,
            password=server.password,
            use_tls=server.tls,
            start_tls=None if is_local and not server.tls else not server.tls,
            tls_context=None if is_local else ssl.create_default_context(),
            timeout=TIMEOUT,
        )
    except (aiosmtplib.SMTPException, OSError) as error:
        raise MailRefused(f"{type(error).__name__}: {str(error).replace(mail.to, 'the recipient')}") from None
    if refused:
        raise MailRefused("The server refused the recipient.")
