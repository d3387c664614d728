# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The behaviour of responders and clients on every target: `proto/tester/v1/responder.proto`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.errors import PlanError
from TesterLibrary.files.paths import resource
from TesterLibrary.measurement.sessions import SessionStatistics
from TesterLibrary.measurement.snapshot import Snapshot
from TesterLibrary.model.endpoints import AddressRange, Endpoints
from TesterLibrary.model.job import Job
from TesterLibrary.model.plan.plan import Plan
from TesterLibrary.model.responder import Clients, End, Reopen, Responder
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.planning.compile import compile as compile_job
from TesterLibrary.planning.ends import asked_for
from TesterLibrary.targets.engine.client import EngineTarget

from .rig import Rig

SERVICE = Endpoints.parse("198.18.0.3:80")
FAR = "p2"
HEAD = (
    "HTTP/1.1 200 OK\r\nServer: TesterLibrary\r\nContent-Type: application/octet-stream\r\n"
    "Content-Length:          0\r\n\r\n"
)


class Sessions:
    """Jobs of ends on a rig, one end a job."""

    def __init__(self, rig: Rig) -> None:
        self.rig = rig
        self._plans: dict[str, Plan] = {}

    def plan(self, end: End) -> Plan:
        far = self.rig.ports[FAR].mac
        macs = {(s.port.name, address): far for s, address in asked_for(end, self.rig.ports)}
        job = Job(end.name, ends=(end,))
        return compile_job(job, ports=self.rig.ports, gateways={}, max_streams=1, neighbours=macs)

    def load(self, end: End) -> None:
        plan = self.plan(end)
        self.rig.load(plan)
        self._plans[end.name] = plan

    def start(self, *ends: End) -> None:
        for end in ends:
            self.load(end)
            self.rig.target.start([end.name])

    def read(self, name: str, snapshot: Snapshot | None = None) -> SessionStatistics:
        snapshot = snapshot or self.rig.target.snapshot([name])
        (planned,) = self._plans[name].ends
        return SessionStatistics.of(planned.protocol, snapshot.end(name, name), 10**9)

    def until(self, name: str, holds: Callable[[SessionStatistics], bool]) -> SessionStatistics:
        """The first statistics that are so; the last ones after some seconds, for a test to complain of."""
        for _ in range(300):
            if holds(self.read(name)):
                break
            self.rig.pass_time(0.02)
        return self.read(name)


# Of sessions, that is: tables over one another, timers, windows.
not_on_a_switch = pytest.mark.refused_by("tofino", match="not on tofino: tables over one another")


@pytest.fixture
def sessions(rig: Rig) -> Sessions:
    return Sessions(rig)


def server(protocol: str = "http-server", **given: Any) -> Responder:
    return Responder(name="web", port=FAR, protocol=protocol, **{"servers": SERVICE, **given})


def clients(protocol: str = "http-client", parameters: dict[str, Any] | None = None, **given: Any) -> Clients:
    values = {**({} if protocol == "syn-flood" else {"linger": 0}), **(parameters or {})}
    return Clients(
        name="users", port="p1", protocol=protocol, **{"target": SERVICE, "parameters": values, **given}
    )


@pytest.mark.parametrize("changed", [False, True], ids=["shipped", "own"])
def test_tables_that_an_engine_has_no_code_for_are_called_interpreted(
    sessions: Sessions, tmp_path: Path, changed: bool
) -> None:
    """The other targets have one way to run tables only, and say nothing of it."""
    shipped = resource("protocols", "http-get").read_text()
    mine = tmp_path / "mine.yaml"
    mine.write_text(shipped.replace("do: [send: fin_ack], note", "do: [count: closed, send: fin_ack], note"))
    assert mine.read_text() != shipped
    sessions.load(server(str(mine) if changed else "http-get"))
    expected = changed if isinstance(sessions.rig.target, EngineTarget) else None
    assert sessions.read("web").interpreted is expected


