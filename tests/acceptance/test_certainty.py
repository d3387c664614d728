# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How sure results are, and values of a suite's own, on simulated devices; and what evidence says of them."""

from __future__ import annotations

from pathlib import Path

from TesterLibrary.reporting.records import read

from .robots import check_passed, run


def test_results_say_how_sure_they_are(tmp_path: Path) -> None:
    check_passed(run("certainty.robot", tmp_path))
    verdicts = [str(record.verdict) for record in read(tmp_path / "evidence").verdicts]
    assert "PASS: largest burst is 3000 us, required <= 5 ms" in verdicts
