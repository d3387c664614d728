# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Interpreter, engine and code of tables send, count and keep the same, whatever arrives, and whenever."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from scapy.contrib.gtp import GTP_U_Header
from scapy.layers.dns import DNS, DNSQR
from scapy.layers.inet import ICMP, IP, TCP, UDP
from scapy.layers.inet6 import ICMPv6ND_NS, IPv6
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Packet, Raw

from TesterLibrary.files.paths import names
from TesterLibrary.protocols.automaton import ScanProgress
from TesterLibrary.protocols.checker import load_protocol
from TesterLibrary.protocols.flow import Layer
from TesterLibrary.protocols.interpreter import Interpreter
from TesterLibrary.wire.icmpv6 import ICMPv6MLD, RouterAlert
from TesterLibrary.wire.igmp import IGMP

from .dialogue import LINK, OUR_MAC, OURS, PEER, PEER_MAC
from .engine_machine import EngineMachine, InterpretingEngine, program

pytestmark = pytest.mark.skipif(program() is None, reason="the engine has not been built")

IPV4 = LINK / IP(src=PEER, dst=OURS)
OURS_6, PEER_6 = "2001:2::2", "2001:2::9"
NETWORKS = {4: IPV4, 6: LINK / IPv6(src=PEER_6, dst=OURS_6)}
REQUESTS = [
    b"GET /50 HTTP/1.1\r\n\r\n",
    b"HTTP/1.1 200 OK\r\ncontent-LENGTH: 5\r\n\r\nhello",
    b"HTTP/1.1 200 OK\r\nContent-Length: 5 \r\nContent-Length: 99999999999 5\r\n\r\n",
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
    b"2; a\r\nhe\r\n003 \r\nllo\r\n",
    b"0\r\nA: b\r\n\r\nFFFFFFFFF\r\n",
    b"HTTP/1.1 100 \r\n\r\nHTTP/1.0 200 OK\r\n\r\n",
    b"",
    b"\0" * 31,
]
MESSAGES = st.one_of(st.sampled_from(REQUESTS), st.binary(max_size=40))
NUMBERS = st.sampled_from([0, 1, 2, 1000, 1001, 1002, 1022, 2**31, 2**32 - 1])
OPTIONS = [("MSS", 100), ("WScale", 20), ("SAckOK", b""), ("Timestamp", (7, 0)), ("NOP", None), ("MSS", 9)]
SYN_OPTIONS = [("MSS", 300), ("SAckOK", b"")]


@st.composite
def segments(draw: st.DrawFn) -> Packet:
    """Few flows, numbers near and far, any flags and options."""
    ports = {"sport": draw(st.integers(1000, 1001)), "dport": 80}
    tcp = TCP(**ports, seq=draw(NUMBERS), ack=draw(NUMBERS), window=draw(st.sampled_from([0, 10, 65_535])))
    tcp.flags = draw(st.integers(0, 0x1FF))
    tcp.options = draw(st.lists(st.sampled_from(OPTIONS), max_size=3))
    return IPV4 / tcp / Raw(draw(MESSAGES))


@st.composite
def answers(draw: st.DrawFn) -> tuple[str, int, int, bytes, int]:
    """A segment by the numbers of what was sent last: flags, how far off, window, data."""
    offs = st.sampled_from([0, 0, 0, 1, -1, 5, 31, 62, -1000, 70_000])
    flags = draw(st.sampled_from(["A", "A", "SA", "S", "FA", "R", "RA", "PA", ""]))
    return flags, draw(offs), draw(offs), draw(MESSAGES), draw(st.sampled_from([0, 100, 65_535]))


