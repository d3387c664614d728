# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Traces of RoCEv2 that are written down packet by packet."""

from __future__ import annotations

from dataclasses import replace

from scapy.contrib.roce import AETH, BTH, cnp
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

from TesterLibrary.measurement.capture import Fate
from TesterLibrary.measurement.traces.trace import Change, PathTrace, TracedPacket
from TesterLibrary.model.heading import Heading

REQUESTER, RESPONDER = "10.0.0.1", "10.0.0.2"
MICROSECOND = 1000
MIDDLE, LAST, READ_REQUEST, READ_MIDDLE, ACKNOWLEDGE = 7, 8, 0x0C, 0x0E, 0x11


class Wire:
    """A trace in the making. Each packet comes 10 us after the one before, unless a wait is given."""

    def __init__(self) -> None:
        self.packets: list[TracedPacket] = []
        self.now_ns = 0

    def data(self, *psns: int, pair: int = 17, lost: bool = False, **more: object) -> Wire:
        """Packets of a WRITE with 64 bytes each."""
        for psn in psns:
            self._add(Heading.FORWARD, BTH(opcode=MIDDLE, dqpn=pair, psn=psn) / Raw(bytes(64)), lost, **more)
        return self

    def ack(self, psn: int, pair: int = 17, lost: bool = False) -> Wire:
        """An acknowledgement up to this PSN."""
        answer = BTH(opcode=ACKNOWLEDGE, dqpn=pair, psn=psn) / AETH(syndrome=0x1F)
        return self._add(Heading.BACKWARD, answer, lost)

    def nak(self, psn: int, pair: int = 17, lost: bool = False) -> Wire:
        """A sequence error from this PSN on."""
        answer = BTH(opcode=ACKNOWLEDGE, dqpn=pair, psn=psn) / AETH(syndrome=0x60)
        return self._add(Heading.BACKWARD, answer, lost)

    def not_ready(self, psn: int, pair: int = 17) -> Wire:
        """The receiver has no room for this PSN, and asks for it later."""
        answer = BTH(opcode=ACKNOWLEDGE, dqpn=pair, psn=psn) / AETH(syndrome=0x2C)
        return self._add(Heading.BACKWARD, answer, False)

    def read(self, psn: int, length: int = 1024, pair: int = 17, lost: bool = False) -> Wire:
        """A request for READ."""
        reth = bytes(12) + length.to_bytes(4, "big")
        return self._add(Heading.FORWARD, BTH(opcode=READ_REQUEST, dqpn=pair, psn=psn) / Raw(reth), lost)

    def responses(self, *psns: int, pair: int = 17, lost: bool = False) -> Wire:
        """Packets that answer a READ."""
        for psn in psns:
            part = BTH(opcode=READ_MIDDLE, dqpn=pair, psn=psn) / Raw(bytes(64))
            self._add(Heading.BACKWARD, part, lost)
        return self

    def cnp(self, pair: int = 17) -> Wire:
        """A congestion notification to the requester."""
        return self._add(Heading.BACKWARD, cnp(pair), False)

    def waits(self, microseconds: int) -> Wire:
        """Nothing for a time."""
        self.now_ns += microseconds * MICROSECOND
        return self

    def trace(self, **more: object) -> PathTrace:
        """The trace so far, complete."""
        count = len(self.packets)
        made = PathTrace("wire", tuple(self.packets), received=count, due=count, dropped=0)
        return replace(made, **more)  # type: ignore[arg-type]

    def _add(
        self,
        direction: Heading,
        packet: Packet,
        lost: bool,
        change: Change | None = None,
        tos: int = 2,
    ) -> Wire:
        self.now_ns += 10 * MICROSECOND
        ends = {"src": REQUESTER, "dst": RESPONDER}
        if direction is Heading.BACKWARD:
            ends = {"src": RESPONDER, "dst": REQUESTER}
        octets = bytes(Ether() / IP(**ends, tos=tos) / UDP(sport=50_000, dport=4791) / packet)
        self.packets.append(
            TracedPacket(
                number=len(self.packets),
                direction=direction,
                arrived_ns=self.now_ns,
                left_ns=None if lost else self.now_ns + MICROSECOND,
                events=(),
                iteration=None,
                length=len(octets) + 4,
                octets=octets[:128],
                fate=Fate.NONE,
                changes=frozenset([change] if change else []),
            )
        )
        return self
