# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Content between a tester's own ends: a changed byte fails clients, and what nobody compared is no PASS.

The tables stand for a device: a server that expects other bytes sees changed ones, and a client that knows
the content by another type compares none.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from assertionengine import AssertionOperator

from TesterLibrary.errors import Inconclusive, VerdictFailed
from TesterLibrary.methodology.maximum import Limit, MaximumSearch, Quantity, find_maximum
from TesterLibrary.methodology.sessions import failures_below, goodput_above
from TesterLibrary.model.endpoints import Endpoints
from TesterLibrary.model.responder import Clients, Responder
from TesterLibrary.model.units.quantity import Octets
from TesterLibrary.model.units.units import Bandwidth, Ratio
from TesterLibrary.protocols.checker import load_protocol
from TesterLibrary.running.connections import Connections
from TesterLibrary.running.procedures.connection_trials import RateMeasurer
from TesterLibrary.verdict import Outcome

from ..keywords.test_session_getter import asked, getter_of
from .test_connections import TENTH, ends_on, server, users

NONE = Ratio.parse("0")
TYPE = "application/x-modulo-251"
MASKED = "0 of 5 bodies that arrived at users were compared: the Content-Type of the others is not"
COMPARED = "verify: {bytes: payload.left, from: place, compared: verified, changed: changed}"


def table(directory: Path, name: str, old: str, new: str) -> str:
    """A shipped table in which a text is replaced."""
    text = load_protocol(name).path.read_text()
    assert old in text
    file = directory / f"{name}.yaml"
    file.write_text(text.replace(old, new))
    return str(file)


def masked(directory: Path, **given: Any) -> Connections:
    """HTTP through a device that gives bodies another type."""
    protocol = table(directory, "http-client", TYPE, "application/octet-stream")
    ends = ends_on(directory)
    ends.start(server(protocol="http-server"))
    ends.start(users(protocol=protocol, parameters={"size": Octets(1000), **given}, connections=5, total=5))
    ends._tester.clock.sleep(TENTH.seconds)
    return ends


def uploads(directory: Path, *names: str, changes: bool = True) -> Connections:
    """Uploads of 5 connections each through a device that changes bytes from the second segment on."""
    protocol = table(directory, "tcp-server", COMPARED, COMPARED.replace("place", "place + 1"))
    ends = ends_on(directory)
    ends.start(server(protocol=protocol if changes else "tcp-server"))
    for number, name in enumerate(names, 2):
        sources = Endpoints.parse(f"198.18.0.2:{number}000-{number}999")
        ends.start(
            users(name=name, sources=sources, parameters={"size": Octets(20_000)}, connections=5, total=5)
        )
    ends._tester.clock.sleep(TENTH.seconds)
    return ends


@pytest.mark.parametrize("stopped", [False, True])
def test_bodies_that_nobody_compared_are_no_pass(tmp_path: Path, stopped: bool) -> None:
    ends = masked(tmp_path)
    if stopped:
        ends.stop(["users"], Clients)
    trial = ends.so_far("users")
    assert trial.statistics.transactions == 5
    for verdict in (failures_below([trial], NONE), goodput_above(trial, Bandwidth.parse("1 bps"))):
        assert verdict.outcome is Outcome.INCONCLUSIVE
        assert MASKED in verdict.reason
    assert failures_below([trial], Ratio.parse("100 %")).outcome is Outcome.PASS
    with pytest.raises(Inconclusive, match=MASKED):
        asked(ends, "failed", "==", 0)


def test_a_suite_may_take_bodies_of_any_kind(tmp_path: Path) -> None:
    trial = masked(tmp_path, any_size=1).so_far("users")
    assert failures_below([trial], NONE).outcome is Outcome.PASS


def test_a_server_of_ones_own_that_names_another_type_is_no_doubt(tmp_path: Path) -> None:
    ends = ends_on(tmp_path)
    ends.start(server(protocol=table(tmp_path, "http-server", TYPE, "application/octet-stream")))
    ends.start(users(protocol="http-client", parameters={}, connections=5, total=5))
    ends._tester.clock.sleep(TENTH.seconds)
    assert failures_below([ends.so_far("users")], NONE).outcome is Outcome.PASS


