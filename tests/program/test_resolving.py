# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The driver asks for neighbours: the fake chip and the program hand it the same answers."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from ipaddress import IPv4Address

from scapy.layers.l2 import ARP, Ether

from tests.contract.rig import SwitchRig

from .program import P4Program
from .twins import Tap, Twins

_HOST, _MAC = "198.18.0.9", "02:00:00:00:00:09"


class Host(Tap):
    """A host that answers ARP, in place of a bridge."""

    def forward(
        self, port: int, frame: bytes, now_ns: int, others: Collection[int]
    ) -> Iterator[tuple[int, int, bytes]]:
        list(super().forward(port, frame, now_ns, others))
        asked = Ether(frame)[ARP]
        answer = ARP(op=2, hwsrc=_MAC, psrc=asked.pdst, hwdst=asked.hwsrc, pdst=asked.psrc)
        yield now_ns, port, bytes(Ether(src=_MAC, dst=asked.hwsrc) / answer).ljust(60, b"\0")


def test_the_driver_learns_the_same_of_both(program: P4Program) -> None:
    twins = Twins(program, tap=Host)

    def resolve(rig: SwitchRig) -> bytes:
        source = IPv4Address("198.18.0.2")
        return rig.target.frames.resolve(
            "p1", IPv4Address(_HOST), source=source, source_mac=rig.ports["p1"].mac
        )

    twins.both(resolve)
    assert [Ether(bytes.fromhex(octets))[ARP].pdst for _, _, octets in twins.sent] == [_HOST]
