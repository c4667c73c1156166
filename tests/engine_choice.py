"""The engines on which a test runs: both, or SQLite alone where no SQL decides the result.

Parsing, rendering, browsers, sandboxes, commands and URLs have nothing to do with SQL. What an operation of
the API does is decided by one function of the domain for both engines: that PostgreSQL takes every statement
is shown by contract/test_query_plans, that operations give the same results there by contract/test_faces,
and that lists have the same order by contract/test_paging. `DOCYARD_TESTS=full` runs every test on both.
"""

from __future__ import annotations

from tests.scale import FULL

ENGINES = ("sqlite", "postgresql")
# Packages, files and tests that run on SQLite alone.
SQLITE_SUFFICES = (
    "accounts",
    "aws",
    "browser",
    "cli",
    "clients",
    "content",
    "contract/test_addresses",
    "contract/test_archived_organizations",
    "contract/test_connections",
    "contract/test_errors",
    "contract/test_faces.py::test_a_limit_out_of_range_is_refused_by_both_faces",
    "contract/test_faces.py::test_a_token_of_a_list_survives_a_change_of_grants",
    "contract/test_faces.py::test_both_faces_cut_a_list_at_the_same_places",
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
    "gql",
    "integrations",
    "mcp",
    "oauth",
    "reader",
    "rest",
    "sso",
    "sync",
)
# What of these depends on statements all the same: on what is counted, ordered and searched, on who comes
# first where several write, on work that waits in tables, on values that only one engine takes.
POSTGRESQL_TOO = (
    "accounts/test_personal_data",
    "cli/test_migrate",
    "cli/test_personal_data",
    "contract/test_archived_organizations.py::test_nothing_is_left_of_an_import_that_fails_at_its_end",
    "gql/test_bad_input",
    "gql/test_comments",
    "gql/test_nested_statements",
    "gql/test_retries",
    "gql/test_subscriptions",
    "gql/test_together",
    "integrations/test_content_sources",
    "integrations/test_events",
    "oauth/test_attacks.py::test_a_code_wins_no_race",
    "oauth/test_attacks.py::test_a_stolen_refresh_token_wins_no_race",
    "oauth/test_attacks.py::test_two_tabs_may_refresh_at_once_and_stay_one_line",
    "reader/test_conditional_text.py::test_who_may",
    "reader/test_page_feedback",
    "reader/test_site_search",
    "reader/test_statistics",
    "rest/test_aborted_requests",
    "rest/test_counts",
    "rest/test_directory",
    "rest/test_grants",
    "rest/test_import_runs",
    "rest/test_jobs",
    "rest/test_last_editors",
    "rest/test_levels",
    "rest/test_monitoring",
    "rest/test_order",
    "rest/test_organization_deletion",
    "rest/test_page_size",
    "rest/test_page_tokens",
    "rest/test_purge",
    "rest/test_search",
    "rest/test_structure_order",
    "rest/test_teams.py::test_the_number_of_members_is_right_whoever_changes_it_at_once",
    "rest/test_throttle.py::test_feedback_is_limited_by_address",
    "sync/test_histories",
)


def engines_of(test: str) -> tuple[str, ...]:
    """Return the engines on which the test with this node id runs."""
    name = test.removeprefix("tests/")
    is_alone = name.startswith(SQLITE_SUFFICES) and not name.startswith(POSTGRESQL_TOO)
    return ENGINES[:1] if is_alone and not FULL else ENGINES
