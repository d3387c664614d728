# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Responders and clients on the fake, whose device has a known truth."""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from io import StringIO
from ipaddress import ip_interface
from pathlib import Path
from typing import Any

import pytest

from TesterLibrary.errors import PlanError, TargetError, TesterLibraryError
from TesterLibrary.keywords.connections.clients import ONE_MEGABYTE
from TesterLibrary.measurement.session_trial import SessionTrial
from TesterLibrary.methodology.maximum import Limit, MaximumResult, MaximumSearch, Quantity, find_maximum
from TesterLibrary.methodology.sessions import (
    connection_rate_above,
    failures_below,
    goodput_above,
    time_below,
)
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.query import PacketFilter
from TesterLibrary.model.responder import Clients, Reopen, Responder
from TesterLibrary.model.trigger import SentFrames, Trigger
from TesterLibrary.model.units.quantity import Frequency
from TesterLibrary.model.units.units import Bandwidth, Duration, Ratio
from TesterLibrary.protocols.checker import load_protocol
from TesterLibrary.running.connections import Connections
from TesterLibrary.running.procedures.connection_trials import ConcurrencyMeasurer, RateMeasurer
from TesterLibrary.targets.fake import fake_port
from TesterLibrary.verdict import Outcome

from .testers import SECOND, fake_tester

SERVICE = Endpoints.parse("198.18.0.3:80")
TENTH = Duration(10**8)


def ends_on(directory: Path, **options: Any) -> Connections:
    """Connections on a fake tester with a time of its own: no test waits."""
    this = fake_tester(directory, **options)
    for number, (name, port) in enumerate(list(this.ports.items()), 2):
        this.ports[name] = replace(port, address=ip_interface(f"198.18.0.{number}/24"))  # type: ignore[index]
    return Connections(this, source_seed=1)


def late_ends_on(directory: Path, late_s: float) -> Connections:
    """Connections on a busy machine: long sleeps end so much later, and clients go on meanwhile."""
    ends = ends_on(directory)
    clock = ends._tester.clock

    def sleep(seconds: float) -> None:
        clock.sleep(seconds + late_s * (seconds >= TENTH.seconds))

    ends._tester.clock = replace(clock, sleep=sleep)
    return ends


def server(**given: Any) -> Responder:
    return Responder(**{"name": "web", "port": "p2", "protocol": "tcp-server", "servers": SERVICE, **given})


def users(**given: Any) -> Clients:
    values = {"linger": 0, "size": 0}
    usual = {"name": "users", "port": "p1", "protocol": "tcp-client", "target": SERVICE, "parameters": values}
    return Clients(**{**usual, **given})


def test_a_switch_refuses_a_protocol_before_it_asks_for_addresses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ends = ends_on(tmp_path)
    monkeypatch.setattr(ends._tester.target, "frames", None)
    ends._tester.capabilities = replace(ends._tester.capabilities, planner="tofino2")
    with pytest.raises(
        PlanError, match=r"^clients 'users': \S+/http-client.yaml: line 10: not on tofino2: tables"
    ):
        ends.start(users(protocol="http-client", parameters={}))


def test_statistics_are_there_while_it_runs_and_when_it_is_stopped(tmp_path: Path) -> None:
    ends = ends_on(tmp_path)
    assert ends.start(server()) == "web"
    ends.start(users(total=5))
    trial = ends.measure("users", TENTH)
    assert (ends.statistics("users").completed, ends.statistics("web").completed) == (5, 5)
    assert trial.valid
    stopped = ends.stop(["users"], Clients)
    assert stopped
    assert stopped.completed == 5
    assert ends.statistics("users") == stopped
    assert ends.stop([], Responder) == ends.statistics("web")
    assert ends.stop([], Responder) is None


def test_a_name_is_taken_until_it_is_stopped(tmp_path: Path) -> None:
    ends = ends_on(tmp_path)
    ends.start(server())
    with pytest.raises(PlanError, match="responder 'web': it is running already; stop it first"):
        ends.start(server())
    ends.stop(["web"], Responder)
    ends.start(server())


