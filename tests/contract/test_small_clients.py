# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Clients whose tables fit a switch, on every target: the same counts from the same table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.responder import Clients, Reopen, Responder
from TesterLibrary.model.units.quantity import Frequency

from .planted import Planted
from .rig import Rig, SwitchRig
from .test_responder import FAR, SERVICE, Sessions

_SEGMENT = 1054  # bytes of a frame with 1,000 bytes of a body
_HEAD = 78  # bytes of each response before its body
_FAST = Frequency.parse("2000/s")


@pytest.fixture
def sessions(rig: Rig) -> Sessions:
    return Sessions(rig)


def _server(protocol: str = "http-get", vlan: int | None = None, **parameters: int) -> Responder:
    return Responder(
        name="web", port=FAR, protocol=protocol, servers=SERVICE, parameters=parameters, vlan=vlan
    )


def _clients(**given: Any) -> Clients:
    whole = {"protocol": "http-get-client", "connections": 8, "rate": _FAST, **given}
    return Clients(name="users", port="p1", target=SERVICE, **whole)


@pytest.mark.parametrize("sources", [None, "198.18.0.64-198.18.0.67:5000-5999"], ids=["one address", "four"])
def test_each_connection_is_answered_once(sessions: Sessions, sources: str | None) -> None:
    given = {"sources": Endpoints.parse(sources)} if sources else {}
    sessions.start(_server(), _clients(total=8, **given))
    users = sessions.until("users", lambda s: s.ended == 8)
    assert (users.attempted, users.established, users.count("answered"), users.count("closed")) == (
        8,
        8,
        8,
        8,
    )
    assert (users.completed, users.failed, users.concurrent, users.put_off) == (8, 0, 0, 0)
    web = sessions.until("web", lambda s: s.count("closed") == 8)
    assert (web.count("opened"), web.count("served"), web.count("closed")) == (8, 8, 8)
    assert users.tx_packets == web.rx_packets == 4 * 8
    assert web.tx_packets == users.rx_packets == 4 * 8


@pytest.mark.parametrize(
    ("segments", "vlan"), [(1, None), (2, None), (10, None), (100, None), (1, 7), (10, 4094)]
)
def test_flows_of_all_lengths_have_exact_counts(sessions: Sessions, segments: int, vlan: int | None) -> None:
    """Each acknowledgement asks for the next segment, so all frames are known beforehand (norma §8)."""
    sessions.start(_server(segments=segments, vlan=vlan), _clients(total=8, vlan=vlan))
    users = sessions.until("users", lambda s: s.ended == 8)
    web = sessions.until("web", lambda s: s.count("closed") == 8)
    assert (users.completed, users.transactions, users.failed, users.count("disordered")) == (8, 8, 0, 0)
    assert users.bytes_received == 8 * (_HEAD + 1000 * segments)
    assert (web.count("served"), web.transactions, web.count("unknown")) == (8, 8, 0)
    assert users.tx_packets == web.rx_packets == 8 * (3 + segments)  # SYN, GET, the last FIN
    assert web.tx_packets == users.rx_packets == 8 * (3 + segments)


@pytest.mark.parametrize(
    ("planted", "received", "whole"),
    [
        ({"copies": {3: 0}}, 4, False),
        ({"copies": {3: 2}}, 10, True),
        ({"delayed_ns": {3: 5 * 10**6}}, 10, True),
    ],
    ids=["lost", "twice", "late"],
)
def test_each_byte_counts_once_and_none_behind_a_hole(
    planted: dict[str, Any], received: int, whole: bool
) -> None:
    """The fifth of ten segments is lost, and the server sends it again only if it is asked."""
    sessions = Sessions(SwitchRig(Planted(octets=_SEGMENT, **planted)))
    sessions.start(_server(segments=10), _clients(total=1, connections=1))
    sessions.until("users", lambda s: s.bytes_received == _HEAD + 1000 * received)
    sessions.rig.pass_time(0.2)
    users = sessions.read("users")
    assert users.bytes_received == _HEAD + 1000 * received
    assert (users.completed, users.transactions, users.failed) == (int(whole), int(whole), 0)
    assert users.concurrent == int(not whole)


def test_a_connection_that_is_over_is_opened_again(sessions: Sessions) -> None:
    sessions.start(_server(), _clients(connections=2))
    users = sessions.until("users", lambda s: (s.ended or 0) >= 20)
    assert users.completed is not None
    assert users.completed >= 20
    assert users.failed == 0


