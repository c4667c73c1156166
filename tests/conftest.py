"""Tests run against the real application behind a real server, on SQLite and, where statements matter, on
PostgreSQL too; DOCYARD_TESTS=full runs all of them on both, and proofs in their length (see `extent`)."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests import make, postgres
from tests.cast import Cast, Person
from tests.cli.command import AUDIT_KEY, SECRET
from tests.databases import (
    create_database,
    migrated_in,
    migrated_on,
    migrated_without_full_text_on,
    settings_of,
)
from tests.instance import Instance, running
from tests.local_server import Answer, Handler, Neighbour, serve
from tests.scale import FULL

ENGINES = ("sqlite", "postgresql")
# Tests that run on SQLite only, since no SQL decides their result: parsing, rendering, browsers, sandboxes,
# commands, URLs; and permissions, which one place in the code decides for both engines. That PostgreSQL takes
# every statement is shown by contract/test_query_plans, and that operations give the same results there by
# contract/test_faces.
SQLITE_SUFFICES = (
    "accounts/test_oidc",
    "accounts/test_passkeys",
    "aws",
    "browser",
    "cli/test_audit",
    "cli/test_commands",
    "cli/test_connections",
    "cli/test_demo",
    "cli/test_domains",
    "cli/test_guide",
    "cli/test_login",
    "cli/test_openapi",
    "cli/test_proxies",
    "cli/test_quotas",
    "cli/test_serve",
    "cli/test_sync",
    "clients",
    "content",
    "contract/test_addresses",
    "contract/test_connections",
    "contract/test_errors",
    "contract/test_faces.py::test_a_limit_out_of_range_is_refused_by_both_faces",
    "contract/test_faces.py::test_what_does_not_exist_is_not_found_on_either_face",
    "contract/test_identity",
    "contract/test_matrix",
    "contract/test_narrowed_tokens",
    "contract/test_nullability",
    "contract/test_payloads",
    "contract/test_permission_grid.py::test_it_is_for_guests_and_members_who_were_granted_something",
    "contract/test_permission_grid.py::test_it_is_for_who_created_it",
    "contract/test_permission_grid.py::test_it_is_for_who_owns_a_team",
    "contract/test_permission_grid.py::test_what_is_stated_is_what_happens_for_every_role",
    "contract/test_permission_grid.py::test_what_is_stated_of_a_locked_space_is_what_happens",
    "contract/test_references.py::test_what_a_body_names_must_exist",
    "contract/test_schemathesis",
    "contract/test_scopes",
    "contract/test_statements",
    "contract/test_unknown_fields.py::test_a_field_that_no_body_has_is_refused",
    "engines/test_quotas.py::test_quotas_cost_reads_no_statement",
    "engines/test_quotas.py::test_visitors_leave_half_of_the_events_to_the_organization",
    "frontend",
    "gql/test_alternatives",
    "gql/test_blocks",
    "gql/test_cost",
    "gql/test_execution",
    "gql/test_html",
    "gql/test_http",
    "gql/test_trusted",
    "integrations/test_endpoints",
    "integrations/test_example_integrations",
    "integrations/test_lz_string",
    "integrations/test_manifest_warnings",
    "integrations/test_public_runtime",
    "integrations/test_published_standards",
    "integrations/test_rendering",
    "integrations/test_sandbox",
    "integrations/test_starting",
    "mcp/test_protocol",
    "mcp/test_rights",
    "oauth/test_client_documents",
    "oauth/test_clients",
    "reader/test_addresses",
    "reader/test_blocks",
    "reader/test_color_contrast",
    "reader/test_conditional_text.py::test_a_search_takes_no_longer_for_what_stands_under_many_conditions",
    "reader/test_conditional_text.py::test_no_print_tells_it",
    "reader/test_conditional_text.py::test_pages_show_it_to_whom_it_is_for_alone",
    "reader/test_conditional_text.py::test_previews_and_both_faces_do_not_tell",
    "reader/test_cost",
    "reader/test_disconnects.py::test_computing_ends_when_nobody_waits_for_it",
    "reader/test_disconnects.py::test_who_waits_for_the_same_page_is_answered_when_the_first_goes_away",
    "reader/test_hostile",
    "reader/test_hosts",
    "reader/test_integration_blocks",
    "reader/test_languages",
    "reader/test_machine_readable",
    "reader/test_openapi",
    "reader/test_origins",
    "reader/test_own_origins",
    "reader/test_page_pdfs",
    "reader/test_previews",
    "reader/test_responses",
    "reader/test_settings_shown",
    "reader/test_visitors",
    "rest/test_content_changes",
    "rest/test_diffs",
    "rest/test_documents_written",
    "rest/test_downloads",
    "rest/test_headers",
    "rest/test_import_guards",
    "rest/test_import_sources",
    "rest/test_merge_link_variants",
    "rest/test_openapi",
    "rest/test_pdf",
    "rest/test_text_rules",
    "rest/test_throttle.py::test_health_is_never_limited",
    "rest/test_throttle.py::test_operations_without_a_token_are_limited",
    "rest/test_throttle.py::test_public_endpoints_are_limited",
    "rest/test_throttle.py::test_refused_tokens_are_limited_by_address_and_good_ones_are_not",
    "rest/test_throttle.py::test_searches_of_a_site_and_its_mcp_are_limited_and_its_pages_are_not",
    "rest/test_throttle.py::test_steps_of_signing_in_are_limited",
    "rest/test_urls",
    "sso/test_attacks",
    "sso/test_providers",
    "sso/test_sessions",
    "sso/test_sign_in",
    "sync/test_binary_files",
    "sync/test_guards",
    "sync/test_renames",
    "sync/test_sync_events",
    "sync/test_unreadable_files",
)
gc.disable()  # until all tests are collected, which leaves little garbage
os.environ.setdefault("DOCYARD_AUDIT_KEY", AUDIT_KEY)
os.environ.setdefault("DOCYARD_SECRET", SECRET)

# The same examples in every run, as long as they take: neither chance nor a slow machine is a finding.
settings.register_profile(
    "steady", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("searching", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("searching" if FULL else "steady")


def pytest_collection_finish() -> None:
    """Leave thousands of tests, which stay until the end, out of every later collection of garbage."""
    gc.collect()
    gc.freeze()
    gc.enable()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run a test in a browser that fails once more; the summary names it as one that was run again."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.flaky(reruns=1))


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The address of a PostgreSQL server."""
    with postgres.server() as address:
        yield address


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that needs a database on its engines, unless it names one itself."""
    named = any("database" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    if "database" in metafunc.fixturenames and not named:
        metafunc.parametrize("database", _engines(metafunc.definition.nodeid), indirect=True, scope="session")


def _engines(test: str) -> tuple[str, ...]:
    one = test.removeprefix("tests/").startswith(SQLITE_SUFFICES)
    return ENGINES[:1] if one and not FULL else ENGINES


@pytest.fixture(scope="session")
def database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a database that has all tables, once per engine; `plain` is one without full text."""
    if request.param == "sqlite":
        return migrated_in(tmp_path_factory.mktemp("sqlite"))
    server = request.getfixturevalue("postgres_server")
    return migrated_without_full_text_on(server) if request.param == "plain" else migrated_on(server)


