# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A lease that somebody else has acquired for a run: used and kept, and never released by the run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest

from TesterLibrary.errors import LeaseError, PlanError
from TesterLibrary.model.units.units import Duration
from TesterLibrary.targets.engine import leases
from TesterLibrary.targets.engine.client import EngineTarget
from TesterLibrary.targets.engine.process import EngineProcess
from TesterLibrary.targets.parts import LeaseTerms

PORTS = {"p1": "loop:x", "p2": "loop:x"}
TERMS = LeaseTerms("alice", Duration(60 * 10**9))


@pytest.fixture
def token(process: EngineProcess, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The token of a lease that this process does not know of, but by its environment."""
    with closing(EngineTarget.connect(process.address)) as service:
        service.leases.acquire(TERMS)
        monkeypatch.setattr(leases, "_held", {})
        monkeypatch.setenv(leases.VARIABLE, leases.variable(process.address, service.leases.token))
        yield service.leases.token


def test_it_is_used_and_left_to_who_has_acquired_it(process: EngineProcess, token: str) -> None:
    with closing(EngineTarget.connect(process.address)) as run:
        assert run.leases.acquire(LeaseTerms("bob", Duration(10**9))) is None
        assert run.leases.token == token
        assert run.snapshot().jobs == ()
    with closing(EngineTarget.connect(process.address)) as other:
        holder = other.leases.holder()
        assert holder is not None
        assert holder.owner == "alice"


def test_no_other_one_is_taken_by_force(process: EngineProcess, token: str) -> None:
    assert token
    with (
        closing(EngineTarget.connect(process.address)) as run,
        pytest.raises(PlanError, match="leave out force"),
    ):
        run.leases.acquire(LeaseTerms("bob", Duration(10**9), force=True))


def test_one_of_another_tester_is_not_for_this_one(
    process: EngineProcess, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(leases.VARIABLE, leases.variable("unix:/run/elsewhere", "7.abc"))
    with closing(EngineTarget.connect(process.address)) as run:
        run.leases.acquire(TERMS)
        assert run.leases.token != "7.abc"


def test_one_that_is_over_is_refused(process: EngineProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(leases.VARIABLE, leases.variable(process.address, "7.abc"))
    with (
        closing(EngineTarget.connect(process.address)) as run,
        pytest.raises(LeaseError, match="has not granted the lease"),
    ):
        run.leases.acquire(TERMS)
