# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The engine speaks protocols with itself: clients on p1, servers on p2, through rings."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from ipaddress import IPv4Address
from typing import Any

import grpc
import pytest
from scapy.layers.inet import ICMP, IP
from scapy.layers.l2 import Dot1Q, Ether

from TesterLibrary._generated.tester.v1 import (
    capture_pb2,
    control_pb2,
    control_pb2_grpc,
    counters_pb2,
    plan_pb2,
    protocol_pb2,
    responder_pb2,
)
from TesterLibrary.measurement.captured_frames import frames_of
from TesterLibrary.planning.engine.table import FlatTable, flat_table
from TesterLibrary.protocols.checker import load_protocol
from TesterLibrary.targets.engine.address import open_channel
from TesterLibrary.targets.engine.convert_capture import frames_value
from TesterLibrary.targets.engine.process import EngineProcess

CLIENT_MAC, SERVER_MAC = bytes.fromhex("020000000001"), bytes.fromhex("020000000002")
CLIENTS, SERVER = IPv4Address("198.18.0.10"), IPv4Address("198.18.1.2")
QUICK = {"linger": 0, "rto": "5 ms"}
_PATIENCE_S = 30.0


def address(first: bytes, count: int = 1, *, every: int = 1) -> responder_pb2.Address:
    """Ascending by one."""
    return responder_pb2.Address(first=first, step=1, count=count, every=every)


class Session:
    """Jobs of one engine, and what their responders have counted, by name."""

    def __init__(self, process: EngineProcess) -> None:
        self._channel = open_channel(process.address, None)
        self.stub = control_pb2_grpc.TesterStub(self._channel)
        self._tables: dict[str, FlatTable] = {}
        self._jobs: list[str] = []

    def close(self) -> None:
        if self._jobs:
            self.stub.Unload(control_pb2.UnloadRequest(jobs=self._jobs))
        self._channel.close()

    def responder(
        self, name: str, protocol: str, parameters: Mapping[str, object], **fields: Any
    ) -> responder_pb2.Responder:
        """A responder, on p2 unless the fields say otherwise."""
        self._tables[name] = flat = flat_table(load_protocol(protocol), parameters)
        capacity = {"flow_capacity": 1000} if len(flat.protocol.layers[0].states) > 1 else {}
        values = {"port": "p2", "seed": 1, **capacity, **fields}
        return responder_pb2.Responder(name=name, protocol=flat.message, **values)

    def clients(self, parameters: Mapping[str, object], **changes: Any) -> responder_pb2.Responder:
        """HTTP, on p1: ten stations with as many ports as it takes."""
        flows = changes.pop("flows", 400)
        opening = responder_pb2.Opening(
            flows=flows,
            addresses=[
                address(CLIENTS.packed, 10),
                address(SERVER.packed),
                address((1024).to_bytes(2, "big"), 60_000, every=10),
                address((80).to_bytes(2, "big")),
            ],
            source_mac=address(CLIENT_MAC),
            destination_mac=address(SERVER_MAC),
            **{"connections": 20, **changes},
        )
        responder = self.responder("clients", "http-client", {"listen": 0, **QUICK, **parameters}, port="p1")
        opening.failures.extend(self._tables["clients"].failures)
        responder.opening.CopyFrom(opening)
        return responder

    def load(self, job: str, *responders: responder_pb2.Responder) -> None:
        self.stub.Load(control_pb2.LoadRequest(job=plan_pb2.Job(name=job, responders=responders)))
        self._jobs.append(job)

    def start(self, *jobs: str, duration_ns: int = 0) -> None:
        self.stub.Start(control_pb2.StartRequest(jobs=jobs, duration_ns=duration_ns))

    def wait(self, job: str) -> None:
        """Waits until the job has nothing to open any more, and what it opened has ended."""
        request = control_pb2.WaitRequest(jobs=[job], interval_ns=10_000_000)
        *_, last = self.stub.Wait(request, timeout=_PATIENCE_S)
        assert not last.sending

    def read(self, name: str) -> counters_pb2.EndCounters:
        snapshot = self.stub.TakeSnapshot(control_pb2.TakeSnapshotRequest(jobs=self._jobs))
        return next(responder for responder in snapshot.responders if responder.name == name)

    def until(self, name: str, holds: Callable[[counters_pb2.EndCounters], bool]) -> counters_pb2.EndCounters:
        """The counters of a responder when they are as awaited, or the last ones after 30 s."""
        deadline = time.monotonic() + _PATIENCE_S
        while not holds(counters := self.read(name)) and time.monotonic() < deadline:
            time.sleep(0.01)
        return counters

    def counters(self, name: str) -> dict[str, int]:
        """Counters that are not 0, by table and name."""
        names = self._tables[name].counters
        return {
            ".".join(path): value
            for path, value in zip(names, self.read(name).counters, strict=True)
            if value
        }


