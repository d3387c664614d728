# SPDX-FileCopyrightText: TesterLibrary contributors
# SPDX-License-Identifier: Apache-2.0
"""Files that are edited while a run goes on: what is measured afterwards would stand under another name."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from TesterLibrary.campaign import certification as _certification
from TesterLibrary.campaign.certification_arguments import certification
from TesterLibrary.commands import main as cli
from TesterLibrary.reporting.record.record_place import EVIDENCE
from TesterLibrary.reporting.record.records import Records, read
from TesterLibrary.reporting.record.run_files import RunFiles
from TesterLibrary.testbeds.load import find_testbed

from .fleets import LIBRARY

SUITE = f"""
*** Settings ***
Library    {LIBRARY}
Library    OperatingSystem
Library    rates.py
Resource    beside.resource
Variables    values.yaml
*** Keywords ***
It Is Sent
    Create Job    file=${{CURDIR}}/job.yaml
*** Test Cases ***
"""
EDITS = """
Before
    Judge    PASS
Edits
    Judge    PASS
    ${again} =    Evaluate    __import__('os').path.exists('again')
    IF    not ${again}    Append To File    ${EDITED}    ${\\n}# another
    Append To File    ${CURDIR}/log.txt    it may
After
    Judge    PASS
"""
WHY = "has changed since the run began, and results would stand under another name; undo that"


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.yaml").write_text(find_testbed("simulated/breakpoint").read_text())
    Path("suites").mkdir()
    Path("suites/1.robot").write_text(SUITE + EDITS)
    Path("suites/2.robot").write_text(f"{SUITE}Last\n    Judge    PASS\n")
    Path("suites/rates.py").write_text("NUMBER = 1\n")
    Path("suites/beside.resource").write_text("*** Variables ***\n${BOUND}    1 %\n")
    Path("suites/values.yaml").write_text("LOAD: 20 %\n")
    for name in ("job.yaml", "log.txt"):
        Path("suites", name).write_text("version: 1\n")


def certify(*more: str) -> int:
    edited = Path("mine.yaml").absolute()
    given = ["--testbed", "mine.yaml", "--suite", "suites", "--variable", f"EDITED:{edited}"]
    return cli.main(["certify", *given, "--output", "run", *more])


def recorded() -> Records:
    return read(Path("run", EVIDENCE))


def test_what_is_run_after_an_edit_is_an_error_and_can_go_on(capsys: pytest.CaptureFixture[str]) -> None:
    shutil.copy("mine.yaml", "before.yaml")
    assert certify() == 3
    assert f"ERROR        breakpoint.1 · Edits: the testbed mine.yaml {WHY}" in capsys.readouterr().out
    records = recorded()
    assert {test.test: test.outcome for test in records.tests} == {"Before": "PASS", "Edits": "ERROR"}
    assert dict(records.not_run) == {"breakpoint.1": ("After",), "breakpoint.2": ("Last",)}
    assert records.why_not_run("breakpoint.2").startswith(f"the testbed mine.yaml {WHY}")
    assert f"the testbed mine.yaml {WHY}" in Path("run/certificate.html").read_text()

    assert cli.main(["certify", "--resume", "run"]) == 3  # it is still another one
    shutil.copy("before.yaml", "mine.yaml")
    Path("again").touch()
    Path("suites/log.txt").write_text("version: 1\n")  # nobody knows who has written it meanwhile
    assert cli.main(["certify", "--resume", "run"]) == 0
    assert [test.outcome for test in recorded().tests] == ["PASS"] * 4


@pytest.mark.parametrize("name", ["2.robot", "beside.resource", "values.yaml", "rates.py", "job.yaml"])
def test_each_file_that_a_run_reads_is_compared(name: str) -> None:
    run = certification(
        profile="quick", testbeds=["mine.yaml"], criteria=None, suites=["suites"], output=Path("run")
    )
    run.begin()
    files = RunFiles(run.output)
    Path("suites/log.txt").write_text("a test writes it")
    Path("suites/new.txt").write_text("it was not there")
    assert not files.change()
    Path("suites", name).touch()
    assert not files.change()  # its content is the same
    Path("suites", name).write_text("another")
    assert f" {name} {WHY}" in files.change()
    Path("suites", name).unlink()
    assert f" {name} {WHY}" in files.change()


def test_no_further_robot_is_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """Between two repetitions, when no listener looks."""
    started: list[Sequence[str]] = []

    def run_robot(arguments: Sequence[str], *_: object) -> tuple[bool, str]:
        started.append(arguments)
        Path("bounds.yaml").write_text("another")
        return False, "it ended"

    monkeypatch.setattr(_certification, "run_robot", run_robot)
    Path("bounds.yaml").write_text('CRITERIA: {version: 1, layer: 2, throughput: {"64": 3 %}}\n')
    run = certification(
        profile="quick",
        testbeds=["mine.yaml"],
        criteria="bounds.yaml",
        suites=["suites"],
        output=Path("run"),
        repetitions=2,
    )
    run.begin()
    assert run.run()
    assert len(started) == 1
    records = recorded()
    assert records.why_not_run("breakpoint.2") == "it ended"
    assert records.why_not_run("breakpoint (2).2").startswith(f"the criteria bounds.yaml {WHY}")
