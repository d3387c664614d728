# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Protocols as dialogues: packets in, packets out; whatever comes out has right lengths and checksums."""

from __future__ import annotations

from functools import cache

from scapy.layers.inet import IP, TCP
from scapy.layers.l2 import Ether
from scapy.packet import Packet, Raw

from TesterLibrary.protocols.checker import load_protocol
from TesterLibrary.protocols.interpreter import Interpreter
from tests.dissection import wrong_checksums

OURS, PEER = "198.18.0.2", "198.18.0.9"
OUR_MAC, PEER_MAC = "02:00:00:00:00:01", "02:00:00:00:00:09"
LINK = Ether(src=PEER_MAC, dst=OUR_MAC)


loaded = cache(load_protocol)


class Dialogue:
    """A dialogue with one machine; its time is in milliseconds."""

    machine: type[Interpreter] = Interpreter  # or the engine's, see conftest.py

    def __init__(self, protocol: str, **parameters: object) -> None:
        self.interpreter = self.machine(loaded(protocol), parameters)
        self.ms = 0.0

    def hears(self, packet: Packet) -> list[Packet]:
        """Its answers."""
        return self._seen(self.interpreter.receive(bytes(packet), self._now()))

    def waits(self, ms: float) -> list[Packet]:
        """Packets that its timers send in this time."""
        self.ms += ms
        self.interpreter.advance(self._now())
        return self._seen(self.interpreter.sent())

    def stops(self) -> list[Packet]:
        """The frames with which it ends what is open."""
        return self._seen(self.interpreter.stop(self._now()))

    def opens(self, **fields: object) -> list[Packet]:
        """A flow to the peer."""
        link = {"Ether.src": OUR_MAC, "Ether.dst": PEER_MAC, "IP.src": OURS, "IP.dst": PEER}
        named = {name.replace("_", "."): value for name, value in fields.items()}
        return self._seen(self.interpreter.start({**link, **named}, self._now()))

    def count(self, name: str) -> int:
        return self.interpreter.counters[name]

    def took(self, name: str) -> int:
        """All that was recorded in a histogram together, microseconds."""
        return sum(self.interpreter.histograms[name])

    def _now(self) -> int:
        return round(self.ms * 1000)

    def _seen(self, frames: list[bytes]) -> list[Packet]:
        for frame in frames:
            assert wrong_checksums(frame) == []
            assert len(Ether(frame).original) == len(frame)
        return [Ether(frame) for frame in frames]


class TcpPeer:
    """The other end of a connection: writes its segments, and reads flags, numbers and data of ours."""

    def __init__(self, dialogue: Dialogue, *, sport: int = 40_000, dport: int = 80, isn: int = 1000) -> None:
        self.dialogue = dialogue
        self.ports = {"sport": sport, "dport": dport}
        self.seq, self.ack = isn, 0
        self.window = 65_535
        self.clock: int | None = None  # the time stamp of its segments, once both ends have agreed on them

    def segment(self, flags: str, data: bytes = b"", **fields: object) -> Packet:
        """A segment of the peer, with its next numbers and its time stamp unless others are given."""
        stamps = {} if self.clock is None else {"options": [("Timestamp", (self.clock, 0))]}
        values = {"seq": self.seq, "ack": self.ack, "window": self.window, **stamps, **fields}
        packet = LINK / IP(src=PEER, dst=OURS) / TCP(**self.ports, flags=flags, **values)
        return packet / Raw(data) if data else packet

    def says(self, flags: str, data: bytes = b"", **fields: object) -> list[Packet]:
        """The answers."""
        return self.dialogue.hears(self.segment(flags, data, **fields))

    def connects(self, options: object = ()) -> TcpPeer:
        """Three-way handshake from here."""
        (answer,) = self.says("S", options=list(options))  # type: ignore[call-overload]
        assert answer[TCP].flags == "SA"
        assert answer[TCP].ack == self.seq + 1
        self.seq, self.ack = self.seq + 1, answer[TCP].seq + 1
        if "Timestamp" in dict(answer[TCP].options):
            self.clock = dict(options)["Timestamp"][0]  # type: ignore[call-overload]
        self.says("A")
        return self

    def sends(self, data: bytes, **fields: object) -> list[Packet]:
        """Data, after which its numbers are further on."""
        answers = self.says("PA", data, **fields)
        self.seq += len(data)
        return answers

    def takes(self, packets: list[Packet]) -> bytes:
        """Data that is in order, which it acknowledges next time."""
        data = b""
        for packet in packets:
            if packet[TCP].seq == self.ack:
                data += payload(packet)
                self.ack += len(payload(packet)) + ("F" in packet[TCP].flags)
        return data


def payload(packet: Packet) -> bytes:
    """TCP payload of a packet, without padding."""
    return bytes(packet[TCP].payload)


def flags(packets: list[Packet]) -> list[str]:
    """TCP flags of each segment."""
    return [str(packet[TCP].flags) for packet in packets]