REQUEST = "GET /0000001024 HTTP/1.1\r\nHost: tester-000\r\nUser-Agent: TesterLibrary\r\n\r\n"


@pytest.fixture
def session(engine: EngineProcess) -> Iterator[Session]:
    session = Session(engine)
    yield session
    session.close()


def test_transactions_complete_and_leave_no_flow(session: Session) -> None:
    session.load("http", session.responder("server", "http-server", {}), session.clients({}, total=600))
    session.start("http")
    session.wait("http")
    clients, server = session.read("clients"), session.read("server")
    # A machine that pauses the tester makes it repeat segments, of which the other end already has the first.
    repeats = ("tcp.retransmitted", "tcp.unexpected")
    assert {name: value for name, value in session.counters("clients").items() if name not in repeats} == {
        "tcp.attempted": 600,
        "tcp.established": 600,
        "tcp.closed": 600,
        "tcp.bytes_received": session.counters("clients")["tcp.bytes_received"],
        "tcp.bytes_delivered": 600 * len(REQUEST),
        "http-client.requests": 600,
        "http-client.completed": 600,
        "http-client.verified": 600 * 1024,
        "http-client.finished": 600,
    }
    counted = session.counters("server")
    assert (counted["tcp.established"], counted["http-server.responses"]) == (600, 600)
    assert counted["tcp.bytes_delivered"] == session.counters("clients")["tcp.bytes_received"]
    assert (clients.openings, clients.flows_begun, clients.flows_ended, clients.flows) == (600, 600, 600, 0)
    assert clients.most_flows == 20
    assert (clients.rx_packets, clients.rx_bytes) == (server.tx_packets, server.tx_bytes)
    assert (server.rx_packets, server.flows) == (clients.tx_packets, 0)
    for counters in (clients, server):
        assert counters.answering
        assert not counters.opening
        assert (counters.malformed, counters.flows_failed, counters.endless, counters.not_sent) == (
            0,
            0,
            0,
            0,
        )
    times = clients.histograms[list(session._tables["clients"].histograms).index(("tcp", "time_to_open"))]
    assert times.count == sum(bucket.count for bucket in times.buckets) == 600
    assert 0 < times.min_us <= times.sum_us / 600 <= times.max_us


def test_flows_live_through_other_jobs_and_statistics_through_a_stop(session: Session) -> None:
    session.load("http", session.responder("server", "http-server", {}), session.clients({"size": 20_000}))
    session.start("http")
    for number in range(5):
        other = f"other {number}"
        session.load(other, session.responder("echo", "icmp-echo", {}))
        session.start(other)
        session.stub.Unload(control_pb2.UnloadRequest(jobs=[session._jobs.pop()]))
    assert session.until("clients", lambda end: end.flows_begun > 20).flows_failed == 0
    session.stub.Stop(control_pb2.StopRequest(jobs=["http"]))
    before = session.read("clients"), session.read("server")
    assert not before[0].answering
    assert before[0].flows_begun > 20
    time.sleep(0.05)
    assert (session.read("clients"), session.read("server")) == before


