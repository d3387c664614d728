# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest

from TesterLibrary._generated.tester.v1.counters import DEFINITIONS
from TesterLibrary.commands import main as cli


def test_each_counter_has_a_row_with_all_that_its_definition_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["counters"]) == 0
    lines = capsys.readouterr().out.splitlines()
    rows = [line for line in lines if line.startswith("| ") and not line.startswith("| counter ")]
    assert len(rows) == len(DEFINITIONS)
    assert {line.count(" | ") for line in rows} == {5}
    assert "## PortCounters" in lines
    (row,) = [line for line in rows if line.startswith("| rx_stale |")]
    assert row.startswith(
        "| rx_stale | frames | rx | tester start | engine, fake | Frames of rx_foreign with"
    )
