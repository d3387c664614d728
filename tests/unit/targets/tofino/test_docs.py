# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""What docs/tofino.md says that a switch counts is what its driver says."""

from __future__ import annotations

from pathlib import Path

from TesterLibrary.measurement.counter import Counter
from TesterLibrary.targets.tofino.port_totals import COUNTED_BY_MACS
from TesterLibrary.targets.tofino.readings import COUNTED

PAGE = Path(__file__).parents[4] / "docs" / "tofino.md"


def test_the_table_of_counters_is_that_of_the_driver() -> None:
    table = PAGE.read_text(encoding="utf-8").split("| counter | counted |")[1].split("\n\n")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:3]] for line in table.splitlines()[2:]]
    assert rows == [[own.value, "yes" if own in COUNTED | COUNTED_BY_MACS else "no"] for own in Counter]