@pytest.mark.refused_by("tofino", match="built without push")
def test_acknowledgements_ask_for_the_next_segment(sessions: Sessions) -> None:
    """A protocol that keeps nothing feeds a client for as long as that acknowledges (norma section 9.1)."""
    sessions.start(server("push"), clients("tcp-client", parameters={"size": 0, "hold": "30 s"}, total=1))
    received = sessions.until("users", lambda s: s.bytes_received >= 10 * 1460).bytes_received
    assert received >= 10 * 1460
    assert received % 1460 == 0
    counted = sessions.read("web")
    assert counted.count("opened") == 1
    assert counted.count("pushed") >= received // 1460


@not_on_a_switch
@pytest.mark.parametrize("size", [0, 1, 1460, 100_000])
def test_requests_are_answered_to_the_byte(sessions: Sessions, size: int) -> None:
    sessions.start(server(), clients(parameters={"size": size}, total=3))
    counted = sessions.until("users", lambda s: s.ended == 3)
    assert (counted.attempted, counted.established, counted.completed, counted.transactions) == (3, 3, 3, 3)
    assert (counted.failed, counted.count("reset"), counted.count("timed_out")) == (0, 0, 0)
    assert counted.bytes_received == 3 * (len(HEAD) + size)
    asked = sessions.until("web", lambda s: s.ended == 3)
    assert (asked.established, asked.transactions, asked.count("requests")) == (3, 3, 3)
    assert (asked.bytes_delivered, counted.bytes_delivered) == (counted.bytes_received, asked.bytes_received)


@not_on_a_switch
def test_times_are_measured_for_each_connection(sessions: Sessions) -> None:
    sessions.start(server(), clients(total=5))
    counted = sessions.until("users", lambda s: s.ended == 5)
    for name in ("time_to_open", "time_to_first_byte", "time_to_last_byte"):
        times = sessions.read("users").times(name)
        assert times.count == 5
        assert times.min is not None
        assert times.max is not None
        assert 0 <= times.min <= times.max < 5 * 10**9
    assert counted.times("time_to_last_byte").max >= counted.times("time_to_first_byte").min  # type: ignore[operator]


@not_on_a_switch
def test_many_requests_on_a_connection(sessions: Sessions) -> None:
    sessions.start(server(), clients(parameters={"requests": 20, "size": 3000}, total=2, connections=2))
    counted = sessions.until("users", lambda s: s.ended == 2)
    assert (counted.established, counted.transactions, counted.completed) == (2, 40, 2)


@not_on_a_switch
def test_connections_are_kept_up_and_reopened_when_they_end_well(sessions: Sessions) -> None:
    sessions.start(server(), clients(connections=4, rate=Frequency(Fraction(500))))
    counted = sessions.until("users", lambda s: s.completed >= 20)
    assert counted.completed >= 20
    assert counted.most_concurrent <= 4
    assert counted.failed == 0


@not_on_a_switch
def test_openings_keep_to_their_rate_and_their_total(sessions: Sessions) -> None:
    sessions.start(server(), clients(connections=50, rate=Frequency(Fraction(200)), total=30))
    sessions.rig.pass_time(0.05)
    assert 1 <= sessions.read("users").openings <= 30
    counted = sessions.until("users", lambda s: s.ended == 30)
    assert (counted.openings, counted.ended, counted.put_off) == (30, 30, 0)
    sessions.rig.pass_time(0.05)
    assert sessions.read("users").openings == 30


@not_on_a_switch
@pytest.mark.parametrize(
    ("reopen", "least", "most"), [(Reopen.ENDED_WELL, 3, 3), (Reopen.NEVER, 3, 3), (Reopen.ALWAYS, 10, 10**6)]
)
def test_refused_connections_are_not_reopened_unless_told_so(
    sessions: Sessions, reopen: Reopen, least: int, most: int
) -> None:
    sessions.start(server("tcp-server", parameters={"listen": 0}))
    sessions.start(clients("tcp-client", connections=3, reopen=reopen, rate=Frequency(Fraction(1000))))
    sessions.until("users", lambda s: s.count("tcp.refused") >= least)
    sessions.rig.pass_time(0.1)
    counted = sessions.read("users")
    assert least <= counted.count("tcp.refused") <= most
    assert counted.failed == counted.count("tcp.refused")
    assert (counted.established, counted.completed) == (0, 0)


