"""What `docyard serve` prints when it starts: where things are, and the demo's tokens."""

from __future__ import annotations

import shlex

from rich.console import Console
from rich.text import Text

from app.cli.session import without_password
from app.demo.cast import ADMINISTRATOR, CAST, Demo
from app.kit.settings import Settings


def welcome(here: str, settings: Settings, demo: Demo | None) -> None:
    """Print it all to stdout; the log is on stderr."""
    console = Console(highlight=False, soft_wrap=True)
    console.print(Text(f"\nDocyard serves {without_password(settings.database)}\n", style="bold"))
    places = {
        "API reference": f"{here}/docs",
        "GraphiQL": f"{here}/graphql",
        "Health": f"{here}/healthz",
    }
    if settings.sites_port:
        places["Sites"] = settings.sites_base
    if demo:
        places |= {"Site": demo.site} if demo.site else {}
        places["First space"] = f"{here}/v1/spaces/{demo.space_id}"
    for name, place in places.items():
        console.print(Text(f"  {name:<16}").append(place, style="cyan"))
    if demo:
        _tell(console, settings, demo)
    console.print(Text("\nCtrl-C ends it.\n", style="dim"))


def _tell(console: Console, settings: Settings, demo: Demo) -> None:
    if not demo.tokens:
        chosen = shlex.quote(without_password(settings.database))
        where = "" if settings.database == Settings().database else f" --database {chosen}"
        console.print(
            "\nThe demo is here already, and its tokens are shown only when it is made. A new one:"
            f"\n  docyard token create --user {ADMINISTRATOR.email}{where}"
        )
        return
    console.print("\nTokens of the demo's people, shown this once:")
    for part in CAST:
        line = Text(f"  {part.role or 'guest':<16}").append(demo.tokens[part], style="cyan")
        console.print(line.append(f"  {part.name} <{part.email}>", style="dim"))
