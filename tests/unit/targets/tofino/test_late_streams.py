# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Streams that begin later: when their frames leave a fake switch, whatever is counted of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Any

import pytest

from TesterLibrary.model.pattern import Pattern, Stage
from TesterLibrary.model.units.units import Duration
from TesterLibrary.targets.tofino.entries.entry import TableEntry
from TesterLibrary.targets.tofino.entries.rate import going_entry, limit_entries, needs_word
from TesterLibrary.targets.tofino.fake import Bridge

from .driver.test_target import PATIENCE, Driven
from .test_long_runs import RATE, WORD, sent_before

STAGES = "internal.InternalIngress.rate.outer_pattern.stages"
MS = 10**6


class Tap(Bridge):
    """A bridge that notes when a frame arrives, by its UDP source port."""

    def __init__(self) -> None:
        super().__init__()
        self.arrived: dict[int, list[int]] = {}

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        self.arrived.setdefault(len(frame), []).append(now_ns)
        return super().forward(port, frame, now_ns, others)


def driven(**changes: Any) -> tuple[Driven, list[int]]:
    """A switch that sends a stream of 128 bytes, and the times at which its frames leave."""
    tap = Tap()
    this = Driven(wire=tap)
    this.target.load(this.plan(**changes))
    return this, tap.arrived.setdefault(124, [])


@pytest.mark.parametrize("changed", [False, True])
def test_what_a_switch_begins_late_is_no_shortfall(changed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somewhere between the request and its answer a stream begins; frames before that were not due."""
    this, _ = driven(rate="10 kpps")
    write = this.target.session.write

    def slow_write(batch: Sequence[TableEntry]) -> None:
        this.clock.sleep(0.005)
        write(batch)

    if not changed:
        monkeypatch.setattr(this.target.session, "write", slow_write)
    this.target.start(["north"])
    if changed:
        monkeypatch.setattr(this.target.session, "write", slow_write)
        this.target.update("north", this.plan(rate="5 kpps").streams[0])
    monkeypatch.setattr(this.target.session, "write", write)
    for _ in range(9):
        this.clock.sleep(0.0137)
        (counted,) = this.target.snapshot(["north"]).streams
        assert counted.tx_packets > 0
        assert counted.intended_packets == counted.tx_packets


@pytest.mark.parametrize("shaping", [None, Pattern((Stage(4, 6),))])
@pytest.mark.parametrize("late", [20 * MS, 1204 * MS])
def test_it_leaves_so_many_frames_later(late: int, shaping: Pattern | None) -> None:
    now, at_once = driven(shaping=shaping)
    later, delayed = driven(shaping=shaping, start_after=Duration(late))
    for one in (now, later):
        one.target.start(["north"], packets=50)
        one.target.wait(["north"], timeout=PATIENCE)
    assert len(delayed) == len(at_once) == 50
    waited = [after - before for after, before in zip(delayed, at_once, strict=True)]
    (counted,) = later.target.snapshot(["north"]).streams
    assert max(abs(one - late) for one in waited) <= counted.worst_lateness_ns < 4 * MS


def test_it_goes_on_after_the_unit_was_told() -> None:
    """Until then its unit would skip again after 2^32 frames."""
    this, times = driven(start_after=Duration(20 * MS))
    store = this.daemon.running.store

    def last() -> int:
        (entry,) = store.entries(STAGES)
        return int(str(entry.data["stage_last"]))

    this.target.start(["north"])
    this.clock.sleep(0.01)
    this.target.snapshot(["north"])
    assert (times, last()) == ([], WORD - 1)
    this.clock.sleep(0.02)
    (counted,) = this.target.snapshot(["north"]).streams
    assert (counted.tx_packets, len(times), last()) == (counted.intended_packets, 11, WORD - 2)
    sent_before(this, WORD - 3)
    ticks = store.cells(RATE, "InternalIngress.rate.outer_pattern.ticks.f1")
    ticks.update(dict.fromkeys(ticks, WORD - 3))
    this.clock.sleep(0.02)
    (counted,) = this.target.snapshot(["north"]).streams
    assert counted.tx_packets == WORD + 17
    assert max(after - before for before, after in pairwise(times)) <= 2 * MS


def test_more_than_2_to_the_32_frames_end_exact_to_the_frame() -> None:
    this, times = driven(start_after=Duration(20 * MS))
    this.target.start(["north"], packets=WORD + 1000)
    this.clock.sleep(0.03)
    this.target.snapshot(["north"])
    assert len(times) == 11
    sent_before(this, WORD - 500)
    this.target.wait(["north"], timeout=PATIENCE)
    this.clock.sleep(0.1)
    (counted,) = this.target.snapshot(["north"]).streams
    assert (counted.tx_packets, counted.sending) == (WORD + 1000, False)


@pytest.mark.parametrize(
    ("packets", "delay", "told"),
    [
        (100, 0, False),
        (None, 0, False),
        (100, 7, False),
        (WORD - 7, 7, False),
        (WORD - 6, 7, True),
        (None, 7, True),
    ],
)
def test_a_unit_passes_exactly_what_comes_after_the_delay(
    packets: int | None, delay: int, told: bool
) -> None:
    stage, tick = (entry.data for entry in limit_entries(3, packets, delay))
    assert needs_word(packets, delay) is told
    begin = int(str(*tick.values()))
    passes, last = (int(str(stage[name])) for name in ("stage_passes", "stage_last"))
    assert (begin, begin >= passes) == (-delay % WORD, bool(delay))
    if told:
        assert (passes, last) == (WORD - delay, WORD - 1)
    else:
        assert stage == going_entry(3, packets).data
