# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The driver handles notifications of ports; tests/contract has what all targets say of links."""

from __future__ import annotations

from typing import Any

from TesterLibrary.targets.tofino.reading.links import Links
from TesterLibrary.targets.tofino.session.session import SwitchSession
from tests.counted import port_counters

from ..rig import LOOPBACKS, Bench

P1, P2 = port_counters("p1"), port_counters("p2")


def opened(**cabling: Any) -> tuple[Bench, SwitchSession, Links]:
    tester = Bench()
    session = tester.session(**cabling)
    return tester, session, Links(session)


def said(links: Links) -> list[tuple[int, bool]]:
    return [(port.link_downs, port.link_up) for port in links.noted([P1, P2])]


def test_each_loss_counts_however_late_it_is_looked_at() -> None:
    tester, session, links = opened()
    for up in (False, True, False, False):
        tester.daemon.set_link(session.numbers["p1"], up=up)
    assert said(links) == [(2, False), (0, True)]
    tester.daemon.set_link(session.numbers["p1"], up=True)
    assert said(links) == said(links) == [(2, True), (0, True)]


def test_what_came_before_is_no_loss_but_the_last_word_holds() -> None:
    tester = Bench()
    session = tester.session()
    for up in (False, True, False):
        tester.daemon.set_link(session.numbers["p2"], up=up)
    assert said(Links(session)) == [(0, True), (0, False)]


def test_ports_that_loop_are_nobodys_links() -> None:
    tester, _, links = opened()
    tester.daemon.set_link(LOOPBACKS[0], up=False)
    assert said(links) == [(0, True), (0, True)]


def test_a_model_has_no_links_to_lose() -> None:
    tester, session, links = opened(has_transceivers=False)
    tester.daemon.set_link(session.numbers["p1"], up=False)
    assert said(links) == [(0, True), (0, True)]
    tester.daemon.set_link(session.numbers["p2"], up=False)
    assert said(Links(session)) == [(0, True), (0, True)]
