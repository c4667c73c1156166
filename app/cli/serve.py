"""`docyard serve`: the API over HTTP until somebody ends it.

The address is taken first, so that a port in use costs nothing, and callers who come while the database
migrates are answered as soon as it is ready. SIGTERM and Ctrl-C end it in order: no new connections, every
request that has begun is answered, the database is closed, exit code 0.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import shlex
import signal
import socket
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from typing import Annotated

import uvicorn
from cyclopts import Parameter
from cyclopts.validators import Number
from rich.console import Console
from rich.text import Text

from app.access.audit_actions import AuditAction
from app.access.context import Actor
from app.cli.command_settings import CommandRefused, DatabaseOption, opening, settings_for, without_password
from app.cli.connections import ConnectionLimits, Connections
from app.cli.orderly_server import Orderly
from app.demo.cast import ADMINISTRATOR, Demo, DemoPerson
from app.kit import logs
from app.kit.database_timeouts import unhurried
from app.kit.settings import Settings
from app.main import Services, create_app
from app.migrations import schema_check
from app.runtime import Runtime

log = logging.getLogger("docyard.serve")
WAITING_CALLERS = 2048
HANDLES = 65_536  # where the system sets no limit
EVERYWHERE = {"0.0.0.0": "127.0.0.1", "::": "::1"}


def serve(
    *,
    demo: Annotated[bool, Parameter(negative="", help="fill an empty database with sample content")] = False,
    host: Annotated[str, Parameter(help="address to listen on")] = "127.0.0.1",
    port: Annotated[
        int, Parameter(validator=Number(gte=0, lte=65_535), help="port to listen on; 0 picks a free one")
    ] = 8000,
    database: DatabaseOption = None,
) -> None:
    """Start the server. Ctrl-C or SIGTERM stops it, after requests in progress are answered.

    Published sites are served on their own port, by default the next one.
    """
    settings = settings_for(database)
    with ExitStack() as stack:
        listeners = [stack.enter_context(listen(host, port))]
        here = address(host, listeners[0].getsockname()[1])
        chosen: dict[str, object] = {"base_url": settings.base_url or here}
        if _have_a_port(settings):
            listeners.append(stack.enter_context(listen_for_sites(host, settings.sites_port, port)))
            chosen["sites_port"] = listeners[1].getsockname()[1]
            if not (settings.base_url or settings.sites_url):
                chosen["sites_url"] = address(host, listeners[1].getsockname()[1])
        settings = settings.model_copy(update=chosen)
        logs.configure()
        connections = Connections(ConnectionLimits.of(settings, raise_handles()))
        app = create_app(settings)
        app.state.families.load()
        config = uvicorn.Config(
            app,
            timeout_keep_alive=settings.keep_alive,
            backlog=WAITING_CALLERS,
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none",
            proxy_headers=False,  # who is believed to be a proxy is ours to say, see kit.callers
        )
        server = Orderly(config, connections, app.state.services.runtime.end_streams)
        for name in (signal.SIGTERM, signal.SIGINT):
            signal.signal(name, server.end)
        signal.signal(signal.SIGHUP, signal.SIG_IGN)  # there is nothing to load again
        with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
            runner.run(_run(server, listeners, app.state.services, demo, here))


async def _run(
    server: Orderly, listeners: list[socket.socket], services: Services, demo: bool, here: str
) -> None:
    try:
        with opening(services.settings):
            await services.ready()
        await schema_check.check(services.db)
        made = None
        if demo:
            from app.demo import cast

            with unhurried():  # nobody waits for an answer yet
                made = await cast.fill(services.runtime)
        welcome(here, services.settings, made, await _set_up_link(services.runtime))
        log.info("serving at %s", here)
        _spare_the_collector()
        await server.serve(sockets=listeners)
        log.info("stopped")
    finally:
        await services.close()


def _spare_the_collector() -> None:
    """Leave what start-up made out of garbage collections, and collect less often: a fifth of the p99."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)


def _have_a_port(settings: Settings) -> bool:
    """Tell whether sites are answered at a port of their own."""
    if settings.shared_origin:
        return False
    return bool(settings.sites_port) or not (settings.base_url or settings.sites_url)


def raise_handles() -> int:
    """Let this process have as many handles open as the system allows; returns how many."""
    try:
        import resource
    except ModuleNotFoundError:  # Windows has no such limit
        return HANDLES
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        allowed = most
    except (ValueError, OSError):  # macOS names a limit that it does not grant
        log.debug("the limit of handles stays %d", allowed)
    return HANDLES if allowed == resource.RLIM_INFINITY else allowed


def listen(host: str, port: int, *, chosen_by: str = "--port or --host") -> socket.socket:
    """Return a socket that callers can connect to from now on; raises CommandRefused."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=WAITING_CALLERS)
    except OSError as error:
        number = error.errno or 0  # negative where a name is not found, which has words of its own
        reason = os.strerror(number).lower() if number > 0 else (error.strerror or str(error)).lower()
        raise CommandRefused(
            f"Cannot serve at {host}, port {port}: {reason}. Choose another with {chosen_by}."
        ) from None


def listen_for_sites(host: str, chosen: int, port: int) -> socket.socket:
    """Return a socket for published sites: at the port that was chosen, else at the next one,
    or at a free one.
    """
    if chosen:
        return listen(host, chosen, chosen_by="DOCYARD_SITES_PORT")
    with suppress(CommandRefused):
        if 0 < port < 65_535:
            return listen(host, port + 1)
    return listen(host, 0)


def address(host: str, port: int) -> str:
    """Return the address at which a browser on this machine finds the server."""
    reached = EVERYWHERE.get(host, host)
    return f"http://[{reached}]:{port}" if ":" in reached else f"http://{reached}:{port}"


async def _set_up_link(runtime: Runtime) -> str | None:
    """Return the link that creates the first administrator of a new server."""
    from app.domain.accounts import sign_in_links

    return await runtime.write(
        Actor(""), sign_in_links.create_for_set_up, AuditAction("command", "docyard serve")
    )


def welcome(here: str, settings: Settings, demo: Demo | None, set_up: str | None = None) -> None:
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
    if set_up:
        console.print(
            "\nNobody has an account yet. This link creates the first administrator; it works once:"
        )
        console.print(Text("  ").append(set_up, style="cyan"))
    console.print(Text("\nPress Ctrl-C to stop.\n", style="dim"))


def _tell(console: Console, settings: Settings, demo: Demo) -> None:
    if not demo.tokens:
        chosen = shlex.quote(without_password(settings.database))
        where = "" if settings.database == Settings().database else f" --database {chosen}"
        console.print(
            "\nThe demo exists already; its tokens were shown when it was created. For a new one:"
            f"\n  docyard token create --user {ADMINISTRATOR.email}{where}"
        )
    else:
        _list(console, "\nAccess tokens of the demo's people, shown only once:", demo.tokens)
    _list(console, "\nLinks that sign them in; each works once, within ten minutes:", demo.links)


def _list(console: Console, heading: str, by_person: Mapping[DemoPerson, str]) -> None:
    console.print(heading)
    for part, secret in by_person.items():
        line = Text(f"  {part.role or 'guest':<16}").append(secret, style="cyan")
        console.print(line.append(f"  {part.name} <{part.email}>", style="dim"))