def test_a_search_does_not_pass_what_nobody_compared(tmp_path: Path) -> None:
    ends = masked(tmp_path)
    search = MaximumSearch(Quantity.RATE, 10, 20, TENTH)
    result = find_maximum(RateMeasurer(ends, "users"), search)
    assert result.limited_by is Limit.TESTER
    verdict = result.verdict_above(10, "10/s")
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "bodies that arrived at users were compared" in verdict.reason


@pytest.mark.parametrize("stopped", ["", "users", "web"])
def test_an_upload_that_arrives_changed_fails_its_clients(tmp_path: Path, stopped: str) -> None:
    ends = uploads(tmp_path, "users")
    if stopped:
        ends.stop([stopped], Clients if stopped == "users" else Responder)
    verdict = failures_below([ends.so_far("users")], NONE)
    assert verdict.outcome is Outcome.FAIL
    assert "bytes arrived changed at web" in verdict.measured
    with pytest.raises(VerdictFailed, match="bytes arrived changed at web"):
        asked(ends, "failed", "==", 0)
    assert failures_below([ends.so_far("web")], NONE).outcome is Outcome.FAIL
    with pytest.raises(VerdictFailed):
        getter_of(ends).statistic("web", "failed", AssertionOperator["=="], 0, None)


def test_whose_upload_was_changed_is_not_known_of_two(tmp_path: Path) -> None:
    ends = uploads(tmp_path, "users", "others")
    for name in ("users", "others"):
        assert failures_below([ends.so_far(name)], NONE).outcome is Outcome.INCONCLUSIVE


def test_clients_do_not_fail_by_what_was_before_them(tmp_path: Path) -> None:
    ends = uploads(tmp_path, "users")
    ends.stop(["users"], Clients)
    ends.start(users(name="others", parameters={"size": Octets(1000)}, connections=5, total=5))
    ends._tester.clock.sleep(TENTH.seconds)
    assert failures_below([ends.so_far("others")], NONE).outcome is Outcome.PASS


def test_uploads_that_arrive_as_they_were_sent_pass(tmp_path: Path) -> None:
    ends = uploads(tmp_path, "users", "others", changes=False)
    for name in ("users", "others", "web"):
        assert failures_below([ends.so_far(name)], NONE).outcome is Outcome.PASS


def test_streams_that_do_not_begin_as_they_were_sent_are_no_pass(tmp_path: Path) -> None:
    ends = ends_on(tmp_path)
    ends.start(server(protocol=table(tmp_path, "tcp-server", "from: place,", "from: place + 1,")))
    ends.start(users(parameters={"size": Octets(20_000)}, connections=5, total=5))
    ends._tester.clock.sleep(TENTH.seconds)
    verdict = failures_below([ends.so_far("users")], NONE)
    assert verdict.outcome is Outcome.INCONCLUSIVE
    assert "0 of 100,000 bytes that arrived at web were compared" in verdict.reason


@pytest.mark.parametrize(("requests", "outcome"), [(1, Outcome.PASS), (5, Outcome.FAIL)])
def test_a_server_that_closes_before_all_requests_fails(
    tmp_path: Path, requests: int, outcome: Outcome
) -> None:
    """It says `Connection: close` in each response."""
    closing = "Content-Length: {size:10}\\r\\nConnection: close\\r\\n\\r\\n"
    opening = "Content-Length: {size:10}\\r\\n\\r\\n"
    ends = ends_on(tmp_path)
    ends.start(server(protocol=table(tmp_path, "http-server", opening, closing)))
    ends.start(users(protocol="http-client", parameters={"requests": requests}, connections=5, total=5))
    ends._tester.clock.sleep(TENTH.seconds)
    verdict = failures_below([ends.so_far("users")], NONE)
    assert verdict.outcome is outcome
    assert ("connections were closed before 20 of their requests" in str(verdict)) is (requests == 5)
