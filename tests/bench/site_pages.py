"""What Lighthouse says of the pages of a site: of five kinds, and of a very long one.

The long page is the longest one of the folder that `BENCH_DOCUMENTATION` names, or one that is made here.
"""

from __future__ import annotations

import os
from pathlib import Path
from statistics import median

from app import migrations
from tests import make
from tests.bench import lighthouse_run
from tests.bench.options import Options
from tests.bench.report import Goal, Row
from tests.instance import running
from tests.visitors import PublishedSite

PARTS = ("performance", "accessibility", "best-practices", "seo")
TIMES = ("first-contentful-paint", "largest-contentful-paint", "total-blocking-time")
LEAST, LEAST_LONG = 98, 90
TEXT = "Words that say something. They go on for a while, with `code` and [a link](words.md).\n\n"
TABLE = "| Name | Meaning | Range | Default |\n|---|---|---|---|\n"
ROW = "| `PARAMETER_{n}` | What the parameter {n} is for, said in one sentence. | [0, {n}] | 0.{n} |\n"
CODE = '```python title="part{n}.py"\ndef part():\n    return {n}\n```\n\n'
BLOCKS = """{% hint style="info" %}
Mind it.
{% endhint %}

{% tabs %}
{% tab title="One" %}
1
{% endtab %}
{% tab title="Two" %}
2
{% endtab %}
{% endtabs %}

$$
a^2 + b^2
$$

> [!TIP]
> Do it.
"""
DIAGRAM = "```mermaid\nflowchart LR\n  accTitle: The way\n  A[Here] --> B[There]\n```\n"
KINDS = {
    "words": f"# Words\n\n{TEXT}" + "".join(f"## Part {n}\n\n{TEXT * 3}" for n in range(6)),
    "code": f"# Code\n\n{TEXT}" + "".join(CODE.format(n=n) for n in range(12)),
    "tables": f"# Tables\n\n{TEXT}{TABLE}" + "".join(ROW.format(n=n) for n in range(40)),
    "blocks": f"# Blocks\n\n{TEXT}{BLOCKS}",
    "diagrams": f"# Diagrams\n\n{TEXT}{DIAGRAM}",
}


def run(options: Options) -> list[Row]:
    """Look at every kind of page."""
    database = options.scratch / "pages.db"
    database.unlink(missing_ok=True)
    migrations.upgrade(str(database))
    files: dict[str, str | bytes] = {f"{name}.md": text for name, text in KINDS.items()}
    with running(str(database)) as instance:
        site = PublishedSite(make.cast(instance), files=files | {"long.md": _long()})
        pages = dict.fromkeys(KINDS, LEAST) | {"long": LEAST_LONG}
        return [_row(name, f"{site.url}/{name}", least, options) for name, least in pages.items()]


def _long() -> str:
    folder = os.environ.get("BENCH_DOCUMENTATION")
    if folder:
        longest = max(Path(folder).rglob("*.md"), key=lambda path: path.stat().st_size)
        return longest.read_text()
    tables = (TABLE + "".join(ROW.format(n=n * m) for n in range(30)) for m in range(120))
    return "# Long\n\n" + "\n".join(f"## Group {n}\n\n{TEXT}{table}" for n, table in enumerate(tables))


def _row(name: str, url: str, least: int, options: Options) -> Row:
    reports = [lighthouse_run.report(url, PARTS) for _ in range(options.rounds_or(3))]
    every = [lighthouse_run.scores(each, PARTS) for each in reports]
    scores = {part: median(each[part] for each in every) for part in PARTS}
    shifts = [each["audits"]["cumulative-layout-shift"]["numericValue"] for each in reports]
    ours = {**scores, "layout shift": median(shifts)}
    ours |= {f"ms {each}": median(r["audits"][each]["numericValue"] for r in reports) for each in TIMES}
    return Row(f"Lighthouse: {name}", "100", {"lowest score": min(scores.values())}, Goal(least=least), ours)
