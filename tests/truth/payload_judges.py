# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Devices that change bytes of payloads, with right checksums, or names of DNS answers."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache

from scapy.layers.inet import IP, TCP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from TesterLibrary.measurement.end_content import ContentSource, EndContent, content_judged
from TesterLibrary.measurement.session_trial import SessionTrial
from TesterLibrary.measurement.sessions import SessionStatistics
from TesterLibrary.methodology.sessions import failures_below
from TesterLibrary.model.units.units import Ratio
from TesterLibrary.protocols.checker import load_protocol
from TesterLibrary.protocols.interpreter import Interpreter
from tests.counted import session_statistics

from .case import Case, judge

_CLIENT, _SERVER = "198.18.0.2", "198.18.0.9"
_OPENED = {
    "Ether.src": "02:00:00:00:00:01",
    "Ether.dst": "02:00:00:00:00:09",
    "IP.src": _CLIENT,
    "IP.dst": _SERVER,
}
_STEP_US = 1000  # a frame passes the device
_MOST_STEPS = 4000
_NO_FAILURE = Ratio(Fraction(0))

_loaded = cache(load_protocol)


@dataclass
class _ChangingDevice:
    """Flips a byte of each `every`-th segment of the server; drops and delays others at random.

    It remembers which numbers the client has acknowledged: what lies before them is not read any more.
    """

    draw: random.Random
    every: int  # 0: none
    first: int  # the byte of the stream from which on bytes are changed
    upset: float  # the part of segments that are dropped, and the part that are overtaken
    early: bool  # only segments that others have to come before are changed
    masks: bool  # what the client knows the content by is rewritten
    segments: int = 0
    changed: int = 0  # bytes that a client had to read
    base: int = -1  # the number of the first byte of the server
    expected: int = -1  # what the client expects next
    waiting: list[tuple[int, bytes]] = field(default_factory=list)  # steps, and a frame
    marks: dict[bytes, int] = field(default_factory=dict)  # the number of the changed byte, by frame

    def from_client(self, octets: bytes) -> bytes:
        tcp = Ether(octets)[TCP]
        if "A" in tcp.flags:
            self.expected = tcp.ack
        return octets

    def from_server(self, octets: bytes) -> list[bytes]:
        """The frames that reach the client now."""
        packet = Ether(octets)
        data = bytes(packet[TCP].payload)
        if "S" in packet[TCP].flags:
            self.base = packet[TCP].seq + 1
        if not data:
            return [octets, *self._due()]
        if self.masks and packet[TCP].seq == self.base:
            octets, data = self._masked(packet, data)
            packet = Ether(octets)
        self.segments += 1
        if self.draw.random() < self.upset:
            return self._due()
        is_early = 0 < (packet[TCP].seq - self.expected) % 2**32 < 2**31
        if self.every and self.segments % self.every == 0 and (is_early or not self.early):
            octets = self._flipped(packet, data)
        if self.draw.random() < self.upset:
            self.waiting.append((self.draw.randint(1, 4), octets))
            return self._due()
        return [self._delivered(octets), *self._due()]

    def _flipped(self, packet: Ether, data: bytes) -> bytes:
        place = self.draw.randrange(len(data))
        if (packet[TCP].seq - self.base) % 2**32 + place < self.first:
            return bytes(packet)
        load = bytearray(data)
        load[place] ^= 1 << self.draw.randrange(8)
        changed = _with_load(packet, bytes(load))
        self.marks[changed] = (packet[TCP].seq + place) % 2**32
        return changed

    def _masked(self, packet: Ether, data: bytes) -> tuple[bytes, bytes]:
        """Another type of the body, or for a stream without a head other bytes in its first segment."""
        if self.first:
            load = data.replace(b"x-modulo-251", b"octet-stream")
            return _with_load(packet, load), load
        load = bytes(octet ^ 0xFF for octet in data)
        masked = _with_load(packet, load)
        self.marks[masked] = packet[TCP].seq
        return masked, load

    def _delivered(self, octets: bytes) -> bytes:
        number = self.marks.get(octets)
        if number is not None and (number - self.expected) % 2**32 < 2**31:
            self.changed += 1
        return octets

    def _due(self) -> list[bytes]:
        later = [(steps - 1, octets) for steps, octets in self.waiting]
        self.waiting = [entry for entry in later if entry[0] > 0]
        return [self._delivered(octets) for steps, octets in later if steps <= 0]


def _with_load(packet: Ether, load: bytes) -> bytes:
    tcp = packet[TCP].copy()
    tcp.remove_payload()
    tcp.chksum = None
    frame = packet.copy()
    frame[IP].remove_payload()
    return bytes(frame / tcp / Raw(load))


def _carry(client: Interpreter, server: Interpreter, device: _ChangingDevice) -> None:
    """Opens a connection and lets it come to its end."""
    now = 0
    to_server = [
        device.from_client(octets)
        for octets in client.start({**_OPENED, "TCP.sport": 5000, "TCP.dport": 80}, now)
    ]
    for _ in range(_MOST_STEPS):
        now += _STEP_US
        server.advance(now)
        answers = server.sent()
        for octets in to_server:
            answers += server.receive(octets, now)
        client.advance(now)
        said = client.sent()
        for octets in answers:
            for arriving in device.from_server(octets):
                said += client.receive(arriving, now)
                # What it acknowledges counts for the next frame.
                for answer in said:
                    device.from_client(answer)
        for arriving in device._due() if not answers else ():
            said += client.receive(arriving, now)
        to_server = [device.from_client(octets) for octets in said]
        if not client.flows and not to_server:
            return
        if not to_server and not answers:
            now += 50 * _STEP_US  # until a timer repeats what was lost


