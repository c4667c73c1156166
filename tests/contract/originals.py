"""An installation with something for every operation that reads, and what it answers.

Tests of backups and of archives ask another installation the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from app.api.catalog import OPERATIONS
from app.api.operation import Operation
from tests import make
from tests.cast import Cast, Person
from tests.cli.command import docyard
from tests.contract.faces import Call, address, in_body, in_query
from tests.contract.import_sources import routes
from tests.contract.recipes import RECIPES
from tests.instance import Instance, idle, running
from tests.local_server import port_of, serve
from tests.timing import on_one_day

READS = [row for row in OPERATIONS if not row.writes]
# Their answers say until when something is valid, or when they were made.
TIMED = {"exportSpace", "getSpacePDF", "getChangeRequestPDF", "exportUserById", "getUploadById"}
COUNTING = {"getQuotasInOrganization"}  # how often it was asked
# They are given addresses of the first installation, and refused alike.
ADDRESSED = {row.id for row in READS if re.search(r"Url(?!s)", row.id)}
SEARCHES = ("searchSpaceContent", "searchOrganizationContent", "searchSiteContent")
Answers = dict[str, tuple[int, Any]]
USED = ("listCommentsInSpace", "getIntegrationByName", "listTeamsInOrganizationById")
"""What is made for other organizations: recipes of these reads."""


class Question(NamedTuple):
    """A call, and who makes it."""

    operation: Operation
    person: Person
    call: Call


class Original(NamedTuple):
    """An installation that is stopped, with an organization that has everything and others: its database,
    questions to it, and what it answered.
    """

    database: str
    cast: Cast
    questions: list[Question]
    answers: Answers
    engine: str

    def onto(self, which: str) -> str:
        """Return the `same` engine or the `other` one."""
        if which == "same":
            return self.engine
        return "postgresql" if self.engine == "sqlite" else "sqlite"


def original_in(database: str, *, apart: bool) -> Original:
    """Fill an installation and ask it everything: in one organization, or each question in one of its own."""
    with serve(routes()) as neighbour:
        allowed = f"127.0.0.1:{port_of(neighbour)}"
        with running(database, outbound_allow=allowed, import_timeout=100.0) as instance:
            cast, other = make.cast(instance), make.cast(instance)
            questions = []
            for operation in READS:
                asked = make.cast(instance) if apart else cast
                call = RECIPES[operation.id](asked)
                questions.append(Question(operation, call.caller or asked.ada, call))
            make.filled_space(other)
            for name in USED:
                RECIPES[name](other)
    with quiet(database) as instance:
        found = on_one_day(lambda: answers(instance, questions))
        return Original(database, cast, questions, found, instance.engine)


@contextmanager
def quiet(database: str, **settings: object) -> Iterator[Instance]:
    """An installation that does nothing by itself."""
    with idle(), running(database, **settings) as instance:
        yield instance


def answers(instance: Instance, questions: list[Question]) -> Answers:
    """Return what an installation answers, without where it is."""
    found = {}
    sites = instance.settings.sites_base
    for operation, person, call in questions:
        answer = Person(instance, person.id, person.email, person.token).call(
            operation.method, address(operation, call), params=in_query(call), **in_body(call)
        )
        text = answer.text.replace(instance.base, "http://api").replace(sites, "http://sites")
        text = re.sub(r"localhost:\d+", "localhost", text)
        if operation.id not in TIMED | COUNTING:
            found[operation.id] = answer.status_code, json.loads(text)
    return found


def found_by(answer: tuple[int, Any]) -> set[str]:
    """The addresses of everything that a search found."""
    return set(re.findall(r"http://api[^\"]+", json.dumps(answer[1])))


def taken(database: str, *arguments: str, **settings: str) -> str:
    """The output of a command that succeeds."""
    ran = docyard(*arguments, database=database, **settings)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout.strip()
