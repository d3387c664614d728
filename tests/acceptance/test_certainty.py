# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""How sure results are, and values of a suite's own, on simulated devices; and what evidence says of them."""

from __future__ import annotations

from pathlib import Path

from TesterLibrary.reporting.record.records import read

from .robots import check_passed, run


def test_results_say_how_sure_they_are(tmp_path: Path) -> None:
    check_passed(run("certainty.robot", tmp_path))
    verdicts = [str(record.verdict) for record in read(tmp_path / "evidence").verdicts]
    assert "PASS: largest burst is 3000 us, required <= 5 ms" in verdicts


def test_a_device_that_loses_at_any_load_is_not_judged(tmp_path: Path) -> None:
    tests = run("unstable.robot", tmp_path)
    messages = {name: test.message for name, test in tests.items()}
    unstable = "unstable: lost 25 of 149 frames at 5 % of line rate"
    assert messages["Throughput"].startswith(f"INCONCLUSIVE: throughput of north, 64 bytes: {unstable}")
    assert unstable in messages["Goals"]
    assert unstable in messages["Bursts"]
    assert messages["No Check"].startswith("NOT JUDGED")  # its FAIL was expected