@st.composite
def others(draw: st.DrawFn) -> Packet:
    """Packets of protocols other than TCP, with a byte changed now and then."""
    data = draw(MESSAGES)
    tunnel = bytes([0x10 + draw(st.integers(0, 7)), 0, 0, draw(st.integers(0, 3)), 0, 0x5E, 0xC2, 0xE7])
    packet: Packet = draw(
        st.sampled_from(
            [
                IPV4 / ICMP(type=draw(st.integers(0, 8))) / Raw(data),
                IPV4 / UDP(sport=9, dport=draw(st.integers(6, 8)), chksum=draw(st.sampled_from([None, 0]))),
                IPV4 / UDP(sport=9, dport=7000) / Raw(tunnel),
                IPV4 / UDP(sport=9, dport=53) / DNS(qd=DNSQR(qname="a.b", qtype=draw(st.integers(0, 40)))),
                IPV4 / UDP(dport=2152) / GTP_U_Header(S=1, gtp_type=draw(st.integers(0, 2)), seq=3),
                LINK / ARP(op=draw(st.integers(1, 2)), psrc=PEER, pdst="198.18.0.9"),
                LINK / IPv6(src=draw(st.sampled_from(["::", "fe80::1"]))) / ICMPv6ND_NS(tgt="2001:2::3"),
                LINK
                / IP(ttl=1)
                / IGMP(
                    type=draw(st.sampled_from([17, 17, 17, 22])),
                    mrcode=draw(st.integers(0, 255)),
                    gaddr=draw(st.sampled_from(["0.0.0.0", "239.1.1.1", "239.1.1.9"])),
                ),
                LINK
                / IPv6(src="fe80::1", dst="ff02::1")
                / RouterAlert()
                / ICMPv6MLD(
                    type=draw(st.sampled_from([130, 130, 130, 131])),
                    mrd=draw(st.sampled_from([0, 1, 1000, 40_000, 65_535])),
                    mladdr=draw(st.sampled_from(["::", "ff0e::1", "ff0e::9"])),
                ),
            ]
        )
    )
    if draw(st.booleans()):
        packet = packet / Raw(data)
    return packet


@st.composite
def frames(draw: st.DrawFn, packets: st.SearchStrategy[Packet]) -> bytes:
    frame = bytearray(bytes(draw(packets)))
    if draw(st.integers(0, 9)) == 0:
        frame[draw(st.integers(0, len(frame) - 1))] = draw(st.integers(0, 255))
    return bytes(frame[: draw(st.integers(0, len(frame)))] if draw(st.integers(0, 19)) == 0 else frame)


