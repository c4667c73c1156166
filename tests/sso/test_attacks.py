"""Responses that must not sign anybody in (threats, 42): real ones, signed by xmlsec1, then tampered with.

Each is refused with the one shape of errors, or with a page for a browser, and leaves nothing behind.
"""

from __future__ import annotations

import zlib
from base64 import b64encode
from typing import Any

import pytest
from sqlalchemy import func, or_, select

from app.access.context import Context
from app.kit.database.statements import given, rows, table
from app.models.access import Token
from app.models.sso import SamlRequest, SignIn
from app.models.users import User
from tests import saml
from tests.contract.test_errors import is_refused
from tests.saml import A, Idp, P
from tests.sso import attacks
from tests.sso.attacks import EVIL, GOOD, at, both, text, too_late, too_soon, twice, without

USERS, TOKENS, SAML_REQUESTS, SIGN_INS = table(User), table(Token), table(SamlRequest), table(SignIn)


def _count(of: Any, *where: Any) -> Any:
    return select(func.count()).select_from(of).where(*where).scalar_subquery()


_WRITTEN = rows(
    lambda: select(
        _count(USERS, or_(USERS.c.email == EVIL, USERS.c.email == GOOD)).label("people"),
        _count(TOKENS, TOKENS.c.sso_organization_id == given("organization")).label("tokens"),
        _count(SAML_REQUESTS, SAML_REQUESTS.c.provider_id == given("provider")).label("requests"),
        _count(SIGN_INS, SIGN_INS.c.provider_id == given("provider")).label("sign_ins"),
    )
)
CONFIRMED = f".//{A}SubjectConfirmationData"
CONDITIONS = f".//{A}Conditions"
STATUS = f"{P}Status/{P}StatusCode"
VOUCHED = "urn:oasis:names:tc:SAML:2.0:cm:sender-vouches"
ELSEWHERE = "https://elsewhere.example.org/"


def is_empty(idp: Idp) -> None:
    """Nobody came in through this provider."""

    async def count(cx: Context) -> Any:
        return await cx.db.first(_WRITTEN, organization=idp.cast.organization, provider=idp.id)

    assert tuple(idp.cast.instance.inside(count)) == (0, 0, 0, 0)


def refused(idp: Idp, status: int = 403, raw: Any = None, email: str = GOOD, **options: Any) -> str:
    """Why a response is refused; nothing is written, no cookie is set."""
    with idp.browser() as browser:
        request_id = idp.request_id(idp.begin(browser))
        browser.headers["accept"] = "application/json"
        response = idp.answer(request_id, email, **options)
        answer = idp.post(browser, raw(response) if raw else response)
    error = is_refused(answer, status)
    assert "set-cookie" not in answer.headers
    is_empty(idp)
    return str(error["message"])


OF_THE_RESPONSE = {"xsw1", "xsw2"}


@pytest.mark.parametrize("name", [f"xsw{n}" for n in range(1, 9)])
def test_a_signature_wrapping(attacked: Idp, name: str) -> None:
    signed = ["Response"] if name in OF_THE_RESPONSE else ["Assertion"]
    refused(attacked, signed=signed, after=getattr(attacks, name))


@pytest.mark.parametrize("name", [f"xsw{n}" for n in range(3, 9)])
def test_a_signature_wrapping_in_a_response_that_was_signed_too(attacked: Idp, name: str) -> None:
    refused(attacked, signed=["Assertion", "Response"], after=getattr(attacks, name))


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (attacks.same_id_twice, "exactly one assertion"),
        (attacks.two_signed, "exactly one assertion"),
        (attacks.forged_first_of_two_responses, "exactly one assertion"),
        (attacks.other_name, "not one of the provider's certificate"),
        (attacks.comment_in_name, "comments"),
        (attacks.instruction, "instructions"),
        (attacks.without_signatures, "signed"),
        (attacks.empty_signature, "of one element"),
        (attacks.reference_to_nothing, "of another element"),
        (attacks.more_transforms, "transforms"),
        (attacks.more_references, "of one element"),
        (attacks.encrypted, "encrypted"),
        (attacks.encrypted_beside, "encrypted"),
        (attacks.encrypted_name, "encrypted"),
    ],
)
def test_a_response_changed_after_it_was_signed(attacked: Idp, change: saml.Change, reason: str) -> None:
    assert reason in refused(attacked, after=change)


@pytest.mark.parametrize("signed", [["Response"], ["Assertion", "Response"]])
def test_a_changed_response_that_was_signed_as_a_whole(attacked: Idp, signed: list[str]) -> None:
    for change in (attacks.other_name, at(".", "Destination", ELSEWHERE), at(STATUS, "Value", "urn:x")):
        refused(attacked, signed=signed, after=change)


