"""Changes of a response that make it say something else (threats, 42): each takes the document it changes.

The names of the wrappings are those of Somorovsky and others, "On Breaking SAML: Be Whoever You Want to Be".
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from datetime import UTC, datetime, timedelta

from lxml import etree

from app.kit.clock import wire_time
from tests.saml import DS, A, Change, P

EVIL = "mallory@evil.example"
GOOD = "admin@example.org.evil.example"  # what a comment could cut
DOMAINS = ("evil.example", "example.org.evil.example", "example.org")  # all that the attacks name
XS = "http://www.w3.org/2001/XMLSchema"


def assertion(root: etree._Element) -> etree._Element:
    """The first assertion of a response."""
    return _found(root.find(f".//{A}Assertion"))


def signature(parent: etree._Element) -> etree._Element:
    """The signature in an element."""
    return _found(parent.find(f"{DS}Signature"))


def _found(element: etree._Element | None) -> etree._Element:
    assert element is not None
    return element


def named(parent: etree._Element, email: str = EVIL) -> etree._Element:
    """Return the same assertion or response, about somebody else."""
    for name in parent.iter(f"{A}NameID"):
        name.text = email
    return parent


def _evil(of: etree._Element, *, signed: bool) -> etree._Element:
    """A copy with another id, about somebody else."""
    copy = named(deepcopy(of))
    copy.set("ID", "_evil")
    if not signed:
        copy.remove(signature(copy))
    return copy


def _become(root: etree._Element, other: etree._Element) -> None:
    """Let the document's root be another one."""
    children, attributes = list(other), dict(other.attrib)
    for child in list(root):
        root.remove(child)
    root.attrib.clear()
    root.attrib.update(attributes)
    root.extend(children)


def xsw1(root: etree._Element) -> None:
    """The signed response inside the signature of a forged one."""
    evil, whole = _evil(root, signed=True), deepcopy(root)
    whole.remove(signature(whole))
    signature(evil).append(whole)
    _become(root, evil)


def xsw2(root: etree._Element) -> None:
    """The signed response beside the signature of a forged one."""
    evil, whole = _evil(root, signed=True), deepcopy(root)
    whole.remove(signature(whole))
    signature(evil).addprevious(whole)
    _become(root, evil)


def xsw3(root: etree._Element) -> None:
    """A forged assertion before the signed one."""
    assertion(root).addprevious(_evil(assertion(root), signed=False))


def xsw4(root: etree._Element) -> None:
    """The signed assertion inside a forged one."""
    good = assertion(root)
    evil = _evil(good, signed=False)
    root.replace(good, evil)
    evil.append(good)


def xsw5(root: etree._Element) -> None:
    """A forged assertion with the signature of the true one, which is moved to the end."""
    good = assertion(root)
    evil = _evil(good, signed=True)
    root.replace(good, evil)
    good.remove(signature(good))
    root.append(good)


def xsw6(root: etree._Element) -> None:
    """The same, and the true one inside the signature."""
    good = assertion(root)
    evil = _evil(good, signed=True)
    root.replace(good, evil)
    good.remove(signature(good))
    signature(evil).append(good)


def xsw7(root: etree._Element) -> None:
    """A forged assertion among extensions, where schemas look at nothing."""
    extensions = etree.Element(f"{P}Extensions")
    extensions.append(_evil(assertion(root), signed=False))
    assertion(root).addprevious(extensions)


def xsw8(root: etree._Element) -> None:
    """The true assertion in an object of the signature, which is in a forged one."""
    good = assertion(root)
    evil = _evil(good, signed=True)
    root.replace(good, evil)
    good.remove(signature(good))
    etree.SubElement(signature(evil), f"{DS}Object").append(good)


def same_id_twice(root: etree._Element) -> None:
    """A forged assertion with the id of the signed one."""
    evil = _evil(assertion(root), signed=False)
    evil.set("ID", str(assertion(root).get("ID")))
    root.append(evil)


def forged_first_of_two_responses(root: etree._Element) -> None:
    """The signed assertion kept, a forged one beside it without the namespace of assertions."""
    other = etree.SubElement(root, "{urn:example:other}Assertion")
    other.extend(list(_evil(assertion(root), signed=False)))


def two_signed(root: etree._Element) -> None:
    """The signed assertion twice, with different ids."""
    copy = deepcopy(assertion(root))
    copy.set("ID", "_copy")
    root.append(copy)