def test_what_fails_is_not_opened_again_unless_told_so(session: Session) -> None:
    """Nobody answers: eight more tries, then it has timed out."""
    quick = {"rto": 200}
    session.load("http", session.clients(quick))
    session.start("http")
    session.wait("http")
    counters = session.read("clients")
    assert (counters.openings, counters.flows_failed, counters.flows) == (20, 20, 0)
    assert session.counters("clients")["tcp.timed_out"] == 20
    assert session.counters("clients")["tcp.retransmitted"] == 20 * 8
    session.load("again", session.clients(quick, total=60, reopen="REOPEN_ALWAYS"))
    session.stub.Unload(control_pb2.UnloadRequest(jobs=[session._jobs.pop(0)]))
    session.start("again")
    session.wait("again")
    assert session.read("clients").flows_failed == 60


def test_openings_keep_their_rate_and_end_with_the_time(session: Session) -> None:
    rate = responder_pb2.OpeningRate(openings=1, nanoseconds=1_000_000)
    session.load("http", session.responder("server", "http-server", {}), session.clients({}, rate=rate))
    session.start("http", duration_ns=300_000_000)
    session.wait("http")
    counters = session.read("clients")
    assert 1 <= counters.openings <= 300
    assert counters.openings + counters.put_off > 200
    assert not counters.opening


def test_its_own_addresses_are_answered_with_the_tag_that_they_have(session: Session) -> None:
    echo = session.responder("echo", "icmp-echo", {}, vlan=7)
    echo.accepts.add(
        field=protocol_pb2.Field(header=1, offset=128, bits=32),
        first=SERVER.packed,
        step=2,
        count=2,
    )
    peer = session.responder("peer", "icmp-echo", {}, port="p1", vlan=7)
    session.load("echo", echo, peer)
    session.start("echo")
    frames = [
        Ether(src=CLIENT_MAC, dst=SERVER_MAC) / tag / IP(src=str(CLIENTS), dst=str(SERVER + up)) / ICMP()
        for tag, up in ((Dot1Q(vlan=7), 0), (Dot1Q(vlan=7), 1), (Dot1Q(vlan=7), 2), (Dot1Q(vlan=8), 0))
    ]
    session.stub.Inject(control_pb2.InjectRequest(port="p1", frames=[bytes(frame) for frame in frames]))
    session.until("peer", lambda end: end.rx_packets >= 2)
    assert session.counters("echo") == {"icmp-echo.answered": 2}
    assert session.counters("peer") == {"icmp-echo.ignored": 2}
    assert session.read("echo").tx_bytes == 2 * 64
    session.stub.Stop(control_pb2.StopRequest(jobs=["echo"]))
    session.stub.Inject(control_pb2.InjectRequest(port="p1", frames=[bytes(frames[0])]))
    time.sleep(0.05)
    assert session.read("echo").rx_packets == 2


