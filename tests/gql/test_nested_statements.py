"""Nested reads take one statement for each list and reference, however many items there are."""

from __future__ import annotations

from tests import make
from tests.cast import Cast
from tests.factories import collections, comments
from tests.gql.test_together import counted

NESTED: dict[str, tuple[int, int, str]] = {
    "counts that the parent knows": (
        1,
        0,
        "spaces { nodes { comments { totalCount } changeRequests { totalCount } } }",
    ),
    "counts that nobody knows": (3, 0, "spaces { nodes { revisions { totalCount } files { totalCount } } }"),
    "the organization of each space": (1, 2, "spaces { nodes { organization { title } } }"),
    "the collection of each space": (1, 1, "spaces { nodes { parent { title parent { title } } } }"),
    "the revision of each space": (
        2,
        0,
        "spaces { nodes { currentRevision { number author { displayName } } } }",
    ),
    "spaces with their change requests": (
        2,
        2,
        """spaces { nodes { title changeRequests { nodes {
          subject createdBy { displayName } space { title organization { title } }
        } } } }""",
    ),
    "change requests with their spaces": (1, 1, "changeRequests { nodes { subject space { title } } }"),
    "change requests with their revisions": (
        4,
        0,
        """changeRequests { nodes {
          currentRevision { number } revisionInitial { number parents { number } }
        } }""",
    ),
    "change requests with comments, reviews and reviewers": (
        5,
        1,
        """changeRequests { nodes {
          comments { nodes { body { markdown document } space { title } changeRequest { subject } } }
          reviews { nodes { status reviewer { displayName } } }
          requestedReviewers { nodes { displayName } }
        } }""",
    ),
    "change requests with their pages": (
        2,
        0,
        "changeRequests { nodes { pages { title pages { title } } } }",
    ),
    "comments with replies": (
        3,
        1,
        """spaces(first: 9) { nodes { comments(first: 9) { nodes {
          body { markdown } postedBy { displayName } space { title } target { space { title } }
          replies { nodes { body { markdown } postedBy { displayName } space { title } } }
        } } } }""",
    ),
    "pages with bodies": (
        3,
        0,
        "spaces(first: 4) { nodes { pageList(first: 9) { nodes { title markdown } } } }",
    ),
    "documents of pages": (
        3,
        0,
        "spaces(first: 2) { nodes { pageList(first: 4) { nodes { title document } } } }",
    ),
    "a page of each space": (
        3,
        1,
        """spaces { nodes { page(path: "machinery/lamp") {
          markdown parent { title } ancestors { title } space { title }
        } } }""",
    ),
    "pages with those above": (
        2,
        1,
        """spaces(first: 4) { nodes { pageList(first: 9) { nodes {
          parent { title } ancestors { title } space { title }
        } } } }""",
    ),
    "pages with who edited them": (
        3,
        0,
        "spaces(first: 4) { nodes { pageList(first: 9) { nodes { lastEditedBy { displayName } } } } }",
    ),
    "pages with comments": (
        3,
        0,
        """spaces(first: 4) { nodes { pageList(first: 9) { nodes {
          comments { nodes { body { markdown } } }
        } } } }""",
    ),
    "pages with revisions, links and backlinks": (
        5,
        0,
        """spaces(first: 4) { nodes { pageList(first: 9) { nodes {
          revisions(first: 3) { nodes { author { displayName } } }
          links(first: 3) { nodes { href } }
          backlinks(first: 3) { nodes { kind } }
        } } } }""",
    ),
    "revisions with their content": (
        4,
        0,
        """spaces(first: 4) { nodes { revisions(first: 2) { nodes {
          pages { title } parents { number } mergedFrom { subject } contributors { displayName }
        } } } }""",
    ),
    "files, reusable contents and variables": (
        4,
        0,
        "spaces { nodes { files { nodes { name } } reusableContents { title } variables } }",
    ),
    "collections with their spaces": (
        2,
        1,
        "collections { nodes { organization { title } parent { title } spaces { nodes { title } } } }",
    ),
    "sites with what they show": (1, 0, "sites { nodes { siteSpaces { nodes { space { title } } } } }"),
}
"""Lists and bodies that are read, objects that are read by their keys, and what is asked of an organization.

On SQLite reads by keys stay inside the process and are not counted (see `BatchingReader.get_by_key`).
"""
TOKEN = 2  # statements on PostgreSQL that find who asks, and the organization


def furnish(cast: Cast, number: int) -> None:
    """Collections with spaces, each with pages, a change request of two people, comments and replies."""
    for n in range(number):
        folder = collections.collection(cast.ada, cast.organization, title=f"Folder {n}")["id"]
        space = make.filled_space(cast, parent=folder, title=f"Space {n}")
        for person in (cast.ada, cast.ed):
            request = make.change_request(person, space)
            comments.comment(person, space, request=request["id"])
        for _ in range(2):
            said = comments.comment(cast.ada, space)
            for _ in range(2):
                comments.reply(cast.ed, space, said["id"])


def test_statements_do_not_grow_with_lists(cast: Cast) -> None:
    texts = {
        name: f"query ($id: ID!) {{ organization(id: $id) {{ {text} }} }}"
        for name, (*_, text) in NESTED.items()
    }
    furnish(cast, 2)
    few = {name: counted(cast.ada, text, id=cast.organization)[1] for name, text in texts.items()}
    furnish(cast, 2)
    many = {name: counted(cast.ada, text, id=cast.organization)[1] for name, text in texts.items()}
    assert many == few
    by_key = cast.instance.settings.is_postgres
    most = {name: lists + (TOKEN + keys if by_key else 0) for name, (lists, keys, _) in NESTED.items()}
    assert not {name: count for name, count in many.items() if count > most[name]}
