# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The lease that is asked for: by the keyword, by the testbed file, or by default."""

from __future__ import annotations

from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest

from TesterLibrary.errors import PlanError, TesterLibraryError
from TesterLibrary.model.units.units import Bandwidth, Duration
from TesterLibrary.reporting.record.progress import Console
from TesterLibrary.reporting.record.recorder import Recorder
from TesterLibrary.running.opening import LeaseWish, open_tester
from TesterLibrary.running.suite import Suite
from TesterLibrary.targets.engine.owner import OWNER
from TesterLibrary.testbeds.testbed import DutSpec, SwitchSpec, Testbed, TestbedPort, TesterSpec

MINUTE, HOUR, NONE = Duration(60 * 10**9), Duration(3600 * 10**9), Duration(0)
BED = Testbed("lab", (TestbedPort("p1", Bandwidth(10**9)),), DutSpec("router"))


def leased(lease: Duration | None) -> Testbed:
    return replace(BED, tester=TesterSpec(address="unix:/run/t", lease=lease))


@pytest.mark.parametrize(
    ("wish", "testbed", "ttl"),
    [
        (LeaseWish(), BED, MINUTE),
        (LeaseWish(), leased(None), MINUTE),
        (LeaseWish(), leased(HOUR), HOUR),
        (LeaseWish(MINUTE), leased(HOUR), MINUTE),
        (LeaseWish(), leased(NONE), None),
        (LeaseWish(HOUR), leased(NONE), HOUR),
        (LeaseWish(NONE), leased(HOUR), None),
    ],
)
def test_the_keyword_is_above_the_testbed(wish: LeaseWish, testbed: Testbed, ttl: Duration | None) -> None:
    terms = wish.terms(testbed)
    assert (terms and terms.ttl) == ttl
    if terms:
        assert (terms.owner, terms.force) == (OWNER, False)


def test_owner_and_force_are_asked_for() -> None:
    terms = LeaseWish(owner="nightly", force=True).terms(BED)
    assert terms is not None
    assert (terms.owner, terms.force) == ("nightly", True)


@pytest.mark.parametrize(
    "testbed",
    [
        replace(BED, tester=TesterSpec(switch=SwitchSpec("fake"))),
        replace(BED, dut=DutSpec("router", kind="simulated")),
    ],
    ids=["switch", "simulated"],
)
def test_testers_without_a_lease_are_asked_only_where_the_suite_does(testbed: Testbed) -> None:
    assert LeaseWish().terms(testbed) is None
    for wish in (LeaseWish(MINUTE), LeaseWish(owner="me"), LeaseWish(force=True)):
        assert wish.terms(testbed) is not None


@pytest.mark.parametrize("ttl", [Duration(-1), Duration(1), Duration(10**9 - 1), Duration(HOUR.ns + 1)])
def test_a_time_that_is_no_time_of_a_lease_is_refused(ttl: Duration) -> None:
    with pytest.raises(TesterLibraryError, match=r"no time of a lease; give 1 s to 1 h, or 0 s for no lease"):
        LeaseWish(ttl)


def test_no_lease_by_force_is_refused() -> None:
    with pytest.raises(
        TesterLibraryError, match=r"force=True takes the lease over, and lease=0 asks for none"
    ):
        LeaseWish(NONE, force=True)


def test_a_simulated_tester_refuses_a_lease(tmp_path: Path) -> None:
    console = Console(stream=StringIO())
    with pytest.raises(PlanError, match="a simulated tester has no leases"):
        open_tester(
            "simulated/reset",
            seed=1,
            recorder=Recorder(tmp_path),
            progress=console,
            lease=LeaseWish(owner="me"),
        )


def test_an_open_tester_takes_no_other_terms(tmp_path: Path) -> None:
    suite = Suite("simulated/reset", 1, Recorder(tmp_path), Console(stream=StringIO()))
    suite.open()
    suite.ask_for_lease(LeaseWish())
    with pytest.raises(TesterLibraryError, match="call Close Tester before Open Tester with lease, owner"):
        suite.ask_for_lease(LeaseWish(MINUTE))
    suite.close()
    suite.ask_for_lease(LeaseWish(MINUTE))
    assert suite.lease == LeaseWish(MINUTE)