def other_name(root: etree._Element) -> None:
    """The name changed after the signature."""
    named(root)


def comment_in_name(root: etree._Element) -> None:
    """`admin@example.org<!---->.evil.example`, of which some readers take the first text."""
    name = _found(root.find(f".//{A}NameID"))
    whole, name.text = str(name.text), "admin@example.org"
    name.append(etree.Comment(""))
    name[0].tail = whole.removeprefix("admin@example.org")


def without_signatures(root: etree._Element) -> None:
    for found in list(root.iter(f"{DS}Signature")):
        _found(found.getparent()).remove(found)


def empty_signature(root: etree._Element) -> None:
    """The shape of a signature, with nothing in it."""
    for child in list(signature(assertion(root))):
        signature(assertion(root)).remove(child)


def reference_to_nothing(root: etree._Element) -> None:
    """A signature of the whole document instead of the assertion."""
    _found(root.find(f".//{DS}Reference")).set("URI", "")


def more_transforms(root: etree._Element) -> None:
    """A transform that would leave out what was added."""
    transforms = _found(root.find(f".//{DS}Transforms"))
    added = etree.SubElement(
        transforms, f"{DS}Transform", Algorithm="http://www.w3.org/TR/1999/REC-xpath-19991116"
    )
    etree.SubElement(added, f"{DS}XPath").text = "not(ancestor-or-self::*[local-name()='NameID'])"


def more_references(root: etree._Element) -> None:
    """A second reference, to nothing of value."""
    info = _found(root.find(f".//{DS}SignedInfo"))
    info.append(deepcopy(_found(info.find(f"{DS}Reference"))))


def encrypted(root: etree._Element) -> None:
    """An encrypted assertion instead of a signed one."""
    inside = etree.Element(f"{A}EncryptedAssertion")
    root.replace(assertion(root), inside)


def encrypted_beside(root: etree._Element) -> None:
    root.append(etree.Element(f"{A}EncryptedAssertion"))


def encrypted_name(root: etree._Element) -> None:
    name = _found(root.find(f".//{A}NameID"))
    _found(name.getparent()).replace(name, etree.Element(f"{A}EncryptedID"))


def instruction(root: etree._Element) -> None:
    _found(root.find(f".//{A}NameID")).append(etree.ProcessingInstruction("x", "y"))


def nothing(root: etree._Element) -> None:
    """The response as it came."""


# What a provider itself says wrongly: changed before it signs.


def at(path: str, name: str, value: str | Callable[[], str] | None) -> Change:
    """An attribute with another value, or without one; a value may be told when it is needed."""

    def change(root: etree._Element) -> None:
        for element in [root] if path == "." else root.findall(path):
            if value is None:
                element.attrib.pop(name, None)
            else:
                element.set(name, value if isinstance(value, str) else value())

    return change


def text(path: str, value: str) -> Change:
    """Another text in an element."""

    def change(root: etree._Element) -> None:
        _found(root.find(path)).text = value

    return change


def without(path: str) -> Change:
    """Every such element taken away."""

    def change(root: etree._Element) -> None:
        found = root.findall(path)
        assert found
        for element in found:
            _found(element.getparent()).remove(element)

    return change


def twice(path: str) -> Change:
    """An element two times."""

    def change(root: etree._Element) -> None:
        element = _found(root.find(path))
        element.addnext(deepcopy(element))

    return change


def both(*changes: Change) -> Change:
    """One change after the other."""

    def change(root: etree._Element) -> None:
        for one in changes:
            one(root)

    return change


def later(minutes: float) -> str:
    """A time from now, as providers write it."""
    return wire_time(datetime.now(UTC) + timedelta(minutes=minutes))


def too_soon() -> str:
    """A time further ahead than clocks may differ."""
    return later(3)


def too_late() -> str:
    """A time longer ago than clocks may differ."""
    return later(-1.1)


def added(path: str, tag: str, attributes: dict[str, str]) -> Change:
    """Another element inside."""

    def change(root: etree._Element) -> None:
        etree.SubElement(_found(root.find(path)), tag, attributes)

    return change


Bytes = Callable[[bytes], bytes]


def declared(declaration: str, encoding: str = "utf-8") -> Bytes:
    """The document with this before it, in this encoding."""
    return lambda raw: (declaration + raw.decode()).encode(encoding)
