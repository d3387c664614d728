# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Assertions on failed connections, where others wait and may fail yet."""

from __future__ import annotations

from collections import Counter
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from assertionengine import AssertionOperator

from TesterLibrary.errors import Inconclusive, VerdictFailed
from TesterLibrary.keywords._session_getter import SessionGetter
from TesterLibrary.measurement.delays.histogram import index_of
from TesterLibrary.measurement.session_trial import SessionTrial, left_waiting
from TesterLibrary.measurement.snapshot import DurationCounters
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.responder import Clients, Reopen, Responder
from TesterLibrary.model.units.quantity import Frequency, Octets
from TesterLibrary.model.units.units import Duration
from TesterLibrary.running.connections import Connections
from tests.counted import session_statistics

from ..running.test_connections import SERVICE, TENTH, ends_on

NO_TIMERS = (
    "10 of 10 connections have no answer yet, and none fails by that: no timer of their protocol ends one"
)


def getter_of(ends: Any) -> SessionGetter:
    """The reader of these ends."""
    suite: Any = SimpleNamespace(connections=ends, conclude=lambda verdict, message: verdict.enforce(message))
    return SessionGetter(suite)


def asked(ends: Any, statistic: str, operator: str, expected: Any) -> Any:
    """`Get Session Statistics    users    …`"""
    return getter_of(ends).statistic("users", statistic, AssertionOperator[operator], expected, None)


def counted(protocol: str, **given: Any) -> Any:
    """Connections that are counted like this."""
    counters = {
        f"{protocol}.{name}": given.pop(name)
        for name in ("established", "answered", "sent", "verified", "changed")
        if name in given
    }
    times = given.pop("times", {})
    statistics = session_statistics("users", 10**9, counters, times, opens=True, **given)
    found = SessionTrial(statistics, unanswered=left_waiting([statistics]))
    return SimpleNamespace(
        so_far=lambda _: found,
        settled_so_far=lambda _: found,
        behind=lambda *_, **__: None,
        runs=lambda *_: True,
    )


def waiting(failed: int = 0) -> Any:
    """10 connections without an answer beside those that failed."""
    opened = 10 + failed
    given = {"openings": opened, "begun": opened, "ended": failed, "failed": failed, "concurrent": 10}
    return counted("http-get-client", established=10, answered=0, untimed=True, **given)


def clients(**given: Any) -> Clients:
    usual = {"protocol": "http-get-client", "connections": 10, "rate": Frequency.parse("1000/s"), **given}
    return Clients(name="users", port="p1", target=SERVICE, **usual)


def running(directory: Path, *responders: Responder, **given: Any) -> Connections:
    """Clients of a protocol without timers, after a while."""
    ends = ends_on(directory)
    for responder in responders:
        ends.start(responder)
    ends.start(clients(**given))
    ends._tester.clock.sleep(TENTH.seconds)
    return ends


@pytest.mark.parametrize(
    ("failed", "operator", "expected"),
    [
        (0, "==", 0),
        (0, "==", 3),
        (0, "!=", 0),
        (0, "<=", "9"),
        (2, "<", 3),
        (2, ">", 5),
    ],
)
def test_what_waiting_connections_could_change_is_inconclusive(
    failed: int, operator: str, expected: Any
) -> None:
    with pytest.raises(Inconclusive, match="have no answer yet, and none fails by that"):
        asked(waiting(failed), "failed", operator, expected)


def test_what_they_cannot_change_is_judged() -> None:
    assert asked(waiting(), "failed", "<=", 10) == 0
    with pytest.raises(VerdictFailed, match="failed of users is 2, required <= 1"):
        asked(waiting(2), "failed", "<=", 1)
    with pytest.raises(VerdictFailed, match="failed of users is 0, required == 11"):
        asked(waiting(), "failed", "==", 11)


def test_other_counts_are_what_has_been_counted() -> None:
    assert asked(waiting(), "established", "==", 10) == 10
    with pytest.raises(VerdictFailed, match="completed of users is 0, required == 10"):
        asked(waiting(), "completed", "==", 10)


def test_each_second_is_no_other_count() -> None:
    with pytest.raises(Inconclusive, match=NO_TIMERS):
        asked(waiting(), "failed/s", "==", 0)


def test_tables_that_cannot_tell_leave_it_open() -> None:
    with pytest.raises(Inconclusive, match="does not tell which connections were answered"):
        asked(counted("mine", sent=10, openings=10, begun=10), "failed", "==", 0)


def test_connections_of_which_none_was_served_leave_it_open() -> None:
    silent = counted("http-client", established=4, answered=0, openings=4, begun=4)
    with pytest.raises(
        Inconclusive, match="no request of 4 connections has been answered; measure for longer"
    ):
        asked(silent, "failed", "==", 0)


