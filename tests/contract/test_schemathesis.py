"""Generated requests against the running product: what the document says is what it does."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
import requests
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis import Case
from schemathesis.core.parameters import ParameterLocation
from schemathesis.generation.hypothesis.builder import HypothesisTestConfig, HypothesisTestMode, create_test
from schemathesis.specs.openapi.checks import ignored_auth

from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from tests.cast import Cast
from tests.contract import shapes
from tests.contract.faces import Call
from tests.contract.recipes import RECIPES
from tests.scale import FULL
from tests.timing import TIMEOUT

# Requests that cover each bound of each field; .ci/full makes some at random beside them.
MODES = [HypothesisTestMode.EXAMPLES, HypothesisTestMode.COVERAGE]
RANDOM = [HypothesisTestMode.FUZZING] if FULL else []
STEADY = settings(
    max_examples=50,
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=list(HealthCheck),
)
SAID = {"body", "addedReactions", "removedReactions"}  # texts that say something, and emoji
DOCUMENT = deepcopy(shapes.DOCUMENT)
SHAPES = DOCUMENT["components"]["schemas"]
LONG = ("CoverSent", "JSONDocumentInput", "LayoutSent")  # which take long to generate
# What CustomizationSettings has too, and what two operations read alike: .ci/full makes these as well.
ALIKE = () if FULL else ("CustomizationOverride", "CustomizationPreview", "ContentChangesInput")
for large in (*LONG, *ALIKE):
    SHAPES[large] = {"type": "object"}
if not FULL:  # lists of the longest addresses take 8 seconds; oauth/test_registration sends wrong ones
    for shape in ("OAuthApplicationCreate", "OAuthApplicationUpdate"):
        SHAPES[shape]["properties"]["redirectURIs"]["items"] = {"type": "string"}
api = schemathesis.openapi.from_dict(DOCUMENT)
api.config.generation.update(
    allow_x00=False,  # no schema says that text is without NUL; test_errors does
    allow_extra_parameters=False,  # decided: unknown parameters are ignored, none is a reason to refuse
)
# What a path has no operation for leaves the router by one way, whichever method it is.
api.config.phases.coverage.unexpected_methods = {"put", "delete", "trace"} if FULL else {"trace"}
OF_SITES = "/orgs/{organizationId}/sites/{siteId}"  # whose bodies name items of the site
CONFIRMED = ("/orgs/{organizationId}/delete",)  # by the title of what is deleted
api.config.checks.negative_data_rejection.expected_statuses += ["412", "413"]  # before it is read

# What names things that must exist, or that only we know how to write.
NAMING = {
    "source",
    "changes",
    "ref",
    *SAID,
    "users",
    "teams",
    "members",
    "add",
    "remove",
    "memberships",
    "certificate",
    "metadata",
    "metadataURL",
    "token",
    "ssoURL",
    "issuer",
    "defaultTeam",
    "parent",
    "collection",
    "organization",
    "position",
    "siteId",
    "space",
    "spaces",
    "script",  # of a manifest, whose pictures and properties no schema describes
    "tunnelUrl",
    "componentId",
    "expiresAt",  # a time that is not over
}


# The server runs in this process: what it draws by chance meanwhile is taken for a draw of the generator.
@pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")
@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row.id)
def test_the_product_does_what_its_document_says(row: Operation, cast: Cast) -> None:
    """The requests are made here: those of all operations would be made by each process that runs tests."""
    call = RECIPES[row.id](cast)
    with requests.Session() as session:
        session.trust_env = False

        def ask(case: Case[Any]) -> None:
            use_what_exists(case, call)
            case.call_and_validate(
                base_url=f"{cast.instance.base}/v1",
                session=session,
                headers={"Authorization": f"Bearer {cast.ada.token}"},
                timeout=TIMEOUT,
                excluded_checks=[ignored_auth],  # `test_matrix` asks without a token
            )

        made = HypothesisTestConfig(api.config, [*MODES, *RANDOM], settings=STEADY)
        create_test(operation=api[row.path.replace(":path}", "}")][row.method], test_func=ask, config=made)()


def use_what_exists(case: Case[Any], call: Call) -> None:
    """Put the ids of real objects into the path, unless the path is what is wrong about the request.

    From a request that is right in all its parts, leave out what no schema describes: a page token that we
    signed, the tag of an object, a key not used before, the id of a site, a host that can be reached, what
    each operation of a batch needs, the nodes of a structured document, what git takes for a name, what is
    said in a comment, what a deletion is confirmed by, what a site has, what it is previewed with and where
    its redirects and conditions lead, and days that are in order.
    """
    assert case.meta is not None
    if not case.meta.is_negative_at(ParameterLocation.PATH):
        case.path_parameters.update(call.path)
    if case.meta.generation.mode.is_positive:
        for name in ("page", "section"):
            case.query.pop(name, None)
        for header in ("If-Match", "Idempotency-Key"):
            case.headers.pop(header, None)
        days = ("since", "until") if case.path.startswith(f"{OF_SITES}/statistics") else ()
        for name in ("source", "claims", "target", "request", "url", *days):  # what to render is compressed
            if name in call.query:
                case.query[name] = call.query[name]
        if isinstance(case.body, dict):
            case.body.pop("defaultContent", None)
            if "redirectURIs" in case.body:
                case.body["redirectURIs"] = ["https://wick.example.org/back"]
            if (
                NAMING & case.body.keys()
                or case.path in CONFIRMED
                or case.path.startswith((OF_SITES, "/urls/"))
            ):
                case.body = call.body
            for text in (case.body or {}).values():
                if isinstance(text, dict):
                    text.pop("document", None)