@pytest.mark.parametrize("signed", [["Assertion"], ["Response"]])
def test_the_certificate_of_another_provider(attacked: Idp, signed: list[str]) -> None:
    """The key is told in the signature's KeyInfo; which one counts was said beforehand."""
    said = refused(attacked, signed=signed, keys=saml.other_keys())
    assert "not one of the provider's certificate" in said


@pytest.mark.parametrize(
    ("method", "digest"),
    [
        ("http://www.w3.org/2000/09/xmldsig#rsa-sha1", "http://www.w3.org/2000/09/xmldsig#sha1"),
        (saml.RSA_SHA256, "http://www.w3.org/2000/09/xmldsig#sha1"),
        ("http://www.w3.org/2000/09/xmldsig#rsa-sha1", saml.SHA256),
    ],
)
def test_weak_signatures(attacked: Idp, method: str, digest: str) -> None:
    refused(attacked, method=method, digest=digest)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (text(f".//{A}Audience", ELSEWHERE), "another service"),
        (without(f".//{A}AudienceRestriction"), "another service"),
        (both(twice(f".//{A}AudienceRestriction"), text(f".//{A}Audience", ELSEWHERE)), "another service"),
        (at(CONFIRMED, "Recipient", ELSEWHERE), "another address"),
        (at(CONFIRMED, "Recipient", None), "another address"),
        (at(".", "Destination", ELSEWHERE), "another address"),
        (at(".", "Destination", ""), "another address"),
        (at(CONFIRMED, "InResponseTo", "_other"), "different requests"),
        (at(CONFIRMED, "InResponseTo", None), "Nobody here asked"),
        (at(".", "InResponseTo", "_other"), "different requests"),
        (at(".", "InResponseTo", None), "different requests"),
        (both(at(".", "InResponseTo", "_other"), at(CONFIRMED, "InResponseTo", "_other")), "did not start"),
        (at(CONFIRMED, "NotOnOrAfter", too_late), "expired"),
        (at(CONFIRMED, "NotOnOrAfter", None), "missing"),
        (at(CONFIRMED, "NotOnOrAfter", "tomorrow"), "cannot be read"),
        (at(CONFIRMED, "NotBefore", too_late), "may not begin later"),
        (at(CONDITIONS, "NotOnOrAfter", too_late), "expired"),
        (at(CONDITIONS, "NotBefore", too_soon), "not valid yet"),
        (at(f"{A}Assertion", "IssueInstant", too_soon), "not valid yet"),
        (at(f"{A}Assertion", "IssueInstant", None), "missing"),
        (at(f".//{A}AuthnStatement", "SessionNotOnOrAfter", too_late), "session"),
        (attacks.added(CONDITIONS, "{urn:example}Strange", {}), "not understood"),
        (without(CONDITIONS), "one Conditions"),
        (twice(CONDITIONS), "one Conditions"),
        (without(f".//{A}Subject"), "one Subject"),
        (without(f".//{A}NameID"), "one NameID"),
        (twice(f".//{A}NameID"), "one NameID"),
        (without(f".//{A}SubjectConfirmation"), "its bearer"),
        (twice(f".//{A}SubjectConfirmation"), "its bearer"),
        (at(f".//{A}SubjectConfirmation", "Method", VOUCHED), "its bearer"),
        (without(f".//{A}AuthnStatement"), "anybody signed in"),
        (text(f"{A}Assertion/{A}Issuer", ELSEWHERE), "another identity provider"),
        (text(f"{A}Issuer", ELSEWHERE), "another identity provider"),
        (without(f"{A}Assertion/{A}Issuer"), "one Issuer"),
        (at(f"{A}Assertion", "Version", "1.1"), "SAML 2.0"),
        (at(".", "Version", "1.1"), "SAML 2.0"),
        (at(STATUS, "Value", "urn:oasis:names:tc:SAML:2.0:status:Responder"), "did not sign the person in"),
        (without(STATUS), "did not sign the person in"),
        (attacks.added(f".//{A}NameID", f"{A}NameID", {}), "elements inside"),
    ],
)  # fmt: skip
def test_a_signed_response_that_says_something_else(attacked: Idp, change: saml.Change, reason: str) -> None:
    assert reason in refused(attacked, before=change)


def test_a_response_signed_as_a_whole_must_say_where_it_goes(attacked: Idp) -> None:
    change = at(".", "Destination", None)
    assert "another address" in refused(attacked, signed=["Response"], before=change)


@pytest.mark.parametrize(
    "email",
    ["", "mallory", "a@b", "a b@example.org", "a@example.org\nb@example.org", "mar\u212a@example.org",
     "ad\u00b5in@example.org", "a@example.org.", "<a@example.org>", "a@@example.org",
     "a" * 320 + "@example.org"],
)  # fmt: skip
def test_a_name_that_is_no_plain_address(attacked: Idp, email: str) -> None:
    """Letters that fold to others (a Kelvin sign to k) would make one person's address another's."""
    refused(attacked, email="x@example.org", before=text(f".//{A}NameID", email))


