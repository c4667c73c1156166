"""What can go wrong with a repository, each as a sentence for people.

No sentence repeats what the other server said, an address or a credential.
"""

from __future__ import annotations

from app.kit.errors import Conflict, Invalid, Problem


class GitProblem(Problem):
    """Anything that ends a fetch or a push; nothing was written then."""


class GitRefused(GitProblem, Invalid):
    """An address, a name, an object or an answer that is not accepted; or the server accepts no push."""


class Unreachable(GitProblem, Invalid):
    """Nobody answers, nobody answers in time, or there is no repository. `outage`: the server fails."""

    def __init__(self, message: str, *, path: str | None = None, outage: bool = False) -> None:
        super().__init__(message, path=path)
        self.outage = outage


class AuthFailed(GitProblem, Invalid):
    """The repository wants a user and token, others than those given, or gives them too few rights."""


class TooLarge(GitProblem, Invalid):
    """The repository passes one of the limits."""


class RefMissing(GitProblem, Invalid):
    """The repository has no such branch, tag or commit. `empty`: it has no commit to start from at all."""

    def __init__(self, message: str, *, empty: bool = False) -> None:
        super().__init__(message, path="ref")
        self.empty = empty


class Stale(GitProblem, Conflict):
    """The branch is not where the caller saw it: somebody pushed meanwhile."""
