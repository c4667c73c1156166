"""The settings file of a repository: where the documentation is and how it begins.

Rules: `.gitbook.yaml` first; without it `book.json`, of which only `root` and `structure` count. Paths are
relative to the root, the root to the settings file, and none leads out of the tree.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from app.formats.repository.file_tree import Tree
from app.formats.repository.import_report import Report
from app.formats.repository.yaml_subset import Unreadable, load

SETTINGS = ".gitbook.yaml"
OLD_SETTINGS = "book.json"
MAX_SETTINGS = 1 << 20
_KNOWN = {"root", "structure", "redirects"}


@dataclass(frozen=True, slots=True)
class Settings:
    """What a settings file says. `root` is "" for the tree itself; `raw` is None without a file."""

    root: str = ""
    readme: str = "README.md"
    summary: str = "SUMMARY.md"
    redirects: dict[str, str] = field(default_factory=dict)
    raw: str | None = None


def read_settings(tree: Tree, report: Report) -> Settings:
    """The settings of a tree, with what could not be used noted in the report."""
    present = [name for name in (SETTINGS, OLD_SETTINGS) if name in set(tree.paths())]
    for name in present:
        content = tree.read(name, MAX_SETTINGS + 1)
        if len(content) > MAX_SETTINGS:
            report.add("skipped", name, "The settings file is larger than 1 MB and was not read.")
            continue
        try:
            raw = content.decode("utf-8")
        except UnicodeDecodeError:
            report.add("undecodable", name, "The settings file is not valid UTF-8 and was not read.")
            continue
        if name == SETTINGS:
            return parse_settings(raw, report)
        values = _json_object(raw)
        if values.keys() & {"root", "structure"}:
            return _settings(values, raw, name, report)
    return Settings()


def parse_settings(raw: str, report: Report) -> Settings:
    """The settings in a settings file's text. Text that is a JSON object is taken for an old `book.json`."""
    if raw.lstrip().startswith("{") and (values := _json_object(raw)):
        return _settings(values, raw, OLD_SETTINGS, report)
    try:
        loaded = load(raw, MAX_SETTINGS)
    except Unreadable as error:
        report.add("unsupported", SETTINGS, f"The settings file {error.message}.", error.line)
        return Settings(raw=raw)
    if loaded is not None and not isinstance(loaded, dict):
        report.add("unsupported", SETTINGS, "The settings file is not a list of `key: value` lines.")
    return _settings(loaded if isinstance(loaded, dict) else {}, raw, SETTINGS, report)


def settings_name(raw: str) -> str:
    """The name of the file this settings text came from."""
    return OLD_SETTINGS if raw.lstrip().startswith("{") and _json_object(raw) else SETTINGS


def resolve(path: str, folder: str = "") -> str | None:
    """A path as written, seen from a folder, as a path in the tree ("" is its top); None when it leads out.

    A leading slash means the top of the tree.
    """
    parts = [] if path.startswith("/") else [part for part in folder.split("/") if part]
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _settings(values: dict[str, Any], raw: str, name: str, report: Report) -> Settings:
    structure = values.get("structure")
    structure = structure if isinstance(structure, dict) else {}
    if name == SETTINGS:
        for key in values.keys() - _KNOWN:
            report.add("unsupported", name, f"The setting “{key[:100]}” is not known.")
    return Settings(
        root=_path(values.get("root"), "", name, report),
        readme=_path(structure.get("readme"), "README.md", name, report),
        summary=_path(structure.get("summary"), "SUMMARY.md", name, report),
        redirects=_redirects(values.get("redirects"), name, report) if name == SETTINGS else {},
        raw=raw,
    )


def _path(value: object, otherwise: str, name: str, report: Report) -> str:
    if value is None:
        return otherwise
    found = resolve(value) if isinstance(value, str) and "\\" not in value and "\0" not in value else None
    if found is None:
        report.add("unsupported", name, f"“{str(value)[:100]}” is not a path inside the repository.")
        return otherwise
    return found or otherwise


def _redirects(value: object, name: str, report: Report) -> dict[str, str]:
    if not isinstance(value, dict):
        if value is not None:
            report.add("unsupported", name, "`redirects` is not a list of `old: new` lines.")
        return {}
    for key, target in value.items():
        if not isinstance(target, str):
            report.add("unsupported", name, f"The redirect “{key[:100]}” has no target.")
    return {key: target for key, target in value.items() if isinstance(target, str)}


def _json_object(raw: str) -> dict[str, Any]:
    try:
        value = json.loads(raw)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
