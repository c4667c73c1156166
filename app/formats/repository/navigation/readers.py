"""Which tool's table of contents a repository has, in the order in which they are asked.

The documentation is then the folder that the tool reads: the rest of a repository of code is left out.
"""

from __future__ import annotations

from app.formats.repository.file_tree import Moved, Tree
from app.formats.repository.import_report import Report
from app.formats.repository.navigation.docusaurus import read_docusaurus
from app.formats.repository.navigation.mdbook import read_mdbook
from app.formats.repository.navigation.mkdocs import read_mkdocs
from app.formats.repository.navigation.navigation import Navigation, Reader, below, is_markdown
from app.formats.repository.navigation.sphinx import read_sphinx
from app.formats.repository.navigation.vitepress import read_vitepress

READERS: tuple[Reader, ...] = (read_mdbook, read_mkdocs, read_docusaurus, read_vitepress, read_sphinx)


def read_navigation(tree: Tree, report: Report) -> Navigation | None:
    """Return what the first tool that is configured says; None where there is none."""
    for read in READERS:
        found = read(tree, report)
        if found is not None:
            return found
    return None


def documentation(tree: Tree, navigation: Navigation, report: Report) -> Tree:
    """Return the files that a tool reads, at the paths by which its pages name them.

    Pages elsewhere in the repository are told.
    """
    prefix = f"{navigation.folder}/" if navigation.folder else ""
    settings = set(navigation.settings)
    places = {path: prefix + path for path in below(tree, navigation.folder) if prefix + path not in settings}
    for folder in navigation.assets:
        for path in below(tree, folder) if folder else ():
            places.setdefault(path, f"{folder}/{path}")
    taken = set(places.values()) | settings
    outside = [path for path in tree.paths() if is_markdown(path) and path not in taken]
    if outside and navigation.folder:
        kept = f"the documentation is in {navigation.folder}; Markdown outside of it was left out"
        report.add("navigation", outside[0], f"{navigation.file}: {kept} ({len(outside)}).")
    passed_over = [
        (path.removeprefix(prefix), why) for path, why in tree.passed_over if path.startswith(prefix)
    ]
    return Moved(tree, places, passed_over)
