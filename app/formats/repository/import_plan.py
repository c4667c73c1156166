"""A tree of Markdown read as a plan: pages in order, files, reusable contents, variables, redirects.

Rules: settings say where the documentation is; the table of contents orders it, else the folders do; titles
come from the table of contents, then the file. Bodies are not held: `load` reads them one at a time.
"""

from __future__ import annotations

from collections.abc import Set
from dataclasses import dataclass, field

from app.formats.repository.book_texts import BookTexts, book_variables
from app.formats.repository.file_tree import (
    RepositorySettings,
    Tree,
    Under,
    read_settings,
    resolve,
    settings_name,
)
from app.formats.repository.files import (
    VARIABLES,
    Inventory,
    PlannedFile,
    PlannedReusable,
    name_of,
    reusable_contents,
    set_fragments_apart,
    take_inventory,
)
from app.formats.repository.front_matter import Unreadable, load_yaml, parse, split
from app.formats.repository.import_report import Report
from app.formats.repository.metadata import metadata_from, variables_from
from app.formats.repository.names import MAX_PATH_BYTES, RESERVED_FILE, Unique, slug
from app.formats.repository.navigation.navigation import Navigation, read_text
from app.formats.repository.navigation.readers import documentation, read_navigation
from app.formats.repository.page_tree import (
    PageKind,
    Titles,
    TreeNode,
    place_by_folders,
    place_by_summary,
    place_unlisted,
    walk,
)
from app.formats.repository.source_text import HEAD, LoadedPage, load_source, read_title
from app.formats.repository.summary import Entry, parse_summary
from app.kit.errors import Invalid

MAX_SUMMARY = 20 << 20
MAX_VARIABLES = 1 << 20
MOST_DEPTH = 100  # pages above a page: whoever reads a tree need not expect more
LONGEST_PATH = MAX_PATH_BYTES - 100  # bytes of a page's path, which may yet get numbers to be unique


@dataclass(slots=True)
class PlannedPage:
    """A page to make. `parent` is the index of one before it; `source` is a document's path under the root.

    A link's `href` is an address, or the path of a file of the plan. A page that is not `listed` is hidden.
    The icon and emoji are a group's; those of documents come with their files.
    """

    index: int
    parent: int | None
    kind: PageKind
    title: str
    slug: str
    path: str
    link_title: str | None = None
    source: str | None = None
    href: str | None = None
    listed: bool = True
    icon: str | None = None
    emoji: str | None = None


@dataclass(slots=True)
class Plan:
    """Everything an import makes, in order.

    The raw texts are kept so that an unchanged export gives them back; each is None without a file.
    `tree` is the repository below its root. `oversized` are the lengths of files that are planned and are too
    large for what they are.
    """

    tree: Tree
    pages: list[PlannedPage]
    files: list[PlannedFile]
    reusable: list[PlannedReusable]
    variables: dict[str, str | int | float | bool]
    redirects: dict[str, str]
    settings_raw: str | None
    summary_raw: str | None
    variables_raw: str | None
    report: Report
    oversized: dict[str, int] = field(default_factory=dict)


def read_plan(
    tree: Tree, root: str | None = None, *, fragments: Set[str] | None = None, of_any_tool: bool = False
) -> Plan:
    """Plan a repository, or the folder `root` of it taken for one.

    `fragments` are the paths known to be reusable content; without it, files are searched for their includes.
    A tree `of_any_tool` may have the table of contents of another tool, whose folder is the whole tree then.
    Raises Invalid when `root` is not a folder of the tree, or a file cannot be read.
    """
    report = Report()
    navigation: Navigation | None = None
    base = _below(tree, root) if root else tree
    settings, view = _documentation(base, report)
    if of_any_tool and settings.raw is None and settings.summary not in set(view.paths()):
        navigation = read_navigation(view, report)
    if navigation is not None:
        view = documentation(view, navigation, report)
    elif of_any_tool and (variables_of_book := book_variables(base)) is not None:
        view = BookTexts(view, variables_of_book, report)
    found = take_inventory(view, settings, report)
    variables_raw, variables = _read_variables(view, found, report)
    if navigation is None:
        named = settings.summary
        summary_raw, entries = _read_summary(view, settings, report)
    else:
        named = navigation.file
        summary_raw, entries = None, navigation.entries
    listed = _listed(entries, found, view, named, report)
    set_fragments_apart(found, {node.source for node in walk(listed)}, view, fragments)
    nodes = _placed(listed, found, view, report)
    pages = _numbered(nodes, found, view, named, report)
    plan = Plan(
        tree=view,
        pages=pages,
        files=[PlannedFile(path, name_of(path), size) for path, size in sorted(found.files.items())],
        reusable=reusable_contents(found, view),
        variables=variables,
        redirects=settings.redirects,
        settings_raw=settings.raw,
        summary_raw=summary_raw,
        variables_raw=variables_raw,
        report=report,
        oversized={path: view.size(path) for path in found.oversized},
    )
    count(plan)
    return plan


def load(plan: Plan, source: str) -> LoadedPage:
    """Read a page's or a reusable content's file; what cannot be kept goes to the plan's report."""
    return load_source(plan.tree, source, plan.report)