def test_names_that_are_not_there_are_said_with_those_that_are(tmp_path: Path) -> None:
    ends = ends_on(tmp_path)
    ends.start(server())
    with pytest.raises(TesterLibraryError, match="there is no group of clients 'web'; call Start Clients"):
        ends.stop(["web"], Clients)
    with pytest.raises(TesterLibraryError, match="there is no responder or clients 'wbe'; there is web"):
        ends.statistics("wbe")
    with pytest.raises(TesterLibraryError, match="there is no group of clients 'web'; call Start Clients"):
        RateMeasurer(ends, "web")
    assert ends.statistics("web").begun == 0


def test_refused_means_that_nothing_was_started(tmp_path: Path) -> None:
    ends = ends_on(tmp_path)
    with pytest.raises(PlanError):
        ends.start(server(flows=1 << 30))
    ends.start(server())
    with pytest.raises(PlanError, match="a duration of 0 ns is too short"):
        ends.measure("web", Duration(0))


def test_a_time_is_measured_from_its_begin_to_its_end(tmp_path: Path) -> None:
    ends = ends_on(tmp_path)
    ends.start(server())
    ends.start(users(rate=Frequency(Fraction(200)), connections=10))
    first, second = ends.measure("users", SECOND), ends.measure("users", SECOND)
    for trial in (first, second):
        assert trial.statistics.established == pytest.approx(200, abs=5)
        assert trial.connection_rate == pytest.approx(200, rel=0.02)
        assert trial.due == pytest.approx(200, abs=5)
        assert trial.valid
    assert ends.statistics("users").established >= 400


@pytest.mark.long
def test_the_most_connections_each_second_of_a_device(tmp_path: Path) -> None:
    """Each connection takes seven frames, four of them from the client: SYN, ACK, FIN and ACK."""
    ends = ends_on(tmp_path, capacity=200)
    ends.start(server())
    ends.start(users(connections=200, rate=Frequency(Fraction(10))))
    search = MaximumSearch(quantity=Quantity.RATE, lowest=10, highest=200, duration=SECOND)
    result = find_maximum(RateMeasurer(ends, "users"), search)
    assert result.limited_by is Limit.DEVICE
    assert 40 <= result.maximum <= 60


HELD = {"linger": 0, "size": 0, "hold": "100 ms"}


def test_connections_that_were_all_in_use_are_not_held_against_a_device(tmp_path: Path) -> None:
    """One connection that lives for 100 ms opens 10 each second, however fast the device is."""
    ends = ends_on(tmp_path)
    ends.start(server())
    ends.start(users(rate=Frequency(Fraction(100)), parameters=HELD))
    trial = ends.measure("users", SECOND)
    verdict = connection_rate_above(trial, Frequency(Fraction(90)))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "all connections=1 were in use, so 9.90099/s were opened of 90/s: one lives" in verdict.reason
    assert "give connections=10 or more" in verdict.reason
    verdict = connection_rate_above(trial, Frequency(Fraction(9)))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert verdict.reason.startswith(
        "101 connections were due, and 10 were opened: all connections=1 were in use"
    )


def test_a_server_that_stands_still_is_not_measured_by_what_it_let_be_opened(tmp_path: Path) -> None:
    """Its client has one place: what was due in the meantime was never opened, and has no time."""
    ends = ends_on(tmp_path)
    ends.start(server())
    ends.start(users(rate=Frequency(Fraction(20))))
    clock = ends._tester.clock

    def stands_still(seconds: float) -> None:
        clock.sleep(seconds / 4)
        ends.stop(["web"], Responder, abandon=True)
        clock.sleep(seconds / 2)
        ends.start(server())
        clock.sleep(seconds / 4)

    ends._tester.clock = replace(clock, sleep=stands_still)
    trial = ends.measure("users", Duration(2 * 10**9))
    assert 15 < trial.unopened < 30
    median = Duration.parse("50 ms")
    verdict = time_below(trial, "time_to_open", median, 75)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "connections were due" in verdict.reason
    assert time_below(trial, "time_to_open", median, 30).outcome is Outcome.PASS
    assert time_below(trial, "time_to_open", Duration(0), 75).outcome is Outcome.FAIL
    since_start = ends.so_far("users")
    assert since_start.late == pytest.approx(trial.late, abs=1)


def test_clients_without_a_rate_have_all_their_connections_in_use(tmp_path: Path) -> None:
    ends = ends_on(tmp_path)
    ends.start(server())
    ends.start(users(connections=3, parameters=HELD))
    verdict = connection_rate_above(ends.measure("users", SECOND), Frequency(Fraction(90)))
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "all connections=3 were in use" in verdict.reason


