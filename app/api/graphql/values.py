"""Values that callers name and whose kinds only they know: a field for each kind, lists instead of maps."""

from __future__ import annotations

from app.api.graphql.declarations import JSON, Argument, Declarations, Field, Kind, optional

PLAIN = frozenset({str, bool, int, float})
"""The kinds of plain values."""
_KINDS = {"text": (str, "a text"), "number": (float, "a number"), "boolean": (bool, "true or false")}


def plain_value(declarations: Declarations) -> Kind:
    """Return the type of a text, a number or a boolean."""
    declared = declarations.type("PlainValue", "A text, a number, or true or false: one field is set.")
    declared.fields = _fields()
    return declared.handle


def plain_value_input(declarations: Declarations) -> Kind:
    """Return the `@oneOf` input of a text, a number or a boolean."""
    about = "A text, a number, or true or false."
    declared = declarations.type("PlainValueInput", about, is_input=True, is_one_of=True)
    declared.fields = _arguments()
    return declared.handle


def named_value(declarations: Declarations) -> Kind:
    """Return the type of an entry of a map of values of any kind."""
    about = "A value of any kind: one field is set, and none for null."
    value = declarations.type("AnyValue", about)
    json = Field(optional(JSON), "The value, where it is a list or an object.", key="json")
    value.fields = {**_fields(), "json": json}
    declared = declarations.type("NamedValue", "A value of any kind, with its name.")
    declared.fields = {
        "name": Field(str, "Name of the value.", key="name"),
        "value": Field(value.handle, "The value.", key="value"),
    }
    return declared.handle


def named_value_input(declarations: Declarations) -> Kind:
    """Return the input of an entry of a map of values of any kind."""
    value = declarations.type("AnyValueInput", "A value of any kind.", is_input=True, is_one_of=True)
    value.fields = {**_arguments(), "json": Argument(optional(JSON), "A list or an object.")}
    about = "A value of any kind, with its name."
    declared = declarations.type("NamedValueInput", about, is_input=True)
    declared.fields = {
        "name": Argument(str, "Name of the value; each once."),
        "value": Argument(optional(value.handle), "The value; null for none."),
    }
    return declared.handle


def _fields() -> dict[str, Field]:
    return {
        name: Field(optional(kind), f"The value, where it is {noun}.", key=name)
        for name, (kind, noun) in _KINDS.items()
    }


def _arguments() -> dict[str, Argument]:
    return {name: Argument(optional(kind), f"{noun.capitalize()}.") for name, (kind, noun) in _KINDS.items()}
