"""Validation of OpenAPI documents: Swagger 2.0, OpenAPI 3.0, 3.1 and 3.2."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import orjson

from app.formats.openapi import documents
from app.formats.openapi.documents import Broken

MOST_TOLD = 20
SMALL = 500_000  # bytes of a document that is looked through twice
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
SUPPORTED = ("2.0", "3.0", "3.1", "3.2")


class Fault(NamedTuple):
    """A fault at a place of a document: names and indexes between slashes, empty for all of it."""

    path: str
    message: str

    @property
    def sentence(self) -> str:
        """Return the fault with its place."""
        return f"{self.path or 'the document'}: {self.message}"


def version_of(document: Any) -> str:
    """Return the version of the OpenAPI Specification, as `3.1`;
    raises Broken where it is none that is known.
    """
    if not isinstance(document, dict):
        raise Broken("The file is not an OpenAPI specification: it is no object.")
    said = document.get("openapi", document.get("swagger"))
    version = ".".join(str(said).split(".")[:2])
    if version not in SUPPORTED or (version == "2.0") != (
        "swagger" in document and "openapi" not in document
    ):
        raise Broken(
            "The file is not an OpenAPI specification: `openapi` must be 3.0, 3.1 or 3.2, or `swagger` 2.0."
        )
    return version


def check(document: dict[str, Any]) -> list[Fault]:
    """Return what is not valid in a bundle; raises Broken where it is no specification at all."""
    version = version_of(document)
    if not isinstance(document.get("info"), dict):
        raise Broken("The specification has no `info`.")
    documents.check(document)
    return validate(document, version)


def prepare(version: str) -> None:
    """Load all that validating takes, so that nothing need be opened later."""
    head = {"info": {"title": "T", "version": "1"}, "paths": {}}
    name = "swagger" if version == "2.0" else "openapi"
    validate({name: "2.0" if version == "2.0" else f"{version}.0", **head}, version)


def validate(document: dict[str, Any], version: str) -> list[Fault]:
    """Return what the library does not find valid; raises Broken where it cannot tell."""
    from openapi_spec_validator import (
        OpenAPIV2SpecValidator,
        OpenAPIV30SpecValidator,
        OpenAPIV31SpecValidator,
        OpenAPIV32SpecValidator,
    )

    kinds = {
        "2.0": OpenAPIV2SpecValidator,
        "3.0": OpenAPIV30SpecValidator,
        "3.1": OpenAPIV31SpecValidator,
        "3.2": OpenAPIV32SpecValidator,
    }
    found, odd = _first(_once_for_alike(kinds[version])(document).iter_errors())
    if found and _is_small(document):
        found = _in_detail(document, version) or found
    if odd and not found:
        raise Broken(odd)
    return found


def _once_for_alike(library: Any) -> Any:
    """Return a validator of the library that checks schemas which are alike once: parameters have few."""
    checking: Any = library.keyword_validators["schema"]

    class OnceForAlike(checking):  # type: ignore[misc]
        def __init__(self, registry: Any) -> None:
            super().__init__(registry)
            self._valid: set[bytes] = set()

        def _validate_schema_meta(self, schema: Any, schema_value: Any) -> Any:
            said = orjson.dumps(schema_value)
            if said in self._valid:
                return None
            error = super()._validate_schema_meta(schema, schema_value)
            if error is None:
                self._valid.add(said)
            return error

    checked = {**library.keyword_validators, "schema": OnceForAlike}
    return type(library.__name__, (library,), {"keyword_validators": checked})


def _first(errors: Iterator[Any]) -> tuple[list[Fault], str]:
    """Return the first errors in sentences; and what the library tripped over, if it did.

    It does so over what it has not checked yet, or does not expect, and says that only in its own words.
    """
    found: dict[Fault, None] = {}
    try:
        for error in errors:
            found[_told(error)] = None
            if len(found) == MOST_TOLD:
                break
    except RecursionError:
        return list(found), "The schemas of the specification are too deep inside each other."
    except (LookupError, ValueError, TypeError, AttributeError) as error:
        return list(found), f"The specification cannot be validated: {type(error).__name__}: {error}"[:500]
    return list(found), ""


def _in_detail(document: dict[str, Any], version: str) -> list[Fault]:
    """Return what the slower of the library's engines says:
    it tells of alternatives what is wrong in each.
    """
    from openapi_spec_validator import schemas
    from openapi_spec_validator.schemas.backend.jsonschema import create_validator

    known: dict[str, Any] = {
        "2.0": schemas.schema_v2,
        "3.0": schemas.schema_v30,
        "3.1": schemas.schema_v31,
        "3.2": schemas.schema_v32,
    }
    return _first(create_validator(known[version]).iter_errors(document))[0]


def _is_small(document: dict[str, Any]) -> bool:
    return len(orjson.dumps(document)) <= SMALL


def _told(error: Any) -> Fault:
    """Return an error with its place."""
    best = error
    while getattr(best, "context", None):  # of the alternatives, what is nearest to right
        best = max(best.context, key=lambda each: len(each.absolute_path))
    place = "/".join(str(part) for part in getattr(best, "absolute_path", ()))
    message = str(getattr(best, "message", best)).strip().split("\n")[0]
    return Fault(place, message if len(message) <= 300 else f"{message[:100]} … {message[-180:]}")
