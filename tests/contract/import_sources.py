"""Sources for imports: a small repository with something of everything, and a document."""

from __future__ import annotations

import io
import zipfile

from tests.local_server import Answer, Request, Routes, html

MARKDOWN = {"content-type": "text/markdown; charset=utf-8"}
ZIP = {"content-type": "application/zip"}
FETCHED: list[str] = []  # every time that the document was asked for

DOCUMENT = "# First aid\n\nCall for help, then see [the guide](https://example.org/guide).\n"

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010806000000"
    "1f15c4890000000d49444154789c6360000000000500015d0b2a3b0000000049454e44ae426082"
)

FILES = {
    "README.md": "---\ndescription: How we work\nicon: book\n---\n\n# Welcome\n\n"
    "Start with [installing](guide/install.md), or look at ![the map](.gitbook/assets/map.png).\n\n"
    "[Gone](missing.md) and [outside](https://example.org/).\n",
    "SUMMARY.md": "# Table of contents\n\n* [Welcome](README.md)\n\n## Manual\n\n"
    "* [Guide](guide/README.md)\n  * [Installing](guide/install.md)\n  * [On Linux](guide/linux.md)\n"
    "  * [From source](guide/source.md)\n* [The project](https://example.org/project)\n",
    "guide/README.md": "---\nlayout:\n  title:\n    visible: true\n---\n\n"
    "# Guide\n\nSee [welcome](../README.md).\n",
    "guide/install.md": "# Installing\n\nInstall it with one command.\n\n## Needs\n\n"
    'Linux, see [there](linux.md#needs).\n\n{% hint style="info" %}\nReally one.\n{% endhint %}\n',
    "guide/linux.md": "# On Linux\n\nInstall it there.\n\n## Needs\n\nA kernel.\n\n"
    '{% file src="../.gitbook/assets/map.png" %}\n',
    "guide/source.md": "---\nhidden: true\n---\n\n# From source\n\nBack to [installing](install.md).\n",
}


def handbook() -> bytes:
    """The repository as a zip; equal bytes each time."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for path, text in FILES.items():
            archive.writestr(zipfile.ZipInfo(path), text)
        archive.writestr(zipfile.ZipInfo(".gitbook/assets/map.png"), PIXEL)
    return packed.getvalue()


def document(request: Request) -> Answer:
    """The document, noting that it was asked for."""
    FETCHED.append(request.path)
    return 200, MARKDOWN, DOCUMENT.encode()


def routes() -> Routes:
    """Return what the neighbour serves."""
    about = html('<meta name="description" content="What to do"><link rel="icon" href="/a.png">', title="Aid")
    return {"/handbook.zip": (200, ZIP, handbook()), "/document.md": document, "/about.html": about}
