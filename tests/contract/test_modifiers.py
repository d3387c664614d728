# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames beside those of a test (RFC 2544 §11): every target sends them, and counts only the test's."""

from __future__ import annotations

from fractions import Fraction
from ipaddress import ip_address

from TesterLibrary.model.job import Job
from TesterLibrary.model.modifier import Modifier, Modifiers
from TesterLibrary.model.stream import Stream
from TesterLibrary.model.units.units import Duration, FrameSize, Rate
from TesterLibrary.planning.compile import compile as compile_job

from .rig import Rig

SENT = (Modifier.BROADCAST, Modifier.MANAGEMENT, Modifier.ROUTING)


def test_they_leave_beside_the_test_and_nobody_expects_them(rig: Rig) -> None:
    beside = Modifiers(SENT, agent=ip_address("198.18.0.9")).beside(rig.ports["p1"], Fraction(10_000))
    north = Stream("north", "p1", "p2", FrameSize(64), Rate.parse("10 kpps"))
    most = rig.target.capabilities().max_streams
    plan = compile_job(Job("north", (north, *beside)), ports=rig.ports, gateways={}, max_streams=most)
    rig.load(plan)
    counted = rig.run(["north"], duration=Duration(2 * 10**8))
    sent = [stream.tx_packets for stream in counted.streams]
    assert sent == [2000, 20, 1, 1]
    assert counted.streams[0].rx_packets == 2000
    assert [stream.measured for stream in plan.streams] == [True, False, False, False]
