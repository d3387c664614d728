# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Every target refuses these requests, and then nothing has changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from ipaddress import IPv4Address, IPv6Address

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.model.plan.law import even
from TesterLibrary.model.plan.plan import LearningFrame, Plan, PlannedStream
from TesterLibrary.model.units.units import Duration

from .rig import PATIENCE, Rig

Refused = Callable[[Rig], None]


def _changed(rig: Rig, **changes: object) -> Plan:
    """A plan of two streams, the second of which is not right."""
    good, bad = rig.plan("mixed").streams[0], rig.plan("mixed", first_id=2).streams[0]
    return replace(rig.plan("mixed"), streams=(good, replace(bad, **changes)))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "changes",
    [
        {"tx_port": "p9"},
        {"rx_port": "p9"},
        {"id": 1},
        {"id": 77},
        {"departures": even(Fraction(0))},
        {"departures": even(Fraction(11, 10))},
        {"frames": (bytes(59),)},
        {"frames": (bytes(20_000),)},
    ],
    ids=lambda changes: str(next(iter(changes))),
)
def test_a_refused_job_has_changed_nothing(rig: Rig, changes: dict[str, object]) -> None:
    rig.load(rig.plan("loaded", first_id=77))
    before = rig.target.snapshot()
    with pytest.raises(PlanError):
        rig.load(_changed(rig, **changes))
    with pytest.raises(PlanError):
        rig.target.start(["mixed"])
    assert [s.id for s in rig.target.snapshot().streams] == [77]
    rig.load(replace(_changed(rig), job="mixed"))
    assert rig.run(["mixed"], packets=10).streams[1].rx_packets == 10
    assert rig.target.snapshot().port("p1").tx_packets - before.port("p1").tx_packets == 20


def test_a_job_name_is_taken_once(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    with pytest.raises(PlanError, match="north"):
        rig.load(rig.plan("north", first_id=2))


def test_an_address_is_answered_in_one_way(rig: Rig) -> None:
    known = rig.load(rig.plan("north")).neighbours[0]
    rig.load(rig.plan("south", first_id=2))  # jobs share addresses
    other = replace(known, mac=bytes([2, 0, 0, 0, 0, 9]))
    with pytest.raises(PlanError, match=str(known.address)):
        rig.load(replace(rig.plan("west", first_id=3), neighbours=(other,)))
    with pytest.raises(PlanError, match=str(known.address)):
        rig.load(replace(rig.plan("west", first_id=3), neighbours=(known, known)))


def test_more_streams_than_it_holds_are_refused(rig: Rig) -> None:
    most = rig.target.capabilities().max_streams
    stream = rig.plan("many").streams[0]
    streams = tuple(replace(stream, id=1 + number % 65_535) for number in range(most + 1))
    with pytest.raises(PlanError, match=str(most)):
        rig.load(replace(rig.plan("many"), streams=streams))


def _north(rig: Rig, rate: Fraction = Fraction(1, 10**6)) -> PlannedStream:
    return replace(rig.plan("north").streams[0], departures=even(rate))


@pytest.mark.parametrize(
    "call",
    [
        lambda rig: rig.target.start(["nobody"]),
        lambda rig: rig.target.start(["north", "nobody"]),
        lambda rig: rig.target.start(["north"], duration=Duration(0)),
        lambda rig: rig.target.start(["north"], packets=0),
        lambda rig: rig.target.stop(["nobody"]),
        lambda rig: rig.target.unload(["north", "nobody"]),
        lambda rig: rig.target.update("nobody", _north(rig)),
        lambda rig: rig.target.update("north", replace(_north(rig), id=99)),
        lambda rig: rig.target.update("north", _north(rig, Fraction(0))),
        lambda rig: rig.target.update("north", _north(rig, Fraction(3, 2))),
        lambda rig: rig.target.wait(["nobody"], timeout=PATIENCE),
        lambda rig: rig.target.snapshot(["nobody"]),
        lambda rig: rig.target.frames.inject(
            [LearningFrame("p1", bytes(60)), LearningFrame("p9", bytes(60))]
        ),
        lambda rig: rig.target.frames.inject([LearningFrame("p1", bytes(13))]),
        lambda rig: rig.target.frames.inject([LearningFrame("p1", bytes(20_000))]),
        lambda rig: rig.target.frames.resolve(
            "p9", IPv4Address("198.18.0.1"), source=IPv4Address("198.18.0.2"), source_mac=bytes(6)
        ),
        lambda rig: rig.target.frames.resolve(
            "p1", IPv4Address("198.18.0.1"), source=IPv6Address("2001:2::2"), source_mac=b"\x02" * 6
        ),
    ],
    ids=[
        "start unknown",
        "start one unknown",
        "start for no time",
        "start no frames",
        "stop unknown",
        "unload one unknown",
        "update unknown job",
        "update unknown stream",
        "update to no rate",
        "update to too fast",
        "wait for unknown",
        "snapshot of unknown",
        "inject at unknown port",
        "inject too short",
        "inject too long",
        "resolve at unknown port",
        "resolve across IP versions",
    ],
)
def test_what_is_refused_changes_nothing(rig: Rig, call: Refused) -> None:
    rig.load(rig.plan("north"))
    before = rig.target.snapshot()
    with pytest.raises(PlanError):
        call(rig)
    rig.pass_time(0.02)
    after = rig.target.snapshot()
    assert after.streams == before.streams
    assert after.port("p1").tx_packets == before.port("p1").tx_packets
    assert rig.run(["north"], packets=10).streams[0].rx_packets == 10