def test_a_server_that_answers_no_request(tmp_path: Path) -> None:
    """It is all the same whether they were stopped: then they have failed no less."""
    ends = running(
        tmp_path, Responder(name="web", port="p2", protocol="tcp-server", servers=SERVICE), total=10
    )
    assert ends.statistics("users").established == 10
    with pytest.raises(Inconclusive, match=NO_TIMERS):
        asked(ends, "failed", "==", 0)
    ends.stop(["users"], Clients)
    with pytest.raises(Inconclusive, match=NO_TIMERS):
        asked(ends, "failed", "==", 0)


def test_clients_that_await_usual_answers_while_they_run(tmp_path: Path) -> None:
    """At 270/s no two looks at them are at the same time of a connection."""
    web = Responder(name="web", port="p2", protocol="http-get", servers=SERVICE)
    ends = running(tmp_path, web, rate=Frequency.parse("270/s"))
    while not ends.statistics("users").waiting:
        ends._tester.clock.sleep(0.000_1)
    assert asked(ends, "failed", "==", 0) == 0
    while not ends.statistics("users").waiting:
        ends._tester.clock.sleep(0.000_1)
    ends.stop(["users"], Clients)
    assert asked(ends, "failed", "==", 0) == 0


def test_a_responder_knows_of_no_failure(tmp_path: Path) -> None:
    ends = running(
        tmp_path, Responder(name="web", port="p2", protocol="tcp-server", servers=SERVICE), total=10
    )
    assert getter_of(ends).statistic("web", "failed", AssertionOperator["=="], 0, None) == 0


def test_what_the_tester_is_still_to_open_is_no_fault_of_a_device(tmp_path: Path) -> None:
    """0.1 s at 100 connections a second: an assertion on all of them is early, and not broken."""
    web = Responder(name="web", port="p2", protocol="http-get", servers=SERVICE)
    ends = running(tmp_path, web, rate=Frequency.parse("100/s"), connections=50, total=50)
    with pytest.raises(Inconclusive, match=r"of 50 connections of users are still to be opened; wait"):
        asked(ends, "attempted", "==", 50)
    with pytest.raises(VerdictFailed):
        asked(ends, "attempted", "==", 51)
    asked(ends, "attempted", ">=", 2)
    ends._tester.clock.sleep(1)
    asked(ends, "attempted", "==", 50)


@pytest.mark.parametrize("name", ["users", "web"])
def test_what_no_connection_has_done_yet_is_no_fault_of_a_device(tmp_path: Path, name: str) -> None:
    web = Responder(name="web", port="p2", protocol="http-get", servers=SERVICE)
    ends = running(tmp_path, web, rate=Frequency.parse("100/s"), connections=50, total=50)
    getter, equal = getter_of(ends), AssertionOperator["=="]
    more = ", and a device may lead them to web" if name == "web" else ""
    early = rf"of 50 connections of users are still to be opened{more}; wait for them first"
    with pytest.raises(Inconclusive, match=early):
        getter.statistic(name, "transactions", equal, 50, None)
    assert getter.statistic(name, "transactions", AssertionOperator[">="], 2, None) >= 2
    ends._tester.clock.sleep(1)
    assert getter.statistic(name, "transactions", equal, 50, None) == 50


@pytest.mark.parametrize("bound", ["goodput >= 1Gbps", "established/s < 1"])
def test_a_rate_of_some_connections_is_none_of_all(tmp_path: Path, bound: str) -> None:
    """Until a suite stops them: then it is the rate of those that it asked for."""
    web = Responder(name="web", port="p2", protocol="http-get", servers=SERVICE)
    ends = running(tmp_path, web, rate=Frequency.parse("100/s"), connections=1000, total=1000)
    with pytest.raises(Inconclusive, match="of 1,000 connections of users are still to be opened"):
        asked(ends, *bound.split())
    ends.stop(["users"], Clients)
    with pytest.raises(VerdictFailed):
        asked(ends, *bound.split())


def timed(*microseconds: int) -> Any:
    """10 of 20 connections that were opened in these times."""
    buckets = Counter(index_of(each) for each in microseconds)
    each = (len(microseconds), sum(microseconds), min(microseconds, default=0), max(microseconds, default=0))
    given = {"begun": 10, "openings": 10, "established": len(microseconds)}
    times = {"http-client.time_to_open": DurationCounters(*each, buckets)}
    found = counted("http-client", times=times, **given)
    found.behind = lambda *_, **__: (10, "10 are still to be opened")
    return found


def test_of_times_more_connections_lower_no_maximum() -> None:
    with pytest.raises(VerdictFailed):
        asked(timed(100, 200), "time_to_open.max", "<", "150us")
    for bound in ("time_to_open.max < 1s", "time_to_open.p50 < 1s", "time_to_open.p50 > 1s"):
        with pytest.raises(Inconclusive, match="10 are still to be opened"):
            asked(timed(100, 200), *bound.split())


