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
    "serve": ("app.cli.serve:serve", "Start the server; --demo fills it with sample content."),
    "settings": ("app.cli.installation:settings", "Show every setting, its value and its meaning."),
    "user": ("app.cli.users:app", "Manage people."),
    "org": (
        "app.cli.organizations:app",
        "Manage organizations, their domains and quotas; export and import them.",
    ),
    "sso": ("app.cli.organizations:sso_app", "Turn single sign-on off when it locks everybody out."),
    "member": ("app.cli.members:app", "Manage the members of an organization."),
    "team": ("app.cli.teams:app", "Manage teams."),
    "grant": ("app.cli.teams:grant", "Grant people and teams a role on a space or a collection."),
    "token": ("app.cli.users:token_app", "Manage access tokens."),
    "session": ("app.cli.accounts:app", "List and end browser sessions."),
    "passkey": ("app.cli.accounts:passkey_app", "List and delete passkeys."),
    "notification": ("app.cli.accounts:notification_app", "Show and change a person's e-mail notifications."),
    "oauth-application": (
        "app.cli.oauth_applications:app",
        "Manage OAuth applications.",
    ),
    "login": ("app.cli.login:login", "Log in to a server; later commands run against it."),
    "logout": ("app.cli.login:logout", "Log out of the server and delete its tokens."),
    "whoami": ("app.cli.login:whoami", "Show who is logged in, and to which server."),
    "space": ("app.cli.login:space_app", "List the spaces of the server you are logged in to."),
    "agent": ("app.cli.agents:app", "List and undo changes made by agents."),
    "sign-in-link": ("app.cli.users:sign_in_link", "Print a link that signs a person in."),
    "integration": ("app.cli.integrations:app", "Publish, pause and resume integrations."),
    "jobs": ("app.cli.jobs:app", "List, retry and cancel background jobs."),
    "audit": ("app.cli.installation:audit_app", "Verify the audit log, export its anchors, rotate its key."),
    "secret": ("app.cli.installation:secret_app", "Rotate the installation's secret."),
    "import": ("app.cli.imports:import_", "Import a folder, a zip or a Git repository."),
    "export": ("app.cli.import_export:export", "Export a space as a folder of Markdown."),
    "sync": ("app.cli.import_export:sync", "Sync spaces with their Git repositories."),
    "openapi": ("app.cli.integrations:openapi_app", "Publish OpenAPI specifications."),
    "backup": ("app.cli.backups:app", "Back up the database and all files; verify a backup."),
    "restore": ("app.cli.backups:restore", "Restore a backup into a new or empty database."),
    "migrate": ("app.cli.installation:migrate", "Migrate the database to this version."),
}


def version() -> str:
    """Return the installed version of Docyard."""
    try:
        return installed_version("docyard")
    except PackageNotFoundError:
        return "not installed"


app = App(
    name="docyard",
    help="A self-hosted documentation platform.",
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