@not_on_a_switch
def test_streams_of_tcp_arrive_whole(sessions: Sessions) -> None:
    sessions.start(server("tcp-server", parameters={"size": 70_000}))
    sessions.start(clients("tcp-client", {"size": 50_000}, total=2, connections=2))
    assert sessions.until("users", lambda s: s.ended == 2).bytes_received == 2 * 70_000
    web = sessions.until("web", lambda s: s.ended == 2)
    assert (web.bytes_received, web.bytes_delivered) == (2 * 50_000, 2 * 70_000)


@not_on_a_switch
def test_a_connection_is_held_open(sessions: Sessions) -> None:
    sessions.start(server("tcp-server"), clients("tcp-client", {"size": 0, "hold": "1000 s"}, connections=20))
    counted = sessions.until("users", lambda s: s.established == 20)
    assert (counted.concurrent, counted.most_concurrent, counted.ended) == (20, 20, 0)
    assert sessions.read("web").concurrent == 20


@not_on_a_switch
def test_a_syn_flood_keeps_nothing_here_and_half_open_flows_there(sessions: Sessions) -> None:
    sessions.start(server("tcp-server"), clients("syn-flood", rate=None, total=100))
    counted = sessions.until("users", lambda s: s.count("answered") >= 100)
    assert (counted.attempted, counted.count("answered"), counted.concurrent) == (100, 100, 0)
    half_open = sessions.read("web")
    assert (half_open.concurrent, half_open.established) == (100, 0)


@not_on_a_switch
def test_a_flood_that_resets_leaves_no_flow(sessions: Sessions) -> None:
    sessions.start(server("tcp-server"), clients("syn-flood", {"resets": 1}, total=50))
    counted = sessions.until("web", lambda s: s.count("tcp.reset") >= 50)
    assert (counted.count("tcp.reset"), counted.concurrent, counted.ended) == (50, 0, 50)


@not_on_a_switch
def test_a_full_table_turns_others_away(sessions: Sessions) -> None:
    sessions.start(server("tcp-server", flows=10), clients("syn-flood", total=25))
    counted = sessions.until("web", lambda s: s.full >= 15)
    assert (counted.concurrent, counted.full) == (10, 15)


@not_on_a_switch
def test_what_is_for_other_addresses_and_ports_is_not_answered(sessions: Sessions) -> None:
    sessions.start(server(servers=Endpoints.parse("198.18.0.3:8080")))
    sessions.start(clients(total=2, connections=2, parameters={"rto": "50 ms"}))
    sessions.rig.pass_time(0.1)
    counted = sessions.read("users")
    assert (counted.openings, counted.established, counted.concurrent) == (2, 0, 2)
    assert sessions.read("web").rx_packets == 0


@not_on_a_switch
def test_several_responders_share_a_port(sessions: Sessions) -> None:
    other = replace(server(servers=Endpoints.parse("198.18.0.3:8080")), name="other")
    sessions.start(server(), other, clients(total=2, target=Endpoints.parse("198.18.0.3:8080")))
    assert sessions.until("users", lambda s: s.ended == 2).completed == 2
    assert sessions.read("web").rx_packets == 0
    assert sessions.until("other", lambda s: s.ended == 2).transactions == 2


@not_on_a_switch
def test_several_addresses_on_either_side(sessions: Sessions) -> None:
    servers = Endpoints.parse("198.18.0.20-198.18.0.23:80")
    users = Endpoints.parse("198.18.0.100-198.18.0.103:2000-2001")
    sessions.start(server(servers=servers), clients(target=servers, sources=users, total=24, connections=8))
    counted = sessions.until("users", lambda s: s.ended == 24)
    assert (counted.completed, counted.failed) == (24, 0)


@not_on_a_switch
def test_tagged_frames(sessions: Sessions) -> None:
    sessions.start(server(vlan=100), clients(vlan=100, total=2))
    assert sessions.until("users", lambda s: s.ended == 2).completed == 2


