# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""docs/tofino.md and the driver agree on what a switch counts."""

from __future__ import annotations

import re
from collections import Counter as Counted
from dataclasses import replace
from pathlib import Path

import pytest

from TesterLibrary.measurement.counter import Counter
from TesterLibrary.planning.switch.trigger import TESTED
from TesterLibrary.targets.tofino.copies.captures import COUNTED_BY_COPIES
from TesterLibrary.targets.tofino.reading.arrival import Arrival
from TesterLibrary.targets.tofino.reading.port_totals import COUNTED_BY_MACS
from TesterLibrary.targets.tofino.reading.stream_readings import (
    COUNTED,
    Closed,
    PassedFrames,
    StreamRegisters,
    stream_counters,
)

from .driver.test_job import stream as plain
from .jobs import planned, switched

PAGE = Path(__file__).parents[4] / "docs" / "tofino.md"
WORD = 1 << 32
(LOADED,) = switched(planned([plain()])).streams.values()
NOTHING = StreamRegisters(
    (PassedFrames(), PassedFrames()), (PassedFrames(), PassedFrames()), {}, 0, WORD - 1, 0, 0
)


def test_the_table_of_counters_is_that_of_the_driver() -> None:
    table = PAGE.read_text(encoding="utf-8").split("| counter | counted |")[1].split("\n\n")[0]
    rows = [[cell.strip() for cell in line.split("|")[1:3]] for line in table.splitlines()[2:]]
    assert rows == [
        [counter.value, "yes" if counter in COUNTED | COUNTED_BY_MACS | COUNTED_BY_COPIES else "no"]
        for counter in Counter
    ]


def limits() -> str:
    return " ".join(PAGE.read_text(encoding="utf-8").split("## Limits")[1].split())


@pytest.mark.parametrize("signed", [True, False])
@pytest.mark.parametrize("missing", [0, WORD // 2 - 1, WORD // 2, 3 * WORD])
@pytest.mark.parametrize("received", [1, WORD, 3 * WORD])
@pytest.mark.parametrize("arrival", Arrival)
def test_order_is_known_where_the_page_says_so(
    missing: int, received: int, arrival: Arrival, *, signed: bool
) -> None:
    assert (
        "If 2^31 frames are missing (14 s of 64-byte frames at 100 Gbps) and a frame came out of" in limits()
    )
    assert "Frames without a signature have no numbers: their duplicates, reordering and outages" in limits()
    stream = replace(LOADED, planned=replace(LOADED.planned, signature=signed))
    arrived = Counted({Arrival.ABOVE: received}) + Counted({arrival: 1})
    departed = missing + arrived[Arrival.ABOVE] + arrived[Arrival.OVERTAKEN]
    each = (PassedFrames(packets=departed), PassedFrames())
    registers = replace(NOTHING, tx=each, arrived=arrived)
    found = stream_counters(stream, registers, [Closed()] * 2, [0, 0])
    known = signed and (missing < WORD // 2 or arrival is Arrival.ABOVE)
    expected = {Arrival.ABOVE: (0, 0, 0), Arrival.OVERTAKEN: (0, 1, 0), Arrival.AGAIN: (1, 0, 0)}
    order = found.order
    assert (order.duplicated, found.rx_out_of_order, order.late) == (
        expected.get(arrival, (0, 1, 1)) if known else (None,) * 3
    )
    assert order.behind == (arrival is not Arrival.ABOVE)


def test_the_page_of_triggers_has_the_fields_that_a_switch_compares() -> None:
    page = (PAGE.parent / "queries.md").read_text(encoding="utf-8")
    (line,) = (line for line in page.splitlines() if line.startswith("| `filter` | conditions on"))
    assert re.findall(r"`(\w+\.\w+)`", line) == list(TESTED)


def test_what_no_register_counts_is_absent_however_much_was_sent() -> None:
    """Extent, corruption and variation: the program has no register for any of them."""
    found = stream_counters(LOADED, NOTHING, [Closed()] * 2, [0, 0])
    assert (found.order.extent_sum, found.order.extent_max, found.variation) == (None, None, None)
    assert (found.rx_corrupted, found.rx_wrong_length, found.rx_fragments) == (None, None, None)
    assert found.rx_wrong_headers is None
    assert not {Counter.EXTENT, Counter.VARIATION} & (COUNTED | COUNTED_BY_MACS)