@pytest.fixture(scope="session")
def new_database(
    request: pytest.FixtureRequest, database: str, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., str]:
    """Makes further databases of the same engine, which have all tables and nothing in them.

    Products that reach different hosts need one each: in a common one, any of them may take any job. Keys
    of another installation may be given, as `migrated_on` takes them.
    """

    def made(**keys: str) -> str:
        if database.startswith("postgresql"):
            return migrated_on(request.getfixturevalue("postgres_server"), **keys)
        return migrated_in(tmp_path_factory.mktemp("sqlite"), **keys)

    return made


@pytest.fixture(scope="session")
def next_door() -> Iterator[Neighbour]:
    """A server of somebody else on this machine; what it shows is set by each test."""
    routes: dict[str, Answer | Handler] = {}
    with serve(routes) as base:
        yield Neighbour(base, routes)


@pytest.fixture
def neighbour(next_door: Neighbour) -> Iterator[Neighbour]:
    """A server that the product may import from although its address is private; empty at first."""
    yield next_door
    next_door.routes.clear()


@pytest.fixture(scope="session")
def instance(database: str, next_door: Neighbour) -> Iterator[Instance]:
    """The product, running; shared by the tests, each of which has its own organization."""
    patient = {"outbound_timeout": 60.0, "import_timeout": 100.0, **settings_of(database)}
    with running(database, outbound_allow=next_door.address, **patient) as instance:
        yield instance


@pytest.fixture
def cast(instance: Instance) -> Cast:
    """A fresh organization with somebody in every role."""
    return make.cast(instance)


@pytest.fixture
def served(cast: Cast) -> Person:
    """An administrator with the server's address, for tests in a browser."""
    return cast.ada


@pytest.fixture
def fresh_database(new_database: Callable[[], str]) -> str:
    """A database of the same engine that has all tables and nothing in them."""
    return new_database()


@pytest.fixture
def empty_database(request: pytest.FixtureRequest, database: str, tmp_path: Path) -> str:
    """A database of the same engine with nothing in it, not even tables: for what migrates it itself."""
    if database.startswith("postgresql"):
        return create_database(request.getfixturevalue("postgres_server"))
    (tmp_path / "empty").mkdir()
    return str(tmp_path / "empty" / "docyard.db")