def test_a_search_is_limited_by_the_connections_of_the_clients(tmp_path: Path) -> None:
    ends = ends_on(tmp_path)
    ends.start(server())
    ends.start(users(parameters=HELD))
    result = find_maximum(RateMeasurer(ends, "users"), MaximumSearch(Quantity.RATE, 100, 1000, TENTH))
    assert (result.maximum, result.limited_by) == (0, Limit.TESTER)
    verdict = result.verdict_above(500, "500/s")
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "limited by the tester at 100: all connections=1 were in use" in verdict.reason


def test_connections_that_wait_for_a_device_are_held_against_it(tmp_path: Path) -> None:
    """They are all in use because nobody answers them."""
    ends = ends_on(tmp_path)
    ends.start(server(servers=Endpoints.parse("198.18.0.3:81")))  # not where clients ask
    ends.start(users(connections=10, rate=Frequency(Fraction(100)), reopen=Reopen.ALWAYS))
    verdict = connection_rate_above(ends.measure("users", SECOND), Frequency(Fraction(90)))
    assert verdict.outcome is Outcome.FAIL


def test_what_failed_before_a_measurement_is_named(tmp_path: Path) -> None:
    """Else nobody sees why there is no connection any more."""
    ends = ends_on(tmp_path)
    ends.start(server())  # answers no request
    ends.start(users(connections=3, protocol="http-client", parameters={"request_timeout": "100 ms"}))
    assert ends.wait("users", lambda found: found.failed == 3, SECOND)
    trial = ends.measure("users", SECOND)
    assert (trial.statistics.openings, trial.failed_before) == (0, "3 failed (3 reset, 3 timed out)")
    goodput = goodput_above(trial, Bandwidth(10**6))
    assert goodput.measured == "0 Mbps; 3 failed (3 reset, 3 timed out) before the measurement began"
    failures = failures_below([trial], Ratio(Fraction(0)))
    assert failures.outcome is Outcome.FAIL
    causes = "3 reset, 3 timed out"
    before = f"3 failed ({causes}) before the measurement began"
    assert failures.measured == f"100 % (3 of 3: {causes}); {before}"


def test_failures_that_leave_places_are_those_of_the_measured_time(tmp_path: Path) -> None:
    """Clients go on with the places that are left: what failed before is named, and not judged."""
    ends = ends_on(tmp_path)
    ends.start(server(protocol="syn-reset"))
    ends.start(users(connections=2, rate=Frequency(Fraction(10))))
    assert ends.wait("users", lambda counted: counted.failed == 1, SECOND)
    ends.stop(["web"], Responder)
    ends.start(server())
    trial = ends.measure("users", SECOND)
    assert trial.failed_before == "1 failed (1 refused, 1 lost)"
    verdict = failures_below([trial], Ratio(Fraction(0)))
    assert verdict.outcome is Outcome.PASS
    assert verdict.measured.endswith("1 failed (1 refused, 1 lost) before the measurement began")


def test_a_search_at_a_service_that_refuses_all_is_limited_by_the_device(tmp_path: Path) -> None:
    ends = ends_on(tmp_path)
    ends.start(server(protocol="syn-reset"))
    ends.start(users(connections=10, total=1))
    result = find_maximum(RateMeasurer(ends, "users"), MaximumSearch(Quantity.RATE, 100, 1000, TENTH))
    assert (result.maximum, result.limited_by) == (0, Limit.DEVICE)
    verdict = result.verdict_above(50, "50/s")
    assert verdict.outcome is Outcome.FAIL
    assert verdict.measured == "0/s; at 100 10 failed (10 refused, 10 lost) before the measurement began"


def test_the_most_connections_at_once_of_a_responder(tmp_path: Path) -> None:
    ends = ends_on(tmp_path)
    ends.start(server(flows=13))
    held = {"size": 0, "hold": 0, "linger": 0}
    ends.start(users(rate=Frequency(Fraction(1000)), total=1, parameters=held))
    search = MaximumSearch(quantity=Quantity.CONCURRENT, lowest=5, highest=100, duration=TENTH)
    result = find_maximum(ConcurrencyMeasurer(ends, "users"), search)
    assert (result.maximum, result.failed_at, result.limited_by) == (13, 14, Limit.DEVICE)


