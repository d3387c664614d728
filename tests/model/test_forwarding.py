# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames that belong to no test cross the external pipeline as the driver says, byte for byte."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from TesterLibrary.planning.switch.chip import PORT_MASK, TOFINO
from TesterLibrary.targets.tofino.entries.entry import Masked, TableEntry
from TesterLibrary.targets.tofino.session.cabling import set_ports_of_model
from TesterLibrary.targets.tofino.session.remote import RemoteSwitch
from TesterLibrary.targets.tofino.session.switch import PortSetup

from .running import FRONT, RunningModel, Tap

_STATIONS = "external.ExternalIngress.forwarding.stations"
_ROLES = "external.ExternalIngressParser.$PORT_METADATA"
_CPU = 1  # role_t of p4/include/types.p4
_CPU_HEADER = 5  # bytes


@pytest.fixture
def taps(model: RunningModel, switch: RemoteSwitch) -> Iterator[dict[str, Tap]]:
    set_ports_of_model(switch, [PortSetup(port, 10 * 10**9) for port in (*FRONT.values(), TOFINO.cpu_port)])
    switch.write([TableEntry(_ROLES, {"ig.ingress_port": TOFINO.cpu_port}, data={"role": _CPU})])
    taps = {name: model.tap(name) for name in (*FRONT, "cpu")}
    yield taps
    for tap in taps.values():
        tap.close()


def stations(action: str, came_by: int, port: int) -> TableEntry:
    key = {"$MATCH_PRIORITY": 1, "ingress_port": Masked(came_by, PORT_MASK)}
    return TableEntry(_STATIONS, key, f"ExternalIngress.forwarding.{action}", {"port": port})


_FRAMES = {
    "arp": "0806000108000604000102000000020ac6120001000000000000c6120002",
    "ipv4 udp": "0800450000260001000040115bb4c6120001c61200020400040100120000" + "ab" * 10,
    "ipv6": "86dd6000000000083afffe800000000000000000000000000001ff02000000000000000000000000000187000000",
    "lldp": "88cc0207040001020304040703aabbccddeeff060200780000",
}


def frame(rest: str) -> bytes:
    return (bytes.fromhex("020000000001 020000000002" + rest)).ljust(60, b"\0")


@pytest.mark.parametrize("rest", _FRAMES.values(), ids=_FRAMES)
def test_frames_leave_as_they_came(switch: RemoteSwitch, taps: dict[str, Tap], rest: str) -> None:
    switch.write([stations("send", FRONT["p1"], FRONT["p2"])])
    taps["p1"].send(frame(rest))
    assert taps["p2"].frames(1) == [frame(rest)]
    assert taps["p3"].frames(1, seconds=0.2) == []


def test_frames_of_nobody_are_dropped(taps: dict[str, Tap]) -> None:
    taps["p1"].send(frame(_FRAMES["lldp"]))
    assert [tap.frames(1, seconds=0.3) for tap in taps.values()] == [[]] * len(taps)


def test_the_driver_gets_and_sends_frames(switch: RemoteSwitch, taps: dict[str, Tap]) -> None:
    switch.write([stations("send_to_driver", FRONT["p3"], TOFINO.cpu_port)])
    taps["p3"].send(frame(_FRAMES["arp"]))
    [got] = taps["cpu"].frames(1)
    assert got[_CPU_HEADER:] == frame(_FRAMES["arp"])
    assert int.from_bytes(got[3:_CPU_HEADER], "big") == FRONT["p3"]
    taps["cpu"].send(bytes((0, 0, 0, 0, FRONT["p1"])) + frame(_FRAMES["lldp"]))
    assert taps["p1"].frames(1) == [frame(_FRAMES["lldp"])]
