"""Synchronising a space with a Git repository: what is asked, and what is told of it."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from app.models.base import Change, Column, Enumeration, Shape, Url, absent
from app.models.spaces import Provider
from app.models.texts import Form

Direction = Literal["import", "export"]
State = Literal["running", "failure", "success", "timeout"]
NO_CONTROL = Form(r"^[^\x00-\x1f\x7f]*$", "one line without control characters")
Line = Annotated[str, StringConstraints(min_length=1, max_length=2048)]


class GitInfo(Shape):
    """The host of a repository."""

    provider: Provider = Field(
        description="Kind of the host, which decides how addresses of commits are made."
    )


class GitLogin(Shape):
    """A user and a token for a private repository."""

    user: Annotated[str, StringConstraints(max_length=200), NO_CONTROL] = Field(
        default="",
        description="User that the token belongs to. The one that the host expects with a token if left out.",
    )
    token: Annotated[str, StringConstraints(min_length=1, max_length=2000), NO_CONTROL] = Field(
        description="Token or password. Sent to the server of the repository and to no other.",
        json_schema_extra={"writeOnly": True},
    )


class GitImport(Change):
    """A Git repository, and how to import from it."""

    url: Line = Field(
        description="Address of the repository: https, without user name, password, query and fragment."
    )
    ref: Line = Field(description="Branch, tag or full commit id to import.")
    repo_project_directory: str = Field(
        default="",
        max_length=1024,
        description="Folder of the repository that holds the content. Empty for the whole repository.",
    )
    repo_tree_url: Url = absent("Accepted and not used.")
    repo_commit_url: Url | None = Field(
        default=None,
        description="Address that a commit id is appended to, for links from revisions to their commits. "
        "Made from `url` if left out and the host is known.",
    )
    timestamp: str | None = Field(
        default=None,
        max_length=100,
        description="Accepted and not used: the ref is imported as it is when it is read.",
    )
    force: bool = Field(
        default=False,
        description="True replaces the content by that of the repository instead of merging both. What "
        "only the space has is deleted.",
    )
    standalone: bool = Field(
        default=False,
        description="True imports into a new change request that stays open, and leaves the content of the "
        "space as it is.",
    )
    git_info: GitInfo = absent("Host of the repository. Guessed from its address if left out.")
    login: GitLogin | None = Field(
        default=None,
        description="User and token for a private repository, stored encrypted for later syncs with the same "
        "URL. If left out, the stored ones are used; null deletes them.",
    )


class GitExport(GitImport):
    """A Git repository, and how to push to it."""

    ref: Line = Field(description="Branch to push to. It is made if it does not exist.")
    commit_message: Annotated[str, StringConstraints(min_length=1, max_length=10_000)] = Field(
        description="Message of the commit, from 1 to 10,000 characters."
    )
    force: bool = Field(
        default=False,
        description="True overwrites the branch without importing its new commits first.",
    )
    standalone: bool = Field(default=False, description="Accepted and not used.")


class GitOperationOut(Shape):
    """The last sync of a space with its repository."""

    state: State = Field(description="State of the sync.")
    direction: Direction = Field(description="Direction of the sync.")
    message: str | None = Field(
        default=None,
        description="Result of the sync for people: the reason for a failure, or what was left out. Absent "
        "if there is nothing to report.",
    )


class GitInfoOut(Shape):
    """The state of the sync between a space and a Git repository."""

    repo_name: Annotated[str, Column("name")] = Field(
        description="Name of the repository: the last two parts of its address, such as `acme/docs`."
    )
    installation_provider: Annotated[Provider | None, Column("provider")] = Field(
        default=None, description="Host of the repository. Absent if it is not known."
    )
    url: str = Field(description="Address of the repository.")
    ref: str = Field(description="Branch, tag or commit id of the last sync.")
    directory: str = Field(
        description="Folder of the repository that holds the content. Empty for the whole repository."
    )
    has_login: bool = Field(description="Whether a user and a token are kept for the repository.")
    operation: GitOperationOut = Field(description="The last sync, running or ended.")
    updated_at: datetime = Field(description="When the sync last began or ended.")


ENUMERATIONS = (
    Enumeration(
        "GitSyncDirection",
        Direction,
        {
            "import": "From the repository into the space.",
            "export": "From the space into the repository.",
        },
    ),
    Enumeration(
        "GitSyncState",
        State,
        {
            "running": "The sync is waiting or at work.",
            "failure": "The sync failed; `message` says why.",
            "success": "The sync ended well.",
            "timeout": "The sync did not end within 15 minutes.",
        },
    ),
)
