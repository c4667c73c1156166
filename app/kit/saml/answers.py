"""Validation of SAML responses (saml-profiles-2.0-os, 4.1.4.3, and core, 2.5).

`checked` makes all checks that need no database. The caller checks that the request was ours, is unused and
came from this browser, and that the assertion is new.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from lxml import etree

from app.kit.saml import certificates, reading
from app.kit.saml.reading import Verified
from app.kit.saml.requests import (
    ASSERTION,
    BEARER,
    DISPLAY_NAME,
    EMAIL,
    ENTITY,
    GIVEN_NAME,
    MAIL,
    PROTOCOL,
    SUCCESS,
    SURNAME,
    SamlRefused,
)

SKEW = timedelta(seconds=60)  # by which two clocks may differ
_A, _P = f"{{{ASSERTION}}}", f"{{{PROTOCOL}}}"
_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,12}))?Z")
_KNOWN_CONDITIONS = {f"{_A}AudienceRestriction", f"{_A}OneTimeUse", f"{_A}ProxyRestriction"}


@dataclass(frozen=True, slots=True)
class Expected:
    """The provider that must have answered, and the service it must have answered to."""

    issuer: str
    certificate: str
    audience: str  # our entity id
    recipient: str  # where we take answers


@dataclass(frozen=True, slots=True)
class SamlAnswer:
    """A provider's assertion about who signs in. `until` ends the session there, if it says when."""

    request_id: str
    assertion_id: str
    email: str
    name: str
    until: datetime | None


def checked(raw: bytes, expected: Expected, now: datetime) -> SamlAnswer:
    """Return the answer in a response, if it is one to us; raises SamlRefused with the reason."""
    try:
        trusted = certificates.current(expected.certificate, now)
    except ValueError as error:
        raise SamlRefused(f"The certificate of the identity provider here {error}.") from None
    verified = reading.read(raw, trusted)
    _check_response(verified, expected)
    assertion = verified.assertion
    if assertion.get("Version") != "2.0" or not assertion.get("ID"):
        raise SamlRefused("The assertion is not one of SAML 2.0.")
    _check_issuer(_one(assertion, "Issuer"), expected)
    _check_begun(assertion.get("IssueInstant"), now)
    _check_conditions(_one(assertion, "Conditions"), expected, now)
    subject = _one(assertion, "Subject")
    request_id = _confirmed(subject, expected, now)
    if verified.response.get("InResponseTo") != request_id:
        raise SamlRefused("The response and its assertion answer different requests.")
    attributes = _attributes(assertion)
    email = _email(_one(subject, "NameID"), attributes)
    name = _name(attributes) or email.partition("@")[0]
    return SamlAnswer(request_id, str(assertion.get("ID")), email, name, _until(assertion, now))


def _check_response(verified: Verified, expected: Expected) -> None:
    """Check the envelope: unless it is signed it proves nothing, but a wrong one is still refused."""
    response = verified.response
    if response.get("Version") != "2.0":
        raise SamlRefused("The response is not one of SAML 2.0.")
    codes = response.findall(f"{_P}Status/{_P}StatusCode")
    if len(codes) != 1 or codes[0].get("Value") != SUCCESS:
        raise SamlRefused("The identity provider did not sign the person in.")
    if response.get("Destination", "" if verified.whole else expected.recipient) != expected.recipient:
        raise SamlRefused("The response was meant for another address.")
    issuers = response.findall(f"{_A}Issuer")
    if len(issuers) > 1:
        raise SamlRefused("The response names more than one issuer.")
    for issuer in issuers:
        _check_issuer(issuer, expected)


def _check_issuer(issuer: etree._Element, expected: Expected) -> None:
    if _text(issuer) != expected.issuer or issuer.get("Format", ENTITY) != ENTITY:
        raise SamlRefused("The response comes from another identity provider.")