def test_clients_that_are_stopped_open_no_more(sessions: Sessions) -> None:
    sessions.start(_server(), _clients())
    sessions.until("users", lambda s: s.attempted >= 8)
    sessions.rig.target.stop(["users"])
    sessions.rig.pass_time(1.1)
    then = sessions.read("users").attempted
    sessions.rig.pass_time(0.05)
    assert sessions.read("users").attempted == then


@pytest.mark.parametrize(("reopen", "again"), [(Reopen.ENDED_WELL, False), (Reopen.ALWAYS, True)])
def test_a_connection_that_failed_makes_room_as_it_is_told(
    sessions: Sessions, reopen: Reopen, again: bool
) -> None:
    sessions.start(_server("syn-reset"), _clients(reopen=reopen))
    sessions.until("users", lambda s: s.attempted >= (24 if again else 8) and (s.failed or 0) >= 8)
    sessions.rig.pass_time(0.05)
    users = sessions.read("users")
    assert users.failed == users.count("refused")
    assert users.established == 0
    assert (users.attempted > 8) == again
    if not again:
        assert (users.attempted, users.failed, users.concurrent) == (8, 8, 0)


def test_connections_without_an_answer_stay_open(sessions: Sessions) -> None:
    sessions.start(_clients(connections=4))
    sessions.until("users", lambda s: s.attempted == 4)
    sessions.rig.pass_time(0.05)
    users = sessions.read("users")
    assert (users.attempted, users.established, users.concurrent, users.unanswered) == (4, 0, 4, 4)


@pytest.mark.parametrize("vlan", [None, 7])
def test_a_syn_is_sent_again_until_it_is_answered(sessions: Sessions, vlan: int | None) -> None:
    sessions.start(_clients(connections=4, total=4, vlan=vlan, parameters={"wait": "200 ms"}))
    users = sessions.until("users", lambda s: s.count("retransmitted") >= 8)
    assert (users.attempted, users.established, users.concurrent) == (4, 0, 4)
    assert users.tx_packets == 4 + users.count("retransmitted")
    sessions.start(_server(vlan=vlan))
    users = sessions.until("users", lambda s: s.ended == 4)
    assert (users.attempted, users.established, users.completed, users.failed) == (4, 4, 4, 0)
    before = users.count("retransmitted")
    sessions.rig.pass_time(1)
    assert sessions.read("users").count("retransmitted") == before


def test_a_syn_that_is_on_its_way_is_not_sent_again(sessions: Sessions) -> None:
    """A timer of a switch may be late by one of its times, and never early."""
    sessions.start(_clients(connections=4, total=4, parameters={"wait": "2 s"}))
    sessions.rig.pass_time(1.9)
    assert sessions.read("users").count("retransmitted") == 0


@pytest.mark.parametrize(("here", "there"), [(7, None), (7, 8), (None, 7)])
def test_nobody_answers_in_another_vlan(sessions: Sessions, here: int | None, there: int | None) -> None:
    """The server's answers would be taken neither, if it gave any."""
    sessions.start(_server(vlan=there), _clients(connections=4, vlan=here))
    sessions.until("users", lambda s: s.attempted == 4)
    sessions.rig.pass_time(0.05)
    assert (sessions.read("users").rx_packets, sessions.read("web").rx_packets) == (0, 0)


def test_clients_of_the_same_addresses_are_told_apart_by_their_vlans(sessions: Sessions) -> None:
    flood = replace(_clients(protocol="syn-flood", total=50, connections=1, vlan=8), name="flood")
    sessions.start(_server(vlan=7), _clients(total=8, vlan=7), flood)
    users = sessions.until("users", lambda s: s.ended == 8)
    assert (users.attempted, users.completed, users.failed) == (8, 8, 0)
    assert sessions.until("flood", lambda s: s.attempted == 50).rx_packets == 0
    assert sessions.read("web").count("opened") == 8


@pytest.mark.parametrize("resets", [0, 1])
def test_a_flood_opens_nothing_and_counts_its_answers(sessions: Sessions, resets: int) -> None:
    flood = _clients(protocol="syn-flood", total=100, connections=1, parameters={"resets": resets})
    sessions.start(_server(), flood)
    users = sessions.until("users", lambda s: s.count("answered") == 100)
    assert (users.attempted, users.count("attempted"), users.count("answered")) == (100, 100, 100)
    web = sessions.until("web", lambda s: s.count("closed") == 100 * resets)
    assert (web.count("opened"), web.count("closed")) == (100, 100 * resets)
    assert users.tx_packets == 100 * (1 + resets)