@not_on_a_switch
def test_frames_without_the_tag_are_not_taken(sessions: Sessions) -> None:
    sessions.start(server(vlan=100), clients(total=1))
    sessions.rig.pass_time(0.1)
    assert sessions.read("users").established == 0
    assert sessions.read("web").rx_packets == 0


@not_on_a_switch
def test_a_stopped_responder_is_silent_and_its_counters_stay(sessions: Sessions) -> None:
    sessions.start(server(), clients(total=3))
    sessions.until("web", lambda s: s.ended == 3)
    sessions.rig.target.stop(["web"])
    stopped = sessions.rig.target.snapshot(["web"]).end("web", "web")
    assert (stopped.answering, stopped.flows_ended) == (False, 3)
    sessions.start(replace(clients(total=1), name="late"))
    sessions.rig.pass_time(0.1)
    assert sessions.read("late").established == 0
    assert replace(sessions.rig.target.snapshot(["web"]).end("web", "web")) == stopped


HOLDING = {"size": 0, "hold": "60 s"}


@not_on_a_switch
@pytest.mark.parametrize("opened", [1, 400])
def test_a_stop_ends_what_is_open_and_counts_it_apart(sessions: Sessions, opened: int) -> None:
    sessions.start(server("tcp-server"), clients("tcp-client", HOLDING, total=opened, connections=opened))
    sessions.until("web", lambda s: s.concurrent == s.established == opened)
    sessions.rig.target.stop(["users"])
    counted = sessions.read("users")
    assert (counted.stopped, counted.concurrent) == (opened, 0)
    assert (counted.begun, counted.ended, counted.failed, counted.completed) == (opened, 0, 0, 0)
    ended = sessions.until("web", lambda s: s.concurrent == 0)
    assert (ended.concurrent, ended.count("reset"), ended.stopped) == (0, opened, 0)


@not_on_a_switch
def test_servers_end_what_is_open_too(sessions: Sessions) -> None:
    sessions.start(server("tcp-server"), clients("tcp-client", HOLDING, total=30, connections=30))
    sessions.until("users", lambda s: s.established == 30)
    sessions.rig.target.stop(["web"])
    assert (sessions.read("web").stopped, sessions.read("web").failed) == (30, 0)
    counted = sessions.until("users", lambda s: s.concurrent == 0)
    assert (counted.count("reset"), counted.failed, counted.stopped) == (30, 30, 0)


@not_on_a_switch
def test_what_is_abandoned_stays_open_at_the_other_end(sessions: Sessions) -> None:
    sessions.start(server("tcp-server"), clients("tcp-client", HOLDING, total=30, connections=30))
    sessions.until("web", lambda s: s.concurrent == s.established == 30)
    sessions.rig.target.stop(["users"], abandon=True)
    sessions.rig.pass_time(0.3)
    counted = sessions.read("users")
    assert (counted.stopped, counted.concurrent, counted.ended) == (0, 30, 0)
    assert (sessions.read("web").concurrent, sessions.read("web").count("reset")) == (30, 0)


@not_on_a_switch
def test_what_is_unloaded_sends_nothing_more(sessions: Sessions) -> None:
    """A client that was killed is cleared away at once."""
    sessions.start(server("tcp-server"), clients("tcp-client", HOLDING, total=30, connections=30))
    sessions.until("web", lambda s: s.concurrent == s.established == 30)
    sessions.rig.target.unload(["users"])
    sessions.rig.pass_time(0.3)
    assert (sessions.read("web").concurrent, sessions.read("web").count("reset")) == (30, 0)


@not_on_a_switch
def test_a_half_open_connection_is_withdrawn(sessions: Sessions) -> None:
    """Nobody answers, so no reset is answered either; the stop does not wait for ever."""
    sessions.start(clients("tcp-client", HOLDING, total=3, connections=3))
    sessions.until("users", lambda s: s.openings == 3)
    sent = sessions.until("users", lambda s: s.tx_packets >= 3).tx_packets
    sessions.rig.target.stop(["users"])
    counted = sessions.read("users")
    assert (counted.stopped, counted.concurrent, counted.failed) == (3, 0, 0)
    assert counted.tx_packets >= sent + 3


