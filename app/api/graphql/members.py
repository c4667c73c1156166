"""GraphQL face of a member, as other types show them; lists and changes are in `member_lists`."""

from __future__ import annotations

from app.api.graphql.shapes import output
from app.api.graphql.users import User  # noqa: F401 - declared before the first type that names people
from app.models.members import MemberOut


@output(MemberOut)
class Member:
    """A person's place in an organization."""
