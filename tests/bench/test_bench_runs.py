"""The benches can be run; what they measure is nobody's business here."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from app.api.graphql.documents import Documents
from app.api.graphql.schema import schema
from tests.bench.__main__ import main
from tests.bench.compiled import PLANS
from tests.bench.data import copy_of, space_ids, with_spaces


def test_a_bench_runs_and_keeps_its_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "report.json"
    assert main(["routing", "--rounds", "1", "--scratch", str(tmp_path), "--json", str(report)]) == 0
    rows = orjson.loads(report.read_bytes())["routing"]
    assert [row["verdict"] in ("met", "missed") for row in rows] == [True, True]
    assert all(row["ratios"]["time"] > 0 for row in rows)
    assert rows[0]["what"] in capsys.readouterr().out


def test_the_data_of_benches_can_be_made_kept_and_copied(tmp_path: Path) -> None:
    made = with_spaces(tmp_path, organizations_=2, each=3, icon=None)
    assert with_spaces(tmp_path, organizations_=2, each=3, icon=None) == made
    assert len({*space_ids(made, 0, 3), *space_ids(made, 1, 3)}) == 6
    assert copy_of(made, "copy.db").read_bytes() == made.path.read_bytes()


@pytest.mark.parametrize("text", PLANS)
def test_the_documents_that_are_measured_are_valid(text: str) -> None:
    Documents(schema._schema).read(text)
