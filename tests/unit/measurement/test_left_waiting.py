# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0

"""Connections that never came to be are no successes."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from TesterLibrary.measurement.delays.histogram import index_of
from TesterLibrary.measurement.evidence import EvidenceLimits
from TesterLibrary.measurement.session_trial import SessionTrial, awaited, left_waiting, objections
from TesterLibrary.measurement.sessions import SessionStatistics
from TesterLibrary.measurement.snapshot import DurationCounters
from TesterLibrary.methodology.sessions import even_shares, failures_below, goodput_above, time_below
from TesterLibrary.model.units.units import Bandwidth, Duration, Ratio
from TesterLibrary.protocols.checker import load_protocol
from TesterLibrary.targets.fake.target import FakeTarget
from TesterLibrary.verdict import Outcome
from tests.counted import end_counters, session_statistics

SECOND_NS = 10**9
NONE = Ratio.parse("0")


def clients(openings: int, established: int, *, slowest_us: int = 0, **counts: int) -> SessionStatistics:
    answered = DurationCounters(established, established * slowest_us, slowest_us, slowest_us)
    return session_statistics(
        "users",
        SECOND_NS,
        {"tcp.established": established, "tcp.bytes_received": 1000 * established},
        {"tcp.time_to_open": answered} if established else {},
        openings=openings,
        opens=True,
        **counts,
    )


def trial(counted: SessionStatistics, due: int | None = None) -> SessionTrial:
    return SessionTrial(counted, due, unanswered=left_waiting([counted]))  # type: ignore[arg-type]


def test_one_of_48_that_is_not_established_yet_is_no_success() -> None:
    found = failures_below([trial(clients(48, 47))], NONE)
    assert str(found) == (
        "INCONCLUSIVE: failed flows of users is 0 % (0 of 48), required <= 0 % "
        "(1 of 48 connections were still opening; measure for longer than their timeout)"
    )


def test_connections_of_which_none_was_served_are_no_success() -> None:
    """A server that takes requests and never answers."""
    counters = {"tcp.established": 4, "http-client.completed": 0, "tcp.bytes_received": 0}
    silent = session_statistics("users", SECOND_NS, counters, {}, openings=4, begun=4, opens=True)
    found = failures_below([trial(silent)], NONE)
    assert found.outcome is Outcome.INCONCLUSIVE
    assert found.reason == "no request of 4 connections has been answered; measure for longer"
    counters["tcp.bytes_received"] = 1
    assert failures_below([trial(silent)], NONE).outcome is Outcome.PASS


def asking(answered: int, ended: int, **facts: bool) -> SessionTrial:
    """50 connections of http-get-client, all of them established."""
    counters = {"http-get-client.established": 50, "http-get-client.answered": answered}
    given = {"openings": 50, "begun": 50, "ended": ended, "concurrent": 50 - ended, "opens": True}
    return trial(session_statistics("users", SECOND_NS, counters, {}, **given, **facts))


def test_requests_without_an_answer_are_no_success_where_nothing_times_out() -> None:
    """A server that answers every second request only."""
    found = failures_below([asking(25, 25, untimed=True)], NONE)
    assert found.outcome is Outcome.INCONCLUSIVE
    assert found.reason == (
        "25 of 50 connections have no answer yet, and none fails by that: no timer of their protocol ends one"
    )
    assert failures_below([asking(25, 25, untimed=False)], NONE).outcome is Outcome.PASS  # timers tell later


def test_connections_that_only_have_to_be_closed_have_their_answer() -> None:
    assert failures_below([asking(50, 25, untimed=True)], NONE).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("name", "untimed"),
    [("http-get-client", True), ("syn-flood", True), ("dns-client", False), ("http-client", False)],
)
def test_no_timer_of_a_table_for_switches_ends_a_flow(name: str, untimed: bool) -> None:
    protocol = load_protocol(name)
    counters = (0,) * sum(len(layer.counters) for layer in protocol.layers)
    times = (DurationCounters(),) * sum(len(layer.histograms) for layer in protocol.layers)
    counted = end_counters("j", "users", counters=counters, histograms=times)
    assert SessionStatistics.of(protocol, counted, SECOND_NS).untimed is untimed


@pytest.mark.parametrize(
    ("held_up", "said"), [(False, ["the tester opened 0 of 50 flows in time"]), (True, [])]
)
def test_flows_that_failed_connections_keep_from_being_opened_are_not_the_testers_fault(
    held_up: bool, said: list[str]
) -> None:
    now = FakeTarget().snapshot([])
    counted = session_statistics("users", SECOND_NS, {}, {}, opens=True)
    found = objections(
        counted, Fraction(50), now, now, ["p1"], EvidenceLimits(), job="users", held_up=held_up
    )
    assert [text.partition(" (")[0] for text in found] == said


@pytest.mark.parametrize("interpreted", [None, False, True])
def test_a_rate_that_was_missed_says_that_tables_are_interpreted(interpreted: bool | None) -> None:
    now = FakeTarget().snapshot([])
    lost = replace(now, ports=tuple(replace(port, rx_missed=(port.rx_missed or 0) + 3) for port in now.ports))
    counted = replace(clients(40, 40), interpreted=interpreted)
    found = objections(counted, Fraction(50), now, lost, ["p1"], EvidenceLimits(), job="users")
    why = (
        "; the tables of users are interpreted, at about half of the rate of the shipped ones: "
        "use the shipped tables as they are, or ask for less"
    )
    assert list(found) == [
        f"3 frames were lost in the tester's own rings and interfaces (limit 0){why if interpreted else ''}",
        f"the tester opened 40 of 50 flows in time (limit 0.100 % fewer){why if interpreted else ''}",
    ]


def test_tables_that_are_interpreted_are_no_objection_to_a_rate_that_was_reached() -> None:
    now = FakeTarget().snapshot([])
    counted = replace(clients(50, 50), interpreted=True)
    assert list(objections(counted, Fraction(50), now, now, ["p1"], EvidenceLimits(), job="users")) == []


def test_what_failed_already_fails_whatever_else_is_opening() -> None:
    assert failures_below([trial(clients(48, 0, failed=20))], NONE).outcome is Outcome.FAIL


def test_those_that_are_opening_at_a_steady_rate_are_none_that_wait() -> None:
    """1,000 each second take up to 5 ms each, so that 5 at once are opening."""
    steady = clients(1000, 995, slowest_us=5000)
    assert left_waiting([steady]) == 0
    assert failures_below([trial(steady)], NONE).outcome is Outcome.PASS
    assert left_waiting([clients(1000, 900, slowest_us=5000)]) == 100, "none of them is served as usual"


def test_the_best_of_several_looks_counts() -> None:
    looks = [clients(1000, 900, slowest_us=1000), clients(1010, 1009, slowest_us=1000)]
    assert left_waiting(looks) == 0


def test_a_table_that_cannot_tell_leaves_it_open() -> None:
    mute = session_statistics("users", SECOND_NS, {"mine.sent": 10}, openings=10, opens=True, begun=10)
    assert (mute.established, mute.connection_rate, left_waiting([mute])) == (None, None, None)
    assert failures_below([trial(mute)], NONE).outcome is Outcome.INCONCLUSIVE


def test_answers_tell_of_a_table_without_handshake() -> None:
    """A name server of two is dead: 1,001 asked, 500 answered."""
    dns = session_statistics(
        "users", SECOND_NS, {"dns-client.answered": 500}, openings=1001, opens=True, begun=1001
    )
    assert (dns.established, dns.unanswered) == (500, 501)
    assert failures_below([trial(dns)], NONE).outcome is Outcome.INCONCLUSIVE


def test_clients_that_were_served_all_they_asked_for_do_not_fail_a_device() -> None:
    served = clients(100, 100, slowest_us=10)
    bound = Bandwidth.parse("1 Gbps")
    assert goodput_above(trial(served, due=100), bound).outcome is Outcome.INCONCLUSIVE
    assert goodput_above(trial(served), bound).outcome is Outcome.FAIL


def test_shares_that_a_late_tester_counted_are_inconclusive() -> None:
    assert even_shares({"a": 10, "b": 10}, NONE, "it slept").outcome is Outcome.INCONCLUSIVE


def test_frames_that_its_port_holds_are_an_objection() -> None:
    now = FakeTarget().snapshot([])
    full = replace(now, ports=tuple(replace(port, tx_packets=900, tx_held=300) for port in now.ports))
    (objection,) = objections(clients(50, 50), None, now, full, ["p1"], EvidenceLimits(), job="users")
    assert objection.startswith("port p1 still holds 300 of 900 frames that it took")


def timed(opened: int, answered: int, **changes: Any) -> SessionTrial:
    """Clients who have so many times of 1 ms, measured for a second."""
    times = DurationCounters(
        answered, 1000 * answered, 1000, 1000, {index_of(1000): answered} if answered else {}
    )
    counted = session_statistics(
        "users",
        SECOND_NS,
        {"tcp.established": answered},
        {"http.time_to_first_byte": times},
        openings=opened,
        begun=opened,
        ended=answered,
        concurrent=opened - answered,
        opens=True,
    )
    return SessionTrial(counted, awaited=awaited(counted), **changes)


@pytest.mark.parametrize(
    ("answered", "outcome"), [(1000, Outcome.PASS), (996, Outcome.PASS), (500, Outcome.INCONCLUSIVE)]
)
def test_a_server_that_stands_still_at_the_end_has_no_percentile(answered: int, outcome: Outcome) -> None:
    trial = timed(1000, answered)
    verdict = time_below(trial, "time_to_first_byte", Duration(5 * 10**6), 99)
    assert verdict.outcome is outcome
    if outcome is Outcome.INCONCLUSIVE:
        why = "500 connections wait for longer than others did, and their time_to_first_byte is not known"
        assert verdict.reason == why


@pytest.mark.parametrize(
    ("bound_s", "outcome"), [(2, Outcome.INCONCLUSIVE), (1, Outcome.INCONCLUSIVE), (0.5, Outcome.FAIL)]
)
def test_who_was_measured_for_a_second_has_not_waited_for_two(bound_s: float, outcome: Outcome) -> None:
    trial = timed(2, 0, silent=2, unanswered=2)
    assert trial.dead
    assert time_below(trial, "time_to_first_byte", Duration(int(bound_s * SECOND_NS)), 99).outcome is outcome


def test_connections_that_wait_and_those_that_were_not_opened_add_up() -> None:
    trial = timed(800, 600, unanswered=200, unopened=200, late=200)
    assert failures_below([trial], Ratio.parse("30 %")).outcome is Outcome.INCONCLUSIVE
    assert failures_below([trial], Ratio.parse("40 %")).outcome is Outcome.PASS


@pytest.mark.parametrize(
    ("answered", "failed", "percent", "outcome"),
    [
        (1000, 0, 100, Outcome.PASS),
        (995, 5, 99, Outcome.PASS),
        (995, 5, 100, Outcome.FAIL),
        (750, 250, 80, Outcome.FAIL),  # a quarter has no answer: its time has no end
        (750, 250, 50, Outcome.PASS),
        (1, 39, 50, Outcome.FAIL),
    ],
)
def test_connections_that_failed_have_the_longest_times(
    answered: int, failed: int, percent: float, outcome: Outcome
) -> None:
    whole = timed(answered, answered)
    counted = replace(
        whole.statistics,
        openings=answered + failed,
        begun=answered + failed,
        ended=answered + failed,
        failed=failed,
    )
    trial = replace(whole, statistics=counted)
    verdict = time_below(trial, "time_to_first_byte", Duration(5 * 10**6), percent)
    assert verdict.outcome is outcome, verdict


def test_a_connection_may_have_failed_behind_its_answer() -> None:
    """All have a first byte, and 100 of 200 failed later; or 100 had two requests."""
    whole = timed(200, 200)
    trial = replace(whole, statistics=replace(whole.statistics, failed=100))
    assert trial.failed_without("http.time_to_first_byte") == (0, 100)
    opened = replace(trial.statistics, histograms={"tcp.time_to_open": DurationCounters(200, 1, 1, 1, {})})
    assert replace(trial, statistics=opened).failed_without("tcp.time_to_open") == (0, 0)
    verdict = time_below(trial, "time_to_first_byte", Duration(5 * 10**6), 99)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason == "100 connections failed, at least 0 of them without it"
