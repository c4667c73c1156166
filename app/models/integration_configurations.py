"""Configurations of integrations: the properties that each asks for, with their types."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import StringConstraints, model_validator
from sqlmodel import Field

from app.models.base import Enumeration, ManifestPart, absent
from app.models.texts import Form, Label

PropertyType = Literal["string", "number", "boolean", "button"]
ITEMS = 100  # blocks, sources, properties, secrets of one integration
Description = Annotated[str, StringConstraints(max_length=100)]
NAME_FORM = Form(r"^[a-zA-Z0-9_.-]+$", "letters, digits, `_`, `.` and `-`")
Identifier = Annotated[str, StringConstraints(min_length=1, max_length=100), NAME_FORM]
PropertyName = Annotated[
    str, StringConstraints(min_length=1, max_length=100), Form(r"^[^\s\x00-\x1f]+$", "a name without blanks")
]


class ConfigurationProperty(ManifestPart):
    """One value of a configuration: its type and its form field."""

    type: PropertyType = Field(description="Type of the value.")
    title: Annotated[str, Label(100)] = absent("Title of the property, 1 to 100 characters.")
    description: Description = absent("What the value is for, at most 100 characters.")
    default: str | bool | int | float = absent(
        "Value that a new configuration starts with, of the type of the property."
    )
    completion_url: Annotated[str, StringConstraints(max_length=2048)] = Field(
        default=None,
        alias="completion_url",
        description="Address of the integration that suggests values. Of texts only.",
    )
    enum: Annotated[list[str], Field(max_length=ITEMS)] = absent(
        "Values to choose from, at most 100. Of texts only."
    )
    callback_url: Annotated[str, StringConstraints(max_length=2048)] = Field(
        default=None,
        alias="callback_url",
        description="URL of the integration that the button opens. Only for buttons, which require it.",
    )
    button_text: Annotated[str, StringConstraints(max_length=50)] = Field(
        default=None,
        alias="button_text",
        description="Text of the button, at most 50 characters. Of buttons only, where it is required.",
    )

    @model_validator(mode="after")
    def _fits_its_type(self) -> Self:
        sent = self.model_fields_set
        if self.type == "button" and not {"callback_url", "button_text"} <= sent:
            raise ValueError("a button needs callback_url and button_text")
        if self.type != "string" and {"enum", "completion_url"} & sent:
            raise ValueError("only a string has enum or completion_url")
        if "default" in sent and not fits(self.type, self.default, self.enum if "enum" in sent else None):
            raise ValueError(f"default is not a {self.type} of the property")
        return self


class IntegrationConfiguration(ManifestPart):
    """The schema of a configuration: properties with types, or a component of the integration that asks."""

    properties: Annotated[dict[PropertyName, ConfigurationProperty], Field(max_length=ITEMS)] = absent(
        "Properties by their names, at most 100. Absent if a component asks."
    )
    required: Annotated[list[PropertyName], Field(max_length=ITEMS)] = absent(
        "Names of the properties without which an installation is pending."
    )
    component_id: Identifier = absent("Id of the component that asks. Absent if there are properties.")

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        sent = self.model_fields_set
        if ("properties" in sent) == ("component_id" in sent):
            raise ValueError("needs either properties or componentId")
        if "required" in sent and not set(self.required) <= set(self.properties or ()):
            raise ValueError("required names a property that there is not")
        return self


class IntegrationConfigurations(ManifestPart):
    """The configurations of an integration for an organization, for a space and for a site."""

    account: IntegrationConfiguration = absent("What is configured for an organization.")
    space: IntegrationConfiguration = absent("What is configured for a space.")
    site: IntegrationConfiguration = absent("What is configured for a site.")


def fits(type_: str, value: Any, enum: list[str] | None = None) -> bool:
    """Tell whether a value is one of a property's type."""
    if type_ == "string":
        return isinstance(value, str) and (enum is None or value in enum)
    if type_ == "number":
        return isinstance(value, int | float) and not isinstance(value, bool)
    return type_ == "boolean" and isinstance(value, bool)


ENUMERATIONS = (
    Enumeration(
        "ConfigurationPropertyType",
        PropertyType,
        {
            "string": "A string, optionally one of a list.",
            "number": "A number.",
            "boolean": "True or false.",
            "button": "A button that opens the integration, which sets the value itself.",
        },
    ),
)
