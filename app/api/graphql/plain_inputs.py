"""Takes variables and arguments as they are where they are plain, so that the library need not judge them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from graphql.execution.get_variable_signature import GraphQLVariableSignature, get_variable_signature
from graphql.execution.values import VariableValues, VariableValueSource
from graphql.utilities.coerce_input_value import coerce_default_value

from graphql import (
    GRAPHQL_MAX_INT,
    GRAPHQL_MIN_INT,
    BooleanValueNode,
    EnumValueNode,
    FieldNode,
    GraphQLField,
    GraphQLSchema,
    IntValueNode,
    OperationDefinitionNode,
    StringValueNode,
    Undefined,
    VariableNode,
    coerce_input_literal,
    is_non_null_type,
)

TYPES: dict[str, type] = {"String": str, "ID": str, "Boolean": bool, "Int": int, "URL": str}
LEAST, MOST = GRAPHQL_MIN_INT, GRAPHQL_MAX_INT
LITERALS = (IntValueNode, StringValueNode, BooleanValueNode, EnumValueNode)


@dataclass(slots=True)
class PlainVariable:
    """A variable of an operation, and the Python type of the values that are taken as they are."""

    signature: GraphQLVariableSignature
    type: type | None
    is_required: bool
    has_default: bool


class PlainVariables:
    """The variables of an operation."""

    def __init__(self, schema: GraphQLSchema, operation: OperationDefinitionNode) -> None:
        self._variables: list[PlainVariable] = []
        for node in operation.variable_definitions or ():
            signature = get_variable_signature(schema, node)
            assert isinstance(signature, GraphQLVariableSignature)  # the document is valid
            is_required = is_non_null_type(signature.type)
            inner: Any = signature.type.of_type if is_required else signature.type  # type: ignore[union-attr]
            plain = TYPES.get(getattr(inner, "name", ""))
            has_default = node.default_value is not None
            self._variables.append(PlainVariable(signature, plain, is_required, has_default))

    def take(self, given: Mapping[str, Any]) -> VariableValues | None:
        """Return the values of the variables; None where the library has to judge one."""
        sources: dict[str, VariableValueSource] = {}
        coerced: dict[str, Any] = {}
        for each in self._variables:
            name = each.signature.name
            value = given.get(name, Undefined)
            if value is Undefined:
                if each.is_required or each.has_default:
                    return None
                sources[name] = VariableValueSource(each.signature)
                continue
            if value is None:
                if each.is_required:
                    return None
            elif type(value) is not each.type or (type(value) is int and not LEAST <= value <= MOST):
                return None
            sources[name] = VariableValueSource(each.signature, value)
            coerced[name] = value
        return VariableValues(sources, coerced)


class PlainArguments:
    """The arguments of a field that are left out, written as plain literals, or given by variables."""

    def __init__(self, definition: GraphQLField, node: FieldNode) -> None:
        self.is_plain = True
        self._constants: dict[str, Any] = {}
        self._variables: list[tuple[str, str, Any, bool]] = []
        given = {each.name.value: each.value for each in node.arguments or ()}
        for name, argument in definition.args.items():
            value, is_required = given.get(name), is_non_null_type(argument.type)
            if isinstance(value, VariableNode):
                default = coerce_default_value(argument)
                self._variables.append((name, value.name.value, default, is_required))
                continue
            found = coerce_default_value(argument)
            if value is not None:
                plain = isinstance(value, LITERALS)
                found = coerce_input_literal(value, argument.type) if plain else Undefined
            if found is not Undefined:
                self._constants[name] = found
            elif value is not None or is_required:
                self.is_plain = False

    def take(self, values: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the arguments with these variables; None where the library has to judge one."""
        if not self.is_plain:
            return None
        found = self._constants.copy()
        for name, variable, default, is_required in self._variables:
            value = values.get(variable, default)
            if value is Undefined:
                if is_required:
                    return None
                continue
            if value is None and is_required:
                return None
            found[name] = value
        return found
