"""The benches can be run; what they measure is nobody's business here."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from tests.bench.__main__ import main


def test_a_bench_runs_and_keeps_its_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = tmp_path / "report.json"
    assert main(["routing", "--rounds", "1", "--scratch", str(tmp_path), "--json", str(report)]) == 0
    rows = orjson.loads(report.read_bytes())["routing"]
    assert [row["verdict"] in ("met", "missed") for row in rows] == [True, True]
    assert all(row["ratios"]["time"] > 0 for row in rows)
    assert rows[0]["what"] in capsys.readouterr().out
