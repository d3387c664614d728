# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A target counts what it says it counts, and what it does not count is None: a 0 would pass for a device's.

What a device does to frames is planted where no judge of ours can have part in it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields

import pytest

from TesterLibrary._generated.tester.v1.counters import DEFINITIONS
from TesterLibrary.measurement.counter import Counter
from TesterLibrary.measurement.port_evidence import port_evidence
from TesterLibrary.measurement.snapshot import Snapshot, StreamCounters
from TesterLibrary.measurement.stream_result import StreamResult
from TesterLibrary.model.job import Job
from TesterLibrary.model.mix import parse_frame_sizes
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Rate
from TesterLibrary.planning.compile import compile as compile_job

from .planted import Planted
from .rig import Rig, SwitchRig

SENT = 40
GAP_NS = 100_000  # between two frames of a rig's plan
STEP_NS = 1024  # of a switch's clock for outages


def _stream(name: str) -> Callable[[Snapshot], object]:
    return lambda snapshot: getattr(snapshot.streams[0], name)


def _order(name: str) -> Callable[[Snapshot], object]:
    return lambda snapshot: getattr(snapshot.streams[0].order, name)


def _port(name: str) -> Callable[[Snapshot], object]:
    return lambda snapshot: getattr(snapshot.ports[0], name)


# Where each counter is; those of flows, captures and sessions have tests of their own.
PLACES: dict[Counter, Callable[[Snapshot], object]] = {
    Counter.LATENCY: lambda snapshot: snapshot.streams[0].latency.count or None,
    Counter.PERCENTILES: lambda snapshot: snapshot.streams[0].latency.buckets or None,
    Counter.DUPLICATED: _order("duplicated"),
    Counter.REORDERED: _stream("rx_out_of_order"),
    Counter.EXTENT: _order("extent_max"),
    Counter.LATE: _order("late"),
    Counter.CORRUPTED: _stream("rx_corrupted"),
    Counter.MISROUTED: _stream("rx_misrouted"),
    Counter.OUTAGES: _stream("outages"),
    Counter.VARIATION: _stream("variation"),
    Counter.GAP_ERRORS: _stream("departures"),
    Counter.VERSIONS: lambda snapshot: snapshot.streams[0].versions or None,
    Counter.REWRITTEN: _stream("rx_version_rewritten"),
    Counter.TESTER_DROPS: _port("rx_missed"),
    Counter.REFUSED: _port("tx_refused"),
    Counter.WORKERS: lambda snapshot: snapshot.workers or None,
    Counter.CLOCK: lambda snapshot: snapshot.clock,
    Counter.LINKS: _port("link_downs"),
}


def sent(rig: Rig, *, packets: int = SENT) -> Snapshot:
    rig.load(rig.plan("north", frame_size=128))
    return rig.run(["north"], packets=packets)


@pytest.mark.parametrize(
    ("size", "least"),
    [
        (64, 64),
        (65, 65),
        (127, 65),
        (128, 128),
        (511, 256),
        (512, 512),
        (1023, 512),
        (1024, 1024),
        (1518, 1024),
    ],
)
def test_frames_are_counted_by_their_size(rig: Rig, size: int, least: int) -> None:
    """In one class each; a switch does not look at sizes, which is not that none of a size came."""
    rig.load(rig.plan("north", frame_size=size))
    before = rig.target.snapshot()
    (port,) = port_evidence(before, rig.run(["north"], packets=SENT), ["p2"])
    assert port.rx_sizes == (None if rig.is_switch else {least: SENT})


def test_frames_of_a_mix_are_counted_by_their_sizes(rig: Rig) -> None:
    sizes = parse_frame_sizes("64:7 570:4 1518:1")
    stream = Stream("north", "p1", "p2", sizes, Rate.parse("10 kpps"))
    most = rig.target.capabilities().max_streams
    rig.load(compile_job(Job("north", (stream,)), ports=rig.ports, gateways={}, max_streams=most))
    before = rig.target.snapshot()
    (port,) = port_evidence(before, rig.run(["north"], packets=48), ["p2"])
    assert port.rx_sizes == (None if rig.is_switch else {64: 28, 512: 16, 1024: 4})


def test_what_a_target_says_it_counts_is_there_after_traffic(rig: Rig) -> None:
    snapshot, counts = sent(rig), rig.target.capabilities().counts
    assert [counter for counter in PLACES if counter in counts and PLACES[counter](snapshot) is None] == []


def test_what_a_switch_does_not_count_is_absent_once_it_could_be_something() -> None:
    rig = SwitchRig(Planted(copies={3: 2}, delayed_ns={7: 250_000}))
    snapshot, counts = sent(rig), rig.target.capabilities().counts
    assert [
        counter for counter in PLACES if counter not in counts and PLACES[counter](snapshot) is not None
    ] == []


def result(snapshot: Snapshot) -> StreamResult:
    counted: StreamCounters = snapshot.streams[0]
    return StreamResult("north", "p1", "p2", 128, 10_000, counted)  # type: ignore[arg-type]


