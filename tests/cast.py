"""The people of the tests, each with a token, and how they call both faces."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import httpx

from tests.instance import Instance


@dataclass
class Person:
    """Somebody with a token. `ada.get("/v1/…")` is the call as Ada."""

    instance: Instance = field(repr=False)
    id: str
    email: str
    token: str

    @property
    def base(self) -> str:
        """Where the server answers."""
        return self.instance.base

    def call(self, method: str, path: str, **options: Any) -> httpx.Response:
        """A REST call; `json`, `params`, `headers` as httpx takes them; with other options over a network."""
        headers = {"Authorization": f"Bearer {self.token}", **options.pop("headers", {})}
        if self.instance.called is not None and options.keys() <= {"json", "params"}:
            return self.instance.called.request(method, path, headers, **options)
        return self.instance.http.request(method, path, headers=headers, **options)

    def get(self, path: str, **options: Any) -> httpx.Response:
        return self.call("GET", path, **options)

    def post(self, path: str, json: Any = None, **options: Any) -> httpx.Response:
        return self.call("POST", path, json=json, **options)

    def patch(self, path: str, json: Any, **options: Any) -> httpx.Response:
        return self.call("PATCH", path, json=json, **options)

    def put(self, path: str, json: Any, **options: Any) -> httpx.Response:
        return self.call("PUT", path, json=json, **options)

    def delete(self, path: str, **options: Any) -> httpx.Response:
        return self.call("DELETE", path, **options)

    def gql(self, query: str, **variables: Any) -> dict[str, Any]:
        """A GraphQL call; the whole answer."""
        answer: dict[str, Any] = self.post("/graphql", {"query": query, "variables": variables}).json()
        return answer

    def ask(self, query: str, **variables: Any) -> Any:
        """The data of a GraphQL call that must succeed."""
        answer = self.gql(query, **variables)
        assert "errors" not in answer, answer
        return answer["data"]

    def tried(self, mutation: str, shown: str = "", /, **given: Any) -> dict[str, Any]:
        """The payload of a mutation, with `userErrors`; `given` are the fields of its input."""
        kind = f"{mutation[0].upper()}{mutation[1:]}Input"
        asked = f"{mutation}(input: $input) {{ {shown} userErrors {{ code message path }} }}"
        payload: dict[str, Any] = self.ask(f"mutation ($input: {kind}!) {{ {asked} }}", input=given)[mutation]
        return payload

    def mutate(self, mutation: str, shown: str = "", /, **given: Any) -> dict[str, Any]:
        """The payload of a mutation that must succeed."""
        payload = self.tried(mutation, shown, **given)
        errors = payload.pop("userErrors")
        assert errors == [], errors
        return payload

    def refused(self, mutation: str, /, **given: Any) -> str:
        """The code of what stands in the way of a mutation, which must be one thing."""
        (error,) = self.tried(mutation, **given)["userErrors"]
        code: str = error["code"]
        return code


@dataclass
class Cast:
    """An organization with somebody in every role, and a stranger who runs another one."""

    instance: Instance = field(repr=False)
    organization: str
    ada: Person  # admin
    cleo: Person  # create
    rhea: Person  # review
    ed: Person  # edit
    tom: Person  # comment
    ria: Person  # read
    gus: Person  # guest
    sol: Person  # administrator of another organization
    elsewhere: str  # that organization

    @property
    def domain(self) -> str:
        """The domain of all their e-mail addresses; nobody has claimed it."""
        return self.ada.email.partition("@")[2]

    @property
    def members(self) -> dict[str, Person]:
        """Everybody of the organization by role; the guest under `guest`."""
        return {
            "admin": self.ada,
            "create": self.cleo,
            "review": self.rhea,
            "edit": self.ed,
            "comment": self.tom,
            "read": self.ria,
            "guest": self.gus,
        }