ENTITY = '<!DOCTYPE Response [<!ENTITY e SYSTEM "file:///etc/passwd">]>'
LAUGHS = "<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;'>]>"


@pytest.mark.parametrize(
    ("raw", "status"),
    [
        (attacks.declared(ENTITY), 403),
        (attacks.declared(LAUGHS), 403),
        (attacks.declared('<?xml version="1.0" encoding="UTF-16"?>' + ENTITY, "utf-16"), 403),
        (attacks.declared(ENTITY, "utf-16-le"), 403),
        (attacks.declared('<?xml version="1.0" encoding="UTF-16"?>', "utf-16"), 403),
        (attacks.declared("<!-- hello -->"), 403),
        (lambda raw: raw.replace(b">", b">&e;", 1), 403),
        (lambda raw: zlib.compress(raw), 403),
        (lambda raw: zlib.compress(bytes(50_000_000)), 403),
        (lambda raw: raw[:-20], 403),
        (lambda raw: raw + raw, 403),
        (lambda raw: b"", 403),
        (lambda raw: b"\x00" * 1000, 403),
        (lambda raw: b"<a>" * 20_000, 403),
        (lambda raw: b"<a/>", 403),
        (lambda raw: b"<a" + b" xmlns:n%d='urn:n'" * 5000 % tuple(range(5000)) + b"/>", 403),
        (lambda raw: raw.replace(b"<", b"<!", 1), 403),
        (lambda raw: raw.replace(b"</", b"<x/>" * 3000 + b"</", 1), 403),
        (lambda raw: raw + b" " * 400_000, 413),
    ],
)  # fmt: skip
def test_a_document_that_is_no_plain_xml(attacked: Idp, raw: Any, status: int) -> None:
    refused(attacked, status, raw=raw)


@pytest.mark.parametrize(
    ("sent", "kind", "status"),
    [
        ({"SAMLResponse": "%%%"}, None, 400),
        ({"SAMLResponse": "abc"}, None, 400),
        ({}, None, 400),
        ({"samlresponse": "YQ=="}, None, 400),
        ({f"a{n}": "b" for n in range(50)}, None, 400),
        (b"SAMLResponse=YQ%3D%3D&SAMLResponse=YQ%3D%3D", None, 400),
        (b"SAMLResponse=%ff%fe", None, 400),
        (b'{"SAMLResponse": "YQ=="}', "application/json", 415),
        (b"SAMLResponse=YQ%3D%3D", "text/plain", 415),
    ],
)
def test_a_form_that_holds_no_response(attacked: Idp, sent: Any, kind: str | None, status: int) -> None:
    http = attacked.cast.instance.http
    headers = {"Content-Type": kind or "application/x-www-form-urlencoded"}
    options: dict[str, Any] = {"content": sent} if isinstance(sent, bytes) else {"data": sent}
    is_refused(http.post(attacked.acs, headers=headers, **options), status)
    is_empty(attacked)


def test_a_response_counts_for_the_browser_that_asked_and_for_no_other(attacked: Idp) -> None:
    """Otherwise a page could have its visitors signed in as somebody else."""
    with attacked.browser() as asking, attacked.browser() as other, attacked.browser() as unmarked:
        response = attacked.answer(attacked.request_id(attacked.begin(asking)), GOOD)
        attacked.begin(other)
        for browser in (other, unmarked):
            answer = attacked.post(browser, response)
            assert answer.status_code == 403
            assert "did not start" in saml.text_of(answer.text)
            assert answer.headers["content-type"] == "text/html; charset=utf-8"
    is_empty(attacked)


def test_a_request_of_another_provider_of_the_same_organization(attacked: Idp) -> None:
    other = saml.idp(attacked.cast, label="Other")
    with attacked.browser() as browser:
        request_id = other.request_id(other.begin(browser))
        answer = attacked.post(browser, attacked.answer(request_id, GOOD))
    assert "did not start" in saml.text_of(answer.text)
    is_empty(attacked)


def test_nothing_is_stored_by_beginning(attacked: Idp) -> None:
    with attacked.browser() as browser:
        for _ in range(3):
            attacked.begin(browser)
    is_empty(attacked)


def test_a_body_as_it_would_be_sent_by_redirect(attacked: Idp) -> None:
    """The response is taken as it is: nothing here inflates anything."""
    with attacked.browser() as browser:
        response = attacked.answer(attacked.request_id(attacked.begin(browser)), GOOD)
        squeezed = zlib.compressobj(9, zlib.DEFLATED, -15)
        sent = squeezed.compress(response) + squeezed.flush()
        answer = browser.post(attacked.acs, data={"SAMLResponse": b64encode(sent).decode()})
    assert answer.status_code == 403
    is_empty(attacked)
