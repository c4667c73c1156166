"""Kinds of values in rendered elements: each takes a value apart and gives back what of it may be shown.

Rules that live here: where a plain value can stand, `{"$state": name}` can; addresses are http or https; an
action is one of ours or a name without `@`; depth and number of elements are bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from app.kit.errors import Invalid
from app.kit.http.urls import safe_url

DEEPEST = 40
MOST = 5_000  # elements and plain values in lists, in one answer
# fmt: off
ICONS = (
    "close", "edit", "github", "gitlab", "maximize", "email", "settings", "search", "delete", "star",
    "warning", "link", "link-external", "eye", "eye-off", "lock", "check", "check-circle",
)
# fmt: on


class WrongOutput(ValueError):
    """A rendered output that is not one: `path` names the place, `message` what should be there."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}")
        self.path = path
        self.message = message


@dataclass(slots=True)
class ElementReading:
    """The cost of reading an output so far, and the function that reads an element."""

    element: Callable[[ElementReading, object, str, frozenset[str] | None], object]
    read: int = 0

    def count(self, path: str) -> None:
        self.read += 1
        if self.read > MOST:
            raise WrongOutput("element", f"There are more than {MOST} elements.")
        if path.count(".") + path.count("[") > DEEPEST * 2:
            raise WrongOutput("element", f"Elements are nested deeper than {DEEPEST}.")


Kind = Callable[[ElementReading, object, str], object]


@dataclass(frozen=True, slots=True)
class ElementField:
    """A field of an element."""

    kind: Kind
    required: bool = False


def fields(
    reading: ElementReading, value: object, path: str, known: Mapping[str, ElementField]
) -> dict[str, object]:
    """Return the known fields of an object; others are left out, null counts as absent."""
    if not isinstance(value, dict):
        raise WrongOutput(path, "This must be an object.")
    found: dict[str, object] = {}
    for name, field in known.items():
        given = value.get(name)
        if given is None:
            if field.required:
                raise WrongOutput(f"{path}.{name}", "This is required.")
        else:
            found[name] = field.kind(reading, given, f"{path}.{name}")
    return found


def dynamic(value: object) -> dict[str, str] | None:
    """Return a reference to state, `{"$state": name}`, if the value is one."""
    if isinstance(value, dict) and isinstance(value.get("$state"), str) and len(value) == 1:
        return {"$state": value["$state"]}
    return None


def text(reading: ElementReading, value: object, path: str) -> object:
    """Return a string."""
    if isinstance(value, str):
        return value
    return _or_dynamic(value, path, "This must be a string.")


def flag(reading: ElementReading, value: object, path: str) -> object:
    """Return a boolean."""
    return value if isinstance(value, bool) else _or_dynamic(value, path, "This must be true or false.")


def number(reading: ElementReading, value: object, path: str) -> object:
    """Return a number."""
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return value if plain else _or_dynamic(value, path, "This must be a number.")


def anything(reading: ElementReading, value: object, path: str) -> object:
    """Return any JSON as it is: it is handed back to the script, not shown."""
    return value


def table(reading: ElementReading, value: object, path: str) -> object:
    """Return an object of any JSON."""
    if isinstance(value, dict):
        return value
    raise WrongOutput(path, "This must be an object.")


def name(reading: ElementReading, value: object, path: str) -> object:
    """Return the name of a state: fixed, never dynamic."""
    if isinstance(value, str) and value:
        return value
    raise WrongOutput(path, "This must be the name of a state.")


def address(reading: ElementReading, value: object, path: str) -> object:
    """Return an address of the web."""
    if not isinstance(value, str):
        return _or_dynamic(value, path, "This must be an address.")
    try:
        return safe_url(value, path=path)
    except Invalid as wrong:
        raise WrongOutput(path, wrong.message) from None


def one_of(*names: str) -> Kind:
    """Return one of some words."""

    def check(reading: ElementReading, value: object, path: str) -> object:
        if value in names:
            return value
        return _or_dynamic(value, path, f"This must be one of {', '.join(names)}.")

    return check


def at_most(length: int) -> Kind:
    """Return a string of so many characters."""

    def check(reading: ElementReading, value: object, path: str) -> object:
        if isinstance(value, str) and len(value) <= length:
            return value
        raise WrongOutput(path, f"This must be a string of at most {length} characters.")

    return check


def parts(known: Mapping[str, ElementField]) -> Kind:
    """Return an object with fields of its own."""

    def check(reading: ElementReading, value: object, path: str) -> object:
        return fields(reading, value, path, known)

    return check


def each(kind: Kind) -> Kind:
    """Return a list. Empty places, as conditions in a template leave them, are left out."""

    def check(reading: ElementReading, value: object, path: str) -> object:
        if not isinstance(value, list):
            raise WrongOutput(path, "This must be a list.")
        found = []
        for place, item in enumerate(value):
            reading.count(path)
            if item is not None and item is not False:
                found.append(kind(reading, item, f"{path}[{place}]"))
        return found

    return check


def element(*types: str) -> Kind:
    """Return an element, of any type or of one of these."""
    allowed = frozenset(types) or None

    def check(reading: ElementReading, value: object, path: str) -> object:
        reading.count(path)
        return reading.element(reading, value, path, allowed)

    return check


def either(first: Kind, second: Kind) -> Kind:
    """Return one kind, or for objects with a `type` and for lists the other."""

    def check(reading: ElementReading, value: object, path: str) -> object:
        structured = isinstance(value, list) or (isinstance(value, dict) and "type" in value)
        return (second if structured else first)(reading, value, path)

    return check


def _or_dynamic(value: object, path: str, message: str) -> object:
    found = dynamic(value)
    if found is None:
        raise WrongOutput(path, message)
    return found
