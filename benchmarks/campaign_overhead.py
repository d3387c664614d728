# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""The time that a campaign on sixteen testers takes beside the tests that it runs."""

from __future__ import annotations

import tempfile
from contextlib import redirect_stdout
from dataclasses import replace
from io import StringIO
from pathlib import Path

from TesterLibrary.campaign.campaign_file import load_campaign
from TesterLibrary.campaign.certification_arguments import certification
from TesterLibrary.campaign.fleet.fleet import fleet_of
from TesterLibrary.campaign.fleet.runner import FleetRunner
from TesterLibrary.campaign.fleet.workers import LocalWorkers
from TesterLibrary.reporting.merge.assembly import assemble
from TesterLibrary.reporting.merge.cells import attempts, read_plan
from TesterLibrary.reporting.record.record_place import EVIDENCE

from .harness.machine import load_average
from .harness.outcome import Outcome, Run, below
from .harness.registry import Settings, benchmark

_TESTERS = 16
_CELLS = 32
_TEST_S = 30
_MOST_RUNS = 3
_SUITE = f"""
*** Settings ***
Library    TesterLibrary    testbed=${{TESTBED}}
Suite Setup    Open Tester
Suite Teardown    Close Tester
*** Test Cases ***
Loss
    Create Stream    north    frame_size=512    rate=40 %    tx=p1    rx=p2
    Measure Loss    duration=1 s
    Verify Loss Below    0
    Sleep    {_TEST_S} s    # as long as a device would be tested: the time of simulated ones is no time
"""


@benchmark(unit="%", bound=below(3, "%"))
def campaign_overhead(settings: Settings) -> Outcome:
    """The part of a campaign of 32 suites on 16 simulated testers in which a tester waits for the campaign"""
    runs = []
    for _ in range(min(settings.runs, _MOST_RUNS)):
        load = load_average()
        with tempfile.TemporaryDirectory(prefix="benchmark-") as folder:
            runs.append(Run(100 * _overhead(Path(folder)), None, load))
    note = f"before, between and after suites of {_TEST_S} s and the start of Robot; reports are not in it"
    return Outcome(tuple(runs), note=note)


def _overhead(folder: Path) -> float:
    """The part of the time, from the campaign's file to the merged records, in which a tester runs nothing.

    A tester that has run its last suite waits for the others, not for the campaign.
    """
    for number in range(_CELLS):
        (folder / f"s{number:02}.robot").write_text(_SUITE, encoding="utf-8")
    testers = "".join(f"\n  t{number}: {{}}" for number in range(_TESTERS))
    file, night = folder / "fleet.yaml", folder / "night"
    file.write_text(
        f"version: 1\nsuites: ['s*.robot']\ntestbeds: [simulated/breakpoint]\ntesters:{testers}\n",
        encoding="utf-8",
    )
    campaign = load_campaign(file)
    fleet = fleet_of(campaign)
    with FleetRunner(fleet, LocalWorkers) as runner, redirect_stdout(StringIO()):
        run = certification(
            profile="quick",
            testbeds=fleet.testbeds,
            criteria=None,
            suites=list(map(str, campaign.suites)),
            output=night,
        )
        run = replace(run, by=runner)
        run.begin()
        if not run.run():
            raise RuntimeError("the campaign was interrupted")
        assemble(night)
    begin, end = _time(file), _time(night / EVIDENCE / "run.json")
    spans: dict[str, list[tuple[float, float]]] = {}
    for cell in read_plan(night):
        (attempt,) = attempts(night, cell)
        (output,) = attempt.folder.glob("robot/*.xml")
        spans.setdefault(attempt.tester, []).append((_time(attempt.evidence / "agenda.json"), _time(output)))
    last = max(ended for runs in spans.values() for _, ended in runs)
    waited = [_gaps(begin, sorted(runs)) + end - last for runs in spans.values()]
    return sum(waited) / len(waited) / (end - begin)


def _gaps(begin: float, runs: list[tuple[float, float]]) -> float:
    ends = [begin, *(ended for _, ended in runs)]
    return sum(started - ended for (started, _), ended in zip(runs, ends, strict=False))


def _time(path: Path) -> float:
    """Seconds at which a file was written."""
    return path.stat().st_mtime
