"""Mail to people: written in the transaction that causes it, sent by a job.

A mail is stored encrypted until it is sent. One that cannot be sent is tried again for a while, and dropped
at the latest when its content has expired.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from html import escape

from sqlalchemy import delete, select

from app.access.audit_actions import AuditAction
from app.access.context import Context
from app.domain import jobs
from app.domain.infrastructure import stored_secrets
from app.domain.jobs import NOBODY, JobRuntime
from app.kit.database.columns import Instant
from app.kit.database.statements import command, given, query, table
from app.kit.ids import new_id
from app.models.jobs import Job, OutgoingMail

log = logging.getLogger("docyard.mail")
SEND = "send_mail"
KEPT = timedelta(days=2)
OUTGOING_MAILS = table(OutgoingMail)
_ONE = query(OutgoingMail, lambda: select(*OUTGOING_MAILS.c).where(OUTGOING_MAILS.c.id == given("id")))
_FORGET = command(lambda: delete(OUTGOING_MAILS).where(OUTGOING_MAILS.c.expires_at < given("now", Instant())))


async def post(
    cx: Context,
    to: str,
    letter: Letter,
    *,
    until: datetime | None = None,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Send a letter if this transaction commits; not after `until`. Without a mail server it is dropped."""
    if not cx.settings.sends_mail:
        return
    mail_id = new_id()
    content = {
        "to": to,
        "subject": letter.subject,
        "text": letter.text,
        "html": letter.html,
        "headers": headers or {},
    }
    await cx.tx.add(
        OutgoingMail,
        id=mail_id,
        content=cx.signer.seal(stored_secrets.MAIL, json.dumps(content), mail_id),
        created_at=cx.now,
        expires_at=until or cx.now + KEPT,
    )
    await jobs.enqueue(cx, SEND, mail_id, jobs.INSTALLATION, due_at=cx.now)


async def perform(runtime: JobRuntime, job: Job) -> None:
    """Send a mail, unless it is sent already or too late; raises MailRefused, so that it is tried again."""
    from app.kit.mail import Mail, MailRefused, MailServer, send

    row = await runtime.db.first(_ONE, id=job.subject)
    if row is None:
        return
    cx = runtime.context(NOBODY)
    content = cx.signer.unseal(stored_secrets.MAIL, row.content, row.id)
    if content is not None and row.expires_at > cx.now and cx.settings.sends_mail:
        try:
            server = MailServer.parse(cx.settings.smtp)
            await send(server, cx.settings.mail_from, Mail(**json.loads(content)))
        except MailRefused as refusal:
            if job.attempts < jobs.ATTEMPTS:
                raise
            log.warning("mail was given up", extra={"facts": {"mail": row.id, "reason": str(refusal)}})
    await runtime.write(NOBODY, lambda cx: _forget(cx, row.id), AuditAction("job", "sendMail"))


async def _forget(cx: Context, mail_id: str) -> None:
    await cx.tx.remove(OutgoingMail, id=mail_id)
    await cx.tx.run(_FORGET, now=cx.now)


_HTML = """<!doctype html>
<html lang="en">
  <head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>{subject}</title></head>
  <body style="margin:0;padding:24px;font:16px/1.6 system-ui,sans-serif">
    <div style="max-width:34rem;margin:0 auto">
{content}
    </div>
  </body>
</html>
"""
_PARAGRAPH = '      <p style="margin:0 0 16px">{text}</p>'
_BUTTON = (
    '      <p style="margin:0 0 16px"><a href="{url}" style="display:inline-block;padding:10px 18px;'
    'border-radius:8px;background:#1f6f5c;color:#fff;text-decoration:none">{label}</a></p>'
)
_SMALL = '      <p style="margin:0 0 16px;font-size:14px;color:#6b7682">{text}</p>'


@dataclass(frozen=True, slots=True)
class Letter:
    """The text of a mail. `link` is what the person is asked to open, as its label and address; `closing`
    stands small below it, with addresses of its own if need be."""

    subject: str
    paragraphs: Sequence[str]
    link: tuple[str, str] | None = None
    closing: Sequence[str] = ()

    @property
    def text(self) -> str:
        """Return it as plain text."""
        link = [f"{self.link[0]}:\n{self.link[1]}"] if self.link else []
        return "\n\n".join([*self.paragraphs, *link, *self.closing]) + "\n"

    @property
    def html(self) -> str:
        """Return it as HTML, without pictures or anything else that is loaded."""
        lines = [_PARAGRAPH.format(text=_lines(each)) for each in self.paragraphs]
        if self.link:
            label, url = self.link
            lines.append(_BUTTON.format(url=escape(url), label=escape(label)))
        lines += [_SMALL.format(text=_lines(each)) for each in self.closing]
        return _HTML.format(subject=escape(self.subject), content="\n".join(lines))


def _lines(text: str) -> str:
    return escape(text).replace("\n", "<br>")