@not_on_a_switch
def test_a_start_begins_with_nothing(sessions: Sessions) -> None:
    sessions.start(server(), clients(total=3))
    sessions.until("users", lambda s: s.ended == 3)
    sessions.rig.target.stop(["users"])
    sessions.rig.target.start(["users"])
    counted = sessions.until("users", lambda s: s.ended == 3)
    assert (counted.openings, counted.completed) == (3, 3)


@not_on_a_switch
def test_what_answers_is_not_started_again(sessions: Sessions) -> None:
    sessions.start(server())
    with pytest.raises(PlanError, match="answer"):
        sessions.rig.target.start(["web"])


@not_on_a_switch
def test_an_unloaded_responder_is_forgotten(sessions: Sessions) -> None:
    sessions.start(server())
    sessions.rig.target.unload(["web"])
    with pytest.raises(PlanError, match="web"):
        sessions.rig.target.snapshot(["web"])
    sessions.start(server())


@not_on_a_switch
def test_ports_count_the_frames_of_responders(sessions: Sessions) -> None:
    before = sessions.rig.target.snapshot()
    sessions.start(server(), clients(total=2))
    sessions.until("web", lambda s: s.ended == 2)
    users, web = sessions.read("users"), sessions.read("web")
    after = sessions.rig.target.snapshot()
    assert after.port("p1").tx_packets - before.port("p1").tx_packets == users.tx_packets == web.rx_packets
    assert after.port(FAR).tx_bytes - before.port(FAR).tx_bytes == web.tx_bytes == users.rx_bytes


def test_arp_is_answered_for_a_range(sessions: Sessions) -> None:
    neighbours = Responder(
        name="web", port=FAR, protocol="arp", answers_for=AddressRange.parse("198.18.0.64/26")
    )
    sessions.start(neighbours)
    near = sessions.rig.ports["p1"]
    assert near.address is not None
    for host in ("198.18.0.65", "198.18.0.126"):
        address = AddressRange.parse(host).first
        mac = sessions.rig.target.frames.resolve("p1", address, source=near.address.ip, source_mac=near.mac)
        assert mac == sessions.rig.ports[FAR].mac
    assert sessions.read("web").count("answered") >= 2


def test_arp_for_others_is_left_to_others(sessions: Sessions) -> None:
    """A responder takes only questions, and of these only those for its addresses."""
    rig, (first, second) = sessions.rig, ("198.18.0.64/26", "198.18.0.128/26")
    for name, addresses in (("web", first), ("more", second)):
        answers_for = AddressRange.parse(addresses)
        sessions.start(Responder(name=name, port=FAR, protocol="arp", answers_for=answers_for))
    near, far = rig.ports["p1"], rig.ports[FAR]
    assert near.address is not None
    for asked in ("198.18.0.70", "198.18.0.130"):
        address = AddressRange.parse(asked).first
        found = rig.target.frames.resolve("p1", address, source=near.address.ip, source_mac=near.mac)
        assert found == far.mac
    for counted in map(sessions.read, ("web", "more")):
        assert counted.count("answered") >= 1
        assert counted.count("ignored") == 0


def test_a_responder_leaves_answers_to_those_who_asked(sessions: Sessions) -> None:
    """Also those for one of its addresses."""
    rig, asking = sessions.rig, AddressRange.parse("198.18.0.64/26")
    for port in ("p1", FAR):
        answers_for = AddressRange.parse("198.18.0.1-198.18.0.9" if port == "p1" else str(asking))
        sessions.start(Responder(name=port, port=port, protocol="arp", answers_for=answers_for))
    wanted = AddressRange.parse("198.18.0.9").first
    found = rig.target.frames.resolve(FAR, wanted, source=asking.first, source_mac=rig.ports[FAR].mac)
    assert found == rig.ports["p1"].mac
    assert sessions.read(FAR).rx_packets == 0


@not_on_a_switch
def test_too_many_flows_are_refused(sessions: Sessions) -> None:
    sessions.start(server())
    most = sessions.rig.target.capabilities().max_end_flows
    with pytest.raises(PlanError, match="flow"):
        sessions.load(replace(server(flows=most), name="more"))