def test_frames_that_come_twice_do_not_hide_as_many_that_are_lost() -> None:
    lost, twice = (2, 9, 17, 30), (4, 5, 21, 33)
    rig = SwitchRig(Planted(copies=dict.fromkeys(lost, 0) | dict.fromkeys(twice, 2)))
    snapshot = sent(rig)
    assert snapshot.streams[0].rx_packets == SENT
    order = result(snapshot).order
    assert (order.lost, order.duplicated, order.reordered, order.kept) == (4, 4, 0, False)


def test_twenty_frames_missing_in_a_row_are_an_outage_on_a_switch() -> None:
    rig = SwitchRig(Planted(copies=dict.fromkeys(range(10, 30), 0)))
    found = result(sent(rig))
    assert (found.order.lost, found.counters.order.next_sequence) == (20, SENT)
    assert found.outages is not None
    (outage,) = found.outages
    assert (outage.lost, outage.ended) == (20, True)
    assert abs(outage.by_time_ns - 21 * GAP_NS) <= STEP_NS + found.counters.worst_lateness_ns
    tenth_ns = found.counters.first_rx_ns + 9 * GAP_NS
    assert abs(outage.start_ns - tenth_ns) <= 2 * STEP_NS + found.counters.worst_lateness_ns
    assert found.counters.outages is not None
    assert (found.counters.outages.last_sequence, found.counters.outages.count) == (30, None)


def test_of_outages_of_a_switch_the_longest_is_known_and_the_last_loss() -> None:
    missing = (2, 3, 4, 10, 11, 12, 13, 20, 33)
    found = result(sent(SwitchRig(Planted(copies=dict.fromkeys(missing, 0)))))
    assert found.outages is not None
    assert [outage.lost for outage in found.outages] == [4]
    assert found.counters.outages is not None
    assert found.counters.outages.last_sequence == 34


def test_what_is_missing_at_the_ends_is_no_outage_between_two_arrivals() -> None:
    missing = (*range(3), *range(SENT - 2, SENT))
    found = result(sent(SwitchRig(Planted(copies=dict.fromkeys(missing, 0)))))
    assert found.counters.outages is not None
    assert (found.counters.outages.longest_ns, found.counters.outages.last_sequence) == (0, 0)
    assert found.outages is not None
    assert [(outage.lost, outage.ended) for outage in found.outages] == [(2, False)]


def test_a_frame_that_is_overtaken_is_not_taken_for_one_that_came_twice_or_was_lost() -> None:
    rig = SwitchRig(Planted(delayed_ns={7: 250_000}))
    order = result(sent(rig)).order
    assert (order.lost, order.duplicated, order.reordered, order.behind, order.late) == (0, 0, 1, 1, 0)


def test_a_frame_so_late_that_its_cell_has_another_one_is_late_on_a_switch() -> None:
    """Frames have cells by the lowest 8 bits of their numbers: nobody knows whether it came before."""
    rig = SwitchRig(Planted(delayed_ns={7: 257 * GAP_NS}, copies={9: 2}))
    order = result(sent(rig, packets=400)).order
    assert (order.duplicated, order.reordered, order.late, order.behind) == (1, 1, 1, 2)
    assert (order.lost, order.loss_bounds) == (None, (0, 1))


def test_frames_in_order_are_known_to_be() -> None:
    order = result(sent(SwitchRig(Planted()))).order
    assert (order.lost, order.duplicated, order.reordered) == (0, 0, 0)
    assert order.corrupted is None  # nobody has looked


@pytest.mark.parametrize("lost", [1, 5])
def test_frames_that_are_lost_are_counted_on_a_switch(lost: int) -> None:
    order = result(sent(SwitchRig(Planted(copies=dict.fromkeys(range(0, 4 * lost, 4), 0))))).order
    assert (order.lost, order.duplicated) == (lost, 0)


def test_damage_that_a_switch_does_not_look_for_is_absent_not_none_found() -> None:
    snapshot = sent(SwitchRig(Planted(damaged=frozenset({3, 9}))))
    assert (snapshot.streams[0].rx_packets, result(snapshot).order.corrupted) == (SENT, None)


def _counted(value: object) -> dict[str, bool]:
    """Whether each counter is there that may be None, by its place in the definition."""
    cls = type(value)
    return {
        f"{cls.__name__}.{field.name}": getattr(value, field.name) is not None
        for field in fields(value)  # type: ignore[arg-type]
        if field.default is None
    }


def test_each_counter_is_there_or_absent_as_its_definition_says(rig: Rig) -> None:
    """Counters on which a driver or the order of arrivals decides are not looked at."""
    snapshot, kind = sent(rig), "switch" if rig.is_switch else rig.target.capabilities().target
    stream = snapshot.streams[0]
    found = _counted(snapshot.ports[0]) | _counted(stream) | _counted(stream.order)
    decided = {
        "PortCounters.rx_errors",
        "PortCounters.tx_errors",
        "PortCounters.rx_pause",
        "PortCounters.rx_unseen",
        "PortCounters.tx_held",
    }
    assert {name: there for name, there in found.items() if name not in decided} == {
        name: kind in DEFINITIONS[name].counted_by for name in found if name not in decided
    }
