# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A driver whose switch is lost, full, or given back; what all targets do is in tests/contract."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import Any

import pytest

from TesterLibrary.errors import PlanError, TargetError
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, FrameSize, Rate, Ratio
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.targets.fake import FakePath
from TesterLibrary.targets.tofino.driver.target import TofinoTarget
from TesterLibrary.targets.tofino.entries.entry import TableEntry
from TesterLibrary.targets.tofino.fake import Bridge, Wire
from TesterLibrary.targets.tofino.session.program import Program
from TesterLibrary.targets.tofino.session.switch import Asked, Reading, SwitchGone

from ..rig import FOLDER, SCHEMA, SECOND, VERSIONS, Bench, cabling

RESTORE = "ExternalEgress.restoration"
LINKS = f"external.{RESTORE}.links"
TEMPLATES = "internal.InternalIngress.template_loop.templates"
RATE = "internal.InternalIngress.rate."
PATIENCE = Duration(20 * 10**9)


class Driven(Bench):
    """A target on a fake switch."""

    def __init__(self, path: FakePath | None = None, wire: Wire | None = None) -> None:
        super().__init__(wire=wire or (Bridge(path) if path else None))
        self.target = self.opened()

    def opened(self, **changes: Any) -> TofinoTarget:
        return TofinoTarget(
            self.session(**changes),
            Program.load(FOLDER),
            now_ns=lambda: self.clock.now_ns,
            sleep=self.clock.sleep,
        )

    def plan(self, job: str = "north", *, first: int = 1, rate: str = "1 kpps", **changes: Any) -> Plan:
        stream = Stream(job, "p1", "p2", FrameSize(128), Rate.parse(rate), **changes)
        ports = {port.port.name: port.port for port in cabling().front}
        return compile_job(Job(job, (stream,)), ports=ports, gateways={}, max_streams=9, first_id=first)

    def matched(self) -> dict[str, int]:
        """Entries of each table that packets match."""
        store = self.daemon.running.store
        counts = {name: len(store.entries(name)) for name, table in SCHEMA.tables.items() if table.written}
        return {name: count for name, count in counts.items() if count}

    def run(self, job: str, packets: int) -> tuple[int, int]:
        """Frames that left and that arrived."""
        self.target.start([job], packets=packets)
        self.target.wait([job], timeout=PATIENCE)
        self.clock.sleep(0.1)
        (counted,) = self.target.snapshot([job]).streams
        return counted.tx_packets, counted.rx_packets


@pytest.mark.parametrize(
    ("delay_ns", "is_known"), [(4 * 10**9, True), (4_295_000_000, False), (9 * 10**9, False)]
)
def test_a_latency_that_32_bits_do_not_hold_is_absent(delay_ns: int, *, is_known: bool) -> None:
    driven = Driven(FakePath(delay=Duration(delay_ns)))
    driven.target.load(driven.plan())
    driven.target.start(["north"], packets=5)
    driven.target.wait(["north"], timeout=PATIENCE)
    driven.clock.sleep(10)
    (counters,) = driven.target.snapshot(["north"]).streams
    assert counters.rx_packets == 5
    assert counters.latency.count == (5 if is_known else 0)
    assert counters.latency.min_ns == (delay_ns if is_known else 0)


def test_after_a_restart_the_call_is_inconclusive_and_jobs_are_there_again() -> None:
    driven = Driven()
    driven.target.load(driven.plan())
    driven.target.load(driven.plan("south", first=2))
    driven.target.start(["north"])
    driven.daemon.stop()
    driven.daemon.start()
    with pytest.raises(TargetError, match="reached again, 2 jobs are loaded anew and not started"):
        driven.target.snapshot()
    assert [stream.tx_packets for stream in driven.target.snapshot().streams] == [0, 0]
    assert driven.run("north", 50) == (50, 50)


def test_a_daemon_that_stays_away_is_told_and_may_come_back_later() -> None:
    driven = Driven()
    driven.target.load(driven.plan())
    driven.daemon.stop()
    for _ in range(2):
        with pytest.raises(SwitchGone, match="no switch daemon answers"):
            driven.target.snapshot()
    driven.daemon.start()
    with pytest.raises(TargetError, match="reached again, 1 jobs"):
        driven.target.snapshot()
    assert driven.run("north", 5) == (5, 5)


def test_nothing_of_an_unloaded_job_or_a_closed_target_is_left() -> None:
    driven = Driven()
    before = driven.matched()
    driven.target.load(driven.plan())
    driven.run("north", 5)
    assert driven.matched() != before
    driven.target.unload(["north"])
    assert (driven.matched(), driven.daemon.running.chip.groups) == (before, {})
    driven.target.load(driven.plan())
    driven.target.close()
    assert (driven.matched(), driven.daemon.taken_by) == ({}, None)


