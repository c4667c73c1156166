"""Conditions: what they may say, by the schema of claims, and whom they show what."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats.expressions.conditions import DRAFT, Claims, check, empty, holds, read_claims, templates
from app.formats.expressions.expression import parse
from app.kit.errors import Invalid

CLOSED = {"type": "object", "additionalProperties": False}
SCHEMA: dict[str, Any] = {
    "$schema": DRAFT,
    "$id": "claims",
    **CLOSED,
    "properties": {
        "unsigned": {**CLOSED, "properties": {"beta": {"type": "boolean", "description": "In the beta"}}},
        "vip": {"type": "boolean", "description": "Important"},
        "plan": {"type": "string", "enum": ["free", "pro"], "description": "Plan"},
        "seats": {"type": "number", "description": "Seats"},
        "roles": {"type": "array", "items": {"type": "string"}, "description": "Roles"},
        "company": {
            **CLOSED,
            "description": "Company",
            "properties": {"name": {"type": "string", "description": "Its name"}},
        },
        "odd-name": {"type": "boolean", "description": "Odd"},
    },
}
KNOWN = read_claims(SCHEMA)
GOOD = [
    "visitor.claims.vip",
    "!visitor.claims.vip && visitor.claims.unsigned.beta",
    "visitor.claims.plan === 'pro' || visitor.claims.plan == \"free\"",
    "visitor.claims.seats >= 10",
    "'admin' in visitor.claims.roles",
    "visitor.claims.roles.includes('admin')",
    "visitor.claims.roles[0] === 'admin' || visitor.claims.roles.length > 3",
    "visitor.claims.company.name != undefined",
    'visitor.claims["odd-name"]',
    "visitor.claims.vip ? visitor.claims.unsigned.beta : false",
    "(true)",
]
BAD = {
    "visitor.claims.plan": "string",
    "visitor.claims.roles": "array",
    "visitor.claims.company": "object",
    "visitor.claims": "object",
    "visitor": "object",
    "1 + 1": "number",
    "'true'": "string",
    "null": "null",
    "undefined": "undefined",
    "visitor.claims.vip || visitor.claims.plan": "string",
    "visitor.claims.vip ? 'a' : true": "string",
    "visitor.claims.unknown": "does not have",
    "visitor.claims.unsigned.unknown": "does not have",
    "visitor.claims.vip.more": "does not have",
    "visitor.claims.plan === 'prpo'": "never is",
    "visitor.claims.seats == 'ten'": "number with string",
    "visitor.jwt == true": "only `visitor.claims`",
    "window": "only `visitor.claims`",
    "claims.vip": "only `visitor.claims`",
    "visitor.claims[visitor.claims.plan]": "worked out",
    "visitor.claims.__class__": "does not have",
    "visitor.claims.constructor.constructor": "does not have",
    "visitor.claims.seats.includes(1)": "neither a list nor text",
    "'x' in visitor.claims.seats": "neither a list nor an object",
    "visitor.claims.vip &&": "unexpected end",
    "visitor.claims.vip; true": "unexpected ';'",
    "": "unexpected end",
}


@pytest.mark.parametrize("condition", GOOD)
def test_a_condition_that_gives_a_boolean_is_taken(condition: str) -> None:
    check(condition, KNOWN)


@pytest.mark.parametrize(("condition", "reason"), BAD.items())
def test_a_condition_that_makes_no_sense_is_refused_with_its_reason(condition: str, reason: str) -> None:
    with pytest.raises(Invalid) as refused:
        check(condition, KNOWN, path="condition")
    assert reason in refused.value.message
    assert refused.value.path == "condition"


@pytest.mark.parametrize(
    ("condition", "is_taken"),
    [
        ("visitor.claims.anything", True),
        ("visitor.claims.any.thing == 'x'", True),
        ("visitor.claims", False),
        ("'text'", False),
        ("visitor.other", False),
    ],
)
def test_without_a_schema_what_may_be_a_boolean_is_taken(condition: str, is_taken: bool) -> None:
    if is_taken:
        check(condition, None)
        return
    with pytest.raises(Invalid):
        check(condition, None)


@pytest.mark.parametrize(
    "condition", ["(" * 400 + "true" + ")" * 400, "!" * 300 + "true", "true || " * 200 + "true"]
)
def test_what_is_too_deep_or_too_long_is_refused_and_hides(condition: str) -> None:
    with pytest.raises(Invalid):
        check(condition, KNOWN)
    assert not holds(condition, {"vip": True})


@pytest.mark.parametrize(
    ("condition", "claims", "shown"),
    [
        ("visitor.claims.vip", {"vip": True}, True),
        ("visitor.claims.vip", {"vip": 1}, False),
        ("visitor.claims.vip", {"vip": "true"}, False),
        ("visitor.claims.vip", {}, False),
        ("visitor.claims.company.name == 'x'", {}, False),
        (
            "visitor.claims.vip && visitor.claims.unsigned.beta",
            {"vip": True, "unsigned": {"beta": True}},
            True,
        ),
        ("visitor.claims.vip", {"unsigned": {"vip": True}}, False),
        ("visitor.claims.plan", {"plan": "pro"}, False),
        ("no expression at all (", {"vip": True}, False),
        ("visitor.claims", {"vip": True}, False),
        ("visitor.claims.roles.includes('a')", {"roles": ["a"]}, True),
        ("visitor.claims.roles.includes('a')", {"roles": {"a": 1}}, False),
        ("visitor.claims.__class__ != undefined", {}, False),
    ],
)
def test_only_what_is_true_is_shown(condition: str, claims: dict[str, Any], shown: bool) -> None:
    assert holds(condition, claims) is shown


def test_conditions_suggest_themselves() -> None:
    assert list(templates(KNOWN)) == [
        ("In the beta", "visitor.claims.unsigned.beta"),
        ("Important", "visitor.claims.vip"),
        ("Plan (free)", 'visitor.claims.plan == "free"'),
        ("Plan (pro)", 'visitor.claims.plan == "pro"'),
        ("Seats", "visitor.claims.seats != undefined"),
        ("Roles", "visitor.claims.roles != undefined"),
        ("Its name", "visitor.claims.company.name != undefined"),
        ("Odd", 'visitor.claims["odd-name"]'),
    ]
    for _, condition in templates(KNOWN):
        check(condition, KNOWN)


def test_the_first_schema_of_a_site_is_of_the_form() -> None:
    assert read_claims(empty()).members.keys() == {"unsigned"}


@pytest.mark.parametrize(
    ("place", "value", "named"),
    [
        (("type",), "array", "jsonSchema.type"),
        (("additionalProperties",), True, "jsonSchema.additionalProperties"),
        (("$schema",), "https://json-schema.org/draft/2020-12/schema", "jsonSchema.$schema"),
        (("$id",), 7, "jsonSchema.$id"),
        (("properties",), [], "jsonSchema.properties"),
        (("properties", "vip", "type"), "null", "jsonSchema.properties.vip.type"),
        (("properties", "vip", "type"), ["boolean"], "jsonSchema.properties.vip.type"),
        (("properties", "vip", "description"), "", "jsonSchema.properties.vip.description"),
        (("properties", "vip", "pattern"), "(a+)+", "jsonSchema.properties.vip"),
        (("properties", "vip", "$ref"), "#", "jsonSchema.properties.vip"),
        (("properties", "vip"), True, "jsonSchema.properties.vip"),
        (("properties", "vip", "enum"), [True], "jsonSchema.properties.vip.enum"),
        (("properties", "plan", "enum"), [], "jsonSchema.properties.plan.enum"),
        (("properties", "roles", "items"), {"type": "object"}, "jsonSchema.properties.roles.items"),
        (("properties", "unsigned", "type"), "boolean", "jsonSchema.properties.unsigned"),
        (
            ("properties", "company", "additionalProperties"),
            {},
            "jsonSchema.properties.company.additionalProperties",
        ),
        (("$defs",), {}, "jsonSchema"),
    ],
)
def test_a_schema_of_another_form_is_refused_where_it_differs(
    place: tuple[str, ...], value: Any, named: str
) -> None:
    schema = copy.deepcopy(SCHEMA)
    inner = schema
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = value
    with pytest.raises(Invalid) as refused:
        read_claims(schema)
    assert refused.value.path == named


def test_a_schema_without_end_is_refused() -> None:
    claim: dict[str, Any] = {"type": "boolean", "description": "x"}
    for _ in range(50):
        claim = {**CLOSED, "description": "x", "properties": {"x": claim}}
    with pytest.raises(Invalid):
        read_claims({**CLOSED, "properties": {"x": claim}})
    many = {f"c{n}": {"type": "boolean", "description": "x"} for n in range(2000)}
    with pytest.raises(Invalid):
        read_claims({**CLOSED, "properties": many})


VALUES = {
    "vip": st.booleans(),
    "plan": st.sampled_from(["free", "pro"]),
    "seats": st.floats(allow_nan=False) | st.integers(),
    "roles": st.lists(st.text(max_size=3), max_size=3),
    "unsigned": st.fixed_dictionaries({}, optional={"beta": st.booleans()}),
}
ATOMS = st.sampled_from([*GOOD, *(each for each in BAD if each)])


def _joined(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    pairs = st.tuples(inner, st.sampled_from(["&&", "||", "===", "!=", "<", "in", "+"]), inner)
    return pairs.map(" ".join) | inner.map(lambda text: f"!({text})") | inner.map(lambda text: f"({text})")


@settings(max_examples=300, deadline=None)
@given(st.recursive(ATOMS, _joined, max_leaves=6), st.fixed_dictionaries({}, optional=VALUES))
def test_what_is_taken_gives_a_boolean_or_nothing_for_every_visitor(
    condition: str, claims: dict[str, Any]
) -> None:
    """Claims may be missing, so a claim by itself may be undefined: then, as for any mistake, it hides."""
    try:
        check(condition, KNOWN)
    except Invalid:
        return
    value = parse(condition, max_length=10_000).evaluate({"visitor": {"claims": claims}})
    assert isinstance(value, bool) or repr(value) == "undefined"
    assert holds(condition, claims) is (value is True) or len(condition) > 1024


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60) | st.text(alphabet="visitor.claims()[]!&|'\"=<>in 01?:,", max_size=60))
def test_no_text_does_more_than_be_refused(text: str) -> None:
    for known in (KNOWN, None, Claims("object")):
        try:
            check(text, known)
        except Invalid:
            continue
    assert holds(text, {"vip": True}) in (True, False)