def _check_conditions(conditions: etree._Element, expected: Expected, now: datetime) -> None:
    if conditions.get("NotBefore"):
        _check_begun(conditions.get("NotBefore"), now)
    if conditions.get("NotOnOrAfter"):
        _check_not_over(conditions.get("NotOnOrAfter"), now)
    if any(condition.tag not in _KNOWN_CONDITIONS for condition in conditions):
        raise SamlRefused("The assertion has a condition that is not understood here.")
    restrictions = conditions.findall(f"{_A}AudienceRestriction")
    audiences = [{_text(a) for a in r.findall(f"{_A}Audience")} for r in restrictions]
    if not audiences or any(expected.audience not in named for named in audiences):
        raise SamlRefused("The assertion was meant for another service.")


def _confirmed(subject: etree._Element, expected: Expected, now: datetime) -> str:
    """Return the request that the bearer's confirmation answers; it must be for us and not be over."""
    bearers = [c for c in subject.findall(f"{_A}SubjectConfirmation") if c.get("Method") == BEARER]
    if len(bearers) != 1:
        raise SamlRefused("The assertion must be confirmed once, for its bearer.")
    data = _one(bearers[0], "SubjectConfirmationData")
    if data.get("Recipient") != expected.recipient:
        raise SamlRefused("The assertion was meant for another address.")
    if data.get("NotBefore"):
        raise SamlRefused("A bearer's confirmation may not begin later.")
    _check_not_over(data.get("NotOnOrAfter"), now)
    request_id = data.get("InResponseTo")
    if not request_id:
        raise SamlRefused("Nobody here asked for this response: begin at this server.")
    return str(request_id)


def _check_begun(written: str | None, now: datetime) -> None:
    if now + SKEW < _time(written):
        raise SamlRefused("The assertion is not valid yet; perhaps the clocks differ.")


def _check_not_over(written: str | None, now: datetime) -> None:
    if now - SKEW >= _time(written):
        raise SamlRefused("The assertion has expired; sign in once more.")


def _until(assertion: etree._Element, now: datetime) -> datetime | None:
    statements = assertion.findall(f"{_A}AuthnStatement")
    if not statements:
        raise SamlRefused("The assertion does not say that anybody signed in.")
    ends = [_time(s.get("SessionNotOnOrAfter")) for s in statements if s.get("SessionNotOnOrAfter")]
    if any(end <= now for end in ends):
        raise SamlRefused("The session at the identity provider is over; sign in once more.")
    return min(ends, default=None)


def _attributes(assertion: etree._Element) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for attribute in assertion.findall(f"{_A}AttributeStatement/{_A}Attribute"):
        values = [_text(value) for value in attribute.findall(f"{_A}AttributeValue")]
        found.setdefault((attribute.get("Name") or "").lower(), []).extend(v for v in values if v)
    return found


def _email(name_id: etree._Element, attributes: dict[str, list[str]]) -> str:
    if name_id.get("Format") == EMAIL:
        return _text(name_id)
    told = {value for name in MAIL for value in attributes.get(name, ())}
    if len(told) != 1:
        raise SamlRefused("The identity provider must tell one e-mail address, as name or as `mail`.")
    return told.pop()


def _name(attributes: dict[str, list[str]]) -> str:
    """Return how the person is called: in one piece, or as given name and surname."""

    def told(names: frozenset[str]) -> str:
        values = [value for name in sorted(names) for value in attributes.get(name, ())]
        return values[0] if values else ""

    return told(DISPLAY_NAME) or " ".join(filter(None, (told(GIVEN_NAME), told(SURNAME))))


def _one(parent: etree._Element, name: str) -> etree._Element:
    found = parent.findall(f"{_A}{name}")
    if len(found) != 1:
        raise SamlRefused(f"The assertion must have one {name}.")
    return found[0]


def _text(element: etree._Element) -> str:
    """Return all of an element's text. One with elements inside says two things at once."""
    if len(element):
        raise SamlRefused("A value of the assertion has elements inside.")
    return (element.text or "").strip()


def _time(written: str | None) -> datetime:
    found = _TIME.fullmatch(written or "")
    try:
        if found is None:
            raise ValueError
        moment = datetime.fromisoformat(found[1]).replace(tzinfo=UTC)
    except ValueError:
        raise SamlRefused("A time in the assertion is missing or cannot be read.") from None
    return moment + timedelta(microseconds=int((found[2] or "0")[:6].ljust(6, "0")))