def _below(tree: Tree, root: str) -> Tree:
    folder = resolve(root)
    if folder is None:
        raise Invalid("The root is not a folder inside the repository.", path="root")
    if not folder:
        return tree
    view = Under(tree, folder)
    if not view.paths():
        raise Invalid("The root folder is not in the repository, or is empty.", path="root")
    return view


def _documentation(base: Tree, report: Report) -> tuple[RepositorySettings, Tree]:
    """Return the settings, and the part of the tree they point at;
    a root that is not there is told and ignored.
    """
    settings = read_settings(base, report)
    if not settings.root:
        return settings, base
    view = Under(base, settings.root)
    if view.paths():
        return settings, view
    message = f"The root “{settings.root[:200]}” is missing; the top is used."
    report.add("missing-file", settings_name(settings.raw or ""), message)
    return settings, base


def _read_summary(tree: Tree, settings: RepositorySettings, report: Report) -> tuple[str | None, list[Entry]]:
    if settings.summary not in set(tree.paths()):
        if settings.summary != "SUMMARY.md":
            report.add("missing-file", settings.summary, "The table of contents is missing.")
        return None, []
    text = read_text(tree, settings.summary, report, MAX_SUMMARY, encoding="utf-8")
    if text is None:
        return None, []
    entries = parse_summary(text, report, settings.summary)
    if not entries:
        report.add("navigation", settings.summary, "It lists nothing; the folders give the order.")
    return text, entries


def _read_variables(
    tree: Tree, found: Inventory, report: Report
) -> tuple[str | None, dict[str, str | int | float | bool]]:
    text = None
    if found.has_variables:
        text = read_text(tree, VARIABLES, report, MAX_VARIABLES, encoding="utf-8")
    if text is None:
        return None, {}
    problems: list[str] = []
    variables: dict[str, str | int | float | bool] = {}
    try:
        variables = variables_from(load_yaml(text, MAX_VARIABLES), problems)
    except Unreadable as error:
        report.add("unsupported", VARIABLES, f"The file {error.message}.", error.line)
    for message in problems:
        report.add("unsupported", VARIABLES, message)
    return text, variables


def _listed(
    entries: list[Entry], found: Inventory, tree: Tree, summary: str, report: Report
) -> list[TreeNode]:
    """Return the nodes of the table of contents; none when it lists nothing."""
    return place_by_summary(entries, found, _titles(found, tree), report, summary) if entries else []


def _placed(listed: list[TreeNode], found: Inventory, tree: Tree, report: Report) -> list[TreeNode]:
    if not listed:
        return place_by_folders(found, _titles(found, tree))
    report.unlisted = place_unlisted(listed, found, _titles(found, tree))
    return listed


def _titles(found: Inventory, tree: Tree) -> Titles:
    return lambda source: read_title(tree, source, found.title_name(source))


def _numbered(
    nodes: list[TreeNode], found: Inventory, tree: Tree, summary: str, report: Report
) -> list[PlannedPage]:
    """Return the pages in order, parents first; those whose paths would be too long are told and left out."""
    pages: list[PlannedPage] = []
    names: dict[int | None, Unique] = {}
    stack: list[tuple[TreeNode, int | None]] = [(node, None) for node in reversed(nodes)]
    while stack:
        node, parent = stack.pop()
        name = names.setdefault(parent, Unique()).take(_slug(node, found, tree))
        path = name if parent is None else f"{pages[parent].path}/{name}"
        if len(path.encode()) > LONGEST_PATH or path.count("/") > MOST_DEPTH:
            for left in walk([node]):
                named = left.source or f"{summary}, “{left.title[:100]}”"
                report.add("skipped", named, "Left out: the path of its page would be too long or too deep.")
            continue
        pages.append(
            PlannedPage(
                index=len(pages),
                parent=parent,
                kind=node.kind,
                title=node.title,
                slug=name,
                path=path,
                link_title=node.link_title,
                source=node.source,
                href=node.href,
                listed=node.listed,
                icon=node.icon,
                emoji=node.emoji,
            )
        )
        stack.extend((child, len(pages) - 1) for child in reversed(node.children))
    return pages


def _slug(node: TreeNode, found: Inventory, tree: Tree) -> str:
    if node.source and (made := RESERVED_FILE.fullmatch(found.title_name(node.source))):
        said = metadata_from(parse(split(tree.read(node.source, HEAD).decode("utf-8", "ignore"))[0])[0])[0]
        if said.slug == made["slug"]:
            return made["slug"]
    return slug(found.title_name(node.source) if node.source else node.title, node.kind)


def count(plan: Plan) -> None:
    """Tell in the report how much there is of each kind."""
    report = plan.report
    kinds = [page.kind for page in plan.pages]
    report.pages, report.groups, report.links = (kinds.count(k) for k in ("document", "group", "link"))
    report.files = len(plan.files)
    report.reusable_contents = len(plan.reusable)
    nested = [page.source for page in plan.pages if page.source and page.source.endswith("/SUMMARY.md")]
    if nested:
        others = f" and {len(nested) - 1} more" if len(nested) > 1 else ""
        message = f"This table of contents{others} is not the root's; kept as a page, not followed."
        report.add("navigation", nested[0], message)
