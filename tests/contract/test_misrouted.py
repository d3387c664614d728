# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames that arrive at another port than expected: every target says how many, and where."""

from __future__ import annotations

from dataclasses import replace

from TesterLibrary.measurement.snapshot import StreamCounters

from .rig import Rig


def _loaded(rig: Rig, name: str = "stray", first_id: int = 1) -> None:
    """A stream from p1 that is expected at p1, and the cable goes to p2."""
    plan = rig.plan(name, first_id=first_id)
    rig.load(replace(plan, streams=(replace(plan.streams[0], rx_port="p1"),)))


def _seen(counted: StreamCounters) -> tuple[int, int, int, tuple[str, ...]]:
    return counted.tx_packets, counted.rx_packets, counted.rx_misrouted, counted.rx_misrouted_ports


def test_frames_at_another_port_are_misrouted_and_it_says_where(rig: Rig) -> None:
    _loaded(rig)
    before = rig.target.snapshot().port("p2")
    after = rig.run(["stray"], packets=100)
    (counted,) = after.streams
    assert _seen(counted) == (100, 0, 100, ("p2",))
    assert counted.rx_misrouted_by_port in ((100,), None), "a switch counts all ports together"
    assert counted.rx_misrouted_behind in ((0,), None)
    assert (counted.rx_bytes, counted.latency.count, counted.rx_out_of_order) == (0, 0, 0)
    assert [version.rx_packets for version in counted.versions] == [0, 0]
    port = after.port("p2")
    assert port.rx_packets - before.rx_packets == 100
    assert port.rx_misrouted - before.rx_misrouted == 100
    assert port.rx_foreign == before.rx_foreign
    assert [
        version.rx_packets - old.rx_packets
        for version, old in zip(port.versions, before.versions, strict=True)
    ] == [100, 0]
    assert after.port("p1").rx_packets == rig.target.snapshot().port("p1").rx_packets


def test_a_start_forgets_them(rig: Rig) -> None:
    _loaded(rig)
    rig.run(["stray"], packets=100)
    assert _seen(rig.run(["stray"], packets=7).streams[0]) == (7, 0, 7, ("p2",))


def test_those_of_a_stream_are_no_other_ones(rig: Rig) -> None:
    rig.load(rig.plan("north"))
    _loaded(rig, first_id=2)
    north, stray = rig.run(["north", "stray"], packets=50).streams
    assert _seen(north) == (50, 50, 0, ())
    assert _seen(stray) == (50, 0, 50, ("p2",))