SEARCHES = [
    (MaximumSearch(Quantity.RATE, 20, 20, SECOND), RateMeasurer),
    (MaximumSearch(Quantity.CONCURRENT, 50, 50, TENTH), ConcurrencyMeasurer),
]


def found_late(
    late_s: float, search: MaximumSearch, measurer: type[RateMeasurer | ConcurrencyMeasurer], folder: Path
) -> MaximumResult:
    """The maximum that a search finds on a machine that is so late."""
    ends = late_ends_on(folder, late_s)
    ends.start(server())
    ends.start(users(rate=Frequency(Fraction(20)), total=1, parameters={"linger": 0, "size": 0, "hold": 0}))
    return find_maximum(measurer(ends, "users"), search)


@pytest.mark.parametrize(("search", "measurer"), SEARCHES)
def test_a_machine_that_is_late_has_clients_that_go_on_for_longer(
    search: MaximumSearch, measurer: type[RateMeasurer | ConcurrencyMeasurer], tmp_path: Path
) -> None:
    """It looks when they would have been over: that is no device that opens or holds too few."""
    result = found_late(0.4, search, measurer, tmp_path)
    assert (result.maximum, result.limited_by) == (search.highest, Limit.SEARCH)


@pytest.mark.parametrize(("search", "measurer"), SEARCHES)
def test_a_machine_that_is_much_too_late_is_the_limit_itself(
    search: MaximumSearch, measurer: type[RateMeasurer | ConcurrencyMeasurer], tmp_path: Path
) -> None:
    result = found_late(3, search, measurer, tmp_path)
    assert (result.maximum, result.limited_by) == (0, Limit.TESTER)
    verdict = result.verdict_above(search.lowest, "so many")
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "before this machine had measured them" in verdict.reason


def test_clients_that_begin_anew_are_not_taken_for_those_before_them(tmp_path: Path) -> None:
    """A stop is silent: the server still has their connections, from the same ports."""
    ends = ends_on(tmp_path)
    ends.start(server())
    for _ in range(3):
        ends.start(users(connections=5, total=5, parameters={"linger": 0, "size": 0, "hold": "60 s"}))
        trial = ends.measure("users", SECOND, from_start=True)
        assert (trial.statistics.established, trial.unanswered) == (5, 0)
        ends.stop(["users"], Clients)


def test_what_earlier_clients_left_open_is_not_held_against_a_device(tmp_path: Path) -> None:
    """The responder still has their connections, from the same ports, and takes a SYN once it is repeated."""
    ends = ends_on(tmp_path)
    ends.start(server())
    ends.start(users(connections=50, parameters={"linger": 0, "size": 0, "hold": "60 s"}))
    ends.measure("users", TENTH)
    search = MaximumSearch(Quantity.CONCURRENT, 40, 50, TENTH)
    result = find_maximum(ConcurrencyMeasurer(ends, "users"), search)
    assert (result.maximum, result.limited_by) == (50, Limit.SEARCH)


def test_clients_that_are_told_nothing_send_as_much_as_the_keywords_say() -> None:
    defaults = {parameter.name: parameter.default for parameter in load_protocol("tcp-client").parameters}
    assert defaults["size"] == ONE_MEGABYTE.count


@pytest.mark.parametrize(("given", "each"), [({}, 0), ({"size": 700}, 700)])
def test_connections_that_are_held_send_what_was_asked_for(
    given: dict[str, int], each: int, tmp_path: Path
) -> None:
    """That is nothing, if nobody has asked for anything."""
    ends = ends_on(tmp_path)
    ends.start(server())
    parameters = {"linger": 0, "hold": 0, **given}
    ends.start(users(total=1, rate=Frequency(Fraction(1000)), parameters=parameters))
    search = MaximumSearch(Quantity.CONCURRENT, 8, 8, TENTH)
    result = find_maximum(ConcurrencyMeasurer(ends, "users"), search)
    assert result.maximum == 8
    assert result.measured[0].statistics.bytes_delivered == 8 * each


def test_clients_that_cannot_hold_a_connection_are_refused(tmp_path: Path) -> None:
    ends = ends_on(tmp_path)
    ends.start(server())
    ends.start(users(protocol="http-client", parameters={}, total=1))
    with pytest.raises(PlanError, match="clients 'users': http-client cannot hold a connection open"):
        ConcurrencyMeasurer(ends, "users")


