"""The `docyard` command: what it can do, and how every command ends.

Each command lives in a file of its own and is imported only when it is asked for. What a script needs (an id,
a token, a table) goes to stdout, words for people to stderr. Exit codes: 0 done, 1 refused with a sentence,
2 wrongly called.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError
from importlib.metadata import version as installed_version

from cyclopts import App, CycloptsError

from app.cli.output import RUNNING, say
from app.kit.errors import Problem

DONE, REFUSED, WRONGLY_CALLED, INTERRUPTED = 0, 1, 2, 130

COMMANDS = {
    "serve": ("app.cli.serve:serve", "Serve the API; with --demo, something to look at."),
    "settings": ("app.cli.installation:settings", "Show every setting, its value and its meaning."),
    "user": ("app.cli.users:app", "People: create, list, export, delete."),
    "org": (
        "app.cli.organizations:app",
        "Organizations: create, list, domains, verify-domain.",
    ),
    "sso": ("app.cli.organizations:sso_app", "Single sign-on: off, for who is locked out."),
    "member": ("app.cli.members:app", "Members: list, add, invite, role, disable, enable, remove."),
    "team": ("app.cli.teams:app", "Teams: list, create, add, remove."),
    "grant": ("app.cli.teams:grant", "Grant people and teams a role on a space or a collection."),
    "token": ("app.cli.users:token_app", "Tokens: create, list, revoke."),
    "session": ("app.cli.accounts:app", "Sessions of browsers: list, end."),
    "passkey": ("app.cli.accounts:passkey_app", "Passkeys: list, delete."),
    "notification": ("app.cli.accounts:notification_app", "What people are told of by mail: show, set."),
    "oauth-application": (
        "app.cli.oauth_applications:app",
        "OAuth applications: create, list, rotate-secret, delete.",
    ),
    "login": ("app.cli.login:login", "Log in to a server, which commands then work against."),
    "logout": ("app.cli.login:logout", "Log out of the server, and forget its tokens."),
    "whoami": ("app.cli.login:whoami", "Print who is logged in, and where."),
    "space": ("app.cli.login:space_app", "Spaces of the server that you are logged in to: list."),
    "agent": ("app.cli.agents:app", "What agents changed: changes, undo."),
    "sign-in-link": ("app.cli.users:sign_in_link", "Print a link that signs somebody in."),
    "integration": ("app.cli.integrations:app", "Integrations: publish."),
    "jobs": ("app.cli.jobs:app", "Background jobs: list, retry, cancel."),
    "audit": ("app.cli.installation:audit_app", "The audit log: verify."),
    "secret": ("app.cli.installation:secret_app", "The installation's secret: rotate."),
    "import": ("app.cli.import_export:import_", "Import a folder or zip of Markdown into a space."),
    "export": ("app.cli.import_export:export", "Export a space as a folder of Markdown."),
    "sync": ("app.cli.import_export:sync", "Synchronise spaces with their Git repositories."),
    "openapi": ("app.cli.integrations:openapi_app", "OpenAPI specifications: publish."),
    "migrate": ("app.cli.installation:migrate", "Bring the database to this version's tables."),
}


def version() -> str:
    """Return the installed version of Docyard."""
    try:
        return installed_version("docyard")
    except PackageNotFoundError:
        return "not installed"


app = App(
    name="docyard",
    help="A documentation platform that you run yourself: REST, GraphQL and published sites.",
    version=version,
    help_format="plaintext",
)
for name, (place, meaning) in COMMANDS.items():
    app.command(place, name=name, help=meaning)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        "".join(given).encode()
        RUNNING.set(" ".join(["docyard", *app.parse_commands(given)[0]]))
        app(given, exit_on_error=False, print_error=True, result_action="return_value")
    except UnicodeEncodeError:
        say("docyard: An argument is not valid UTF-8.")
        return WRONGLY_CALLED
    except CycloptsError:
        return WRONGLY_CALLED
    except Problem as problem:
        say(f"docyard: {problem.message}")
        return REFUSED
    except KeyboardInterrupt:
        return INTERRUPTED
    return DONE
