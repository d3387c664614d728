# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Openings of clients: due, left, kept by a device, or limited by the clients themselves."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from TesterLibrary.measurement.openings import Openings, State, Unfinished
from TesterLibrary.model.plan.planned_end import Opening
from TesterLibrary.model.responder import Reopen
from tests.counted import session_statistics

HALF_NS = 10**9 // 2
RATE = Fraction(100, 10**9)  # each nanosecond


def openings(asked: dict[str, Any], **counted: Any) -> Openings:
    usual = {"connections": 1, "rate": None, "reopen": Reopen.ENDED_WELL}
    opening = Opening(flows=100, addresses=(), source_mac=b"", destination_mac=b"", **{**usual, **asked})
    return Openings("users", opening, session_statistics("users", 10**9, {}, {}, opens=True, **counted))


@pytest.mark.parametrize(
    ("asked", "opened", "due"),
    [
        ({"rate": RATE}, 7, Fraction(50)),
        ({"rate": RATE, "total": 60}, 59, Fraction(50)),
        ({"rate": RATE, "total": 60}, 60, None),
        ({"total": 60}, 7, None),
    ],
)
def test_due_is_what_a_rate_asks_for_while_it_goes_on(
    asked: dict[str, Any], opened: int, due: Fraction | None
) -> None:
    assert openings(asked, openings=opened).due(HALF_NS) == due


@pytest.mark.parametrize(
    ("asked", "left"),
    [
        ({}, 0),
        ({"total": 60}, 53),
        ({"total": 5}, 0),
        ({"total": 9, "connections": 10, "reopen": Reopen.NEVER}, 2),
        ({"connections": 10, "reopen": Reopen.NEVER}, 3),
        ({"total": 60, "connections": 0, "reopen": Reopen.NEVER}, 53),
    ],
)
def test_left_is_what_is_missing_of_a_total(asked: dict[str, Any], left: int) -> None:
    assert openings(asked, openings=7).left == left


def test_the_text_has_both_numbers() -> None:
    text = "1,993 of 2,000 connections of users"
    assert openings({"total": 2000}, openings=7).left_text == text


@pytest.mark.parametrize("reopen", Reopen)
def test_flows_that_failed_are_gone_unless_they_are_opened_again(reopen: Reopen) -> None:
    found = openings({"connections": 10, "reopen": reopen}, failed=6)
    assert found.gone == (0 if reopen is Reopen.ALWAYS else 6)
    assert found.kept(4) is (reopen is not Reopen.ALWAYS)
    assert not found.kept(3)
    assert not openings({"connections": 0, "reopen": reopen}).kept(10)  # nothing is kept of a flow


@pytest.mark.parametrize(
    ("asked", "counted", "waiting", "in_use"),
    [
        ({"rate": RATE}, {"put_off": 1}, 0, 10),
        ({"rate": RATE}, {"put_off": 1}, 4, 10),
        ({"rate": RATE}, {"put_off": 1}, 5, 0),  # the device did
        ({"rate": RATE}, {"put_off": 1, "failed": 1}, 4, 0),
        ({"rate": RATE}, {"most_concurrent": 10}, 0, 0),  # none was put off
        ({}, {"most_concurrent": 10}, 0, 10),
        ({}, {"most_concurrent": 9}, 0, 0),
        ({"total": 20}, {"most_concurrent": 10, "openings": 20}, 0, 0),
    ],
)
def test_clients_limit_themselves_unless_half_of_them_wait_for_the_device(
    asked: dict[str, Any], counted: dict[str, int], waiting: int, in_use: int
) -> None:
    assert openings({"connections": 10, **asked}, **counted).all_in_use(waiting) == in_use


@pytest.mark.parametrize(
    ("given", "at_end", "others"),
    [
        ({}, True, True),
        ({"by_clients": True}, True, False),  # it goes well so far, and is not over
        ({"at_rest": True}, False, True),  # the device has stopped; a timer may end it as a failure yet
    ],
)
def test_what_open_connections_may_change(given: dict[str, bool], at_end: bool, others: bool) -> None:
    unfinished = Unfinished(0, "3 connections of users", State.OPEN, **given)
    assert unfinished.may_change(at_end=True) is at_end
    assert unfinished.may_change(at_end=False) is others


@pytest.mark.parametrize(
    ("asked", "counted", "may_send"),
    [
        ({}, {"openings": 20}, True),
        ({"total": 20}, {"openings": 19}, True),
        ({"total": 20}, {"openings": 20, "concurrent": 1}, True),
        ({"total": 20}, {"openings": 20}, False),
        ({"total": 20}, {"openings": 20, "concurrent": None, "begun": None}, True),
        ({"connections": 9, "reopen": Reopen.NEVER}, {"openings": 8}, True),
        ({"connections": 9, "total": 5, "reopen": Reopen.NEVER}, {"openings": 5}, False),
        ({"connections": 9, "reopen": Reopen.NEVER}, {"openings": 9}, False),
    ],
)
def test_clients_may_send_until_all_their_connections_are_over(
    asked: dict[str, Any], counted: dict[str, Any], may_send: bool
) -> None:
    assert openings(asked, **counted).may_send is may_send


@pytest.mark.parametrize(
    ("due", "opened", "put_off", "unopened", "late"),
    [
        (Fraction(2000), 980, 1021, 1018, 1020),
        (Fraction(2000), 1999, 500, 0, 1),  # hardly late
        (Fraction(2000), 980, 0, 0, 0),  # the tester was late
        (Fraction(2000), 2001, 3, 0, 0),
        (None, 2000, 1021, 0, 1021),  # the total has been opened, later than asked
    ],
)
def test_what_was_due_without_a_place_was_late_or_never_opened(
    due: Fraction | None, opened: int, put_off: int, unopened: int, late: int
) -> None:
    clients = openings({"rate": RATE, "total": 2000 if due is None else 0}, openings=opened, put_off=put_off)
    assert clients.unopened(clients.counted, due, Fraction(1, 1000)) == unopened
    assert clients.late(clients.counted, due) == late
