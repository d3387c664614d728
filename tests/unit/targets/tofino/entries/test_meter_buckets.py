# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Buckets are empty before a start, and nothing waits for what is empty."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Rate
from TesterLibrary.targets.tofino.driver.building import switch_job
from TesterLibrary.targets.tofino.entries.entry import TableEntry
from TesterLibrary.targets.tofino.entries.meter_buckets import Buckets
from TesterLibrary.targets.tofino.entries.rate import BURST
from TesterLibrary.targets.tofino.session.switch import Asked, Reading

from ..jobs import FAST, PROGRAM, planned

_CALL_S = 0.003


class Loop:
    """A template that goes round at its loop's rate, and a meter whose bucket was full some time ago."""

    def __init__(self, loop_pps: int, meter_pps: int, full_s: float = 0) -> None:
        self.loop_pps, self.meter_pps = loop_pps, meter_pps
        self.at_s, self.counted_from_s, self.written = full_s, 0.0, []  # type: tuple[float, float, list[Entry]]

    def sleep(self, seconds: float) -> None:
        self.at_s += seconds

    def write(self, batch: Sequence[TableEntry]) -> None:
        self.written += batch
        if any("$REGISTER_INDEX" in entry.key for entry in batch):
            self.counted_from_s = self.at_s
        self.at_s += _CALL_S

    def read(self, asked: Sequence[Asked]) -> list[Reading]:
        self.at_s += _CALL_S
        (one,) = asked
        if one.table.endswith("ticks"):
            return [{"f1": [0, int(self.passed(self.at_s) - self.passed(self.counted_from_s))]}]
        return [{"$COUNTER_SPEC_PKTS": int(self.loop_pps * self.at_s)}]

    def passed(self, at_s: float) -> float:
        return min(self.loop_pps * at_s, BURST + self.meter_pps * at_s)

    @property
    def left(self) -> float:
        """Tokens in the bucket."""
        return BURST + self.meter_pps * self.at_s - self.passed(self.at_s)


def emptied(loop: Loop, *, rate: str = "10 %") -> float:
    """Seconds that it took."""
    stream = Stream("s", "p1", "p2", rate=Rate.parse(rate))
    job = switch_job(planned([stream], ports=FAST.known), FAST, PROGRAM)
    buckets = Buckets(cast(Any, loop), loop.sleep)
    buckets.fill(job.streams.values())
    began_s = loop.at_s
    buckets.empty([stream.template for stream in job.streams.values()])
    return loop.at_s - began_s


@settings(deadline=None)
@given(loop_pps=st.integers(500, 10_000_000), share=st.floats(0, 0.5))
def test_a_bucket_that_refills_meanwhile_is_empty_in_the_end(loop_pps: int, share: float) -> None:
    loop = Loop(loop_pps, int(loop_pps * share))
    emptied(loop)
    assert loop.left < 1


@pytest.mark.parametrize("meter_pps", [1, 100, 100_000])
def test_what_has_been_empty_for_long_is_not_waited_for(meter_pps: int) -> None:
    assert emptied(Loop(1_000_000, meter_pps, full_s=60)) < 0.1


def test_a_loop_that_is_slower_than_its_meter_is_not_waited_for_long() -> None:
    assert emptied(Loop(10_000, 20_000)) < 0.3


def test_templates_that_loop_too_slowly_are_not_waited_for_long() -> None:
    """64 of them on a model: at 15 rounds each second it takes half a minute, and the last poll is sooner."""
    assert emptied(Loop(15, 1)) < 0.5


def test_templates_that_do_not_loop_are_not_waited_for_for_ever() -> None:
    loop = Loop(0, 1000)
    assert 1 < emptied(loop) < 5
    assert loop.written[-1].data == {"stage_passes": 0, "stage_last": 0}


def test_a_stream_without_a_meter_has_no_bucket() -> None:
    loop = Loop(1_000_000, 1_000_000)
    assert emptied(loop, rate="100 %") == 0
    assert not loop.written
