# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Paths of a tester that does not forward: what is said of them, and that nothing stays behind."""

from __future__ import annotations

from pathlib import Path as File

import pytest

from TesterLibrary.errors import PlanError, TestbedError, TesterLibraryError
from TesterLibrary.model.inline import Drop, Event, Path
from TesterLibrary.model.units import Duration
from TesterLibrary.running.suite import Suite

from .testers import opened

WAN = Path("wan", ("p1", "p2"))


@pytest.fixture
def suite(tmp_path: File) -> Suite:
    return opened(tmp_path)


def test_a_tester_that_does_not_forward_refuses_by_name(suite: Suite) -> None:
    suite.paths.create(WAN)
    with pytest.raises(PlanError, match="path 'wan': a fake tester does not forward frames"):
        suite.paths.start(["wan"])
    assert suite.tester.target.snapshot().jobs == ()
    with pytest.raises(PlanError, match="path 'wan': it has not been started; call Start Path first"):
        suite.paths.statistics("wan")


def test_a_path_is_checked_when_it_is_described(suite: Suite) -> None:
    with pytest.raises(PlanError, match="there is no port 'p9'"):
        suite.paths.create(Path("wan", ("p1", "p9")))
    with pytest.raises(TesterLibraryError, match="there is no path 'wan'; call Create Path first"):
        suite.paths.add("wan", Event(action=Drop(), every=1))


def test_events_are_named_by_what_they_do_unless_their_author_names_them(suite: Suite) -> None:
    suite.paths.create(WAN)
    assert suite.paths.add("wan", Event(action=Drop(), number=3)) == "1: drop packet 3"
    assert suite.paths.add("wan", Event(action=Drop(), number=4, name="mine")) == "mine"
    with pytest.raises(PlanError, match="more than one event 'mine'"):
        suite.paths.add("wan", Event(action=Drop(), number=5, name="mine"))
    assert suite.paths.add("wan", Event(action=Drop(), number=6)) == "3: drop packet 6"


def test_a_path_ends_with_its_test(suite: Suite) -> None:
    suite.paths.create(WAN)
    assert suite.scopes.enter(["s1"]) == []
    with pytest.raises(TesterLibraryError, match="there is no path 'wan'"):
        suite.paths.start(["wan"])


def test_what_was_not_started_is_in_no_verdict(suite: Suite) -> None:
    suite.paths.create(WAN)
    suite.paths.add("wan", Event(action=Drop(), number=3))
    assert (suite.paths.started(), suite.paths.doubt) == ([], "")
    suite.paths.stop()


def test_a_testbed_without_hosts_runs_nothing(suite: Suite) -> None:
    assert suite.hosts.names == ()
    with pytest.raises(TestbedError, match="has no hosts"):
        suite.hosts.run("client", "true", status=0, timeout=Duration(10**9))