def test_a_time_that_was_not_measured_is_no_mistake_of_the_suite() -> None:
    with pytest.raises(Inconclusive, match=r"time to open\.p99 of users: it was not measured"):
        asked(timed(), "time_to_open.p99", "<", "1s")


def test_a_responder_waits_for_all_clients_that_a_device_may_lead_to_it(tmp_path: Path) -> None:
    """Also for those that ask another address: a balancer leads them where it wants."""
    web = Responder(name="web", port="p2", protocol="http-get", servers=SERVICE)
    given = {"rate": Frequency.parse("100/s"), "connections": 50, "total": 50}
    ends = running(tmp_path, web, **given)
    ends.start(replace(clients(**given), name="others", target=Endpoints.parse("198.18.0.3:81")))
    early = (
        r"\d+ of 50 connections of users are still to be opened and \d+ of 50 connections of others are "
        "still to be opened, and a device may lead them to web; wait for them first$"
    )
    with pytest.raises(Inconclusive, match=early):
        getter_of(ends).statistic("web", "established", AssertionOperator["=="], 99, None)


def test_a_suite_that_stops_clients_early_has_tried_no_device(tmp_path: Path) -> None:
    web = Responder(name="web", port="p2", protocol="http-get", servers=SERVICE)
    ends = running(tmp_path, web, rate=Frequency.parse("5/s"), connections=50, total=50)
    ends.stop(["users"], Clients)
    with pytest.raises(Inconclusive, match=r"of 50 connections of users were not opened before they were st"):
        asked(ends, "completed", "==", 50)
    with pytest.raises(VerdictFailed):
        asked(ends, "attempted", "==", 51)


def test_a_responder_knows_of_clients_that_were_stopped_early(tmp_path: Path) -> None:
    web = Responder(name="web", port="p2", protocol="http-get", servers=SERVICE)
    ends = running(tmp_path, web, rate=Frequency.parse("5/s"), connections=50, total=50)
    ends.stop(["users"], Clients)
    with pytest.raises(Inconclusive, match="were not opened before they were stopped, and a device may lead"):
        getter_of(ends).statistic("web", "established", AssertionOperator["=="], 50, None)


def test_what_clients_hold_ends_well_later(tmp_path: Path) -> None:
    """It may not be failed yet, but it is not to blame for that either."""
    server = Responder(name="web", port="p2", protocol="tcp-server", servers=SERVICE)
    held = {"protocol": "tcp-client", "parameters": {"hold": Duration(10**10), "size": Octets(1000)}}
    ends = running(tmp_path, server, total=10, **held)
    assert asked(ends, "established", "==", 10) == 10
    assert asked(ends, "failed", "==", 0) == 0
    for now in ("are open; wait for them first", "were open when they were stopped"):
        with pytest.raises(Inconclusive, match=f"10 connections of users {now}"):
            asked(ends, "completed", "==", 10)
        if "users" in ends.opening:
            ends.stop(["users"], Clients)


def test_all_is_opened_before_a_stop(tmp_path: Path) -> None:
    web = Responder(name="web", port="p2", protocol="http-get", servers=SERVICE)
    ends = running(tmp_path, web, rate=Frequency.parse("100/s"), connections=50, total=50)
    ends._tester.clock.sleep(1)
    ends.stop(["users"], Clients)
    with pytest.raises(VerdictFailed):
        asked(ends, "completed", "==", 51)


@pytest.mark.parametrize("statistic", ["failed", "reset", "most_concurrent"])
def test_what_has_not_gone_wrong_yet_is_no_pass(tmp_path: Path, statistic: str) -> None:
    """Some of the connections that are still to be opened may fail."""
    web = Responder(name="web", port="p2", protocol="http-get", servers=SERVICE)
    ends = running(tmp_path, web, rate=Frequency.parse("100/s"), connections=50, total=50)
    with pytest.raises(Inconclusive, match="are still to be opened"):
        asked(ends, statistic, "<=", 10)
    ends._tester.clock.sleep(1)
    assert asked(ends, statistic, "<=", 10) <= 10


def test_what_has_gone_wrong_already_fails(tmp_path: Path) -> None:
    ends = running(
        tmp_path,
        Responder(name="web", port="p2", protocol="syn-reset", servers=SERVICE),
        rate=Frequency.parse("100/s"),
        connections=50,
        total=50,
        reopen=Reopen.NEVER,
    )
    with pytest.raises(VerdictFailed):
        asked(ends, "failed", "==", 0)