def test_a_responder_leaves_frames_of_streams_as_they_are(session: Session) -> None:
    """Over rings what arrives is the sender's own buffer, and holds what the next frame is made of."""
    echo = session.responder("echo", "icmp-echo", {}, vlan=7)
    echo.accepts.add(
        field=protocol_pb2.Field(header=1, offset=128, bits=32), first=SERVER.packed, step=1, count=1
    )
    session.load("echo", echo)
    session.start("echo")
    frames = [
        bytes(
            Ether(src=CLIENT_MAC, dst=SERVER_MAC)
            / Dot1Q(vlan=7, prio=5, dei=1)
            / IP(src=str(CLIENTS), dst=str(SERVER + up))
            / ICMP()
        ).ljust(60, b"\0")
        for up in (0, 1)  # the responder's, and nobody's
    ]
    steady = plan_pb2.Steady(tick=plan_pb2.Rate(packets=1, nanoseconds=20_000))
    streams = [
        plan_pb2.Stream(
            id=number,
            tx_port="p1",
            rx_port="p2",
            frames=[frame],
            departures=plan_pb2.Departures(steady=steady),
        )
        for number, frame in enumerate(frames, 1)
    ]
    session.stub.Load(control_pb2.LoadRequest(job=plan_pb2.Job(name="streams", streams=streams)))
    session._jobs.append("streams")
    capture = capture_pb2.Capture(
        name="sent", ports=["p1"], direction="DIRECTION_TRANSMITTED", frames=60_000, snap_length=60
    )
    session.stub.StartCapture(capture_pb2.StartCaptureRequest(capture=capture))
    session.stub.Start(control_pb2.StartRequest(jobs=["streams"], packets_per_stream=10_000))
    *_, last = session.stub.Wait(control_pb2.WaitRequest(jobs=["streams"]), timeout=_PATIENCE_S)
    time.sleep(0.1)
    session.stub.StopCapture(capture_pb2.StopCaptureRequest(name="sent"))
    chunks = session.stub.ReadCapture(capture_pb2.ReadCaptureRequest(name="sent"))
    sent = Counter(frame.octets for frame in frames_of(map(frames_value, chunks)))
    session.stub.ForgetCapture(capture_pb2.ForgetCaptureRequest(name="sent"))
    assert last.tx_packets == 20_000
    assert sent == dict.fromkeys(frames, 10_000)


def test_a_time_beyond_all_times_is_not_over_at_once(session: Session) -> None:
    session.load("http", session.responder("server", "http-server", {}), session.clients({}))
    session.start("http", duration_ns=2**64 - 1)
    counters = session.until("clients", lambda end: end.openings > 400)
    assert counters.opening
    assert counters.openings > 400


def test_a_full_table_answers_nobody_else(session: Session) -> None:
    server = session.responder("server", "http-server", {}, flow_capacity=5)
    session.load("http", server, session.clients({"rto": "1 ms", "requests": 60_000}))
    session.start("http")
    server_end = session.until("server", lambda end: end.full > 0)
    assert server_end.flows == 5
    assert server_end.full > 0


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda end: end.protocol.rows[0].__setattr__("to", 200), ["state 200 of 11"]),
        (lambda end: end.protocol.tables[0].order.append(60_000), ["table 0", "row 60000"]),
        (lambda end: end.protocol.registers[0].__setattr__("bits", 500), ["register 0", "500 bits"]),
        (lambda end: end.__setattr__("flow_capacity", 0), ["flow_capacity 0", "1 to"]),
        (lambda end: end.__setattr__("vlan", 5000), ["vlan 5000", "0 to 4094"]),
        (lambda end: end.opening.__setattr__("connections", 401), ["connections 401", "1 to 400"]),
        (lambda end: end.opening.__setattr__("first_flow", 400), ["first_flow 400", "0 to 399"]),
        (lambda end: end.opening.addresses.pop(), ["3 addresses", "4 fields"]),
        (lambda end: end.opening.failures.append(999), ["failure 999"]),
        (lambda end: end.protocol.expressions[0].terms.pop(), ["terms of an expression: 0"]),
    ],
)
def test_what_is_wrong_is_refused_with_where_and_what_is_allowed(
    session: Session, change: Any, words: list[str]
) -> None:
    responder = session.clients({})
    change(responder)
    with pytest.raises(grpc.RpcError) as error:
        session.stub.Load(control_pb2.LoadRequest(job=plan_pb2.Job(name="bad", responders=[responder])))
    said = error.value.details()
    assert error.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    for word in ('job "bad", responder "clients"', *words):
        assert word in said
    session.load("bad", session.clients({}))  # nothing has changed


def test_a_responder_that_answers_is_not_started_again(session: Session) -> None:
    session.load("echo", session.responder("echo", "icmp-echo", {}))
    session.start("echo")
    with pytest.raises(grpc.RpcError, match='responder "echo" of job "echo" answers already'):
        session.start("echo")
