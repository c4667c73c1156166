"""The expression language: JavaScript's answers on plain values, and nothing else to reach."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.formats.expressions import expression as expressions
from app.formats.expressions.values import UNDEFINED
from app.kit.errors import Invalid

SCOPE: dict[str, Any] = {
    "space": {"vars": {"name": "Ada", "count": 3, "on": True, "empty": "", "a key": "k"}},
    "visitor": {"claims": {"groups": ["beta", "staff"], "plan": "pro", "none": None}},
}


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("1", 1),
        ("1.5e3", 1500),
        (".5", 0.5),
        ("'a\\'b\\u0041\\n'", "a'bA\n"),
        ('"x"', "x"),
        ("true", True),
        ("null", None),
        ("undefined", UNDEFINED),
        ("[1, 'a', [true]]", [1, "a", [True]]),
        ("[]", []),
        ("space.vars.name", "Ada"),
        ('space["vars"]["a key"]', "k"),
        ("space?.vars?.count", 3),
        ("visitor.claims.groups[1]", "staff"),
        ("visitor.claims.groups[2]", UNDEFINED),
        ("visitor.claims.groups.length", 2),
        ("nobody", UNDEFINED),
        ("nobody.there.at.all", UNDEFINED),
        ("space.vars.name[0]", "A"),
        ("!space.vars.on", False),
        ("!!''", False),
        ("![]", False),
        ("-space.vars.count", -3),
        ("1 + 2 + '3'", "33"),
        ("'Hi ' + space.vars.name", "Hi Ada"),
        ("'a' + null + undefined + true", "anullundefinedtrue"),
        ("1 === 1.0", True),
        ("1 === '1'", False),
        ("1 == '1'", True),
        ("true === 1", False),
        ("true == 1", True),
        ("null == undefined", True),
        ("null === undefined", False),
        ("null == 0", False),
        ("[] === []", False),
        ("visitor.claims.groups === visitor.claims.groups", True),
        ("'b' > 'a'", True),
        ("'10' < 9", False),
        ("'x' < 9", False),
        ("null >= 0", True),
        ("undefined >= 0", False),
        ("2 < 3 === true", True),
        ("'beta' in visitor.claims.groups", True),
        ("'plan' in visitor.claims", True),
        ("'plan' in nobody", False),
        ("visitor.claims.groups.includes('staff')", True),
        ("visitor.claims.plan.includes('r')", True),
        ("visitor.claims.includes('plan')", False),
        ("nobody.includes('x')", False),
        ("[1, 2].includes('1')", False),
        ("1 || nobody.x", 1),
        ("0 || 'b'", "b"),
        ("1 && 2 && 3", 3),
        ("1 && 0 && 3", 0),
        ("false || true && false", False),
        ("(false || true) && true", True),
        ("!false && true", True),
        ("1 ? 2 ? 'a' : 'b' : 'c'", "a"),
        ("0 ? 'a' : '' ? 'b' : 'c'", "c"),
        ("(nobody ? 1 : 2) + 1", 3),
    ],
)
def test_values(source: str, expected: Any) -> None:
    value = expressions.parse(source).evaluate(SCOPE)
    assert value == expected
    assert isinstance(value, bool) is isinstance(expected, bool)


@pytest.mark.parametrize(
    ("source", "truth"),
    [
        ("''", False),
        ("'0'", True),
        ("0", False),
        ("nobody + 1", False),
        ("[]", True),
        ("visitor", True),
        ("null", False),
    ],
)
def test_truth(source: str, truth: bool) -> None:
    assert expressions.parse(source).holds(SCOPE) is truth


@pytest.mark.parametrize(
    "source",
    [
        "__class__", "space.__class__", "space['__class__']", "space.vars.name.__len__", "space.constructor",
        "space.vars.name.upper", "visitor.claims.groups.append", "space.keys", "[].__class__", "''.format",
        "space.prototype", "space.vars.get", "visitor.claims.groups['0']", "space.vars[space]", "[1][true]",
    ],
)  # fmt: skip
def test_only_own_members_of_plain_values_are_reached(source: str) -> None:
    assert expressions.parse(source).evaluate(SCOPE) is UNDEFINED


@pytest.mark.parametrize(
    ("source", "position"),
    [
        ("", 0),
        ("a &&", 4),
        ("a b", 2),
        ("a = 1", 2),
        ("(a", 2),
        ("a ? b", 5),
        ("'a", 0),
        ("a.", 2),
        ("a.1", 1),
        ("f(1)", 1),
        ("a.map(x)", 2),
        ("a.includes()", 11),
        ("[1", 2),
        ("a[1", 3),
        ("a in", 4),
        ("1 ** 2", 2),
        ("`a`", 0),
        ("a; b", 1),
        ("  @", 2),
    ],
)
def test_a_refusal_names_the_position(source: str, position: int) -> None:
    with pytest.raises(Invalid, match=rf"position {position}\.") as refusal:
        expressions.parse(source, path="condition")
    assert refusal.value.path == "condition"


def test_length_is_bounded() -> None:
    expressions.parse("a" * 1024)
    with pytest.raises(Invalid, match="longer than 1024"):
        expressions.parse("a" * 1025)
    with pytest.raises(Invalid, match="longer than 5"):
        expressions.parse("aaaaaa", max_length=5)


@pytest.mark.parametrize(
    "source", ["(" * 60 + "1" + ")" * 60, "!" * 60 + "1", "[" * 60 + "]" * 60, "1?" * 60 + "1" + ":1" * 60]
)
def test_depth_is_bounded(source: str) -> None:
    with pytest.raises(Invalid, match="deeper than 50"):
        expressions.parse(source)


def test_long_chains_are_not_deep() -> None:
    assert expressions.parse("||".join(["0"] * 300) + "||1").evaluate({}) == 1
    assert expressions.parse("==".join(["1"] * 300)).evaluate({}) is True
    assert expressions.parse("a" + ".b" * 400).evaluate({"a": {}}) is UNDEFINED


def test_deep_expressions_with_every_operator_are_evaluated() -> None:
    assert expressions.parse("0||1&&1==0+(" * 45 + "1" + ")" * 45).holds({}) in (True, False)


def test_huge_and_odd_numbers_do_no_harm() -> None:
    scope = {"big": 10**400, "nan": math.nan}
    assert expressions.parse("big + 1").evaluate(scope) == math.inf
    assert expressions.parse("-big < 0 && 1e999 == big").evaluate(scope) is False
    assert expressions.parse("nan === nan").evaluate(scope) is False
    assert expressions.parse("'1_0' == 10").evaluate(scope) is False


def test_names_are_those_looked_up_in_the_scope() -> None:
    assert expressions.parse("a.b ? c[d] : [e.includes(f)] + -g in 'visitor'").names() == set("acdefg")


@settings(max_examples=300, deadline=None)
@given(st.text(alphabet="ab1.'\"()[]!=<>&|?:+-, in", max_size=30))
def test_any_text_is_an_expression_or_refused(source: str) -> None:
    try:
        expression = expressions.parse(source)
    except Invalid:
        return
    expression.holds(SCOPE)