def test_a_device_that_keeps_all_connections_fails(tmp_path: Path) -> None:
    """Nobody answers requests: all places are taken by what waits, and the tester is not to blame."""
    web = Responder(name="web", port="p2", protocol="tcp-server", servers=SERVICE)
    ends = running(tmp_path, web, rate=Frequency.parse("1000/s"), connections=5, total=50)
    with pytest.raises(VerdictFailed):
        asked(ends, "completed", "==", 50)


def test_a_device_that_ends_all_connections_fails(tmp_path: Path) -> None:
    """A connection that failed is not opened again, so there is nothing to wait for."""
    ends = running(
        tmp_path, Responder(name="web", port="p2", protocol="syn-reset", servers=SERVICE), total=4000
    )
    ends._tester.clock.sleep(1)
    assert ends.statistics("users").failed == 10
    for statistic in ("attempted", "established", "completed", "transactions"):
        with pytest.raises(VerdictFailed):
            asked(ends, statistic, "==", 4000)


def test_who_opens_each_connection_once_has_no_more_of_them(tmp_path: Path) -> None:
    web = Responder(name="web", port="p2", protocol="http-get", servers=SERVICE)
    ends = running(tmp_path, web, reopen=Reopen.NEVER)
    ends._tester.clock.sleep(1)
    with pytest.raises(VerdictFailed):
        asked(ends, "completed", "==", 40)


@pytest.mark.parametrize("reopen", Reopen)
def test_a_device_that_answers_no_syn_keeps_no_flood_from_going_on(tmp_path: Path, reopen: Reopen) -> None:
    deaf = Responder(name="web", port="p2", protocol="udp-echo", servers=SERVICE)
    rate = Frequency.parse("100/s")
    ends = running(tmp_path, deaf, protocol="syn-flood", connections=1, rate=rate, total=50, reopen=reopen)
    with pytest.raises(Inconclusive, match=r"of 50 connections of users are still to be opened"):
        asked(ends, "attempted", "==", 50)
    ends._tester.clock.sleep(1)
    assert asked(ends, "attempted", "==", 50) == 50


def test_the_connections_that_are_opened_once_are_still_to_be_opened(tmp_path: Path) -> None:
    web = Responder(name="web", port="p2", protocol="http-get", servers=SERVICE)
    ends = running(tmp_path, web, rate=Frequency.parse("20/s"), reopen=Reopen.NEVER)
    with pytest.raises(Inconclusive, match=r"of 10 connections of users are still to be opened"):
        asked(ends, "attempted", "==", 10)
    assert ends.opening == ["users"]
    ends._tester.clock.sleep(1)
    assert asked(ends, "attempted", "==", 10) == 10
    assert ends.opening == []


def test_a_service_that_answers_nobody_fails(tmp_path: Path) -> None:
    """Its connections are open until a timer of the clients ends them."""
    deaf = Responder(name="web", port="p2", protocol="udp-echo", servers=SERVICE)
    ends = running(tmp_path, deaf, protocol="tcp-client", total=10)
    for bound in ("completed == 10", "established >= 1", "failed == 0", "time_to_open.p99 < 1s"):
        with pytest.raises(VerdictFailed):
            asked(ends, *bound.split())
    with pytest.raises(VerdictFailed, match="failed of users is 0; no connection was answered, 10 wait"):
        asked(ends, "failed", "<", 10)
    with pytest.raises(Inconclusive, match="10 connections of users wait for an answer; wait for them"):
        asked(ends, "timed_out", "<", 10)
    assert asked(ends, "attempted", "==", 10) == 10
    ends._tester.clock.sleep(300)
    assert asked(ends, "failed", "==", 10) == 10
    with pytest.raises(VerdictFailed):
        asked(ends, "completed", "==", 10)
    ends.stop(["users"], Clients)
    with pytest.raises(VerdictFailed, match="longer than any connection lasted; of 10 connections 10 failed"):
        asked(ends, "time_to_open.p99", "<", "1s")


def test_a_service_that_answers_nobody_fails_when_its_clients_are_stopped(tmp_path: Path) -> None:
    deaf = Responder(name="web", port="p2", protocol="udp-echo", servers=SERVICE)
    ends = running(tmp_path, deaf, protocol="tcp-client", total=10)
    ends.stop(["users"], Clients)
    for bound in ("completed == 10", "established >= 1", "failed == 0", "time_to_open.p99 < 1s"):
        with pytest.raises(VerdictFailed):
            asked(ends, *bound.split())


@pytest.mark.parametrize(("verified", "passes"), [(4000, True), (0, False)])
def test_no_changed_byte_says_nothing_where_none_was_compared(verified: int, passes: bool) -> None:
    ends = counted("http-client", verified=verified, changed=0)
    with nullcontext() if passes else pytest.raises(Inconclusive, match="no byte was compared"):
        assert asked(ends, "changed", "==", 0) == 0