def test_a_tester_that_dies_says_nothing_of_the_device(tmp_path: Path) -> None:
    ends = ends_on(tmp_path, dies_after=Duration(5 * 10**8))
    ends.start(server())
    ends.start(users(rate=Frequency(Fraction(10))))
    with pytest.raises(TargetError, match="died"):
        ends.measure("users", SECOND)


def test_a_time_that_was_disturbed_is_measured_again_so_often(tmp_path: Path) -> None:
    ends = ends_on(tmp_path)
    ends.start(server())
    ends.start(users(total=5))
    good = ends.measure("users", TENTH)
    bad = replace(good, objections=("a worker did not run",))
    cases: list[tuple[list[SessionTrial], SessionTrial, int]] = [
        ([bad, good], good, 1),
        ([bad, bad, bad, good], bad, 2),
        ([good], good, 0),
    ]
    for tries, expected, repeated in cases:
        left = iter(tries)
        found = ends.repeated("users", lambda left=left: next(left))  # type: ignore[misc]
        texts = tuple(f"attempt {n} does not count: a worker did not run" for n in range(1, repeated + 1))
        assert found == replace(expected, earlier_attempts=texts)


def test_an_attempt_that_does_not_count_is_recorded_shown_and_named(tmp_path: Path) -> None:
    ends = ends_on(tmp_path)
    ends.start(server())
    ends.start(users(total=5))
    good = ends.measure("users", TENTH)
    left = iter([replace(good, objections=("a worker did not run",)), good])
    found = ends.repeated("users", lambda: next(left))
    text = "attempt 1 does not count: a worker did not run"
    assert str(found) == f"{good}; {text}"
    console = ends._tester.progress._out
    assert isinstance(console, StringIO)
    assert console.getvalue() == f"      users: {text}\n"
    (event,) = [event for event in events_of(tmp_path) if event["event"] == "invalid_attempt"]
    assert (event["end"], event["attempt"], event["reasons"]) == ("users", 1, ["a worker did not run"])
    assert event["trial"]["statistics"]["duration_ns"] == good.statistics.duration_ns


def events_of(directory: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (directory / "events.jsonl").read_text().splitlines()]


def flows_of(directory: Path) -> list[int]:
    """The numbers of the sources with which clients began, in their order."""
    started = [event for event in events_of(directory) if event["event"] == "clients_started"]
    return [event["first_source"] for event in started]


def test_clients_go_on_behind_the_sources_that_were_used_last(tmp_path: Path) -> None:
    """A server may still have the connections of the clients before (RFC 6056)."""
    ends = ends_on(tmp_path)
    ends.start(server())
    for _ in range(3):
        ends.start(users(total=10, connections=10))
        ends.drain("users", SECOND)
        ends.stop(["users"], Clients)
    first, second, third = flows_of(tmp_path)
    assert first
    assert (second, third) == (first + 10, first + 20)


def test_sources_begin_again_behind_the_last_one(tmp_path: Path) -> None:
    ends = ends_on(tmp_path)
    ends.start(server())
    sources = Endpoints.parse("198.18.0.2:5000-5006")
    for _ in range(3):
        ends.start(users(total=5, connections=5, sources=sources))
        ends.drain("users", SECOND)
        ends.stop(["users"], Clients)
    first, second, third = flows_of(tmp_path)
    assert (second, third) == ((first + 5) % 7, (first + 10) % 7)


def test_other_targets_have_sources_of_their_own(tmp_path: Path) -> None:
    ends = ends_on(tmp_path)
    ends.start(server())
    ends.start(users(total=10))
    ends.start(users(name="others", target=Endpoints.parse("198.18.0.3:81")))
    first, other = flows_of(tmp_path)
    assert other not in (first, first + 10)


def test_a_run_is_repeated_by_the_source_that_was_first(tmp_path: Path) -> None:
    ends = ends_on(tmp_path)
    ends.start(server())
    ends.start(users(total=10, first_source=77))
    ends.drain("users", SECOND)
    ends.stop(["users"], Clients)
    ends.start(users(first_source=77))
    assert flows_of(tmp_path) == [77, 77]
    ends.stop(["users"], Clients)
    with pytest.raises(PlanError, match=r"first_source=7 is not within 0 to 6"):
        ends.start(users(first_source=7, sources=Endpoints.parse("198.18.0.2:5000-5006")))


