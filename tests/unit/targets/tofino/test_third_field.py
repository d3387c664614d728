# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Three fields change on a fake switch with a Tofino 2; a Tofino refuses them (test_one_planner.py)."""

from __future__ import annotations

import pytest

from TesterLibrary.measurement.captured_frames import frames_of
from TesterLibrary.measurement.flows import flows_of
from TesterLibrary.model.capture import Capture, Direction
from TesterLibrary.model.editor import Editor, FieldPath, Sweep
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.job import Job
from TesterLibrary.model.responder import Clients
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.planning.flows import FlowSpace
from tests.contract.rig import SwitchRig

SWEEPS = {
    "UDP.dport": Sweep("80", count=3),
    "IP.dst": Sweep("10.0.1.1", count=2),
    "IP.src": Sweep("10.0.0.1", count=2),
}


@pytest.mark.parametrize(
    "cascades",
    [
        (),
        (("IP.src", "IP.dst"),),
        (("IP.dst", "UDP.dport"),),
        (("IP.src", "IP.dst"), ("IP.dst", "UDP.dport")),
        (("UDP.dport", "IP.src"), ("IP.src", "IP.dst")),
    ],
)
def test_three_fields_change_as_planned(cascades: tuple[tuple[str, str], ...]) -> None:
    rig = SwitchRig(profile="tofino2")
    rig.target.captures.start(Capture("seen", direction=Direction.TRANSMITTED))
    plan = rig.load(
        rig.plan(
            "north",
            frame_size=128,
            editors=tuple(Editor(FieldPath.parse(field), sweep) for field, sweep in SWEEPS.items()),
            cascades=tuple((FieldPath.parse(one), FieldPath.parse(other)) for one, other in cascades),
            count_flows=True,
        )
    )
    (stream,) = plan.streams
    (north,) = rig.run(["north"], packets=24).streams
    assert (north.tx_packets, north.rx_packets) == (24, 24)
    rig.target.captures.stop("seen")
    frames = list(frames_of(rig.target.captures.read("seen")))
    ends = [(frame.octets[26:34], frame.octets[36:38]) for frame in frames]
    meant = [FlowSpace.of(stream).frame(number) for number in range(24)]
    assert ends == [(octets[26:34], octets[36:38]) for octets in meant]
    assert len(set(ends)) == stream.flows
    assert {flow.received for flow in flows_of(rig.target.flows.read("north", stream.id))} == {
        24 // stream.flows
    }


def test_a_flood_comes_from_each_port_of_each_address_with_numbers_of_its_own() -> None:
    rig = SwitchRig(profile="tofino2")
    target = Endpoints.parse("198.18.0.3:80")
    flood = Clients(
        name="flood",
        port="p1",
        protocol="syn-flood",
        target=target,
        sources=Endpoints.parse("198.18.0.64-198.18.0.66:5000-5001"),
        rate=Frequency.parse("1000/s"),
        total=24,
    )
    macs = {("p1", target.addresses.first): rig.ports["p2"].mac}
    rig.load(
        compile_job(Job("flood", ends=(flood,)), ports=rig.ports, gateways={}, max_streams=1, neighbours=macs)
    )
    rig.target.captures.start(Capture("seen", direction=Direction.TRANSMITTED))
    rig.target.start(["flood"])
    rig.pass_time(0.1)
    assert rig.target.snapshot(["flood"]).end("flood", "flood").tx_packets == 24
    rig.target.captures.stop("seen")
    syns = [frame.octets for frame in frames_of(rig.target.captures.read("seen"))]
    assert [(syn[29], syn[34:36].hex()) for syn in syns] == 4 * [
        (address, port) for port in ("1388", "1389") for address in (64, 65, 66)
    ]
    assert len({syn[38:42] for syn in syns}) == 24
