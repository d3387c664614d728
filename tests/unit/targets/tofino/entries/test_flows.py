# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Counters of the flows of a stream in a switch."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.measurement.flows import flows_of
from TesterLibrary.model.editor import Editor, FieldPath, FieldValues, Sweep
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.units.units import Duration
from TesterLibrary.planning.flows import FlowSpace
from TesterLibrary.targets.tofino.driver.target import TofinoTarget
from TesterLibrary.targets.tofino.entries.flows import free_cells
from TesterLibrary.targets.tofino.fake import Bridge
from TesterLibrary.targets.tofino.session.program import Program

from ..rig import FOLDER, Bench
from ..test_frames import plan_of

DESTINATION, PORT = FieldPath.parse("IP.dst"), FieldPath.parse("UDP.dport")
EDITORS = (
    Editor(DESTINATION, Sweep("198.18.1.1", count=4)),
    Editor(PORT, FieldValues(("7", "1234", "99"))),
)


class Choosy(Bridge):
    """A device that forwards no frame with certain bytes behind its Ethernet header."""

    def __init__(self, refused: bytes) -> None:
        super().__init__()
        self.refused = refused

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        if self.refused in frame[14:38]:
            return iter(())
        return super().forward(port, frame, now_ns, others)


def target(wire: Bridge | None = None) -> TofinoTarget:
    tester = Bench(wire=wire or Bridge())
    return TofinoTarget(
        tester.session(), Program.load(FOLDER), now_ns=lambda: tester.clock.now_ns, sleep=tester.clock.sleep
    )


def counting(**changes: object) -> Plan:
    return plan_of("1 kpps", 128, editors=EDITORS, count_flows=True, **changes)


@pytest.mark.parametrize("cascades", [(), ((DESTINATION, PORT),)])
def test_the_flows_that_are_lost_are_those_whose_frames_are(
    cascades: tuple[tuple[FieldPath, ...], ...],
) -> None:
    """The number of a flow stands for the values that the plan says, of both fields."""
    refused = bytes([198, 18, 1, 3])
    tester, plan = target(Choosy(refused)), counting(cascades=cascades)
    tester.load(plan)
    for packets in (31, 30):  # the second start begins with the first flow, too
        tester.start(["job"], packets=packets)
        tester.wait(["job"], timeout=Duration(60 * 10**9))
        space = FlowSpace.of(plan.streams[0])
        expected = [
            (sum(k % 12 == flow for k in range(packets)), refused not in space.frame(flow)[14:38])
            for flow in range(12)
        ]
        found = list(flows_of(tester.flows.read("job", 1)))
        assert [(flow.sent, flow.received) for flow in found] == [
            (sent, sent * passes) for sent, passes in expected
        ]
        assert sum(flow.received == 0 for flow in found) == 3


def test_a_stream_that_counts_flows_is_not_changed_while_it_sends() -> None:
    tester, plan = target(), counting()
    tester.load(plan)
    tester.start(["job"], duration=Duration(10**9))
    faster = replace(
        plan.streams[0], departures=plan_of("2 kpps", 128, editors=EDITORS).streams[0].departures
    )
    with pytest.raises(PlanError, match="a switch begins with the first flow when it changes a stream"):
        tester.update("job", faster)


@pytest.mark.parametrize(
    ("flows", "taken", "first"),
    [
        (5, [], 0),
        (5, [range(5)], 5),
        (5, [range(9, 12), range(4)], 4),
        (6, [range(9, 12), range(4)], 12),
        (32_768, [], 0),
    ],
)
def test_cells_are_the_first_that_are_free_side_by_side(flows: int, taken: list[range], first: int) -> None:
    assert free_cells("s", flows, taken) == range(first, first + flows)


def test_more_flows_than_are_free_are_refused_by_how_many() -> None:
    with pytest.raises(PlanError, match=r"32,765 needed .*, 32,756 there, 9 too many \(32,761 of 32,768 are"):
        free_cells("s", 32_765, [range(9, 12), range(4)])