def test_open_connections_are_ended_at_the_server_too(tmp_path: Path) -> None:
    ends = ends_on(tmp_path)
    ends.start(server())
    ends.start(users(connections=7, total=7, parameters={"linger": 0, "size": 0, "hold": "60 s"}))
    assert ends.wait("web", lambda found: found.concurrent == 7, SECOND)
    stopped = ends.stop(["users"], Clients)
    assert stopped is not None
    assert (stopped.stopped, stopped.completed, stopped.failed, stopped.concurrent) == (7, 0, 0, 0)
    assert ends.wait("web", lambda found: found.concurrent == 0, SECOND)
    assert ends.statistics("web").count("reset") == 7


def test_abandoned_connections_are_left_where_they_are(tmp_path: Path) -> None:
    ends = ends_on(tmp_path)
    ends.start(server())
    ends.start(users(connections=7, total=7, parameters={"linger": 0, "size": 0, "hold": "60 s"}))
    assert ends.wait("web", lambda found: found.concurrent == 7, SECOND)
    stopped = ends.stop(["users"], Clients, abandon=True)
    assert stopped is not None
    assert (stopped.stopped, stopped.concurrent) == (0, 7)
    ends._tester.clock.sleep(1)
    assert ends.statistics("web").concurrent == 7


def test_what_the_kernel_has_dropped_before_the_device_is_no_fault_of_it(tmp_path: Path) -> None:
    """Nobody answers, and this machine's kernel has dropped frames: SYNs may have been among them."""
    ends = ends_on(tmp_path)
    drops = [7]
    ends._tester.backlog_drops = lambda: drops[0]
    ends.start(server(servers=Endpoints.parse("198.18.0.3:81")))  # not where clients ask
    ends.start(users(total=1))
    assert not any("netdev_max_backlog" in found for found in ends.measure("users", SECOND).objections)
    drops[0] = 9
    assert not any("netdev_max_backlog" in found for found in ends.measure("users", SECOND).objections)
    (found,) = (o for o in ends.so_far("users").objections if "netdev_max_backlog" in o)
    assert found.startswith("of flows and segments 1 ")
    assert "kernel dropped 2 in its input queue" in found


def test_what_the_kernel_has_dropped_of_others_is_no_objection(tmp_path: Path) -> None:
    ends = ends_on(tmp_path)
    ends.start(server())
    drops = iter(range(1000))
    ends._tester.backlog_drops = lambda: next(drops)
    ends.start(users(total=10))
    ends.drain("users", SECOND)
    assert not any("netdev_max_backlog" in found for found in ends.so_far("users").objections)


def test_an_end_is_in_doubt_where_the_link_of_one_of_its_ports_was_down(tmp_path: Path) -> None:
    ends = ends_on(tmp_path)
    ends.start(server())
    ends._tester.target.set_link("p2", up=False)  # type: ignore[attr-defined]
    assert ends.so_far("web").objections == ("the link of p2 was down",)


@pytest.mark.parametrize(("out", "ports"), [(None, {"p1"}), ("p2", {"p1", "p2"})])
def test_frames_of_a_trigger_leave_by_a_port_of_it(out: str | None, ports: set[str]) -> None:
    given = PacketFilter.parse("TCP.flags == SA")
    frames = SentFrames.parse("Ether / IP / TCP(flags=R)")
    assert Trigger(name="resets", port="p1", filter=given, send=frames, out=out).ports == ports


def test_a_port_that_may_have_lost_tags_judges_no_clients_of_a_vlan(tmp_path: Path) -> None:
    """Answers arrive without the tag by which they are theirs; those that do arrive are not in doubt."""
    reason = "port p1: the other end keeps tags"
    loses = replace(fake_port("p1"), loses_tags="the other end keeps tags")
    ends = ends_on(tmp_path, ports=(loses, fake_port("p2")))
    ends.start(server(vlan=7))
    ends.start(users(vlan=8, total=5))  # as if the tags of all answers were lost
    assert ends.measure("users", TENTH).doubt == reason
    assert ends.so_far("users").doubt == reason
    assert ends.so_far("web").doubt == ""  # at p2
    ends.stop(["users"], Clients)
    ends.start(users(vlan=7, total=5))
    assert ends.measure("users", TENTH).doubt == ""
    ends.stop(["users"], Clients)
    ends.start(users())
    assert ends.measure("users", TENTH).doubt == ""  # without a VLAN nothing is missing
