# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""A campaign on four engines from one machine goes on though a tester, a worker and the head die."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from TesterLibrary.model.units.units import Duration
from TesterLibrary.targets.engine.client import EngineTarget
from TesterLibrary.targets.parts import LeaseTerms
from tests.unit.commands.fleets import night, outcomes
from tests.unit.service.served import until

from .campaign import engines, has_begun, in_folder, said, start, survives


@pytest.mark.long
def test_a_campaign_survives_the_death_of_a_tester_a_worker_and_the_head(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with in_folder(tmp_path, monkeypatch), engines(tmp_path) as fleet:
        survives(fleet, "run")


@pytest.mark.long
def test_a_tester_that_is_taken_by_force_keeps_its_new_user_and_the_test_is_run_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with in_folder(tmp_path, monkeypatch), engines(tmp_path) as fleet:
        file = Path(fleet.file)
        text = file.read_text().replace("a.robot, b.robot, c.robot", "a.robot, b.robot")
        file.write_text("".join(line for line in text.splitlines(True) if line[2:4] not in ("t3", "t4")))
        Path("go-b").touch()
        head = start("run", fleet.file)
        until(lambda: has_begun("east.A on t1"), 90)
        with closing(EngineTarget.connect(fleet.engines["t1"].address)) as thief:
            thief.leases.acquire(LeaseTerms("mallory", Duration(300 * 10**9), force=True))
            Path("go-a").touch()
            assert head.wait(180) == 0, said()
            assert thief.snapshot().jobs == ()
            assert thief.leases.is_kept
        names = [f"east.{suite}/{test} PASS" for suite in "AB" for test in ("First", "Second")]
        assert outcomes() == names
        events = [event.facts for event in night().events if event.event == "run_again"]
        assert {event["tester"] for event in events} == {"t1"}
        assert all("mallory" in event["reason"] for event in events), events