def test_after_a_driver_that_ended_without_a_word_counters_begin_at_0() -> None:
    """Entries of the ended driver are removed, and counts of its frames are not in the next counters."""
    driven = Driven()
    driven.target.load(driven.plan())
    assert driven.run("north", 50) == (50, 50)
    driven.daemon.taken_by = None
    driven.target = driven.opened()
    driven.target.load(driven.plan())
    assert driven.run("north", 7) == (7, 7)
    (counted,) = driven.target.snapshot().streams
    assert (counted.latency.count, sum(counted.latency.buckets.values())) == (7, 7)


def test_a_job_that_finds_a_table_full_leaves_nothing() -> None:
    driven = Driven()
    addresses = {"dst": 0, "src": 0}
    driven.daemon.running.store.write(  # not through the driver; one entry is left
        [
            TableEntry(
                LINKS, {"link": 255 - n // 512, "egress_port": n % 512}, f"{RESTORE}.addresses", addresses
            )
            for n in range(1023)
        ]
    )
    driven.target.load(driven.plan())
    groups = dict(driven.daemon.running.chip.groups)
    with pytest.raises(PlanError, match=r"restoration\.links is full: 1,024 entries are the most"):
        driven.target.load(driven.plan("south", first=2))
    assert [stream.id for stream in driven.target.snapshot().streams] == [1]
    assert (len(driven.entries(TEMPLATES)), driven.daemon.running.chip.groups) == (1, groups)
    assert driven.run("north", 20) == (20, 20)


def test_loss_of_the_device_is_found_to_the_frame() -> None:
    driven = Driven(FakePath(loss=Ratio(Fraction(1, 10))))
    driven.target.load(driven.plan())
    assert driven.run("north", 1000) == (1000, 900)


def test_the_delay_of_the_device_is_in_every_figure() -> None:
    driven = Driven(FakePath(delay=Duration(250_000)))
    driven.target.load(driven.plan())
    driven.run("north", 100)
    (counted,) = driven.target.snapshot().streams
    latency, version = counted.latency, counted.versions[0]
    assert (latency.count, latency.min_ns, latency.max_ns) == (100, 250_000, 250_000)
    assert (version.rx_time_ns - version.tx_time_ns) / 100 == pytest.approx(250_000, abs=1)
    assert counted.first_rx_ns - counted.first_tx_ns == pytest.approx(250_000, abs=2)


def test_a_long_run_ends_when_its_time_is_over() -> None:
    driven = Driven()
    driven.target.load(driven.plan(rate="100 pps"))
    driven.target.start(["north"], duration=Duration(10 * SECOND.ns))
    driven.target.wait(["north"], timeout=PATIENCE)
    (counted,) = driven.target.snapshot().streams
    assert (counted.tx_packets, counted.intended_packets) == (1000, 1000)
    assert counted.last_tx_ns - counted.first_tx_ns == pytest.approx(999 * 10**7, rel=0.01)


def test_frames_leave_in_the_first_version_when_a_job_is_started_again() -> None:
    """The entry for the version is written before the one that lets frames depart: registers come first."""
    driven = Driven()
    driven.target.load(driven.plan())
    driven.target.start(["north"])
    driven.target.flip(["north"])
    driven.target.stop(["north"])
    written: list[TableEntry] = []
    taken = driven.target.session.write

    def write(batch: Sequence[TableEntry]) -> None:
        taken(batch)
        written.extend(sorted(batch, key=lambda entry: SCHEMA[entry.table].written))

    driven.target.session.write = write  # type: ignore[method-assign]
    driven.target.start(["north"])
    tables = [entry.table for entry in written]
    assert tables.index(VERSIONS) < max(n for n, table in enumerate(tables) if table.startswith(RATE))
    assert all(table.startswith(RATE) for table in tables[tables.index(VERSIONS) + 1 :])


def test_nothing_is_left_of_a_job_whose_templates_the_switch_did_not_take() -> None:
    driven = Driven()
    before = driven.matched()
    taken = driven.target.session.send

    def refuse(frames: Sequence[bytes]) -> None:
        raise TargetError(f"no {len(frames[0])} bytes")

    driven.target.session.send = refuse  # type: ignore[method-assign]
    with pytest.raises(TargetError, match="no 129 bytes"):
        driven.target.load(driven.plan())
    assert driven.matched() == before
    assert not driven.daemon.running.chip.groups
    driven.target.session.send = taken  # type: ignore[method-assign]
    driven.target.load(driven.plan())
    assert driven.run("north", 10) == (10, 10)


def test_the_time_of_a_stream_begins_when_it_departs_however_long_resets_take() -> None:
    driven = Driven()
    driven.target.load(driven.plan())
    clear = driven.target.session.clear

    def slow(tables: Iterable[str]) -> None:
        driven.clock.sleep(1.5)
        clear(tables)

    driven.target.session.clear = slow  # type: ignore[method-assign]
    driven.target.start(["north"], duration=SECOND)
    driven.target.wait(["north"], timeout=PATIENCE)
    (counted,) = driven.target.snapshot().streams
    assert (counted.tx_packets, counted.intended_packets) == (1000, 1000)


@pytest.mark.parametrize("late", [False, True], ids=["at the request", "at the answer"])
def test_a_stop_that_takes_long_is_no_error_of_the_rate(late: bool) -> None:
    """Frames leave until a stop takes effect, which is at some time before its answer."""
    driven = Driven()
    driven.target.load(driven.plan())
    driven.target.start(["north"])
    driven.clock.sleep(1)
    write = driven.target.session.write

    def slow(batch: Sequence[TableEntry]) -> None:
        for waits in (late, not late):
            if waits:
                driven.clock.sleep(0.05)
            else:
                write(batch)

    driven.target.session.write = slow  # type: ignore[method-assign]
    driven.target.stop(["north"])
    (counted,) = driven.target.snapshot().streams
    assert counted.tx_packets == counted.intended_packets
    assert counted.tx_packets == pytest.approx(1050 if late else 1000, abs=2)
    driven.clock.sleep(1)
    (after,) = driven.target.snapshot().streams
    assert (after.tx_packets, after.intended_packets) == (counted.tx_packets, counted.intended_packets)


def test_a_job_starts_when_its_meters_have_no_packets_saved_up() -> None:
    driven = Driven()
    driven.target.load(driven.plan())
    rounds, passes = iter([0, 100, 300, 700]), iter([0, 100, 300, 699])

    def read(asked: Sequence[Asked]) -> list[Reading]:
        if any("correction.ticks" in question.table for question in asked):
            return [{"f1": [0, next(passes)]} for _ in asked]
        if any("templates" in question.table for question in asked):
            return [{"$COUNTER_SPEC_PKTS": next(rounds)} for _ in asked]
        return taken(asked)

    taken = driven.target.session.read
    driven.target.session.read = read  # type: ignore[method-assign]
    begin_ns = driven.clock.now_ns
    driven.target.start(["north"])
    assert (list(rounds), driven.clock.now_ns - begin_ns) == ([], 40_000_000)
    driven.target.stop(["north"])
    driven.target.start(["north"])
    assert driven.clock.now_ns - begin_ns == 40_000_000


def test_a_job_starts_all_the_same_when_its_templates_do_not_loop() -> None:
    driven = Driven()
    driven.target.session.send = list  # type: ignore[assignment,method-assign]
    driven.target.load(driven.plan())
    begin_ns = driven.clock.now_ns
    driven.target.start(["north"])
    assert driven.clock.now_ns - begin_ns == 2 * 10**9


def test_only_what_can_have_changed_is_read() -> None:
    """Times of first packets once in each interval, misrouted frames where ports say that there are some."""
    driven, asked_for = Driven(), Counter[tuple[str, object]]()
    taken = driven.target.session.read

    def read(asked: Sequence[Asked]) -> list[Reading]:
        asked_for.update(
            (question.table.rpartition("Ingress.")[2], *question.key.values()) for question in asked
        )
        return taken(asked)

    def bases() -> list[object]:
        asked_for.clear()
        driven.clock.sleep(0.1)
        driven.target.snapshot(["north"])
        assert asked_for["stream_counters.totals", 0] == asked_for["stream_counters.totals", 1] == 1
        assert not any(table == "misrouted.streams" for table, _ in asked_for)
        return [index for table, index in asked_for if table == "blind_delay.base"]

    driven.target.load(driven.plan())
    driven.target.session.read = read  # type: ignore[method-assign]
    driven.target.start(["north"])
    assert (bases(), bases()) == ([0], [])
    for version in (1, 0, 1):
        driven.target.flip(["north"])
        assert (bases(), bases()) == ([version], [])
    driven.target.stop(["north"])
    driven.clock.sleep(0.1)  # until the last frame has arrived
    driven.target.snapshot(["north"])
    driven.target.start(["north"])
    assert (bases(), bases()) == ([0], [])