def _counted(end: Interpreter, *, opens: bool) -> SessionStatistics:
    failures = [name for layer in end.protocol.layers for name in layer.failures]
    failed = any(end.counters[name] for name in failures)
    return session_statistics(
        "users" if opens else "web",
        10**9,
        {
            f"{layer.name}.{name}": end.counters[name]
            for layer in end.protocol.layers
            for name in layer.counters
        },
        {},
        openings=int(opens),
        begun=1,
        ended=1 - len(end.flows),
        failed=int(failed and opens),
        opens=opens,
    )


def _judged(client: Interpreter) -> SessionTrial:
    return SessionTrial(_counted(client, opens=True))


def _content(end: Interpreter, parameters: Mapping[str, int], *, opens: bool) -> EndContent:
    counted = _counted(end, opens=opens)
    return EndContent(counted.name, 1, ContentSource(end.protocol, parameters), counted)


def _transferred(draw: random.Random, protocol: str, first: int) -> Case:
    size = draw.choice([draw.randint(200, 1400), draw.randint(1400, 30_000)])
    device = _ChangingDevice(
        draw,
        every=draw.choice([0, 1, 2, 5, 11]),
        first=first,
        upset=draw.choice([0.0, 0.1, 0.25]),
        early=draw.random() < 0.5,
        masks=draw.random() < 0.2,
    )
    asked = {"size": size if protocol == "http" else 0}
    served = {} if protocol == "http" else {"size": size}
    client = Interpreter(_loaded(f"{protocol}-client"), asked, seed=draw.randint(1, 2**31))
    server = Interpreter(_loaded(f"{protocol}-server"), served)
    _carry(client, server, device)
    contents = _content(client, asked, opens=True), _content(server, served, opens=False)
    trial = content_judged(_judged(client), contents[0], contents[1:], {}, shared=False)
    excuse = "it did not come to its end" if client.flows else ""
    excuse = excuse or ("nobody can know the content" if device.masks else "")
    about = f"{size=} every={device.every} upset={device.upset} early={device.early} masks={device.masks}: "
    about += f"{device.segments} segments, {device.changed} changed"
    return Case(
        f"changed bytes of {protocol}",
        not device.changed,
        failures_below([trial], _NO_FAILURE),
        excuse,
        about,
    )


@judge
def stream(draw: random.Random) -> Case:
    """The stream of a TCP server; the truth is what the device has changed of what the client read."""
    return _transferred(draw, "tcp", 0)


@judge
def body(draw: random.Random) -> Case:
    """The body of an HTTP response."""
    return _transferred(draw, "http", 200)  # behind the head


_NAME = b"\3www\7example\3com\0"
_OWNERS: dict[str, tuple[bytes, bool]] = {
    "a pointer": (b"\xc0\x0c", True),
    "the name": (_NAME, True),
    "capital letters": (_NAME.upper(), True),
    "a label and a pointer": (b"\3WWW\xc0\x10", True),
    "an outsider": (b"\4evil\0", False),
    "a name below it": (b"\1a\xc0\x0c", False),
    "the name above it": (b"\xc0\x10", False),
}


def _record(owner: bytes, kind: int, of_class: int, value: bytes) -> bytes:
    head = kind.to_bytes(2, "big") + of_class.to_bytes(2, "big") + b"\0\0\0\x3c"
    return owner + head + len(value).to_bytes(2, "big") + value


@judge
def answer(draw: random.Random) -> Case:
    """Owners, classes, aliases and addresses of a DNS answer."""
    right, other = b"\xc0\0\2\1", b"\xc0\0\2\2"
    owner, holds = _OWNERS[how := draw.choice(list(_OWNERS))]
    of_class = draw.choice([1, 1, 1, 3])
    address = draw.choice([right, right, other])
    holds &= of_class == 1 and address == right
    records = [_record(owner, 1, of_class, address)]
    alias = draw.choice(["", "", "right", "wrong"])
    if alias:  # the address is of the alias, or of the name that was asked for although it is an alias
        records = [
            _record(b"\xc0\x0c", 5, 1, b"\1a\3net\0"),
            _record(b"\1A\3net\0" if alias == "right" else owner, 1, of_class, address),
        ]
        holds = alias == "right" and of_class == 1 and address == right
    client = Interpreter(_loaded("dns-client"), {"answer": "192.0.2.1"})
    (question,) = client.start({**_OPENED, "UDP.sport": 5000, "UDP.dport": 53}, 0)
    asked = bytes(Ether(question)[UDP].payload)
    counts = b"\0\1" + len(records).to_bytes(2, "big") + bytes(4)
    response = asked[:2] + b"\x81\x80" + counts + asked[12:] + b"".join(records)
    link = Ether(src=_OPENED["Ether.dst"], dst=_OPENED["Ether.src"])
    client.receive(
        bytes(link / IP(src=_SERVER, dst=_CLIENT) / UDP(sport=53, dport=5000) / Raw(response)), 1000
    )
    verdict = failures_below([_judged(client)], _NO_FAILURE)
    return Case("names of DNS answers", holds, verdict, "", f"{how}, {of_class=}, {address!r}, {alias=}")
