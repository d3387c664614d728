# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Frames at random around a device, on the fake switch of paths and on its program: all is the same."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any

import pytest
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet, Raw

from TesterLibrary.model.headers import HeaderStack
from TesterLibrary.model.heading import Heading
from TesterLibrary.model.units.units import Duration
from tests.contract.path_rig import segment
from tests.contract.stamp_rig import Does, SwitchAround, SwitchStampRig, counters, start

from .path_pipelines import runs_paths
from .program import P4Program

_HEADERS = (None, "IP / TCP", "IP / TCP(dport=80)", "Dot1Q / IP / TCP", "IP / UDP", "IP(src=10.0.0.1) / UDP")
_DELAYS = (700, 5000, 10**6, 10**9 - 1, 10**9, 10**9 + 1, 5 * 10**9, 70 * 10**9)  # the timeout is 1 s
_FILLED = [("NOP", None)] * 4
_BEGINNINGS = ((1 << 32) - 10**6, 10**12, (1 << 48) - 10**9)


def _stamp_like(draw: Random) -> bytes:
    return bytes.fromhex(draw.choice(("0f10", "0f11", "0f00"))) + draw.randbytes(14)


def _packet(draw: Random) -> Packet:
    ends: dict[str, Any] = {"src": "10.0.0.1", "dst": draw.choice(("10.0.0.2", "10.0.0.3"))}
    payload = draw.choice((b"", b"x", draw.randbytes(100), _stamp_like(draw), bytes(1460)))
    network: Packet = IP(**ends, id=draw.randrange(1 << 16), flags=draw.choice(("", "DF", "MF")))
    kind = draw.random()
    if kind < 0.05:
        return draw.choice((ARP(), IPv6() / TCP(), network / ICMP(), IP(**ends, options=[b"\1"]) / TCP()))
    if kind < 0.35:
        sums: dict[str, Any] = draw.choice(({}, {}, {"chksum": 0}))
        return network / UDP(sport=4000, dport=53, **sums) / Raw(payload)
    options: Sequence[Any] = draw.choice(
        ([], _FILLED, _FILLED * 3, _FILLED * 6, _FILLED * 7, [(0x0F, draw.randbytes(14))], [(0x0F, b"xy")])
    )
    dport = draw.choice((80, 81))
    return (
        network
        / TCP(sport=4000, dport=dport, seq=draw.randrange(1 << 32), options=list(options))
        / Raw(payload)
    )


def _frame(draw: Random) -> bytes:
    frame = Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")
    if draw.random() < 0.3:
        frame /= Dot1Q(vlan=draw.choice((5, 6)))
    octets = bytearray(bytes(frame / _packet(draw)).ljust(60, b"\0"))
    if draw.random() < 0.15:  # damaged on its way
        at = draw.randrange(len(octets))
        octets[at] ^= 1 << draw.randrange(8)
    return bytes(octets[: draw.choice((len(octets), len(octets), len(octets), 60))])


def _device(seed: int) -> Does:
    """A device that keeps some packets, sends some twice, and damages some."""
    draw = Random(seed)

    def does(frame: bytes, now_ns: int) -> list[tuple[int, bytes]]:
        sent = []
        for _ in range(draw.choice((0, 1, 1, 1, 1, 2))):
            octets = bytearray(frame)
            if draw.random() < 0.1:
                octets[draw.randrange(len(octets))] ^= 1 << draw.randrange(8)
            sent.append((now_ns + draw.choice(_DELAYS), bytes(octets)))
        return sent

    return does


def _turns(seed: int) -> Callable[[], bool]:
    """A device that sends some packets back to where they came from."""
    draw = Random(seed)
    return lambda: draw.random() < 0.1


def _numbers(around: SwitchAround) -> dict[str, Any]:
    found = around.rig.target.snapshot()
    return {"paths": found.paths, "stamps": found.stamps, **around.rig.daemon.running.store.numbers()}


@pytest.mark.parametrize("seed", range(16))
def test_frames_do_the_same_on_both(paths: P4Program, seed: int) -> None:
    draw = Random(seed)
    headers = draw.choice(_HEADERS)
    changes: dict[str, Any] = {
        "headers": HeaderStack.parse(headers) if headers else None,
        "heading": draw.choice(tuple(Heading)),
        "data_only": draw.random() < 0.3,
        "mtu": draw.choice((1500, 1500, 140)),
    }
    arounds = SwitchAround(SwitchStampRig()), SwitchAround(SwitchStampRig(runs_paths(paths)))
    begin_ns = draw.choice(_BEGINNINGS)
    for around in arounds:
        around.rig.device.does = _device(seed)
        around.rig.device.turns = _turns(seed)
        around.rig.now_ns = begin_ns
        start(around, **changes)
    for _ in range(200):
        back, frame, gap_ns = draw.random() < 0.4, _frame(draw), draw.choice((1000, 10**6, 10**9))
        found, expected = (around.rig.through([frame], back=back, gap_ns=gap_ns) for around in arounds)
        assert found == expected, frame.hex()
    found_numbers, expected_numbers = map(_numbers, arounds)
    assert found_numbers == expected_numbers
    assert any(direction.sent and direction.received for direction in counters(arounds[0]))


def test_a_packet_that_comes_back_in_a_later_span_is_the_same_on_both(paths: P4Program) -> None:
    """One that left before the times went round, behind one that left afterwards."""
    arounds = SwitchAround(SwitchStampRig()), SwitchAround(SwitchStampRig(runs_paths(paths)))
    for around in arounds:
        start(around)
        around.rig.now_ns = (3 << 32) - 1000
        for delay_ns in (10**8, 700):
            around.rig.device.does = lambda frame, now_ns, delay_ns=delay_ns: [(now_ns + delay_ns, frame)]
            around.rig.through([segment(1)], gap_ns=10**6)
        around.rig.through([segment(1)], gap_ns=10**9)
    found_numbers, expected_numbers = map(_numbers, arounds)
    assert found_numbers == expected_numbers
    assert [direction.received for direction in counters(arounds[0])] == [3, 0]


@pytest.mark.parametrize("begin_ns", [(1 << 47) - 2 * 10**9, (1 << 48) - 2 * 10**9])
def test_order_is_the_same_on_both_where_times_go_round(paths: P4Program, begin_ns: int) -> None:
    arounds = SwitchAround(SwitchStampRig()), SwitchAround(SwitchStampRig(runs_paths(paths)))
    for around in arounds:
        delays = iter([700] * 8 + [15 * 10**8, 700])
        start(around, timeout=Duration(4 * 10**9))
        around.rig.now_ns = begin_ns
        around.rig.device.does = lambda frame, now_ns, delays=delays: [(now_ns + next(delays), frame)]
        around.rig.through([segment(1)] * 10, gap_ns=10**9)
        around.rig.now_ns += 10**9
    found_numbers, expected_numbers = map(_numbers, arounds)
    assert found_numbers == expected_numbers
    assert [(d.received, d.behind) for d in counters(arounds[1])] == [(10, 1), (0, 0)]