WAITS = st.sampled_from([0, 1, 100, 5_000, 200_000, 5_000_000, 2**31 + 5])
PARAMETERS: dict[str, dict[str, object]] = {
    "tcp": {"flight": 300},
    "tcp-server": {"size": 900, "mss": 200},
    "http-server": {"body": 700, "mss": 150},
    "udp-echo": {},
    "http-client": {"size": 5, "requests": 3, "request_timeout": "4 s"},
    "igmp-host": {"last": "239.1.1.5", "share": (2**31 - 1) // 5, "version": 3},
    "mld-host": {"last": "ff0e::5", "share": (2**31 - 1) // 5, "version": 2},
}


loaded = cache(load_protocol)


class Pair:
    """The interpreter and both forms of the engine, which have to agree after each step."""

    def __init__(self, name: str, ip_version: int = 4) -> None:
        self.version = ip_version
        protocol = loaded(name, ip_version)
        parameters = PARAMETERS.get(name, {})
        self.interpreter = Interpreter(protocol, parameters, seed=5)
        self.engines = [form(protocol, parameters, seed=5) for form in (EngineMachine, InterpretingEngine)]
        assert [engine.code for engine in self.engines] == [f"{name}-ipv6" if ip_version == 6 else name, None]
        self.now = 0
        self.last: bytes | None = None

    def waits(self, us: int) -> None:
        self.now += us
        self.interpreter.advance(self.now)
        for engine in self.engines:
            engine.advance(self.now)
        self._compare(self.interpreter.sent(), [engine.sent() for engine in self.engines])

    def hears(self, frame: bytes) -> None:
        answers = [engine.receive(frame, self.now) for engine in self.engines]
        self._compare(self.interpreter.receive(frame, self.now), answers)

    def opens(self, **fields: object) -> None:
        link = {"Ether.src": OUR_MAC, "Ether.dst": PEER_MAC}
        link |= (
            {"IPv6.src": OURS_6, "IPv6.dst": PEER_6}
            if self.version == 6
            else {"IP.src": OURS, "IP.dst": PEER}
        )
        given = {**link, **{name.replace("_", "."): value for name, value in fields.items()}}
        opened = [engine.start(given, self.now) for engine in self.engines]
        self._compare(self.interpreter.start(given, self.now), opened)

    def answers(self, flags: str, seq: int, ack: int, data: bytes, window: int) -> None:
        """Sends the peer's answer to the last segment."""
        if self.last is None or TCP not in Ether(self.last):
            return
        sent = Ether(self.last)[TCP]
        length = len(sent.payload) + ("S" in sent.flags) + ("F" in sent.flags)
        numbers = {"seq": (sent.ack + seq) % 2**32, "ack": (sent.seq + length + ack) % 2**32}
        tcp = TCP(sport=sent.dport, dport=sent.sport, flags=flags, window=window, **numbers)
        self.hears(bytes(NETWORKS[self.version] / tcp / Raw(data)))

    def _compare(self, expected: list[bytes], sent: list[list[bytes]]) -> None:
        # Flows that are due in one microsecond have no order between them.
        for packets in sent:
            assert sorted(packets) == sorted(expected)
        self.last = sent[0][-1] if expected else self.last

    def agree(self) -> None:
        counted = {name: count for name, count in self.interpreter.counters.items() if count}
        kept = {
            b"".join(
                value.to_bytes((bits + 7) // 8, "big") for value, bits in zip(key, self._bits(), strict=True)
            ).hex(): dict(item for table, layer in enumerate(flow.layers) for item in _kept(table, layer))
            for key, flow in self.interpreter.flows.items()
        }
        for engine in self.engines:
            assert {name: count for name, count in engine.counters.items() if count} == counted
            assert engine.variables() == kept

    def _bits(self) -> list[int]:
        layout = self.interpreter._scopes[0].layout
        return [layout.places[name].bits for key in self.interpreter.protocol.layers[0].flow for name in key]


def _kept(table: int, layer: Layer) -> list[tuple[str, int]]:
    """The state that registers hold for a flow, by name and bits."""
    protocol = layer.protocol
    values = dict(layer.variables) | {name: due % 2**32 for name, due in layer.timers.items()}
    if len(protocol.states) > 1:
        values["state"] = protocol.states.index(layer.state)
    if protocol.messages:
        values["message"] = (
            [message.name for message in protocol.messages].index(layer.message) + 1 if layer.message else 0
        )
    for scanner in protocol.scanners:
        at = layer.progress.get(scanner.name, ScanProgress())
        values[scanner.name] = at.state | at.reading << 10 | at.count << 17
    return [(f"{table} {name}", value) for name, value in values.items()]


@pytest.mark.parametrize("name", names("protocols"))
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=st.lists(st.tuples(WAITS, frames(st.one_of(segments(), others()))), max_size=12))
def test_frames_that_follow_no_rule(name: str, steps: list[tuple[int, bytes]]) -> None:
    pair = Pair(name)
    for wait, frame in steps:
        pair.waits(wait)
        pair.hears(frame)
    pair.agree()


@pytest.mark.parametrize("ip_version", [4, 6])
@pytest.mark.parametrize("name", ["tcp-client", "tcp-server", "http-client", "http-server"])
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(steps=st.lists(st.tuples(WAITS, answers()), max_size=15))
def test_answers_that_are_nearly_right(
    name: str, ip_version: int, steps: list[tuple[int, tuple[str, int, int, bytes, int]]]
) -> None:
    pair = Pair(name, ip_version)
    if name.endswith("client"):
        pair.opens(TCP_sport=1000, TCP_dport=80)
    else:
        syn = TCP(sport=1000, dport=80, flags="S", seq=2**32 - 20, options=SYN_OPTIONS)
        pair.hears(bytes(NETWORKS[ip_version] / syn))
    for wait, answer in steps:
        pair.waits(wait)
        pair.answers(*answer)
        pair.agree()
    pair.waits(10_000_000)
    pair.agree()


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(pieces=st.lists(st.tuples(st.integers(0, 150), st.integers(1, 100)), max_size=12))
def test_pieces_of_a_stream_in_any_order(pieces: list[tuple[int, int]]) -> None:
    """Each byte counts once in the end, whatever came before its turn, twice or in parts."""
    pair = Pair("tcp-server")
    first = 2**32 - 100
    pair.hears(bytes(IPV4 / TCP(sport=1000, dport=80, flags="S", seq=first - 1, options=SYN_OPTIONS)))
    assert pair.last is not None
    ack = Ether(pair.last)[TCP].seq + 1
    for begin, size in [*pieces, (0, 150), (150, 100)]:
        tcp = TCP(sport=1000, dport=80, flags="A", seq=(first + begin) % 2**32, ack=ack)
        pair.hears(bytes(IPV4 / tcp / Raw(b"x" * size)))
        pair.agree()
    assert pair.interpreter.counters["bytes_received"] == 250
